"""A book that fell affects its parts, with the book as the cause, and retracts none of them."""

import pytest

from lineage.core.relations import EntityState
from lineage.models import Cause, Entity, Impact
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from sources.core.identifiers import identify
from sources.core.retraction import RetractionStatus
from sources.core.retraction_terms import HintKind
from sources.models import Observation, RetractionHint, Source, SourcePart
from sources.queries.retraction_evidence import labelled, statuses_of
from sources.services import bulk_edit, registry, removal, retractions, source_lineage
from sources.services.source_edits import Edit, digest_of
from tests.api.test_duplicates import client as api_client
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import ChunkFactory
from tests.screens.test_retraction_words import pictured
from tests.unit.sources.disturbance import everything
from tests.unit.sources.test_merging import LATER, merge, take_back
from tests.unit.sources.test_observations import linked, written
from tests.unit.sources.test_retraction_records import questions

pytestmark = pytest.mark.django_db
ISBN = "9789004322868"
BOOK, CHAPTER, GUESS = f"10.1163/{ISBN}", f"10.1163/{ISBN}_003", f"10.1163/{ISBN}_004"
OF_THE_BOOK = {"bibliography": {"kind": "chapter", "isbn": "978-90-04-32286-8", "container_title": "Harbours"}}


def held(desk: Desk, doi: str, **values: object) -> Source:
    new = registry.NewSource(identity=identify(doi), title=f"Work {doi[-4:]}", values=values)
    done = registry.register_many(workspace_id=desk.workspace.pk, sources=[new], at=NOW)
    return Source.objects.select_related("entity").get(pk=done.by_key[identify(doi).key].pk)


def mark(desk: Desk, source: Source, *, lifts: bool = False) -> ChangeSet:
    deed = retractions.lift if lifts else retractions.mark
    return deed(
        workspace_id=desk.workspace.pk,
        source_ids=[source.pk],
        note="The publisher's notice",
        by=desk.person(Role.ADMIN),
        channel=Channel.PAGE,
        at=NOW,
    )


def node(of: Source | Observation) -> str:
    assert of.entity_id is not None
    return Entity.objects.get(pk=of.entity_id).state


def stands(source: Source) -> tuple[bool, RetractionStatus, str]:
    source.refresh_from_db()
    (told,) = statuses_of({source.pk: source.retracted}).values()
    assert labelled(workspace_id=source.workspace_id).get(source.pk, RetractionStatus.UNKNOWN) in {
        told,
        RetractionStatus.UNKNOWN,
    }
    return source.retracted, told, node(source)


AFFECTED = (False, RetractionStatus.AFFECTED, EntityState.STALE)
CLEAR = (False, RetractionStatus.UNKNOWN, EntityState.CURRENT)


@pytest.mark.parametrize("book", [BOOK, f"ISBN {ISBN}"])
def test_31_chapters_are_affected_by_the_book_and_clear_with_it(desk: Desk, book: str) -> None:
    whole, chapter = held(desk, book), held(desk, "10.5555/chapter", **OF_THE_BOOK)
    other = held(desk, "10.5555/other", bibliography={"kind": "chapter", "isbn": "9780306406157"})
    mark(desk, whole)
    assert stands(chapter) == AFFECTED
    assert stands(other) == CLEAR
    (impact,) = Impact.objects.filter(entity=chapter.entity_id)
    assert impact.cause.entity_id == whole.entity_id
    assert "The publisher's notice" in impact.cause.reason
    assert (questions(chapter), RetractionHint.objects.count()) == (0, 0)
    before = everything()
    assert not mark(desk, whole).changes.exists()
    ChangeSet.objects.latest("pk").delete()
    assert everything() == before
    mark(desk, whole, lifts=True)
    assert stands(chapter) == CLEAR
    mark(desk, whole)
    assert stands(chapter) == AFFECTED
    assert SourcePart.objects.count() == 1


def test_what_rests_on_a_chapter_falls_with_the_book_and_its_passages_say_affected(desk: Desk) -> None:
    whole, chapter = held(desk, BOOK), held(desk, CHAPTER, **OF_THE_BOOK)
    chunk = ChunkFactory(store__workspace=desk.workspace, source=chapter)
    mark(desk, whole)
    chunk.refresh_from_db()
    assert not chunk.retracted
    payload = desk.client().get(f"/chunks/{chunk.pk}/provenance.json").json()["standing"]
    assert (payload["retracted"], payload["status"]) == (False, "affected")
    assert payload["status_from"] == [f"the retraction of {whole}"]
    claim = written(desk)
    linked(desk, claim, chapter)
    claim.refresh_from_db()
    (late,) = Impact.objects.filter(entity=claim.entity_id)
    assert late.cause.entity_id == whole.entity_id


def test_a_chapter_that_comes_later_or_says_so_later_is_born_affected(desk: Desk) -> None:
    whole, silent = held(desk, BOOK), held(desk, "10.5555/silent")
    mark(desk, whole)
    assert stands(silent) == CLEAR
    assert stands(held(desk, CHAPTER, **OF_THE_BOOK)) == AFFECTED
    bulk_edit.edit(
        workspace_id=desk.workspace.pk,
        source_ids=[silent.pk],
        change=Edit(bibliography={"kind": "chapter", "isbn": ISBN}),
        seen=digest_of([(silent.pk, silent.row_version)]),
        by=desk.person(Role.CURATOR),
        channel=Channel.PAGE,
        at=NOW,
    )
    assert stands(silent) == AFFECTED


def test_a_chapter_that_was_removed_and_is_there_again_is_affected_again(desk: Desk) -> None:
    chapter = held(desk, CHAPTER, **OF_THE_BOOK)
    mark(desk, held(desk, BOOK))
    deed = removal.remove(source=chapter, by=desk.person(), channel=Channel.PAGE, at=NOW)
    assert not SourcePart.objects.exists()
    changes.undo(change_set=deed, by=desk.person(), at=LATER)
    assert stands(chapter) == AFFECTED


def test_a_chapter_that_fell_itself_stays_retracted_when_the_book_is_reinstated(desk: Desk) -> None:
    whole, chapter = held(desk, BOOK), held(desk, CHAPTER, **OF_THE_BOOK)
    mark(desk, chapter)
    assert stands(whole) == CLEAR
    mark(desk, whole)
    fallen = (True, RetractionStatus.RETRACTED, EntityState.RETRACTED)
    assert stands(chapter) in {fallen, (True, RetractionStatus.RETRACTED, EntityState.STALE)}
    mark(desk, whole, lifts=True)
    assert stands(chapter) == fallen
    assert Cause.objects.filter(cleared_at=None).count() == 1


def test_a_guess_is_asked_and_a_persons_yes_makes_it_affected_until_it_is_taken_back(desk: Desk) -> None:
    whole, guess = held(desk, BOOK), held(desk, GUESS)
    mark(desk, whole)
    assert stands(guess) == CLEAR
    hint = RetractionHint.objects.get(source=guess, kind=HintKind.PART)
    assert questions(guess) == 1
    client, page = desk.client(Role.EDITOR), f"/s/{guess.uuid}/retraction/"
    assert "Yes, it is a part of it" in client.get(page).content.decode()
    assert "Yes, it is a part of it" not in desk.client(Role.CURATOR).get(page).content.decode()
    assert desk.client(Role.CURATOR).post(f"{page}part/", {"hint": hint.pk}).status_code == 403
    assert client.post(f"{page}part/", {"hint": hint.pk}).status_code == 302
    assert (stands(guess), questions(guess)) == (AFFECTED, 0)
    assert client.post(f"{page}part/", {"hint": hint.pk}).status_code == 422
    deed = ChangeSet.objects.get(kind="sources.part-of")
    changes.undo(change_set=deed, by=desk.person(Role.EDITOR), at=LATER)
    assert (stands(guess), questions(guess)) == (CLEAR, 1)
    again = RetractionHint.objects.get(source=guess)
    assert client.post(f"{page}part/", {"hint": again.pk}).status_code == 302
    assert stands(guess) == AFFECTED


def test_a_merge_of_the_chapter_or_of_the_book_keeps_it(desk: Desk) -> None:
    whole, chapter, same = held(desk, BOOK), held(desk, CHAPTER, **OF_THE_BOOK), held(desk, "10.5555/same")
    claim = written(desk)
    linked(desk, claim, same)
    claim.refresh_from_db()
    mark(desk, whole)
    deed = merge(desk, same, chapter)
    assert stands(same) == AFFECTED
    take_back(desk, deed)
    assert stands(chapter) == AFFECTED
    assert stands(same) == CLEAR
    assert node(claim) == EntityState.CURRENT
    merge(desk, same, chapter)
    assert stands(same) == AFFECTED
    assert node(claim) == EntityState.STALE
    again = held(desk, "10.5555/same-book")
    mark(desk, again)
    merge(desk, again, whole)
    assert stands(same) == AFFECTED
    mark(desk, again, lifts=True)
    assert stands(same) == CLEAR


def test_pages_answers_and_lineage_name_the_book(desk: Desk) -> None:
    whole, chapter = held(desk, BOOK), held(desk, CHAPTER, **OF_THE_BOOK)
    claim = written(desk)
    linked(desk, claim, chapter)
    claim.refresh_from_db()
    mark(desk, whole)
    assert whole.entity is not None
    assert chapter.entity is not None
    assert claim.entity is not None
    client = desk.client()
    for page in (f"/s/{chapter.uuid}/", f"/s/{chapter.uuid}/retraction/"):
        text = " ".join(client.get(page).content.decode().split())
        assert f'The work that it is a part of was retracted: <a href="/s/{whole.uuid}/">' in text, page
    words = RetractionStatus.AFFECTED.word
    explain = client.get("/lineage/explain/", {"ref": claim.entity.ref}).content.decode()
    path = client.get("/lineage/path/", {"a": claim.entity.ref, "b": whole.entity.ref}).content.decode()
    waiting = client.get("/lineage/worklist/").content.decode()
    for page, cause in ((explain, str(whole)), (path, str(whole)), (waiting, "publisher&#x27;s notice")):
        assert pictured(page, words)
        assert cause in page
    over_json = api_client(desk)
    ref = {"ref": claim.entity.ref}
    origins = over_json.get("/api/v1/lineage/explain", ref).json()["origins"]
    assert [(one["ref"], one["state"]) for one in origins] == [(whole.entity.ref, "retracted")]
    evidence = over_json.get("/api/v1/lineage/evidence", ref)
    assert (evidence.status_code, words in evidence.content.decode()) == (200, True)
    assert words in over_json.get("/api/v1/lineage/worklist").content.decode()
    mark(desk, chapter)
    (row,) = [one for one in over_json.get("/api/v1/retractions").json()["sources"] if one["source"] != str(whole.uuid)]
    assert (row["affected_by"], row["retraction_status"]) == ([str(whole.uuid)], "retracted")


def test_a_book_above_a_readers_clearance_is_named_by_no_hint(desk: Desk) -> None:
    whole, guess = held(desk, BOOK, classification="restricted"), held(desk, GUESS)
    source_lineage.declare([whole])
    mark(desk, whole)
    assert str(whole) not in RetractionHint.objects.get(source=guess).words
