"""Who published a work and when, where a search, a registry and the page itself tell it; pure."""

from dataclasses import dataclass

from sources.core.findings import Verdict
from validation.core.harvest_tools import Tool
from validation.core.reading import PageText


@dataclass(frozen=True, slots=True)
class Imprint:
    """What a citation says beside title and address, in the words of whoever told it; '' where nobody did."""

    publisher: str = ""
    published: str = ""


def imprint(listed: Imprint, page: PageText, *, tool: str, verdict: Verdict) -> Imprint:
    """`listed` is what the search named `tool` says. A registry of works knows best what it registered; of anything
    else the page does, unless it is another's copy."""
    if verdict is Verdict.VERIFIED_VIA_REPUBLISH:
        return listed
    own = Imprint(page.publisher, page.published)
    first, then = (listed, own) if tool in _REGISTRIES else (own, listed)
    return Imprint(first.publisher or then.publisher, first.published or then.published)


_REGISTRIES = frozenset(tool.value for tool in Tool if tool.finds_works)
