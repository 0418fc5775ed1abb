"""A workspace's own searches in the outside world: before the operator's, behind the guard, each with a memory."""

import asyncio
import json
from typing import Any

import pytest

from sources.core.identifiers import identify
from tests.fakes.loopback import Loopback, Reply, Request, redirect, reply
from validation.adapters.registry import Outside, outside
from validation.core.classify import Claimed
from validation.core.ports import Hit, SearchAnswer, Unavailable
from validation.core.providers import Account, Provider
from validation.services.lookups import questions_of
from validation.services.validate import Target

ADDRESS = "https://press.example/y"
HIT = {"url": "https://press.example/x", "title": "Harbour"}
KEYED = (Provider.TAVILY, Provider.PERPLEXITY, Provider.FIRECRAWL)


OWN_KEY = "own-key-of-the-desk"


def account(provider: Provider, secret: str = OWN_KEY, name: str = "one") -> Account:
    return Account(provider=provider, name=name, secret=secret)


def answering(_: Request) -> Reply:
    return reply(json.dumps({"results": [HIT], "search_results": [HIT], "data": [HIT]}).encode())


@pytest.fixture
def world(settings: Any) -> Any:
    """Nothing is configured."""
    settings.SAMPLE_PORT = 0
    settings.SEARXNG_URL = settings.TAVILY_KEY = settings.PERPLEXITY_KEY = settings.FIRECRAWL_KEY = ""
    settings.FETCH_DEADLINE_S = 2
    return settings


async def names(*accounts: Account, address: str = ADDRESS) -> list[str]:
    async with outside() as opened:
        return [one.name for one in opened.with_accounts(accounts).searches_for(address)]


async def ask(*each: tuple[Account, ...], query: str = "harbour") -> list[list[SearchAnswer]]:
    """What each workspace is answered, one after the other, in one world."""
    async with outside() as opened:
        return [
            [await search.search(query, limit=3) for search in opened.with_accounts(accounts).searches_for(ADDRESS)]
            for accounts in each
        ]


def test_own_searches_come_in_their_order_and_before_the_operators(world: Any) -> None:
    world.SEARXNG_URL, world.TAVILY_KEY = "http://searx.press.org/", "operators-key"
    own = (account(Provider.PERPLEXITY), account(Provider.FIRECRAWL))
    assert asyncio.run(names(*own)) == ["perplexity", "firecrawl", "searxng", "tavily"]
    assert asyncio.run(names()) == ["searxng", "tavily"]


def test_a_provider_of_both_is_asked_on_the_workspaces_account_alone(world: Any) -> None:
    with Loopback(answering) as one:
        world.TAVILY_KEY, world.TAVILY_URL = "operators-key", one.url()
        ((own,), (operators,)) = asyncio.run(ask((account(Provider.TAVILY),), ()))
        sent = [request.headers["authorization"] for request in one.requests]
    assert own == operators == (Hit(HIT["url"], HIT["title"], "tavily"),)
    assert sent == ["Bearer own-key-of-the-desk", "Bearer operators-key"]


@pytest.mark.parametrize("provider", KEYED)
def test_a_key_goes_to_its_own_provider_and_into_no_reason(world: Any, provider: Provider) -> None:
    with Loopback(lambda _: reply(b"own-key-of-the-desk", status="401 No")) as one:
        setattr(world, f"{provider.name}_URL", one.url())
        ((answer,),) = asyncio.run(ask((account(provider),)))
        assert one.requests[0].headers["authorization"] == "Bearer own-key-of-the-desk"
    assert isinstance(answer, Unavailable)
    assert "Search providers" in answer.reason
    assert "own-key" not in answer.reason


def test_what_lies_inside_a_network_is_asked_of_no_account(world: Any) -> None:
    assert asyncio.run(names(account(Provider.TAVILY), address="https://wiki.internal/x")) == []


# -- a workspace's address is a stranger's -----------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "search.sample.localhost"])
def test_an_address_of_a_workspace_opens_no_private_network(world: Any, host: str) -> None:
    with Loopback(answering) as inside:
        world.SAMPLE_HOSTS, world.SAMPLE_PORT = ("search.sample.localhost",), inside.port
        ((answer,),) = asyncio.run(ask((account(Provider.SEARXNG, f"http://{host}:{inside.port}/"),)))
        assert answer == Unavailable("searxng", "its address is private or reserved")
        assert inside.connections == 0


def test_the_operators_exemption_is_not_lent_to_a_workspace(world: Any) -> None:
    with Loopback(answering) as engine:
        world.SEARXNG_URL = engine.url()
        own, operators = asyncio.run(ask((account(Provider.SEARXNG, engine.url()),), ()))
        assert own == [Unavailable("searxng", "its address is private or reserved")]
        assert operators == [(Hit(HIT["url"], HIT["title"], "searxng"),)]
        assert len(engine.requests) == 1


def test_an_operators_gateway_may_be_private_and_sends_a_key_nowhere_else(world: Any) -> None:
    with Loopback(answering) as inside, Loopback(lambda _: redirect(inside.url())) as gateway:
        world.TAVILY_URL = gateway.url()
        ((answer,),) = asyncio.run(ask((account(Provider.TAVILY),)))
        assert isinstance(answer, Unavailable)
        assert len(gateway.requests) == 1
        assert inside.connections == 0


# -- what is kept ------------------------------------------------------------------------------------------------------


def test_what_one_account_was_answered_is_kept_for_it_alone(world: Any) -> None:
    """Else a workspace could write into another's evidence by its own search engine, or see what others have asked."""
    mine, theirs = account(Provider.TAVILY, name="mine"), account(Provider.TAVILY, "their-key-of-the-desk", "theirs")
    with Loopback(answering) as one:
        world.TAVILY_URL, world.TAVILY_KEY = one.url(), "operators-key"
        asyncio.run(ask((mine,), (mine,), (theirs,), (), (mine,), ()))
        sent = [request.headers["authorization"].removeprefix("Bearer ") for request in one.requests]
    assert sent == ["own-key-of-the-desk", "their-key-of-the-desk", "operators-key"]


def test_a_used_up_plan_stops_nobody_elses(world: Any) -> None:
    def limited(request: Request) -> Reply:
        if request.headers["authorization"] == "Bearer own-key-of-the-desk":
            return reply(status="429 Slow", length=0).replace(b"\r\n\r\n", b"\r\nRetry-After: 3600\r\n\r\n")
        return answering(request)

    with Loopback(limited) as one:
        world.TAVILY_URL = one.url()
        theirs = account(Provider.TAVILY, "their-key-of-the-desk", "theirs")
        ((stopped,), (answer,)) = asyncio.run(ask((account(Provider.TAVILY),), (theirs,)))
    assert isinstance(stopped, Unavailable)
    assert isinstance(answer, tuple)


def test_every_question_to_an_account_is_foreseen(world: Any) -> None:
    """What a check asks an account, the worker has loaded from the kept answers before."""
    own = account(Provider.TAVILY)
    target = Target(
        identify("https://gazette.org/2024/harbour"), Claimed(title="Boats of the harbour", author="Ada Quay"),
        accounts=(own,),
    )  # fmt: skip

    async def asked() -> tuple[set[str], set[str]]:
        async with outside() as opened:
            foreseen = set(questions_of(target, opened))
            for query in ('"Boats of the harbour" site:gazette.org', '"Boats of the harbour"'):
                for search in opened.with_accounts(target.accounts).searches_for(ADDRESS):
                    await search.search(query, limit=5)
            return foreseen, set(opened.lookups.take_new())

    with Loopback(answering) as one:
        world.TAVILY_URL = one.url()
        foreseen, new = asyncio.run(asked())
    assert len(new) == 2
    assert new <= foreseen


def test_a_world_without_accounts_is_the_same_world(world: Any) -> None:
    async def nobody(*_: object) -> Any: ...

    bare = Outside(fetcher=nobody, handles=nobody)  # type: ignore[arg-type]
    assert bare.with_accounts(()) is bare
    assert bare.with_accounts((account(Provider.TAVILY),)).searches_for(ADDRESS) == ()
