"""The mails of RePEc on new papers: of both orders of fields, with contents before and abstracts behind."""

from pathlib import Path

from sources.formats.opened import head_of
from sources.formats.readers import recognise
from tests.formats.given import format_of, read, records
from tests.growth import assert_linear

REPORT = """\
nep-har
New Economics Papers on Harbours

In this issue we have:

1. Storm gates and tides Ada Okoro
2. Fog over the
harbour

1. Storm gates and
tides
Date: \t2005-11-07
By: \tAda Okoro (University of Tides (Quay))
Eva Vaszary
URL: \thttp://d.repec.org/n?u=RePEc:tid:papers:2005-17&r=har
The gates hold.

1. They are high.
Keywords: \tGates, tides
JEL: \tD81 O31

2. Fog over the harbour
By: Jan Marek (Institute for Fog, Marine
Abstract: It is thick.
Date: 2006–05
URL: https://d.repec.org/n?u=RePEc:fog:wpaper:3&r=har
"""


def test_every_paper_comes_with_what_the_mail_says_of_it(tmp_path: Path) -> None:
    first, second = records(read(REPORT, tmp_path))
    assert (first.line, first.title, first.published_date, first.kind) == (
        10,
        "Storm gates and tides",
        "2005-11-07",
        "report",
    )
    assert [str(author) for author in first.authors] == ["Okoro, Ada", "Vaszary, Eva"]
    assert [one.value for one in first.identities] == [
        "https://d.repec.org/n?u=RePEc:tid:papers:2005-17",
        "https://d.repec.org/n?r=har&u=RePEc:tid:papers:2005-17",
    ]
    assert (first.ref, first.abstract) == ("RePEc:tid:papers:2005-17", "The gates hold.\n1. They are high.")
    assert (first.tags, ("JEL", "D81 O31") in first.details) == (("Gates", "tides"), True)
    assert (second.title, second.published_date, second.abstract) == ("Fog over the harbour", "2006-05", "It is thick.")
    assert [str(author) for author in second.authors] == ["Marek, Jan"]


def test_a_draft_that_cites_such_a_paper_is_no_report() -> None:
    text = "1. Okoro, Storm gates.\nURL: http://d.repec.org/n?u=RePEc:tid:papers:2005-17\n"
    assert recognise(head_of(text.encode(), is_whole=True)).name != "nep"  # type: ignore[union-attr]


def test_long_mails_grow_linearly(tmp_path: Path) -> None:
    path = tmp_path / "file"

    def work(text: str) -> None:
        path.write_text(text)
        list(format_of(path.read_bytes()).read(path))

    for piece in ("\n1. x\nBy: a (b\nURL: http://d.repec.org/n?u=RePEc:a:b:1\n", "\n1. x", "y ", "y\n"):
        assert_linear(work, piece, 50_000, before=REPORT)
