"""Crossref is asked as fast as its answers allow, and no faster, over real sockets."""

import asyncio
import time
from itertools import pairwise

import pytest

from provenance_site.kit.outbound import OutboundClient
from tests.fakes.loopback import Loopback, Reply, Request, reply
from tests.fakes.outbound import policy_for
from validation.adapters.crossref import CrossrefRegistry, ToldPace
from validation.adapters.hostlimit import HostLimit
from validation.core.pacing import Manners
from validation.core.ports import Unavailable, WorkAnswer

GUEST = Manners(at_once=1, interval_s=0.12)
RECORD = b'{"message": {"DOI": "10.5555/x", "title": ["Harbour"]}}'
LIST = b'{"message": {"items": []}}'


class Crossref:
    """A server that notes when each question came and how many were with it at once; answers with these headers."""

    def __init__(self, *headers: str, status: str = "200 OK", takes_s: float = 0.0) -> None:
        self.headers, self.status, self.takes_s = headers, status, takes_s
        self.came: list[float] = []
        self.begun = 0.0
        self.inside = self.most = 0

    def __call__(self, request: Request) -> Reply:
        self.came.append(time.monotonic())
        self.inside += 1
        self.most = max(self.most, self.inside)
        time.sleep(self.takes_s)
        self.inside -= 1
        return reply(RECORD if "/works/" in request.target else LIST, *self.headers, status=self.status)

    @property
    def since_begun(self) -> float:
        """From before the first question to when the last one came. A gap between two can be short on a busy machine,
        where the first of them came late; this span cannot be shorter than the pauses that were kept."""
        return self.came[-1] - self.begun

    @property
    def gaps(self) -> list[float]:
        return [later - earlier for earlier, later in pairwise(self.came)]


def ask(site: Crossref, number: int, *, first: int = 1, lists: bool = False) -> list[WorkAnswer]:
    """`first` questions one after the other, then all the rest together."""

    async def asking() -> list[WorkAnswer]:
        with Loopback(site) as server:
            limit = HostLimit(GUEST)
            async with OutboundClient(policy_for(server), turns=limit) as client:
                pace = ToldPace(limit, guest=GUEST, workers=1)
                registry = CrossrefRegistry(server.url(), client, pace=pace)
                site.begun = time.monotonic()
                if lists:
                    await registry.by_title("Harbour", limit=3)
                told = [await registry.by_doi("10.5555/x") for _ in range(first)]
                rest = (registry.by_doi("10.5555/x") for _ in range(number - first))
                return [*told, *await asyncio.gather(*rest)]

    return asyncio.run(asking())


def test_without_headers_a_guest_asks_one_by_one_and_seldom() -> None:
    site = Crossref(takes_s=0.02)
    ask(site, 4)
    assert site.most == 1
    assert site.since_begun >= 3 * 0.12


def test_what_the_headers_allow_is_used() -> None:
    site = Crossref("x-rate-limit-limit: 50", "x-rate-limit-interval: 1s", "x-concurrency-limit: 3", takes_s=0.1)
    ask(site, 8)
    assert site.most == 3
    assert min(site.gaps[1:]) < 0.05


def test_a_slower_pace_than_the_guests_is_kept_from_the_next_question_on() -> None:
    site = Crossref("x-rate-limit-limit: 6", "x-rate-limit-interval: 1s", "x-concurrency-limit: 1")
    ask(site, 5)
    # One guest's pause, then three of a tenth more than a sixth of a second.
    assert site.since_begun >= 0.12 + 3 * 0.18


def test_records_and_lists_go_by_the_slower_of_the_two() -> None:
    class TwoLimits(Crossref):
        def __call__(self, request: Request) -> Reply:
            self.headers = (
                f"x-rate-limit-limit: {50 if '/works/' in request.target else 6}",
                "x-rate-limit-interval: 1s",
            )
            return super().__call__(request)

    site = TwoLimits()
    ask(site, 4, lists=True)
    assert site.since_begun >= 0.12 + 3 * 0.18


def test_a_short_retry_after_holds_everybody_and_then_it_is_answered() -> None:
    class FirstRefused(Crossref):
        def __call__(self, request: Request) -> Reply:
            first = not self.came
            self.status = "429 Slow" if first else "200 OK"
            self.headers = ("Retry-After: 1",) if first else ()
            return super().__call__(request)

    site = FirstRefused()
    answers = ask(site, 3, first=0)
    assert not [answer for answer in answers if isinstance(answer, Unavailable)]
    assert site.since_begun >= 1.0


def test_a_long_retry_after_parks_it_and_nobody_asks_again() -> None:
    site = Crossref("Retry-After: 3600", status="429 Slow")
    answers = ask(site, 4)
    assert len(site.came) == 1
    for answer in answers:
        assert isinstance(answer, Unavailable)
        assert answer.retry_after_s == pytest.approx(3600, abs=5)


@pytest.mark.parametrize("status", ["429 Slow", "503 Later"])
def test_without_a_time_it_is_asked_less_often(status: str) -> None:
    site = Crossref(status=status)
    (answer,) = ask(site, 1)
    assert isinstance(answer, Unavailable)
    assert len(site.came) == 2
    assert site.since_begun >= 0.9
