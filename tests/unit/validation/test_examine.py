"""From a target to a finding: pattern, fetch, witness, registration, recovery."""

import asyncio
from dataclasses import replace

import pytest

from sources.core.findings import Cause, Finding, Verdict
from sources.core.identifiers import identify
from tests.clock import NOW
from tests.fakes.world import World, gone, page, wall
from validation.core.classify import Claimed
from validation.core.ports import Hit
from validation.services import validate as validating
from validation.services.validate import Target, examine

TITLE = "Harbour survey results 2024"
URL = "https://gazette.org/2024/harbour-survey"
NEW_URL = "https://gazette.org/archive/harbour-survey"


def check(address: str, world: World, *, title: str = TITLE, author: str = "") -> Finding:
    target = Target(identity=identify(address), claimed=Claimed(title=title, author=author))

    async def run() -> Finding:
        async with world.open() as outside:
            return await examine(target, outside, clock=lambda: NOW)

    return asyncio.run(run())


def test_a_real_page_with_the_claimed_title_is_verified_with_its_evidence() -> None:
    finding = check(URL, World(pages={URL: page(URL, title=f"{TITLE} | The Gazette")}))
    assert finding.verdict is Verdict.VERIFIED_ACCESSIBLE
    assert finding.at == NOW
    assert finding.evidence.status == 200
    assert len(finding.evidence.sha256) == 64
    assert finding.evidence.title_found
    assert finding.evidence.hops[0].url == URL


def test_a_fabricated_pattern_is_told_without_a_request() -> None:
    world = World()
    finding = check("https://www.gartner.com/en/documents/1234567", world)
    assert finding.verdict is Verdict.HALLUCINATED_PATTERN
    assert not world.fetched


def test_a_source_without_an_address_is_not_fetched() -> None:
    world = World()
    finding = check("ISBN 9780306406157", world)
    assert (finding.verdict, finding.cause) == (Verdict.FETCH_FAILED, Cause.NO_ADDRESS)
    assert not world.fetched


def test_a_wall_without_a_witness_says_nothing() -> None:
    finding = check(URL, World(pages={URL: wall(URL)}))
    assert finding.verdict is Verdict.FETCH_FAILED
    assert finding.cause.is_wall
    assert "no-witness" in [signal.name for signal in finding.evidence.signals]


def test_a_wall_before_a_registered_doi_is_gated() -> None:
    address = "https://doi.org/10.1016/j.harbour.2024.01.001"
    world = World(pages={address: wall(address)}, registered={"10.1016/j.harbour.2024.01.001": "https://pub.example/x"})
    finding = check("10.1016/j.harbour.2024.01.001", world)
    assert finding.verdict is Verdict.VERIFIED_GATED
    assert finding.evidence.access_note


def test_a_search_hit_is_a_witness_for_a_reputable_publisher_only() -> None:
    reputable = "https://www.wsj.com/articles/harbour-survey-results-2024"
    for address, verdict in ((reputable, Verdict.VERIFIED_GATED), (URL, Verdict.FETCH_FAILED)):
        world = World(pages={address: wall(address)}, hits=(Hit(address, TITLE, "fake"),))
        assert check(address, world).verdict is verdict


def test_a_search_hit_with_another_title_is_no_witness() -> None:
    address = "https://www.wsj.com/articles/harbour-survey-results-2024"
    world = World(pages={address: wall(address)}, hits=(Hit(address, "Ferry timetable changes announced", "fake"),))
    assert check(address, world).verdict is Verdict.FETCH_FAILED


def test_a_moved_article_is_recovered_by_search() -> None:
    world = World(pages={URL: gone(URL), NEW_URL: page(NEW_URL, title=TITLE)}, hits=(Hit(NEW_URL, TITLE, "fake"),))
    finding = check(URL, world)
    assert finding.verdict is Verdict.VERIFIED_VIA_REPUBLISH
    recovery = finding.evidence.recovery
    assert recovery is not None
    assert (recovery.recovered_url, recovery.provider) == (NEW_URL, "fake")
    assert recovery.query == f'"{TITLE}" site:gazette.org'
    assert recovery.similarity >= 0.8
    assert finding.evidence.requested_url == URL


def test_a_similar_but_other_article_is_refused() -> None:
    other = page(NEW_URL, title="Harbour survey results 2023")
    world = World(pages={URL: gone(URL), NEW_URL: other}, hits=(Hit(NEW_URL, TITLE, "fake"),))
    finding = check(URL, world)
    assert (finding.verdict, finding.cause) == (Verdict.HARD_404, Cause.NOT_FOUND)
    assert "candidate-refused" in [signal.name for signal in finding.evidence.signals]


def test_a_dead_candidate_is_refused() -> None:
    world = World(pages={URL: gone(URL), NEW_URL: gone(NEW_URL)}, hits=(Hit(NEW_URL, TITLE, "fake"),))
    assert check(URL, world).verdict is Verdict.HARD_404


def test_at_most_five_candidates_are_fetched() -> None:
    hits = tuple(Hit(f"https://gazette.org/{number}", TITLE, "fake") for number in range(9))
    world = World(pages={URL: gone(URL)}, hits=hits)
    check(URL, world, author="Ada Quay")
    assert len(world.fetched) == 1 + 5


def test_without_a_title_nothing_is_searched() -> None:
    world = World(pages={URL: gone(URL)}, hits=(Hit(NEW_URL, TITLE, "fake"),))
    assert check(URL, world, title="").verdict is Verdict.HARD_404
    assert not world.queries


def test_a_dead_doi_link_is_told_as_not_registered_only_when_the_agency_says_so() -> None:
    address = "https://doi.org/10.1016/j.harbour.2024.01.002"
    pages = {address: gone(address)}
    told = check("10.1016/j.harbour.2024.01.002", World(pages=pages), title="")
    assert (told.verdict, told.cause) == (Verdict.HARD_404, Cause.DOI_NOT_REGISTERED)
    unsure = check("10.1016/j.harbour.2024.01.002", World(pages=pages, agency_is_down=True), title="")
    assert unsure.verdict is Verdict.HARD_404


def test_a_source_that_takes_too_long_is_told_as_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validating, "SOURCE_DEADLINE_S", 0.05)
    finding = check(URL, World(pages={URL: page(URL, title=TITLE)}, pause_s=1.0))
    assert (finding.verdict, finding.cause) == (Verdict.FETCH_FAILED, Cause.DEADLINE)


def test_another_work_at_the_address_is_told() -> None:
    world = World(pages={URL: page(URL, title="Seventeen recipes for winter soups and stews")})
    assert check(URL, world).verdict is Verdict.TITLE_SWAPPED


def test_a_truncated_answer_keeps_its_evidence() -> None:
    cut = replace(page(URL, title=TITLE), truncated=True)
    assert check(URL, World(pages={URL: cut})).verdict is Verdict.VERIFIED_ACCESSIBLE
