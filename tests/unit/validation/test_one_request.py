"""One request for one address, however many workspaces check it at the same moment, however many workers there are."""

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection, transaction

from sources.core.findings import Verdict
from sources.core.identifiers import identify
from sources.models import Check
from sources.services import projects, registry
from sources.services.registry import NewSource
from tests.clock import NOW
from tests.desk import Desk
from tests.fakes.loopback import Loopback, Reply, Request, reply
from tests.fakes.world import ARTICLE
from validation.adapters.registry import Outside, outside
from validation.core.fetching import FetchResult
from validation.core.pacing import Manners
from validation.core.ports import Fetcher
from validation.services import runs, work
from validation.services.runs import Scope

pytestmark = pytest.mark.django_db(transaction=True)
HOST = "gazette.sample.localhost"
TITLE = "Harbour survey results"
PAGE = f"<html><head><title>{TITLE}</title></head><body><main><h1>{TITLE}</h1><p>{ARTICLE}</p></main></body></html>"
PATIENCE_S = 20.0


class Site:
    """Serves articles; while `open` is not set every question waits."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.open.set()

    def __call__(self, request: Request) -> Reply:
        self.open.wait(PATIENCE_S)
        return reply(PAGE.encode(), "Content-Type: text/html; charset=utf-8")


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.fixture
def server(settings: Any, site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """The one host that may lie on this machine; the shared turns are the installation's own."""
    monkeypatch.setattr("validation.adapters.registry.Manners", lambda: Manners(at_once=40, interval_s=0.001))
    with Loopback(site) as server:
        settings.SAMPLE_HOSTS, settings.SAMPLE_PORT = (HOST,), server.port
        settings.SCHOLARLY = settings.ARCHIVE = False
        yield server


def check(desk: Desk, urls: Sequence[str]) -> None:
    """A project of its own with these addresses in this order, and a run over it."""
    project = projects.create(workspace_id=desk.workspace.pk, name="Memo", by=desk.person(), at=NOW)
    new = [NewSource(identify(url), TITLE) for url in urls]
    found = registry.register_many(workspace_id=desk.workspace.pk, sources=new, at=NOW)
    with transaction.atomic():
        projects.enter(project=project, source_ids=[found.by_key[one.identity.key].pk for one in new], at=NOW)
    runs.start(project=project, scope=Scope.ALL, by=desk.person(), at=datetime.now(UTC))


@dataclass
class Counting:
    """A fetcher that notes what was asked of it."""

    inner: Fetcher
    wanted: list[str]

    async def fetch(self, url: str) -> FetchResult:
        asked = asyncio.ensure_future(self.inner.fetch(url))
        await asyncio.sleep(0)  # the fetch has begun, or has joined one, before it is noted
        self.wanted.append(url)
        return await asked


def worker(faults: list[BaseException], wanted: list[str] | None = None) -> threading.Thread:
    """A worker as Celery runs it; `wanted` notes what its checks asked their fetcher for."""

    @asynccontextmanager
    async def world() -> AsyncIterator[Outside]:
        async with outside(among_workers=True) as opened:
            yield replace(opened, fetcher=Counting(opened.fetcher, [] if wanted is None else wanted))

    def drain() -> None:
        try:
            work.work(clock=lambda: datetime.now(UTC), budget_s=PATIENCE_S, open_world=world)
        except BaseException as fault:  # noqa: BLE001  # a thread's fault must fail the test, whatever it is
            faults.append(fault)
        finally:
            connection.close()

    thread = threading.Thread(target=drain)
    thread.start()
    return thread


def wait_for(happened: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(int(PATIENCE_S / 0.05)):
        if happened():
            return
        pause.wait(0.05)
    raise AssertionError("it did not happen")


def asked(server: Loopback, urls: Sequence[str]) -> Counter[str]:
    paths = {url.partition(str(server.port))[2] for url in urls}
    return Counter(request.target for request in server.requests if request.target in paths)


def test_two_workspaces_and_two_workers_ask_once_for_each_address(
    desk: Desk, other_desk: Desk, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "IN_HAND", 12)  # many claims, so that both workers have a part
    urls = [f"http://{HOST}:{server.port}/2024/{place}" for place in range(40)]
    check(desk, urls)
    check(other_desk, urls[::-1])
    faults: list[BaseException] = []
    for thread in [worker(faults), worker(faults)]:
        thread.join()
    assert faults == []
    assert set(Check.objects.values_list("verdict", flat=True)) == {Verdict.VERIFIED_ACCESSIBLE}
    assert Check.objects.count() == 80
    assert asked(server, urls) == Counter({url.partition(str(server.port))[2]: 1 for url in urls})


def test_a_run_that_begins_while_another_workspace_s_fetch_is_under_way_shares_it(
    desk: Desk, other_desk: Desk, server: Loopback, site: Site
) -> None:
    site.open.clear()
    urls = [f"http://{HOST}:{server.port}/2024/{place}" for place in range(6)]
    faults: list[BaseException] = []
    check(desk, urls)
    wanted: list[str] = []
    first = worker(faults, wanted)
    wait_for(lambda: len(asked(server, urls)) == 6)
    check(other_desk, urls[::-1])
    second = worker(faults)
    second.join(PATIENCE_S)
    wait_for(lambda: len(wanted) == 12)
    site.open.set()
    first.join(PATIENCE_S)
    assert faults == []
    assert Check.objects.count() == 12
    assert sum(asked(server, urls).values()) == 6


def test_verdicts_stay_with_their_workspace(desk: Desk, other_desk: Desk, server: Loopback) -> None:
    """Only what is under way is shared: a run that begins afterwards asks for itself."""
    urls = [f"http://{HOST}:{server.port}/2024/1"]
    faults: list[BaseException] = []
    for one in (desk, other_desk):
        check(one, urls)
        worker(faults).join(PATIENCE_S)
    assert faults == []
    assert sum(asked(server, urls).values()) == 2
