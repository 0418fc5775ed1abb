"""One suite for every HandleLookup: the fake that other tests use, and the adapter over a real socket."""

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

import pytest

from provenance_site.kit.outbound import OutboundClient
from tests.fakes.loopback import Loopback, Reply, Request, reply
from tests.fakes.outbound import policy_for
from tests.fakes.providers import FakeHandles
from validation.adapters.doi import HandleApi
from validation.core.ports import HandleAnswer, NotRegistered, Registered, Unavailable

KNOWN = {
    "10.1000/182": "https://www.doi.org/the-identifier/resources/handbook",
    "10.1002/(sici)1097-4571(199806)49:8<693::aid-asi4>3.0.co;2-o": "https://press.example/sici",
    "10.5555/a#b?c%d/e": "https://press.example/odd",
}


@dataclass
class Agency:
    """A look-up under test, and the way to break it."""

    ask: Callable[[str], HandleAnswer]
    break_down: Callable[[], None]


@pytest.fixture
def fake() -> Agency:
    handles = FakeHandles(registered=dict(KNOWN))
    return Agency(lambda doi: asyncio.run(handles.lookup(doi)), lambda: setattr(handles, "down", "out of order"))


@pytest.fixture
def adapter() -> Iterator[Agency]:
    broken: list[bool] = []
    with Loopback(
        lambda request: reply(b"<h1>Bad gateway</h1>", status="502 B") if broken else handle_proxy(request)
    ) as server:
        yield Agency(lambda doi: ask(server, doi), lambda: broken.append(True))


@pytest.fixture(params=["fake", "adapter"])
def agency(request: pytest.FixtureRequest) -> Agency:
    found: Agency = request.getfixturevalue(request.param)
    return found


def handle_proxy(request: Request) -> Reply:
    """What doi.org's proxy answers, with values that are no addresses before the one that is."""
    doi = unquote(request.target.removeprefix("/api/handles/"))
    if doi.lower() not in KNOWN:
        return reply(json.dumps({"responseCode": 100, "handle": doi}).encode(), status="404 Not Found")
    values = [
        {"index": 100, "type": "HS_ADMIN", "data": {"format": "admin", "value": {"handle": "0.na/10"}}},
        {"index": 1, "type": "URL", "data": {"format": "string", "value": KNOWN[doi.lower()]}},
    ]
    return reply(json.dumps({"responseCode": 1, "handle": doi, "values": values}).encode())


def ask(server: Loopback, doi: str) -> HandleAnswer:
    async def lookup() -> HandleAnswer:
        async with OutboundClient(policy_for(server, retry_wait_s=0.0)) as client:
            return await HandleApi(server.url("/"), client).lookup(doi)

    return asyncio.run(lookup())


# -- the contract ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("doi", KNOWN)
def test_a_registered_doi_leads_to_its_address(agency: Agency, doi: str) -> None:
    assert agency.ask(doi) == Registered(doi, KNOWN[doi])


def test_the_case_of_a_doi_does_not_matter(agency: Agency) -> None:
    doi = "10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O"
    assert agency.ask(doi) == Registered(doi, "https://press.example/sici")


def test_a_doi_that_nobody_registered_is_said_to_be_none(agency: Agency) -> None:
    assert agency.ask("10.1000/no-such") == NotRegistered("10.1000/no-such")


def test_an_agency_that_is_out_of_order_proves_nothing(agency: Agency) -> None:
    agency.break_down()
    answer = agency.ask("10.1000/182")
    assert isinstance(answer, Unavailable)
    assert answer.provider == "doi"
    assert answer.reason


# -- the adapter alone -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        reply(b"<html>DOI not found</html>", "Content-Type: text/html", status="404 Not Found"),
        reply(b"<html>Sign in to the network</html>"),
        reply(b'{"responseCode": 2, "message": "overloaded"}', status="500 Oops"),
        reply(b'{"responseCode": 200, "handle": "10.1000/182"}'),
        reply(b'{"responseCode": 1, "values": []}', status="500 Oops"),
        reply(b'{"responseCode": true}'),
        reply(b'{"message": "hello"}'),
        reply(b"[1]"),
        reply(b'{"responseCode": 1'),
        reply(b"[" * 100_000),
        reply(b""),
        reply(status="503 Busy"),
        b"",
        [30.0],
    ],
)
def test_what_is_neither_yes_nor_no_is_unavailable(answer: Reply) -> None:
    with Loopback(lambda _: answer) as server:

        async def lookup() -> HandleAnswer:
            async with OutboundClient(policy_for(server, deadline_s=0.4, retry_wait_s=0.0)) as client:
                return await HandleApi(server.url(), client).lookup("10.1000/182")

        assert isinstance(asyncio.run(lookup()), Unavailable)


@pytest.mark.parametrize(
    "values", ["", '"x"', "[1]", '[{"type": "URL"}]', '[{"type": "URL", "data": {"value": 7}}]', "[]"]
)
def test_a_registered_doi_without_an_address_is_still_registered(values: str) -> None:
    body = f'{{"responseCode": 1, "values": {values or "null"}}}'.encode()
    with Loopback(lambda _: reply(body)) as server:
        assert ask(server, "10.1000/182") == Registered("10.1000/182", "")


def test_the_server_sees_one_escaped_path() -> None:
    with Loopback(handle_proxy) as server:
        ask(server, "10.5555/a#b?c%d/e")
        assert [request.target for request in server.requests] == ["/api/handles/10.5555/a%23b%3Fc%25d/e"]


def test_a_doi_cannot_climb_out_of_the_look_up() -> None:
    with Loopback(handle_proxy) as server:
        assert isinstance(ask(server, "10.5555/../../admin"), Unavailable)
        assert server.requests == []


def test_a_limit_says_when_to_come_back() -> None:
    with Loopback(lambda _: reply(b"slow down", "Retry-After: 90", status="429 S")) as server:
        answer = ask(server, "10.1000/182")
    assert isinstance(answer, Unavailable)
    assert answer.retry_after_s == 90
