"""Around the gate: reconciling, markers and their rate, the corpus pack, summaries and passages."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.citations import (
    ChangeKind,
    CorpusItem,
    MarkerKind,
    Mode,
    Policy,
    RateDecision,
    best_passage,
    gate,
    marker_rate,
    markers_of,
    pack_json,
    pack_markdown,
    reconcile,
    resolve_marker,
    summarise,
    token_estimate,
)
from tests.drafts import FOUND, HOSTILE
from tests.growth import assert_linear


def item(number: int, title: str, excerpt: str = "") -> CorpusItem:
    address = f"https://site{number}.example/report"
    return CorpusItem(f"src-{number:03}", address, address, title, "Harbour Office", "2024-04-25", excerpt, title + ".")


CORPUS = [
    item(1, "Tides of the northern harbour"),
    item(2, "Ferries and their fares in spring"),
    item(3, "Quays under repair", "# Quays\n\nAll of it."),
]
ASSISTANT = """\
Tides rise.[^1] Fares doubled.[^2] Nobody knows.[^3][^1] The deck agrees.[^deck]

Repairs go on. ([Quays][1], [Log][2]) More citeturn0search0. See [the tides](https://site1.example/report?utm_source=chatgpt.com).
Bread [oai_citation:0‡site](https://www.site3.example/report/). Rent 【9†source】 rose [src-009]. Old [log](https://out.example/x).

[1]: https://site3.example/report?utm_source=chatgpt.com "Quays"
[2]: https://out.example/log

[^1]: 2023, Jan 2. [Tides, a guess](https://site1.example/report). Harbour Office.
[^2]: [Ferries and their fares in spring](https://out.example/fares)
[^3]: [Nothing at all](https://out.example/none)
[^deck]: Our deck.
"""


def test_an_assistants_draft_keeps_what_was_retrieved() -> None:
    found = reconcile(ASSISTANT, retrieved=CORPUS)
    assert found.text.startswith(
        "Tides rise.[^1] Fares doubled.[^2] Nobody knows.[^1] The deck agrees.[^deck]\n\n"
        "Repairs go on. [^3] More. See [the tides](https://site1.example/report).\n"
        "Bread. [^3] Rent rose. Old log.\n"
    )
    assert "out.example" not in found.text
    assert [(each.line, each.label, each.kind.value) for each in found.changes] == [
        (3, "Quays", "corrected"),
        (3, "Log", "dropped"),
        (3, "citeturn0search0", "dropped"),
        (3, "the tides", "corrected"),
        (4, "oai_citation:0‡site", "corrected"),
        (4, "【9†source】", "dropped"),
        (4, "src-009", "dropped"),
        (4, "log", "dropped"),
        (9, "^1", "corrected"),
        (10, "^2", "substituted"),
        (11, "^3", "dropped"),
    ]
    assert found.counts[ChangeKind.DROPPED] == 6
    assert reconcile(found.text, retrieved=CORPUS).text == found.text
    assert gate(found.text, corpus=CORPUS).text == found.text


def test_numbers_of_a_list_of_references_become_notes() -> None:
    draft = (
        "Tides rise [1, 3]. Fares [2] doubled. Take a[1] in `a[1]`.\n\n## References\n\n"
        "[1] Tides of the northern harbour. https://moved.example/tides\n[2] Other. https://out.example/o\n"
        "[3] https://site3.example/report\n"
    )
    found = reconcile(draft, retrieved=CORPUS)
    assert found.text.startswith("Tides rise. [^1] [^2] Fares doubled. Take a")
    assert "`a[1]`" in found.text
    assert {each.kind for each in found.changes} == {ChangeKind.SUBSTITUTED, ChangeKind.DROPPED, ChangeKind.KEPT}


PIECES = st.sampled_from(
    ["Tides", "[^1]", "[^2].", "[^9]", "[src-001]", "([a][1])", "[a](https://out.example/x)", "【1†s】", ".", "\n\n",
     "[1]",
     "https://site2.example/report", "`[^1]`", "[^deck]", "\n[^1]: [A](https://site1.example/report)\n",
     "\n[^2]: [B](https://out.example/b)\n", "\n\n[1]: https://site3.example/report\n", "\n\n## References\n\n"]
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(draft=st.lists(PIECES, max_size=16).map(" ".join))
def test_reconciling_leaves_no_address_from_outside_and_no_orphan(draft: str) -> None:
    found = reconcile(draft, retrieved=CORPUS)
    assert "out.example/x)" not in found.text
    gated = gate(found.text, corpus=CORPUS)
    assert not {"note-undefined", "note-outside-corpus"} & {each.code.value for each in gated.problems}
    assert sum(found.counts.values()) == len(found.changes)


@pytest.mark.parametrize("draft", FOUND)
def test_what_a_dropped_citation_leaves_behind_is_read_as_before(draft: str) -> None:
    assert_reconciled(draft)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(draft=HOSTILE)
def test_reconciling_twice_is_reconciling_once(draft: str) -> None:
    assert_reconciled(draft)


def assert_reconciled(draft: str) -> None:
    """What holds of every draft: reconciled twice it is the same, and a gate that lets links through leaves it."""
    once = reconcile(draft, retrieved=CORPUS).text
    assert reconcile(once, retrieved=CORPUS).text == once
    gated = gate(once, corpus=CORPUS, policy=Policy(mode=Mode.HYBRID))
    assert gated.text == once
    assert not {"note-undefined", "note-outside-corpus"} & {each.code.value for each in gated.problems}


@pytest.mark.parametrize(
    "entries",
    ["1. Quays, a book. As [1] in the first edition.\n", "[1] Quays, a book.\n[2] Its review, see [1].\n",
     "1. Quays\nand what stands below, [1] included\n"],
)  # fmt: skip
def test_an_entry_that_only_entries_refer_to_stays(entries: str) -> None:
    draft = f"Tides rise.\n\n## References\n\n{entries}"
    found = reconcile(draft, retrieved=CORPUS)
    assert (found.text, found.changes) == (draft, ())


def test_of_two_lists_the_one_in_brackets_is_meant_and_headings_between_stay() -> None:
    draft = (
        "Tides rise [1].\n\n## References\n\n1. A paper, 2024\n2. Another paper, 2023\n\nSources:\n"
        "[1] https://site1.example/report - Tides\n"
    )
    found = reconcile(draft, retrieved=CORPUS)
    assert found.text.startswith(
        "Tides rise. [^1]\n\n## References\n\n1. A paper, 2024\n2. Another paper, 2023\n\nSources:\n"
    )
    assert [(each.line, each.label, each.kind) for each in found.changes] == [(9, "1", ChangeKind.CORRECTED)]


def test_a_link_inside_a_link_and_a_definition_without_use_go_and_are_told() -> None:
    draft = "See [[log](https://out.example/l)][1].\n\n[1]: https://site3.example/report\n[x]: https://out.example/x\n"
    found = reconcile(draft, retrieved=CORPUS)
    assert "out.example" not in found.text
    assert [(each.line, each.label, each.kind) for each in found.changes if each.kind is ChangeKind.DROPPED] == [
        (1, "log", ChangeKind.DROPPED), (4, "x", ChangeKind.DROPPED),
    ]  # fmt: skip


def test_an_address_is_written_so_that_it_ends_where_it_ends() -> None:
    odd = CorpusItem("src-001", 'https://site1.example/a"b c)', "https://site1.example/a", "Tides")
    corpus = [replace(odd, variants=("https://old.example/",))]
    text = reconcile('<a href="https://old.example/">a</a> [b](https://old.example/)', retrieved=corpus).text
    assert text == '<a href="https://site1.example/a&quot;b c)">a</a> [b](https://site1.example/a"b%20c%29)'


def test_markers_are_found_outside_code_and_resolved() -> None:
    text = (
        'Rises. <needs-source claim="Rises &quot;fast&quot;."> `<needs-source claim="x">`\n'
        'Falls <needs-deeper-grounding id="src-003"> and <needs-source> stays.\n'
    )
    first, second, third = markers_of(text)
    assert (first.kind, first.claim, first.line, first.column) == (MarkerKind.NEEDS_SOURCE, 'Rises "fast".', 1, 8)
    assert (second.kind, second.id, second.line) == (MarkerKind.NEEDS_GROUNDING, "src-003", 2)
    assert third.claim == "Falls and stays."
    resolved = resolve_marker(text, first, "src-001")
    assert resolved.startswith("Rises. [src-001] `<needs-source")
    with pytest.raises(ValueError, match="line 1, column 8"):
        resolve_marker("All is new here, and long enough.", first, "src-001")


@pytest.mark.parametrize(
    ("marked", "cited", "decision"),
    [
        (0, 0, RateDecision.OK), (0, 9, RateDecision.OK), (1, 20, RateDecision.OK), (1, 19, RateDecision.BETWEEN),
        (1, 4, RateDecision.BETWEEN), (2, 7, RateDecision.TOO_MANY), (1, 0, RateDecision.TOO_MANY),
    ],
)  # fmt: skip
def test_the_rate_of_markers_says_whether_the_harvest_suffices(marked: int, cited: int, decision: RateDecision) -> None:
    text = "Tides fall [src-001].\n\n" * cited + 'Rises. <needs-source claim="Rises.">\n\n' * marked
    rate = marker_rate(text)
    assert (rate.markers, rate.claims, rate.decision) == (marked, marked + cited, decision)


def test_a_pack_carries_rules_and_summaries_and_excerpts_on_request() -> None:
    short = pack_markdown(CORPUS)
    assert short.index("## Rules") < short.index("### [src-001] Tides of the northern harbour")
    assert "> Quays under repair." in short
    assert "All of it." not in short
    assert "> # Quays\n>\n> All of it." in pack_markdown(CORPUS, excerpts_for={"src-003"})
    told = pack_json(CORPUS, excerpts_for=["src-003"])
    assert [each["excerpt"] for each in told["sources"]] == [None, None, CORPUS[2].excerpt]
    assert told["tokens"] > pack_json(CORPUS)["tokens"] > 0
    assert (token_estimate("four" * 10), token_estimate("潮位"), token_estimate("")) == (10, 2, 0)


PAGE = (
    "Home\nNews\nThe harbour office met on Monday. Mr. Quay spoke of bread. Rents fell by 3 % last year. "
    "In 2024 the northern quay took 120 ferries a day. Lunch followed."
)


def test_a_summary_is_the_first_and_the_fitting_sentences() -> None:
    assert summarise(PAGE, query="ferries at the northern quay", limit=90) == (
        "The harbour office met on Monday. In 2024 the northern quay took 120 ferries a day."
    )
    assert summarise("  \n", query="x", limit=90) == ""
    assert len(summarise(PAGE * 9, query="quay", limit=50)) <= 50


def test_the_best_passage_holds_what_the_claim_says() -> None:
    found = best_passage(PAGE, claim="The northern quay took 120 ferries in 2024.")
    assert found.text == PAGE[found.start : found.end] == "In 2024 the northern quay took 120 ferries a day."
    assert found.score == 1.0
    assert best_passage(PAGE, claim="The northern quay took 130 ferries in 2024.").score < 1.0
    assert best_passage("", claim="x").text == best_passage(PAGE, claim="Zebra").text == ""


@pytest.mark.parametrize("piece", ["[^1] ", "([a](https://out.example/x)) ", "[1] ", "【1†s】 ", "...."])
def test_reading_longer_texts_takes_its_share_of_time(piece: str) -> None:
    assert_linear(
        lambda text: reconcile(text, retrieved=CORPUS), piece, 12_000, after="\n\n## References\n\n[1] A b.\n"
    )
    assert_linear(lambda text: summarise(text, query="a b", limit=300), piece, 12_000)


def test_a_summary_begins_with_a_sentence_and_not_with_the_headline_above_it() -> None:
    page = "A year of the ferry\nBy Ada Quay, 3 March 2024\nThe ferry sailed daily. The ferry carried 48,200 people."
    assert summarise(page, query="year of the ferry", limit=90) == (
        "The ferry sailed daily. The ferry carried 48,200 people."
    )
    assert summarise("Opening hours of quays\nDaily from nine to five", query="x") == (
        "Opening hours of quays Daily from nine to five"
    )


def test_a_pack_names_sections_as_a_person_does() -> None:
    item = CorpusItem("src-001", "https://a.org/x", "https://a.org/x", "Tides", section="q-a", section_title="Q & A")
    assert "Q & A" in pack_markdown([item])
    assert "q-a" not in pack_markdown([item])
    assert pack_json([item])["sources"][0]["section"] == "q-a"
