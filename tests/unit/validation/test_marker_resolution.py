"""A marker's claim is searched, candidates come back checked with their best passages, a person picks one."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.test import override_settings

from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel
from sources.core.citations import Mode
from sources.core.drafting import DraftOrigin
from sources.core.findings import Verdict
from sources.core.kinds import DecisionKind
from sources.models import CorpusEntry, Draft, DraftVersion, Section, Source
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import SourceFactory
from tests.fakes.world import ARTICLE, World, gone, page
from tests.unit.validation.shipping import corpus_project, draft_of
from validation.core.ports import Hit
from validation.core.source_requests import RequestKind, RequestState
from validation.models import HarvestRequest, RequestCandidate
from validation.services import corrections, marker_resolution, request_search
from validation.services.marker_resolution import PickRefused
from validation.services.validate import utc_now

pytestmark = pytest.mark.django_db


SEARXNG = override_settings(SEARXNG_URL="https://search.example", SCHOLARLY=False)


def search(outside: World) -> None:
    """A worker's call with this world, whose hits are those of the one search that is configured."""
    with override_settings(SEARXNG_URL="https://search.example" if outside.hits else "", SCHOLARLY=False):
        request_search.work(clock=utc_now, budget_s=30, open_searches=outside.open_searches, open_world=outside.open)


CLAIM = "In 2023 the ferry carried 48,200 passengers over the sound."
GOOD, DEAD = "https://observer.org/ferry", "https://observer.org/old"
PASSAGE = "The ferry carried 48,200 passengers over the sound in 2023, more than in any year before."


def world(**more: object) -> World:
    """Two hits: a dead page first, then one whose text has the claim far below its beginning."""
    text = f"{ARTICLE * 6} {PASSAGE} {ARTICLE}"
    return World(
        pages={GOOD: page(GOOD, title="Ferry year", text=text), DEAD: gone(DEAD)},
        hits=(Hit(DEAD, "Old ferry year", "searxng"), Hit(GOOD, "Ferry year", "searxng", published="2024-01-05")),
        **more,  # type: ignore[arg-type]
    )


def marked(desk: Desk, *, text: str = "") -> DraftVersion:
    """A draft whose second section has a marker in the place of an id that nobody knows."""
    project = corpus_project(desk, [1])
    Section.objects.create(project=project, slug="ferries", title="Ferries")
    default = f"# Market\n\nBoats came. [src-001]\n\n# Ferries\n\n{CLAIM} [src-404]\n"
    return draft_of(desk, project, text or default)


def searched(desk: Desk, version: DraftVersion, *, outside: World | None = None) -> HarvestRequest:
    (request,) = marker_resolution.request_sources(version=version, by=desk.person(), at=NOW)
    search(outside or world())
    return HarvestRequest.objects.select_related("draft__project__workspace").get(pk=request.pk)


def candidate(request: HarvestRequest, url: str) -> RequestCandidate:
    found = RequestCandidate.objects.select_related("request__draft__project__workspace")
    return found.get(request=request, url=url)


def pick(desk: Desk, request: HarvestRequest, url: str = GOOD, role: Role = Role.CURATOR) -> DraftVersion:
    return marker_resolution.pick(
        candidate=candidate(request, url), by=desk.person(role), channel=Channel.PAGE, at=utc_now()
    )


def test_a_claim_becomes_a_question_and_its_candidates_come_back_checked(desk: Desk) -> None:
    outside = world()
    request = searched(desk, marked(desk), outside=outside)
    assert request.as_state is RequestState.SEARCHED
    assert outside.queries[0] == CLAIM.rstrip(".")
    good, dead = candidate(request, GOOD), candidate(request, DEAD)
    assert (good.verdict, good.rank, good.may_be_picked) == (Verdict.VERIFIED_ACCESSIBLE, 2, True)
    assert (dead.verdict, dead.may_be_picked) == (Verdict.HARD_404, False)
    assert PASSAGE in good.passage
    assert good.score > 0.7
    assert PASSAGE in good.excerpt


def test_a_picked_source_joins_the_corpus_and_a_new_version_cites_it(desk: Desk) -> None:
    version = marked(desk)
    request = searched(desk, version)
    made = pick(desk, request)
    assert (made.number, made.as_origin) == (version.number + 1, DraftOrigin.RESOLVED)
    assert f"{CLAIM} [^2]" in made.gated_text
    assert "needs-source" not in made.gated_text
    assert f"]({GOOD})" in made.gated_text
    kept = CorpusEntry.objects.select_related("section", "entry").get(entry__source__request_url=GOOD)
    assert (kept.section.slug, kept.entry.stable_id) == ("ferries", "src-002")
    assert (kept.retrieval_tool, kept.rank, kept.retrieval_query) == ("searxng", 2, CLAIM.rstrip("."))
    assert PASSAGE in kept.excerpt
    request.refresh_from_db()
    assert (request.as_state, request.closed_by) == (RequestState.PICKED, desk.person())
    with pytest.raises(PickRefused, match="chosen for this claim already"):
        pick(desk, request)


def test_a_claim_whose_marker_is_back_is_searched_again_though_a_source_was_chosen(desk: Desk) -> None:
    version = marked(desk)
    picked = searched(desk, version)
    pick(desk, picked)
    again = corrections.correct(draft=version.draft, text=version.text, by=desk.person(), channel=Channel.PAGE, at=NOW)
    (request,) = marker_resolution.request_sources(version=again.version, by=desk.person(), at=NOW)
    assert (request.pk, request.as_state) == (picked.pk, RequestState.OPEN)


def test_what_is_not_verified_cannot_be_picked(desk: Desk) -> None:
    request = searched(desk, marked(desk))
    with pytest.raises(PickRefused, match="not verified"):
        pick(desk, request, DEAD)
    assert DraftVersion.objects.count() == 1


def test_a_source_that_a_person_rejected_stays_out_and_nothing_is_written(desk: Desk) -> None:
    version = marked(desk)
    request = searched(desk, version)
    SourceFactory(
        workspace=desk.workspace, request_url=GOOD, identifier_value=GOOD, decided=DecisionKind.DROP, disposition="drop"
    )
    with pytest.raises(PickRefused, match="rejected it before"):
        pick(desk, request)
    assert DraftVersion.objects.count() == 1
    assert not CorpusEntry.objects.filter(entry__source__request_url=GOOD).exists()
    marker_resolution.search_again(request=request, by=desk.person(), at=NOW)
    again = world()
    search(again)
    request.refresh_from_db()
    assert (again.fetched, [one.url for one in request.candidates.all()]) == ([DEAD], [DEAD])
    assert request.told == ["Stays out, since a person rejected it before: 1 of what was found."]


def test_a_marker_that_was_edited_away_is_not_resolved(desk: Desk) -> None:
    version = marked(desk)
    request = searched(desk, version)
    corrections.correct(
        draft=version.draft, text="# Market\n\nBoats came. [src-001]\n", by=desk.person(), channel=Channel.PAGE, at=NOW
    )
    with pytest.raises(PickRefused, match="not in the draft's newest version"):
        pick(desk, request)
    assert not Source.objects.filter(request_url=GOOD).exists()


def test_asking_twice_makes_one_request_and_a_closed_one_is_opened_again(desk: Desk) -> None:
    version = marked(desk)
    first = searched(desk, version)
    (second,) = marker_resolution.request_sources(version=version, by=desk.person(), at=NOW)
    assert (second.pk, second.as_state) == (first.pk, RequestState.SEARCHED)
    marker_resolution.dismiss(request=first, by=desk.person(), at=NOW)
    (third,) = marker_resolution.request_sources(version=version, by=desk.person(), at=NOW)
    assert (third.pk, third.as_state) == (first.pk, RequestState.OPEN)


def test_a_second_search_replaces_the_candidates_of_the_first(desk: Desk) -> None:
    request = searched(desk, marked(desk))
    marker_resolution.search_again(request=request, by=desk.person(), at=NOW)
    search(World(hits=()))
    request.refresh_from_db()
    assert request.as_state is RequestState.SEARCHED
    assert not request.candidates.exists()
    assert request.told == ["No search is configured. An admin can enter one on the page “Search providers”."]


def test_a_worker_that_died_leaves_its_request_to_the_next(desk: Desk) -> None:
    (request,) = marker_resolution.request_sources(version=marked(desk), by=desk.person(), at=NOW)
    HarvestRequest.objects.update(held_until=NOW)
    assert request_search.is_waiting(at=utc_now())
    HarvestRequest.objects.update(held_until=None, state=RequestState.OPEN)
    search(world())
    assert not request_search.is_waiting(at=utc_now())
    assert request.candidates.count() == 2


@pytest.mark.parametrize("role", [Role.READER])
def test_a_reader_asks_for_nothing_and_picks_nothing(desk: Desk, role: Role) -> None:
    version = marked(desk)
    request = searched(desk, version)
    with pytest.raises(PermissionDenied):
        marker_resolution.request_sources(version=version, by=desk.person(role), at=NOW)
    with pytest.raises(PermissionDenied):
        pick(desk, request, role=role)


# -- corrected drafts --------------------------------------------------------------------------------------------------


def correct(desk: Desk, draft: Draft, text: str) -> corrections.Corrected:
    return corrections.correct(draft=draft, text=text, by=desk.person(), channel=Channel.PAGE, at=NOW)


def test_a_new_link_of_a_corrected_text_is_a_request_and_no_citation(desk: Desk) -> None:
    version = marked(desk)
    text = f"# Market\n\nBoats came. [src-001]\n\n# Ferries\n\n{CLAIM.replace('.', '')} ([report]({GOOD})).\n"
    made = correct(desk, version.draft, text)
    assert made.version.as_origin is DraftOrigin.CORRECTED
    assert GOOD not in made.version.gated_text
    assert "needs-source" in made.version.gated_text
    (request,) = made.requests
    assert (request.as_kind, request.url, request.line, request.version) == (
        RequestKind.NEW_LINK,
        GOOD,
        7,
        made.version,
    )
    assert "48,200 passengers" in request.claim
    again = correct(desk, version.draft, text)
    assert (again.version.pk, again.requests[0].pk) == (made.version.pk, request.pk)
    assert not Source.objects.filter(request_url=GOOD).exists()


def test_a_claim_that_a_link_was_brought_for_is_not_asked_twice(desk: Desk) -> None:
    version = marked(desk)
    made = correct(desk, version.draft, f"# Ferries\n\n{CLAIM.rstrip('.')} ([report]({GOOD})).\n")
    (asked,) = marker_resolution.request_sources(version=made.version, by=desk.person(), at=NOW)
    assert asked.pk == made.requests[0].pk
    assert HarvestRequest.objects.count() == 1


def test_the_link_of_a_request_is_the_first_candidate_and_picking_it_cites_it(desk: Desk) -> None:
    version = marked(desk)
    made = correct(desk, version.draft, f"# Ferries\n\n{CLAIM.rstrip('.')} ([report]({GOOD})).\n")
    search(World(pages=world().pages))
    (found,) = RequestCandidate.objects.filter(request=made.requests[0])
    assert (found.url, found.tool, found.verdict) == (GOOD, "draft", Verdict.VERIFIED_ACCESSIBLE)
    cited = pick(desk, made.requests[0])
    assert "[^1]" in cited.gated_text
    assert "needs-source" not in cited.gated_text


def test_a_link_that_the_corpus_has_stays_and_asks_for_nothing(desk: Desk) -> None:
    version = marked(desk)
    text = "Boats came, [says the gazette](https://gazette.org/1).\n"
    made = correct(desk, version.draft, text)
    assert made.requests == ()
    assert made.version.gated_text == text


def test_a_link_that_a_hybrid_draft_kept_is_cited_where_it_stands_once_it_is_chosen(desk: Desk) -> None:
    version = marked(desk, text="Boats came. [src-001]\n")
    Draft.objects.update(mode=Mode.HYBRID)
    draft = Draft.objects.select_related("project__workspace").get(pk=version.draft_id)
    made = correct(desk, draft, f"{CLAIM.rstrip('.')} ([report]({GOOD})).\n")
    assert (made.version.citations, f"]({GOOD})" in made.version.gated_text) == ([], True)
    search(World(pages=world().pages))
    cited = pick(desk, made.requests[0])
    assert f"[report]({GOOD})" in cited.gated_text
    assert [one["code"] for one in cited.problems] == []


@SEARXNG
def test_a_search_that_fails_by_our_own_fault_is_given_up_and_told(desk: Desk) -> None:
    def broken() -> Any:
        raise RuntimeError("a fault of ours")

    (request,) = marker_resolution.request_sources(version=marked(desk), by=desk.person(), at=NOW)
    for _ in range(3):
        with pytest.raises(RuntimeError):
            request_search.work(clock=utc_now, budget_s=30, open_searches=world().open_searches, open_world=broken)
        assert not request_search.is_waiting(at=utc_now())
        assert request_search.is_waiting(at=utc_now() + timedelta(seconds=11))
        HarvestRequest.objects.update(held_until=None)
    search(world())
    request.refresh_from_db()
    assert request.as_state is RequestState.SEARCHED
    assert "Search again" in request.told[0]
    marker_resolution.search_again(request=request, by=desk.person(), at=NOW)
    search(world())
    assert request.candidates.count() == 2


def test_what_was_answered_before_is_not_asked_again(desk: Desk) -> None:
    outside = world(name="searxng")
    request = searched(desk, marked(desk), outside=outside)
    asked = len(outside.queries)
    marker_resolution.search_again(request=request, by=desk.person(), at=NOW)
    again = world(name="searxng")
    search(again)
    assert (asked > 0, again.queries, request.candidates.count()) == (True, [], 2)
