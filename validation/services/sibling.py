"""Asks a site for an address that was made up, where its answer can change the verdict on the cited one."""

import secrets
from dataclasses import replace

from sources.core.findings import Cause, Signal, Verdict
from validation.adapters.registry import Outside
from validation.core import siblings
from validation.core.classify import Judgement
from validation.core.fetching import FetchResult

_TOKEN_BYTES = 8


async def seen_through(result: FetchResult, judgement: Judgement, world: Outside) -> Judgement:
    """The judgement, or soft-404 «catch-all» where the site shows the same page at a made-up address.

    Where a script fills that page, it says nothing of the cited one either way, and the judgement is thin.
    At most one request for a directory of a host and the life of `world`; none where it cannot change anything.
    """
    if not siblings.is_worth_asking(result, judgement):
        return judgement
    mine = siblings.likeness_of(result)
    if mine is None:
        return judgement
    key = siblings.directory_of(result.requested_url)
    neighbour = world.siblings.get(key)
    if neighbour is None:
        made_up = siblings.made_up_neighbour(result.requested_url, secrets.token_hex(_TOKEN_BYTES))
        neighbour = world.siblings.setdefault(key, siblings.Sibling(made_up))
    if not neighbour.asked:  # whoever comes in the meantime asks for the same address, which the fetcher joins
        neighbour.shown = siblings.likeness_of(await world.fetcher.fetch(neighbour.url))
        neighbour.asked = True
    if neighbour.shown is None or not siblings.is_same_page(mine, neighbour.shown):
        return judgement
    signal = Signal("same-page-at-made-up-address", neighbour.url)
    was = Signal("looked-like", f"{judgement.verdict}, {judgement.cause}")
    verdict, cause = (Verdict.THIN, Cause.JS_SHELL) if mine.shell else (Verdict.SOFT_404_GRACEFUL, Cause.CATCH_ALL)
    return replace(
        judgement, verdict=verdict, cause=cause, signals=(signal, *judgement.signals, was), similarity=None, detail=""
    )
