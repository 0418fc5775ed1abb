"""What the searches with a key have in common: one POST, answers read without trust, reasons an operator can act on.

A reason is one of our own sentences: nothing of the key and nothing of the provider's words is in it.
"""

from collections.abc import Mapping
from typing import Any

from provenance_site.kit.outbound import Bearer, NoAnswer, OutboundClient
from validation.adapters.answers import json_object
from validation.core.ports import Unavailable

_SITE = "site:"
# 402 everywhere; Tavily has two of its own for a used-up plan.
_USED_UP = frozenset({402, 432, 433})


async def ask(
    client: OutboundClient, url: str, payload: Mapping[str, Any], *, bearer: Bearer, provider: str, entered_as: str
) -> dict[str, Any] | Unavailable:
    """The JSON object that a provider answers to `payload`; `entered_as` says where its key comes from."""
    answer = await client.post_json(url, payload=payload, bearer=bearer)
    if isinstance(answer, NoAnswer):
        return Unavailable(provider, answer.detail, answer.retry_after_s)
    if answer.status in {401, 403}:
        return Unavailable(provider, f"it refuses the key; check {entered_as}")
    if answer.status in _USED_UP:
        return Unavailable(provider, "its plan is used up; see your account there")
    if answer.status == 429:
        return Unavailable(provider, "it asks us to slow down", answer.retry_after_s)
    if answer.status != 200:
        return Unavailable(provider, f"it answered with status {answer.status}", answer.retry_after_s)
    found = json_object(answer)
    return Unavailable(provider, "its answer cannot be read") if found is None else found


def without_site(query: str) -> tuple[str, list[str]]:
    """The query without its `site:` words, and the hosts they named: for providers that take hosts by themselves."""
    words = query.split(" ")
    hosts = [word.removeprefix(_SITE) for word in words if word.startswith(_SITE) and word != _SITE]
    return " ".join(word for word in words if not word.startswith(_SITE)).strip(), hosts
