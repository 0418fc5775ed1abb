"""What the registries of scholarly works have in common: polite questions, and records read without trust."""

import html
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from provenance_site.kit.outbound import Answer, NoAnswer, OutboundClient
from validation.adapters.answers import json_object
from validation.core.ports import NoWork, Unavailable
from validation.core.stored import legal_text

# Titles come with markup of journals: <i>, <sub>, <mml:math …>.
_MARKUP = re.compile(r"<[^<>]{0,200}>")
_LONGEST_TITLE = 400


Heard = Callable[[Answer], None]


def unheard(answer: Answer) -> None:
    """The listener of a registry whose answers say nothing of a pace."""


async def ask(
    client: OutboundClient, url: str, params: dict[str, str], *, provider: str, mailto: str, heard: Heard = unheard
) -> dict[str, Any] | NoWork | Unavailable:
    """The JSON object at `url`; NoWork for 404. See `answer_of`."""
    answer = await answer_of(client, url, params, provider=provider, mailto=mailto, heard=heard)
    if isinstance(answer, NoWork | Unavailable):
        return answer
    found = json_object(answer)
    return Unavailable(provider, "its answer cannot be read") if found is None else found


async def answer_of(
    client: OutboundClient,
    url: str,
    params: dict[str, str],
    *,
    provider: str,
    mailto: str,
    heard: Heard = unheard,
    accept: str = "application/json",
) -> Answer | NoWork | Unavailable:
    """The answer of status 200 at `url`; NoWork for 404. `mailto` is the operator's address, '' where none is
    configured.

    `heard` is told every answer, whatever its status: its headers may say how fast one may ask.

    Both registries answer faster and more surely where they know whom to write to (their etiquette pages). A 403 is a
    person's decision there, so the reason asks the operator to act.
    """
    asked = {**params, "mailto": mailto} if mailto else params
    answer = await client.get(f"{url}?{urlencode(asked)}" if asked else url, headers={"Accept": accept})
    if isinstance(answer, NoAnswer):
        return Unavailable(provider, answer.detail, answer.retry_after_s)
    heard(answer)
    if answer.status == 404:
        return NoWork(provider)
    if answer.status == 403:
        return Unavailable(provider, "it has blocked us; set DESK_CONTACT_EMAIL and ask there why")
    if answer.status == 429:
        return Unavailable(provider, "it asks us to slow down", answer.retry_after_s)
    if answer.status != 200:
        return Unavailable(provider, f"it answered with status {answer.status}", answer.retry_after_s)
    return answer


def plain_title(value: Any) -> str:
    """A title without markup and entities, on one line, at most 400 characters; '' where there is none."""
    text = value[0] if isinstance(value, list) and value else value
    if not isinstance(text, str):
        return ""
    return legal_text(" ".join(html.unescape(_MARKUP.sub("", text)).split())[:_LONGEST_TITLE])


def plain_text(value: Any) -> str:
    """A text without markup and entities, on one line; '' where there is none."""
    return " ".join(html.unescape(_MARKUP.sub(" ", value)).split()) if isinstance(value, str) else ""


def text_of(value: Any) -> str:
    """`value` where it is a text, else ''."""
    return value if isinstance(value, str) else ""


def objects_of(value: Any) -> list[dict[str, Any]]:
    """The objects of a list, [] where there is none."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def web_address(value: Any) -> str:
    """`value` where it is a web address, else ''."""
    return value if isinstance(value, str) and value.lower().startswith(("http://", "https://")) else ""
