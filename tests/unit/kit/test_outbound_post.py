"""POST with a key: the key goes to its one host, over no redirect, and into nothing that anyone reads."""

import asyncio
import json
import logging
from typing import Any

import pytest

from provenance_site.kit.outbound import Bearer, OutboundClient, OutboundPolicy, Outcome, Trouble
from tests.fakes.loopback import Loopback, redirect, reply
from tests.fakes.outbound import answer_of, no_answer_of, policy_for

KEY = "sk-harbour-1234567890"


def post(server: Loopback, *, base: str = "", policy: OutboundPolicy | None = None, key: str = KEY) -> Outcome:
    async def ask() -> Outcome:
        async with OutboundClient(policy or policy_for(server)) as client:
            bearer = Bearer(base or server.url(), key)
            return await client.post_json(server.url("/search"), payload={"query": "Zürich \ud800"}, bearer=bearer)

    return asyncio.run(ask())


def test_a_post_carries_json_and_the_key() -> None:
    with Loopback(lambda _: reply(b'{"ok": true}')) as server:
        answer = answer_of(post(server))
        sent = server.requests[0]
    assert answer.body == b'{"ok": true}'
    assert (sent.method, sent.target) == ("POST", "/search")
    assert json.loads(sent.body) == {"query": "Zürich \ud800"}
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.headers["content-type"] == "application/json"
    assert "cookie" not in sent.headers


@pytest.mark.parametrize("status", ["301 M", "302 Found", "303 See Other", "307 T", "308 P"])
def test_a_redirect_is_the_answer_and_the_key_stays(status: str) -> None:
    with Loopback(lambda _: reply(b"stolen")) as thief, Loopback(lambda _: redirect(thief.url(), status)) as server:
        answer = answer_of(post(server, policy=policy_for(server, thief)))
        assert answer.status == int(status[:3])
        assert thief.connections == 0


def test_a_key_is_not_sent_to_another_host_port_or_scheme() -> None:
    with Loopback(lambda _: reply(b"{}")) as server:
        for base in ("http://127.0.0.1:1/", f"http://localhost:{server.port}/", f"https://127.0.0.1:{server.port}/"):
            refused = no_answer_of(post(server, base=base))
            assert refused.trouble is Trouble.UNUSABLE_URL
        assert server.connections == 0


def test_a_key_goes_to_strangers_over_https_only() -> None:
    async def ask() -> Outcome:
        async with OutboundClient(policy_for()) as client:
            url = "http://search.invalid/search"
            return await client.post_json(url, payload={}, bearer=Bearer(url, KEY))

    assert "https only" in no_answer_of(asyncio.run(ask())).detail


@pytest.mark.parametrize("key", ["two words", "line\r\nX-Evil: 1", "schlüssel", ""])
def test_a_key_that_is_no_header_text_is_not_sent(key: str) -> None:
    with Loopback(lambda _: reply(b"{}")) as server:
        assert no_answer_of(post(server, key=key)).trouble is Trouble.UNUSABLE_URL
        assert server.connections == 0


def test_the_key_is_in_no_repr_no_outcome_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    told: list[Any] = [Bearer("https://api.search.example/", KEY)]
    for answer in (reply(b"{}"), reply(b"", status="401 U"), redirect("http://127.0.0.1:1/"), b""):
        with Loopback(lambda _, answer=answer: answer) as server:
            told.append(post(server))
            told.append(post(server, base="http://127.0.0.1:1/"))
    assert KEY not in repr(told)
    assert KEY not in caplog.text


def test_a_post_is_never_sent_twice() -> None:
    with Loopback(lambda _: reply(b"", "Retry-After: 0", status="503 Busy")) as server:
        assert answer_of(post(server)).status == 503
        assert len(server.requests) == 1


def test_a_silent_provider_ends_within_the_deadline() -> None:
    with Loopback(lambda _: [30.0]) as server:
        assert no_answer_of(post(server, policy=policy_for(server, deadline_s=0.2))).trouble is Trouble.DEADLINE
