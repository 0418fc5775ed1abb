"""PubMed's publication types and links to notices: ESummary, and Europe PMC's copy of them where it cannot be asked.

https://www.ncbi.nlm.nih.gov/books/NBK25499/ and https://europepmc.org/RestfulWebService; neither
needs a key, and PubMed takes one.
"""

from collections.abc import Sequence
from typing import Any

from provenance_site.kit.outbound import OutboundClient
from sources.core.kinds import IdentifierType
from sources.core.retraction_status import Provider
from validation.adapters import works as registries
from validation.core.ports import NoWork, Unavailable
from validation.core.retraction_ids import WorkId
from validation.core.retraction_statements import RetractionProvider, Told, all_failed, joined
from validation.core.whole_records import europepmc_is_whole, pubmed_is_whole
from validation.core.withdrawals import europepmc_statements, pubmed_statements


class PubMedRetractions:
    """The RetractionProvider at PubMed."""

    name = Provider.PUBMED
    at_once = 100

    def __init__(self, base_url: str, client: OutboundClient, *, mailto: str = "", key: str = "") -> None:
        """`key` raises what one may ask a second."""
        self._url = f"{base_url.rstrip('/')}/esummary.fcgi"
        self._client = client
        self._who = {"tool": "provenance-desk"}
        self._who |= {name: value for name, value in (("email", mailto), ("api_key", key)) if value}

    def takes(self, work: WorkId) -> bool:
        """True for PubMed ids."""
        return work.type is IdentifierType.PMID

    async def ask(self, works: Sequence[WorkId]) -> Told:
        """One question for all."""
        params = {"db": "pubmed", "retmode": "json", "id": ",".join(work.value for work in works), **self._who}
        found = await registries.ask(self._client, self._url, params, provider=self.name, mailto="")
        result = found.get("result") if isinstance(found, dict) else None
        if not isinstance(result, dict):
            why = found if isinstance(found, Unavailable) else Unavailable(self.name, "its answer cannot be read")
            return all_failed(works, why)
        return joined([self._read(work, result.get(work.value)) for work in works])

    def _read(self, work: WorkId, record: Any) -> Told:
        if isinstance(record, dict) and "error" in record:
            return Told(unknown=frozenset({work}))
        if not isinstance(record, dict) or not pubmed_is_whole(record):
            return all_failed([work], Unavailable(self.name, "its answer is not whole"))
        return Told(statements=pubmed_statements(work, record), answered=frozenset({work}))


class EuropePmcRetractions:
    """The RetractionProvider at Europe PMC, which holds PubMed's records; its word counts as PubMed's."""

    name = Provider.PUBMED
    at_once = 25

    def __init__(self, base_url: str, client: OutboundClient) -> None:
        self._url = f"{base_url.rstrip('/')}/search"
        self._client = client

    def takes(self, work: WorkId) -> bool:
        """True for PubMed ids."""
        return work.type is IdentifierType.PMID

    async def ask(self, works: Sequence[WorkId]) -> Told:
        """One question for all."""
        named = " OR ".join(f"EXT_ID:{work.value}" for work in works)
        params = {"query": f"({named}) AND SRC:MED", "resultType": "core", "format": "json", "pageSize": "100"}
        found = await registries.ask(self._client, self._url, params, provider=self.name, mailto="")
        if isinstance(found, NoWork | Unavailable):
            why = found if isinstance(found, Unavailable) else Unavailable(self.name, "it answered with status 404")
            return all_failed(works, why)
        match found.get("resultList"):
            case {"result": list(items)}:
                records = {str(one.get("pmid") or one.get("id")): one for one in registries.objects_of(items)}
            case _:
                return all_failed(works, Unavailable(self.name, "its answer cannot be read"))
        return joined([self._read(work, records.get(work.value)) for work in works])

    def _read(self, work: WorkId, record: dict[str, Any] | None) -> Told:
        if record is None:
            return Told(unknown=frozenset({work}))
        if not europepmc_is_whole(record):
            return all_failed([work], Unavailable(self.name, "its answer is not whole"))
        return Told(statements=europepmc_statements(work, record), answered=frozenset({work}))


class FirstToAnswer:
    """Asks a second provider what the first could not be asked."""

    def __init__(self, first: RetractionProvider, second: RetractionProvider) -> None:
        self._first = first
        self._second = second

    @property
    def name(self) -> Provider:
        """The first one's name."""
        return self._first.name

    @property
    def at_once(self) -> int:
        """As many as both take."""
        return min(self._first.at_once, self._second.at_once)

    def takes(self, work: WorkId) -> bool:
        """What the first one takes."""
        return self._first.takes(work)

    async def ask(self, works: Sequence[WorkId]) -> Told:
        """The first one's answer, and the second one's about what failed there."""
        told = await self._first.ask(works)
        if not told.failed:
            return told
        return joined([Told(told.statements, told.answered, told.unknown), await self._second.ask(tuple(told.failed))])
