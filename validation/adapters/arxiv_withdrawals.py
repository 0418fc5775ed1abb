"""Withdrawn preprints: arXiv's Atom interface, and the versions that bioRxiv and medRxiv list.

https://info.arxiv.org/help/api/user-manual.html and https://api.biorxiv.org/; both without key.
"""

import re
from collections.abc import Sequence
from urllib.parse import quote

from lxml import etree

from provenance_site.kit.outbound import OutboundClient
from sources.core.kinds import IdentifierType
from sources.core.retraction_status import Provider
from validation.adapters import works as registries
from validation.core.ports import NoWork, Unavailable
from validation.core.preprint_relations import arxiv_versions, preprint_versions
from validation.core.retraction_ids import WorkId, is_preprint_of_openrxiv
from validation.core.retraction_statements import Told, all_failed, joined
from validation.core.whole_records import preprint_is_whole
from validation.core.withdrawals import arxiv_statements, preprint_statements

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_ENTRY_ID = re.compile(r"https?://arxiv\.org/abs/(.+?)(?:v[0-9]{1,3})?", re.ASCII)
_SERVERS = ("biorxiv", "medrxiv")


class ArxivWithdrawals:
    """The RetractionProvider at arXiv."""

    name = Provider.ARXIV
    at_once = 50

    def __init__(self, base_url: str, client: OutboundClient) -> None:
        self._url = f"{base_url.rstrip('/')}/api/query"
        self._client = client

    def takes(self, work: WorkId) -> bool:
        """True for arXiv ids."""
        return work.type is IdentifierType.ARXIV

    async def ask(self, works: Sequence[WorkId]) -> Told:
        """One question for all."""
        params = {"id_list": ",".join(work.value for work in works), "max_results": str(self.at_once)}
        found = await registries.answer_of(
            self._client, self._url, params, provider=self.name, mailto="", accept="application/atom+xml"
        )
        if isinstance(found, NoWork | Unavailable):
            why = found if isinstance(found, Unavailable) else Unavailable(self.name, "it answered with status 404")
            return all_failed(works, why)
        entries = None if found.truncated else _entries(found.body)
        if entries is None:
            return all_failed(works, Unavailable(self.name, "its answer cannot be read"))
        known = [work for work in works if work.value in entries]
        told = [
            one
            for work in known
            for one in arxiv_statements(work, comment=entries[work.value][0], updated=entries[work.value][1])
        ]
        versions = tuple(one for work in known for one in arxiv_versions(work, doi=entries[work.value][2]))
        return Told(
            statements=tuple(told),
            answered=frozenset(known),
            unknown=frozenset(works) - frozenset(known),
            versions=versions,
        )


class PreprintWithdrawals:
    """The RetractionProvider at bioRxiv and medRxiv, whose DOIs look alike: the second is asked where the first has
    none. Journals of a press bear the same prefix and are never asked about."""

    name = Provider.ARXIV
    at_once = 10

    def __init__(self, base_url: str, client: OutboundClient) -> None:
        self._url = f"{base_url.rstrip('/')}/details"
        self._client = client

    def takes(self, work: WorkId) -> bool:
        """True for the DOIs of preprints there."""
        return work.type is IdentifierType.DOI and is_preprint_of_openrxiv(work.value)

    async def ask(self, works: Sequence[WorkId]) -> Told:
        """One question a work, two for those of medRxiv."""
        return joined([await self._alone(work) for work in works])

    async def _alone(self, work: WorkId) -> Told:
        for server in _SERVERS:
            url = f"{self._url}/{server}/{quote(work.value, safe='/')}/na/json"
            found = await registries.ask(self._client, url, {}, provider=self.name, mailto="")
            if isinstance(found, Unavailable):
                return all_failed([work], found)
            versions = found.get("collection") if isinstance(found, dict) else []
            if not isinstance(versions, list):
                return all_failed([work], Unavailable(self.name, "its answer cannot be read"))
            if versions:
                if not preprint_is_whole(versions):
                    return all_failed([work], Unavailable(self.name, "its answer is not whole"))
                statements = preprint_statements(work, versions, server=server)
                published = preprint_versions(work, versions)
                return Told(statements=statements, answered=frozenset({work}), versions=published)
        return Told(unknown=frozenset({work}))


def _entries(body: bytes) -> dict[str, tuple[str, str, str]] | None:
    """Comment, date of update and DOI of what was published, by id without version; None where the body is no feed."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        feed = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    if feed.tag != f"{_ATOM}feed":
        return None
    found = {}
    for entry in feed.iterfind(f"{_ATOM}entry"):
        name = _ENTRY_ID.fullmatch((entry.findtext(f"{_ATOM}id") or "").strip())
        if name:
            found[name[1]] = (
                entry.findtext(f"{_ARXIV}comment") or "",
                entry.findtext(f"{_ATOM}updated") or "",
                entry.findtext(f"{_ARXIV}doi") or "",
            )
    return found
