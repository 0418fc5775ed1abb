"""OpenAlex's one bit about a work, for where others disagree (https://docs.openalex.org/). Never a word alone: in the
winter of 2023/24 it marked some 2,300 works that had only been corrected."""

from collections.abc import Sequence
from urllib.parse import quote

from provenance_site.kit.outbound import OutboundClient
from sources.core.kinds import IdentifierType
from sources.core.retraction_status import Provider
from validation.adapters import works as registries
from validation.core.ports import NoWork, Unavailable
from validation.core.retraction_ids import WorkId
from validation.core.retraction_statements import Told, all_failed, joined
from validation.core.withdrawals import openalex_statements

_FIELDS = "id,doi,type,is_retracted"
_PATHS = {IdentifierType.DOI: "doi", IdentifierType.PMID: "pmid"}


class OpenAlexRetractions:
    """The RetractionProvider at OpenAlex. Single records cost nothing there, lists do."""

    name = Provider.OPENALEX
    at_once = 10

    def __init__(self, base_url: str, client: OutboundClient, *, mailto: str = "", key: str = "") -> None:
        """`key` raises what one may ask a day; it is none of theirs who ask single records."""
        self._url = f"{base_url.rstrip('/')}/works"
        self._client = client
        self._mailto = mailto
        self._params = {"select": _FIELDS, **({"api_key": key} if key else {})}

    def takes(self, work: WorkId) -> bool:
        """True for DOIs and PubMed ids."""
        return work.type in _PATHS

    async def ask(self, works: Sequence[WorkId]) -> Told:
        """One question a work."""
        return joined([await self._alone(work) for work in works])

    async def _alone(self, work: WorkId) -> Told:
        url = f"{self._url}/{_PATHS[work.type]}:{quote(work.value, safe='')}"
        found = await registries.ask(self._client, url, self._params, provider=self.name, mailto=self._mailto)
        if isinstance(found, NoWork):
            return Told(unknown=frozenset({work}))
        if isinstance(found, Unavailable):
            return all_failed([work], found)
        if not isinstance(found.get("is_retracted"), bool):
            return all_failed([work], Unavailable(self.name, "its answer cannot be read"))
        return Told(statements=openalex_statements(work, found), answered=frozenset({work}))
