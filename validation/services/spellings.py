"""Other spellings of a dead address: what the user wrote decides whether a server knows the page.

`http` and `https`, with and without `www.` or a last slash are one identity and can be four answers. Alive under one of
them is alive; dead is dead under the spelling that was asked. So before a page is called dead, others that were cited
are tried.
"""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace

from sources.core.findings import Signal
from sources.core.identifiers import BadIdentifier, identify
from sources.core.urls import UnusableUrl
from validation.adapters.registry import Outside
from validation.core.classify import Claimed, Judgement
from validation.core.fetching import FetchResult

MOST_TRIED = 3

Judge = Callable[[FetchResult, Claimed], Awaitable[Judgement]]


def addresses_of(spellings: Iterable[str], *, asked: str) -> tuple[str, ...]:
    """The addresses that `spellings` lead to, other than `asked`, in their order, each once, at most three."""
    found: dict[str, None] = {}
    for spelling in spellings:
        try:
            address = identify(spelling).request_url
        except (UnusableUrl, BadIdentifier):
            continue
        if address and address.partition("#")[0] != asked.partition("#")[0]:
            found.setdefault(address)
    return tuple(found)[:MOST_TRIED]


async def alive_elsewhere(
    addresses: Iterable[str], *, dead: Judgement, claimed: Claimed, world: Outside, judge: Judge
) -> tuple[FetchResult, Judgement] | None:
    """The first of `addresses` that is verified, with its judgement; None where none is. One request each.

    The judgement's signals say what the spelling that was asked first came to.
    """
    for address in addresses:
        result = await world.fetcher.fetch(address)
        judgement = await judge(result, claimed)
        if judgement.verdict.is_verified:
            told = Signal("another-spelling-was", f"{dead.verdict}, {dead.cause}")
            return result, replace(judgement, signals=(*judgement.signals, told))
    return None
