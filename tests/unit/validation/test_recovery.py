"""Moved works are found again; look-alikes are proposed or refused; copies and witnesses are what they are."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from sources.core.findings import Cause, Finding, Verdict
from sources.core.identifiers import identify
from tests.clock import NOW
from tests.fakes.providers import FakeArchive, FakeRegistry
from tests.fakes.world import World, gone, page, wall
from validation.core.classify import Claimed
from validation.core.own_entries import NO_OWN_RULES, OwnRules
from validation.core.ports import ANYWHERE, Capture, Domains, Hit, Unavailable, Work
from validation.core.publishers import Publisher
from validation.services.validate import Target, examine

TITLE = "Harbour survey results of spring 2024"
NEAR = f"{TITLE} briefly told"
URL = "https://gazette.org/2024/harbour-survey"
NEW_URL = "https://gazette.org/archive/harbour-survey"
DOI = "10.1016/j.harbour.2024.01.001"
LINK = f"https://doi.org/{DOI}"
WORK = Work(DOI, TITLE, "crossref", authors=("Ada Quay",), year=2024, landing_url="https://www.press.org/quay")


def check(
    address: str, world: World, *, before: bool = False, rules: OwnRules = NO_OWN_RULES, **claimed: str
) -> Finding:
    claims = Claimed(**{"title": TITLE, **claimed})
    target = Target(identity=identify(address), claimed=claims, rules=rules, verified_before=before)

    async def run() -> Finding:
        async with world.open() as outside:
            return await examine(target, outside, clock=lambda: NOW)

    return asyncio.run(run())


def signals(finding: Finding) -> list[str]:
    return [signal.name for signal in finding.evidence.signals]


def moved_to(url: str, title: str, **more: object) -> World:
    return World(pages={URL: gone(URL), url: page(url, title=title)}, hits=(Hit(url, title, "fake"),), **more)  # type: ignore[arg-type]


# -- what applies, what is proposed, what is refused -------------------------------------------------------------------


def test_a_near_title_is_proposed_and_the_verdict_stays() -> None:
    finding = check(URL, moved_to(NEW_URL, NEAR))
    assert finding.verdict is Verdict.HARD_404
    assert finding.evidence.recovery is None
    (proposal,) = finding.evidence.proposals
    assert proposal.recovered_url == NEW_URL
    assert 0.6 <= proposal.similarity < 0.8
    assert proposal.query == f'"{TITLE}" site:gazette.org'
    assert "candidate-proposed" in signals(finding)


def test_57_another_article_of_a_like_subject_is_refused() -> None:
    title = "CSS: A search engine in CSS"
    other = "How we built the real demo for our fake CSS API client"
    finding = check(URL, moved_to(NEW_URL, other), title=title)
    assert (finding.verdict, finding.evidence.proposals) == (Verdict.HARD_404, ())
    assert "candidate-refused" in signals(finding)


def test_a_hit_that_is_plainly_another_work_costs_no_request() -> None:
    world = moved_to(NEW_URL, "Ferry timetable for the winter months")
    check(URL, world)
    assert world.fetched == [URL]


def test_numbers_must_agree() -> None:
    finding = check(URL, moved_to(NEW_URL, TITLE.replace("2024", "2023")))
    assert (finding.verdict, finding.evidence.proposals) == (Verdict.HARD_404, ())


@pytest.mark.parametrize(
    "copy",
    ["https://web.archive.org/web/20240102030405/https://gazette.org/2024/harbour-survey", "https://archive.ph/AbC1"],
)
def test_an_archives_copy_is_never_a_republication(copy: str) -> None:
    finding = check(URL, moved_to(copy, TITLE))
    assert (finding.verdict, finding.evidence.proposals) == (Verdict.HARD_404, ())


def test_a_short_title_needs_a_second_field_elsewhere() -> None:
    elsewhere = "https://mirror.org/notes"
    short = "Harbour notes"
    alone = check(URL, moved_to(elsewhere, short), title=short, author="Ada Quay")
    assert alone.verdict is Verdict.HARD_404
    assert [one.recovered_url for one in alone.evidence.proposals] == [elsewhere]
    signed = World(
        pages={URL: gone(URL), elsewhere: page(elsewhere, title=short, text="By Ada Quay. " + "Boats came in. " * 60)},
        hits=(Hit(elsewhere, short, "fake"),),
    )
    assert check(URL, signed, title=short, author="Ada Quay").verdict is Verdict.VERIFIED_VIA_REPUBLISH
    assert check(URL, moved_to(NEW_URL, short), title=short).verdict is Verdict.VERIFIED_VIA_REPUBLISH


def test_a_walled_hit_is_proposed_since_nobody_has_read_it() -> None:
    walled = "https://www.wsj.com/articles/harbour-survey-results"
    world = World(pages={URL: gone(URL), walled: wall(walled)}, hits=(Hit(walled, TITLE, "fake"),))
    finding = check(URL, world)
    assert finding.verdict is Verdict.HARD_404
    assert [one.recovered_url for one in finding.evidence.proposals] == [walled]


def test_a_walled_hit_is_known_by_the_workspaces_own_publishers_too() -> None:
    walled = "https://quay-letters.press/2024/harbour-survey-results"
    world = World(pages={URL: gone(URL), walled: wall(walled)}, hits=(Hit(walled, TITLE, "fake"),))
    assert check(URL, world).evidence.proposals == ()
    rules = OwnRules(publishers=(Publisher("Quay Letters", ("quay-letters.press",)),))
    assert [one.recovered_url for one in check(URL, world, rules=rules).evidence.proposals] == [walled]


def test_the_second_question_is_by_the_first_author() -> None:
    world = World(pages={URL: gone(URL)}, hits=(Hit("https://mirror.org/x", TITLE, "fake"),))
    check(URL, world, author="Ada Quay; Ben Low")
    assert world.queries == [f'"{TITLE}" site:gazette.org', f'"{TITLE}" "Ada Quay"']


# -- nobody to ask -----------------------------------------------------------------------------------------------------


def test_without_a_search_engine_the_evidence_says_so() -> None:
    finding = check(URL, World(pages={URL: gone(URL)}))
    assert finding.evidence.unsearched
    assert "no-search" in signals(finding)


def test_where_nothing_would_have_been_searched_nothing_is_said() -> None:
    assert not check(URL, World(pages={URL: gone(URL)}), title="").evidence.unsearched
    assert not check(URL, World(pages={URL: page(URL, title=TITLE)})).evidence.unsearched


@pytest.mark.parametrize("inside", ["http://10.0.0.7/memo", "http://intranet/memo", "http://wiki.corp.internal/memo"])
def test_nobody_outside_is_asked_about_an_address_inside(inside: str) -> None:
    archive, registry = FakeArchive(), FakeRegistry()
    world = World(
        pages={inside: gone(inside)}, hits=(Hit(NEW_URL, TITLE, "fake"),), registries=(registry,), archive=archive
    )
    finding = check(inside, world, author="Ada Quay")
    assert (world.queries, registry.asked, archive.asked) == ([], [], [])
    assert not finding.evidence.unsearched


def test_a_search_that_is_down_is_told_and_the_next_registry_asked() -> None:
    class Down(World):
        async def search(self, query: str, *, limit: int, domains: Domains = ANYWHERE) -> Unavailable:
            return Unavailable("fake", "out of order")

    world = Down(
        pages={URL: gone(URL), LINK: page(LINK, title=TITLE)},
        hits=(Hit(NEW_URL, TITLE, "fake"),),
        registries=(FakeRegistry([WORK], name="crossref"),),
    )
    finding = check(URL, world, author="Ada Quay")
    assert finding.verdict is Verdict.VERIFIED_VIA_REPUBLISH
    assert "search-unavailable" in signals(finding)


# -- registries of works -----------------------------------------------------------------------------------------------


def test_a_scholarly_work_is_found_again_by_its_doi() -> None:
    registry = FakeRegistry([WORK], name="crossref")
    world = World(pages={URL: gone(URL), LINK: page(LINK, title=TITLE)}, registries=(registry,))
    finding = check(URL, world, author="Ada Quay")
    recovery = finding.evidence.recovery
    assert recovery is not None
    assert (recovery.recovered_url, recovery.provider) == (LINK, "crossref")
    assert not finding.evidence.unsearched


def test_a_record_stands_where_the_publisher_shows_a_wall() -> None:
    world = World(pages={URL: gone(URL), LINK: wall(LINK)}, registries=(FakeRegistry([WORK], name="crossref"),))
    finding = check(URL, world, author="Ada Quay")
    assert finding.verdict is Verdict.VERIFIED_VIA_REPUBLISH
    assert "registered" in finding.evidence.access_note


def test_registries_are_not_asked_about_what_is_not_scholarly() -> None:
    registry = FakeRegistry([WORK])
    check(
        "https://gazette.org/x",
        World(pages={"https://gazette.org/x": gone("https://gazette.org/x")}, registries=(registry,)),
    )
    assert registry.asked == []


# -- archived copies ---------------------------------------------------------------------------------------------------


def copy_of(url: str, status: int = 200) -> FakeArchive:
    at = datetime(2024, 1, 2, tzinfo=UTC)
    return FakeArchive([Capture(f"https://web.archive.org/web/20240102000000/{url}", url, status, at, "fake")])


def test_55_a_copy_is_offered_beside_a_dead_page_and_changes_no_verdict() -> None:
    finding = check(URL, World(pages={URL: gone(URL)}, archive=copy_of(URL)))
    assert finding.verdict is Verdict.HARD_404
    assert finding.evidence.archived_url == f"https://web.archive.org/web/20240102000000/{URL}"


def test_55_a_copy_of_an_error_page_is_not_offered() -> None:
    finding = check(URL, World(pages={URL: gone(URL)}, archive=copy_of(URL, status=404)))
    assert finding.evidence.archived_url == ""


def test_no_copy_is_asked_for_where_the_page_lives() -> None:
    archive = copy_of(URL)
    check(URL, World(pages={URL: page(URL, title=TITLE)}, archive=archive))
    check(URL, World(pages={URL: page(URL, title=TITLE, text="short")}, archive=archive))
    assert archive.asked == []


def test_an_archive_that_is_down_is_told() -> None:
    finding = check(URL, World(pages={URL: gone(URL)}, archive=FakeArchive(down="out of order")))
    assert "archive-unavailable" in signals(finding)


# -- witnesses of walls ------------------------------------------------------------------------------------------------

WALLED = "https://www.wsj.com/articles/harbour-survey-results-2024"


def test_a_copy_is_a_witness_for_a_known_publisher_only() -> None:
    for address, verdict in ((WALLED, Verdict.VERIFIED_GATED), (URL, Verdict.FETCH_FAILED)):
        finding = check(address, World(pages={address: wall(address)}, archive=copy_of(address)))
        assert finding.verdict is verdict
        assert "witness-archive-capture" in signals(finding)


def test_a_copy_of_another_address_is_no_witness() -> None:
    class Near(FakeArchive):
        async def newest(self, url: str) -> Capture:
            return self.captures[0]

    archive = Near(copy_of("https://www.wsj.com/articles/another").captures)
    assert check(WALLED, World(pages={WALLED: wall(WALLED)}, archive=archive)).verdict is Verdict.FETCH_FAILED


def test_an_earlier_verdict_is_a_witness() -> None:
    world = World(pages={WALLED: wall(WALLED)})
    assert check(WALLED, world).verdict is Verdict.FETCH_FAILED
    finding = check(WALLED, world, before=True)
    assert (finding.verdict, signals(finding)[-1]) == (Verdict.VERIFIED_GATED, "witness-earlier-verdict")
    assert "path-of-gated-works" in signals(finding)


def test_a_search_hit_comes_before_the_archive() -> None:
    archive = copy_of(WALLED)
    world = World(pages={WALLED: wall(WALLED)}, hits=(Hit(WALLED, TITLE, "fake"),), archive=archive)
    assert "witness-search-hit" in signals(check(WALLED, world))
    assert archive.asked == []


def test_36_a_walled_doi_that_is_registered_for_another_work_is_swapped() -> None:
    other = Work(DOI, "Macroscopic currents in river deltas", "crossref")
    world = World(
        pages={LINK: wall(LINK)}, registered={DOI: "https://press.org/x"}, registries=(FakeRegistry([other]),)
    )
    finding = check(DOI, world)
    assert (finding.verdict, finding.cause) == (Verdict.TITLE_SWAPPED, Cause.OTHER_TITLE)
    assert finding.evidence.title_found == other.title
    assert "record-of-another-work" in signals(finding)
    fallen = replace(WORK, title=f"RETRACTED ARTICLE: {WORK.title}")
    for one in (WORK, fallen):
        same = World(
            pages={LINK: wall(LINK)}, registered={DOI: "https://press.org/x"}, registries=(FakeRegistry([one]),)
        )
        assert check(DOI, same).verdict is Verdict.VERIFIED_GATED


def test_a_record_that_leads_here_is_a_witness_of_its_own() -> None:
    world = World(pages={WORK.landing_url: wall(WORK.landing_url)}, registries=(FakeRegistry([WORK], name="crossref"),))
    finding = check(WORK.landing_url, world, author="Ada Quay")
    assert (finding.verdict, finding.cause) == (Verdict.VERIFIED_GATED, Cause.BLOCK_WALL)
    assert "witness-registry-record" in signals(finding)
