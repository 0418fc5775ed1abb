"""Crossref's REST API about notices: what it says of works, and what changed since a day.

Values of its filters are separated by commas, and DOIs may hold commas: those are asked about one by one, as one path
segment. Where a batch is refused as a whole (400), each of its works is asked about alone, so that one bad DOI leaves
no other unchecked. `from-index-date` and not `from-update-date`: the second is the date of deposit, which what
Retraction Watch adds to a record does not move (rest-api-doc, "Notes on incremental metadata updates").
"""

from collections.abc import Sequence
from functools import partial
from typing import Any
from urllib.parse import quote

from provenance_site.kit.outbound import Answer, OutboundClient
from sources.core.kinds import IdentifierType
from sources.core.retraction_status import Provider
from validation.adapters import works as registries
from validation.adapters.crossref import ToldPace
from validation.core.ports import NoWork, Unavailable
from validation.core.preprint_relations import crossref_versions
from validation.core.retraction_ids import WorkId
from validation.core.retraction_statements import Told, UpdatesPage, all_failed, joined
from validation.core.update_relations import doi_in, statements_in
from validation.core.whole_records import crossref_is_whole

BATCH = 50
PAGE = 500
_FIELDS = "DOI,update-to,updated-by"
_BAD_REQUEST = 400


class CrossrefUpdates:
    """The RetractionProvider and the UpdatesFeed at Crossref."""

    name = Provider.CROSSREF
    at_once = BATCH

    def __init__(
        self, base_url: str, client: OutboundClient, *, mailto: str = "", pace: ToldPace | None = None
    ) -> None:
        """`pace` steers the turns of `client` by what the answers allow."""
        self._url = f"{base_url.rstrip('/')}/works"
        self._client = client
        self._mailto = mailto
        self._heard_one = partial(pace.heard, "one") if pace else registries.unheard
        self._heard_list = partial(pace.heard, "list") if pace else registries.unheard

    def takes(self, work: WorkId) -> bool:
        """True for DOIs."""
        return work.type is IdentifierType.DOI

    async def ask(self, works: Sequence[WorkId]) -> Told:
        """One question for all that a filter can hold, one more for each that it cannot."""
        together = [work for work in works if _fits_a_filter(work.value)]
        if len(together) < 2:
            return joined([await self._alone(work) for work in works])
        parts = [await self._together(together)]
        parts.extend([await self._alone(work) for work in works if work not in set(together)])
        return joined(parts)

    async def since(self, day: str, *, cursor: str) -> UpdatesPage | Unavailable:
        """One page of the notices that were indexed on `day` or later. Records may come that did not change."""
        params = {
            "filter": f"is-update:true,from-index-date:{day}",
            "rows": str(PAGE),
            "cursor": cursor or "*",
            "select": _FIELDS,
        }
        found = await self._list(params)
        if isinstance(found, Unavailable):
            return found
        message, items = found
        told = [one for item in items for one in statements_in(item)]
        onward = registries.text_of(message.get("next-cursor"))
        # It goes on naming a next page for ever; the last is the one that is not full.
        return UpdatesPage(tuple(dict.fromkeys(told)), onward if len(items) >= PAGE else "", len(items))

    async def _together(self, works: Sequence[WorkId]) -> Told:
        statuses: list[int] = []
        params = {
            "filter": ",".join(f"doi:{work.value}" for work in works),
            "rows": str(2 * BATCH),
            "select": f"{_FIELDS},title,relation",
        }
        found = await self._list(params, statuses)
        if isinstance(found, Unavailable):
            if statuses[-1:] == [_BAD_REQUEST]:
                return joined([await self._alone(work) for work in works])
            return all_failed(works, found)
        message, items = found
        whole = {doi_in(item): crossref_is_whole(item) for item in items}
        known = frozenset(work for work in works if whole.get(work))
        unread = [work for work in works if whole.get(work) is False]
        missing = frozenset(works) - whole.keys()
        total = message.get("total-results")
        if missing and isinstance(total, int) and total > len(items):
            rest = all_failed(tuple(missing), Unavailable(self.name, "its answer is not whole"))
        else:
            rest = Told(unknown=missing)
        told = Told(
            statements=tuple(dict.fromkeys(one for item in items for one in statements_in(item))),
            answered=known,
            titles=_titles(items, known),
            versions=tuple(one for item in items for one in crossref_versions(item)),
        )
        return joined([told, all_failed(unread, Unavailable(self.name, "its answer cannot be read")), rest])

    async def _alone(self, work: WorkId) -> Told:
        found = await registries.ask(
            self._client,
            f"{self._url}/{quote(work.value, safe='')}",
            {},
            provider=self.name,
            mailto=self._mailto,
            heard=self._heard_one,
        )
        if isinstance(found, NoWork):
            return Told(unknown=frozenset({work}))
        if isinstance(found, Unavailable):
            return all_failed([work], found)
        record = found.get("message")
        if not isinstance(record, dict) or doi_in(record) is None or not crossref_is_whole(record):
            return all_failed([work], Unavailable(self.name, "its answer cannot be read"))
        known = frozenset({work})
        return Told(
            statements=statements_in(record),
            answered=known,
            titles=_titles([record], known),
            versions=crossref_versions(record),
        )

    async def _list(
        self, params: dict[str, str], statuses: list[int] | None = None
    ) -> tuple[dict[str, Any], list[dict[str, Any]]] | Unavailable:
        def heard(answer: Answer) -> None:
            if statuses is not None:
                statuses.append(answer.status)
            self._heard_list(answer)

        found = await registries.ask(
            self._client, self._url, params, provider=self.name, mailto=self._mailto, heard=heard
        )
        if isinstance(found, NoWork):
            return Unavailable(self.name, "it answered with status 404")
        if isinstance(found, Unavailable):
            return found
        message = found.get("message")
        if not isinstance(message, dict) or not isinstance(message.get("items"), list):
            return Unavailable(self.name, "its answer cannot be read")
        return message, registries.objects_of(message["items"])


def _titles(items: Sequence[dict[str, Any]], known: frozenset[WorkId]) -> dict[WorkId, str]:
    named = ((doi_in(item), registries.plain_title(item.get("title"))) for item in items)
    return {work: title for work, title in named if work in known and title and work is not None}


def _fits_a_filter(doi: str) -> bool:
    return "," not in doi
