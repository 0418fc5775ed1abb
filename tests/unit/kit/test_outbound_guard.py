"""No way round the guard: literal addresses, names, redirects, a second look-up, the environment."""

import asyncio
import socket
from collections.abc import Iterator, Sequence

import pytest
from aiohttp import AddrInfoType

from provenance_site.kit.outbound import Answer, NoAnswer, OutboundClient, OutboundPolicy, Trouble
from provenance_site.kit.outbound.resolving import NameNotFound
from provenance_site.kit.outbound.transport import open_socket
from tests.fakes.loopback import Loopback, Request, closed_port, redirect, reply
from tests.fakes.outbound import AGENT, get, policy_for


class Names:
    """A name server that answers each question for a name with the next of its answers; the last one stays."""

    def __init__(self, **answers: Sequence[Sequence[str]]) -> None:
        self.answers = {name.replace("_", "."): list(given) for name, given in answers.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        if host not in self.answers:
            raise NameNotFound("no such name")
        given = self.answers[host]
        return given.pop(0) if len(given) > 1 else given[0]


def page(_: Request) -> bytes:
    return reply(b"<title>Harbour survey</title>")


@pytest.fixture
def canary() -> Iterator[Loopback]:
    """A listener that must never be reached."""
    with Loopback(page) as server:
        yield server
        assert server.connections == 0


def test_a_listed_loopback_host_is_fetched_under_our_name_and_without_secrets() -> None:
    with Loopback(page) as server:
        url = server.url("/a?b=%27c%27").replace("http://", "http://user:secret@")
        answer = get(url, policy_for(server))
        assert isinstance(answer, Answer)
        assert (answer.status, answer.body) == (200, b"<title>Harbour survey</title>")
        request = server.requests[0]
        assert request.target == "/a?b=%27c%27"
        assert request.headers["user-agent"] == AGENT
        assert request.headers["host"] == server.authority
        assert request.headers["accept-encoding"] == "gzip, deflate"
        assert not {"authorization", "cookie", "referer", "proxy-authorization"} & set(request.headers)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "name.localhost", "[::ffff:127.0.0.1]", "①②⑦.⓪.⓪.①", "[::1]"]
)
def test_loopback_that_is_not_listed_is_not_contacted(canary: Loopback, host: str) -> None:
    outcome = get(f"http://{host}:{canary.port}/", OutboundPolicy(user_agent=AGENT, deadline_s=2))
    assert isinstance(outcome, NoAnswer)
    assert outcome.trouble is Trouble.BLOCKED_ADDRESS


def test_a_listed_localhost_name_is_this_machine_without_a_name_server() -> None:
    names = Names()
    with Loopback(page) as server:
        listed = f"press.sample.localhost:{server.port}"
        policy = policy_for(extra=[listed])
        assert isinstance(get(f"http://{listed}/", policy, lookup=names), Answer)
        for unlisted in ("other.sample.localhost", "127.0.0.1", "localhost"):
            other = get(f"http://{unlisted}:{server.port}/", policy, lookup=names)
            assert isinstance(other, NoAnswer)
            assert other.trouble is Trouble.BLOCKED_ADDRESS
        assert server.requests[0].headers["host"] == listed
        assert server.connections == 1
    assert names.asked == []


@pytest.mark.parametrize(
    "answers",
    [
        ["127.0.0.1"],
        ["93.184.215.14", "127.0.0.1"],
        ["10.0.0.1"],
        ["64:ff9b::7f00:1"],
        ["::ffff:127.0.0.1"],
        ["fe80::1%1"],
    ],
)
def test_one_private_answer_refuses_the_name(canary: Loopback, answers: list[str]) -> None:
    outcome = get(f"http://evil.test:{canary.port}/", policy_for(), lookup=Names(evil_test=[answers]))
    assert isinstance(outcome, NoAnswer)
    assert outcome.trouble is Trouble.BLOCKED_ADDRESS
    assert outcome.detail == "evil.test lies on a private or reserved address"


def test_a_name_is_looked_up_once_and_that_answer_is_connected_to() -> None:
    dialled: list[str] = []

    def dial(info: AddrInfoType) -> socket.socket:
        dialled.append(info[4][0])
        raise OSError("nothing leaves this machine")

    names = Names(rebind_test=[["93.184.215.14", "2606:4700::1111"], ["127.0.0.1"]])

    async def ask() -> object:
        async with OutboundClient(policy_for(), lookup=names, dial=dial) as client:
            return await client.get("http://rebind.test/", headers={})

    outcome = asyncio.run(ask())
    assert isinstance(outcome, NoAnswer)
    assert outcome.trouble is Trouble.CONNECTION
    assert names.asked == ["rebind.test"]
    assert set(dialled) == {"93.184.215.14", "2606:4700::1111"}


def test_a_new_connection_is_checked_anew() -> None:
    with Loopback(page) as server:
        listed = f"rebind.test:{server.port}"
        names = Names(rebind_test=[["127.0.0.1"], ["10.0.0.1"]])

        async def ask_twice() -> list[object]:
            async with OutboundClient(policy_for(extra=[listed]), lookup=names) as client:
                return [await client.get(f"http://{listed}/", headers={}) for _ in range(2)]

        first, second = asyncio.run(ask_twice())
        assert isinstance(first, Answer)
        assert isinstance(second, NoAnswer)
        assert second.trouble is Trouble.BLOCKED_ADDRESS
        assert names.asked == ["rebind.test", "rebind.test"]


@pytest.mark.parametrize("status", ["301 M", "302 F", "303 S", "307 T", "308 P"])
def test_a_redirect_to_an_unlisted_port_of_this_machine_is_not_followed(canary: Loopback, status: str) -> None:
    with Loopback(lambda _: redirect(canary.url("/admin"), status)) as server:
        outcome = get(server.url(), policy_for(server))
    assert isinstance(outcome, NoAnswer)
    assert outcome.trouble is Trouble.BLOCKED_ADDRESS
    assert [step.status for step in outcome.steps] == [int(status[:3])]


@pytest.mark.parametrize(
    ("location", "trouble"),
    [
        ("http://169.254.169.254/latest/meta-data/", Trouble.BLOCKED_ADDRESS),
        ("http://[::ffff:169.254.169.254]/", Trouble.BLOCKED_ADDRESS),
        ("//10.0.0.1/", Trouble.BLOCKED_ADDRESS),
        ("http://metadata.test/", Trouble.BLOCKED_ADDRESS),
        ("http://127.1/", Trouble.UNUSABLE_URL),
        ("file:///etc/passwd", Trouble.UNUSABLE_URL),
        ("gopher://127.0.0.1:6379/_FLUSHALL", Trouble.UNUSABLE_URL),
        ("http://open.test:6379/", Trouble.UNUSABLE_URL),
        ("http://open.test:22/", Trouble.UNUSABLE_URL),
    ],
)
def test_a_redirect_inwards_or_to_another_protocol_opens_no_socket(location: str, trouble: Trouble) -> None:
    names = Names(metadata_test=[["169.254.169.254"]], open_test=[["93.184.215.14"]])
    dialled: list[object] = []

    with Loopback(lambda _: redirect(location)) as server:

        def dial(info: AddrInfoType) -> socket.socket:
            dialled.append(info[4][:2])
            return open_socket(info)

        async def ask() -> object:
            async with OutboundClient(policy_for(server), lookup=names, dial=dial) as client:
                return await client.get(server.url(), headers={})

        outcome = asyncio.run(ask())
    assert isinstance(outcome, NoAnswer)
    assert outcome.trouble is trouble
    assert dialled == [("127.0.0.1", server.port)]


def test_the_last_wall_stands_when_the_first_is_passed(canary: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OutboundPolicy, "address_refusal", lambda *_: "")
    outcome = get(canary.url(), policy_for())
    assert isinstance(outcome, NoAnswer)
    assert outcome.trouble is Trouble.BLOCKED_ADDRESS


def test_proxies_and_passwords_of_the_environment_are_not_used(
    canary: Loopback, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    netrc = f"{tmp_path}/netrc"
    with open(netrc, "w") as file:
        file.write("machine 127.0.0.1 login someone password secret\n")
    monkeypatch.setenv("NETRC", netrc)
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, canary.url())
    with Loopback(page) as server:
        assert isinstance(get(server.url(), policy_for(server)), Answer)
        assert "authorization" not in server.requests[0].headers


def test_a_name_that_does_not_exist_is_told_from_one_that_could_not_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(host: str, *_: object, **__: object) -> object:
        raise socket.gaierror(socket.EAI_NONAME if host == "gone.test" else socket.EAI_AGAIN, "")

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    gone, busy = (get(f"http://{name}.test/", policy_for()) for name in ("gone", "busy"))
    assert isinstance(gone, NoAnswer)
    assert isinstance(busy, NoAnswer)
    assert (gone.trouble, gone.detail) == (Trouble.DNS, "no such name")
    assert (busy.trouble, busy.detail) == (Trouble.DNS_TEMPORARY, "the name could not be looked up for now")


def test_a_name_server_that_is_silent_does_not_hold_the_fetch() -> None:
    async def silent(host: str, port: int) -> Sequence[str]:
        await asyncio.sleep(30)
        return []

    outcome = get("http://slow.test/", policy_for(deadline_s=0.2), lookup=silent)
    assert isinstance(outcome, NoAnswer)
    assert outcome.trouble is Trouble.DEADLINE


def test_a_refused_connection_is_told_as_such() -> None:
    port = closed_port()
    outcome = get(f"http://127.0.0.1:{port}/", policy_for(extra=[f"127.0.0.1:{port}"]))
    assert isinstance(outcome, NoAnswer)
    assert (outcome.trouble, outcome.detail) == (Trouble.CONNECTION, "the connection was refused")
