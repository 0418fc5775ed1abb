"""What only people can judge is asked and never marked: titles, parts of books, DOIs of nothing or of other works."""

from pathlib import Path

import pytest

from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from sources.core.retraction_status import Nature, Status
from sources.core.retraction_terms import HintKind
from sources.models import RetractionHint, Source
from sources.services import retractions
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import RetractionDecisionFactory, SourceFactory
from tests.fakes.providers import FakeHandles, FakeRetractions
from tests.unit.sources.test_merging import merge, take_back
from tests.unit.sources.test_retraction_records import questions
from tests.unit.validation.test_retraction_checks import FALLEN, FINE, opens, says, source
from tests.unit.validation.test_retraction_import import HEADER, take
from validation.core.retraction_statements import Told
from validation.services.retraction_checks import check

pytestmark = pytest.mark.django_db
TITLE = "Tides of the harbour without a moon"


def hints(of: Source) -> list[tuple[str, str]]:
    return list(RetractionHint.objects.filter(source=of).order_by("pk").values_list("kind", "words"))


def nameless(record: str, title: str, nature: str = "Retraction") -> bytes:
    return (
        f"{record},{title},,,,,,,,,10/18/2023 0:00,unavailable,0,6/30/2020 0:00,unavailable,0,{nature},,,,\r\n".encode()
    )


def test_a_row_with_a_title_alone_asks_about_works_of_that_title_and_marks_none(desk: Desk, tmp_path: Path) -> None:
    same = SourceFactory(workspace=desk.workspace, title="Retracted: Tides of the Harbour, without a Moon")
    other = SourceFactory(workspace=desk.workspace, title="Tides of the river without a moon")
    short = SourceFactory(workspace=desk.workspace, title="Editorial")
    data = (
        HEADER + nameless("1", f"RETRACTED: {TITLE}") + nameless("2", "Editorial") + nameless("3", "Fog", "Correction")
    )
    take(tmp_path, data)
    same.refresh_from_db()
    assert (same.retracted, questions(same)) == (False, 1)
    assert hints(same) == [("title", f"RETRACTED: {TITLE} (Retraction, 2023-10-18)")]
    assert hints(other) == hints(short) == []
    take(tmp_path, data + nameless("4", "Another work that nobody here cites at all"), days=1)
    assert RetractionHint.objects.count() == 1


def test_of_a_judged_work_a_title_is_shown_and_nothing_asked(desk: Desk, tmp_path: Path) -> None:
    judged = SourceFactory(workspace=desk.workspace, title=TITLE)
    RetractionDecisionFactory(source=judged, status=Status.NONE_FOUND)
    take(tmp_path, HEADER + nameless("1", TITLE))
    assert (len(hints(judged)), questions(judged)) == (1, 0)


BOOK = "10.1163/9789004322868"


def test_chapters_of_a_retracted_book_are_asked_about_and_a_chapters_retraction_leaves_the_book(
    desk: Desk, tmp_path: Path
) -> None:
    def named(value: str, **fields: object) -> Source:
        made: Source = SourceFactory(workspace=desk.workspace, identifier_type="doi", identifier_value=value, **fields)
        return made

    book, chapter, sibling = (
        named(BOOK),
        named(f"{BOOK}_003"),
        named("10.5555/ch2", bibliography={"isbn": "9789004322868"}),
    )
    stranger = named("10.1163/97890043228681_1")
    row = "{},T,,,,,,,,,1/2/2020 0:00,10.5555/n{},0,1/1/2019 0:00,{},0,Retraction,,,,\r\n"
    take(tmp_path, HEADER + row.format(1, 1, f"{BOOK}_003").encode())
    assert set(Source.objects.filter(retracted=True)) == {chapter}
    assert not RetractionHint.objects.exists()
    take(tmp_path, HEADER + (row.format(1, 1, f"{BOOK}_003") + row.format(2, 2, BOOK)).encode(), days=1)
    assert set(Source.objects.filter(retracted=True)) == {book, chapter}
    assert [kind for kind, _ in hints(sibling)] == [HintKind.PART]
    assert (questions(sibling), hints(stranger)) == (1, [])
    lifted = retractions.lift(
        workspace_id=desk.workspace.pk,
        source_ids=[book.pk],
        note="Of another edition",
        by=desk.person(Role.ADMIN),
        channel=Channel.PAGE,
        at=NOW,
    )
    assert (questions(sibling), hints(sibling)) == (0, [])
    changes.undo(change_set=lifted, by=desk.person(Role.ADMIN), at=NOW)
    assert questions(sibling) == 1


def test_a_doi_that_nobody_registered_is_asked_about_until_it_is(desk: Desk) -> None:
    made_up = source(desk, FINE)
    nobody = opens(FakeRetractions(), handles=FakeHandles())
    for _ in range(2):
        check(works=[FINE], at=NOW, world=nobody)
    assert hints(made_up) == [("unregistered", FINE.value)]
    assert questions(made_up) == 1
    check(works=[FINE], at=NOW, world=opens(FakeRetractions(said={FINE: ()})))
    assert (hints(made_up), questions(made_up)) == ([], 0)


@pytest.mark.parametrize(
    ("registered", "asked"),
    [
        ("A wholly different study of winter wheat", True),
        ("RETRACTED: Boats of the harbour in spring", False),
        ("Editorial", False),
        ("", False),
    ],
)
def test_a_doi_that_is_registered_to_another_title_is_asked_about(desk: Desk, registered: str, asked: bool) -> None:
    cited = source(desk, FINE)
    Source.objects.filter(pk=cited.pk).update(title="Boats of the harbour in spring")

    class Titled(FakeRetractions):
        async def ask(self, works: object) -> Told:
            return Told(answered=frozenset({FINE}), titles={FINE: registered} if registered else {})

    check(works=[FINE], at=NOW, world=opens(Titled()))
    assert [kind for kind, _ in hints(cited)] == ([HintKind.OTHER_TITLE] if asked else [])
    assert questions(cited) == asked


def test_a_work_that_was_retracted_and_replaced_is_an_editors_question(desk: Desk) -> None:
    cited = source(desk, FALLEN)
    check(works=[FALLEN], at=NOW, world=opens(FakeRetractions(said={FALLEN: (says(FALLEN, Nature.REPLACED),)})))
    cited.refresh_from_db()
    assert (cited.retraction_standing.status, cited.retracted, questions(cited)) == (Status.REPLACED, False, 1)


def test_a_hint_and_its_question_go_with_a_merge_and_come_back(desk: Desk, tmp_path: Path) -> None:
    stays, goes = SourceFactory(workspace=desk.workspace), SourceFactory(workspace=desk.workspace, title=TITLE)
    take(tmp_path, HEADER + nameless("1", TITLE))
    deed = merge(desk, stays, goes)
    assert (len(hints(stays)), questions(stays)) == (1, 1)
    take_back(desk, deed)
    assert (len(hints(goes)), questions(goes), hints(stays), questions(stays)) == (1, 1, [], 0)
