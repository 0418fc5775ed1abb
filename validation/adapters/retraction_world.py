"""Builds from the settings who is asked about retractions, and says who is not."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import IO

from django.conf import settings

from provenance_site.kit.outbound import Answer, OutboundClient
from sources.core.retraction_status import Provider
from validation.adapters.arxiv_withdrawals import ArxivWithdrawals, PreprintWithdrawals
from validation.adapters.clients import policy_of_provider, provider
from validation.adapters.crossref import ToldPace
from validation.adapters.crossref_updates import CrossrefUpdates
from validation.adapters.doi import HandleApi
from validation.adapters.hostlimit import HostLimit
from validation.adapters.openalex_retractions import OpenAlexRetractions
from validation.adapters.pubmed_retractions import EuropePmcRetractions, FirstToAnswer, PubMedRetractions
from validation.adapters.sample import SampleRoutes
from validation.core.pacing import Manners
from validation.core.ports import HandleLookup, Unavailable
from validation.core.retraction_ids import WorkId
from validation.core.retraction_statements import RetractionProvider, UpdatesFeed

# As guests of all workers together: Crossref until its headers say more, NCBI three a second, arXiv one in three
# seconds (their pages for users of the interfaces).
_CROSSREF = Manners(at_once=1, interval_s=0.35)
_EACH = Manners(at_once=1, interval_s=0.35)
_ARXIV = Manners(at_once=1, interval_s=3.0)
_MIB = 1024 * 1024
# Some 65 MB in 2026.
_LARGEST_EXPORT = 512 * _MIB
_DOWNLOAD_S = 900.0
ASKABLE = (Provider.CROSSREF, Provider.PUBMED, Provider.ARXIV, Provider.OPENALEX)


@dataclass(frozen=True, slots=True)
class RetractionWorld:
    """Whom to ask, in this order. `tie_breakers` are asked only about works of which others have said something.
    `absent` has, by provider, why it is not asked. `handles` tells a DOI of another agency from one that nobody has
    registered; None where Crossref is not asked either. `sample` says which works are the sample publishers' own, of
    which nobody outside knows."""

    providers: tuple[RetractionProvider, ...] = ()
    tie_breakers: tuple[RetractionProvider, ...] = ()
    feeds: tuple[UpdatesFeed, ...] = ()
    absent: dict[Provider, str] = field(default_factory=dict)
    handles: HandleLookup | None = None
    sample: SampleRoutes | None = None

    def is_askable(self, work: WorkId) -> bool:
        """False for the sample's works."""
        return self.sample is None or not self.sample.holds(work.value)


@asynccontextmanager
async def retraction_world() -> AsyncIterator[RetractionWorld]:
    """The providers for as long as the block lasts. A provider that was named may lie on a private network."""
    wanted = _wanted()
    sample = SampleRoutes(hosts=frozenset(settings.SAMPLE_HOSTS), port=settings.SAMPLE_PORT)
    async with AsyncExitStack() as stack:
        providers: list[RetractionProvider] = []
        feeds: list[UpdatesFeed] = []
        ties: list[RetractionProvider] = []
        handles: HandleLookup | None = None
        mailto = settings.CONTACT_EMAIL
        if Provider.CROSSREF in wanted:
            limit = HostLimit(_shared(_CROSSREF))
            pace = ToldPace(limit, guest=_CROSSREF, workers=settings.WORKER_SLOTS)
            client = provider(stack, settings.CROSSREF_URL, limit=limit)
            crossref = CrossrefUpdates(settings.CROSSREF_URL, client, mailto=mailto, pace=pace)
            providers.append(crossref)
            feeds.append(crossref)
            handles = HandleApi(settings.DOI_RESOLVER_URL, provider(stack, settings.DOI_RESOLVER_URL))
        if Provider.PUBMED in wanted:
            providers.append(
                FirstToAnswer(
                    PubMedRetractions(
                        settings.PUBMED_URL,
                        _client(stack, settings.PUBMED_URL, _EACH),
                        mailto=mailto,
                        key=settings.PUBMED_KEY,
                    ),
                    EuropePmcRetractions(settings.EUROPEPMC_URL, _client(stack, settings.EUROPEPMC_URL, _EACH)),
                )
            )
        if Provider.ARXIV in wanted:
            providers.append(ArxivWithdrawals(settings.ARXIV_URL, _client(stack, settings.ARXIV_URL, _ARXIV)))
            providers.append(PreprintWithdrawals(settings.BIORXIV_URL, _client(stack, settings.BIORXIV_URL, _EACH)))
        if Provider.OPENALEX in wanted:
            client = _client(stack, settings.OPENALEX_URL, _EACH)
            ties.append(OpenAlexRetractions(settings.OPENALEX_URL, client, mailto=mailto, key=settings.OPENALEX_KEY))
        yield RetractionWorld(tuple(providers), tuple(ties), tuple(feeds), absent_providers(), handles, sample)


def absent_providers() -> dict[Provider, str]:
    """Why providers are not asked; empty where all are."""
    setting = "DESK_RETRACTION_PROVIDERS" if settings.SCHOLARLY else "DESK_SCHOLARLY"
    return {one: f"{one.label} is not asked: {setting} leaves it out." for one in ASKABLE if one not in _wanted()}


def _wanted() -> frozenset[str]:
    """Where no registry of scholarly works may be asked, none is asked about retractions."""
    return frozenset(settings.RETRACTION_PROVIDERS) if settings.SCHOLARLY else frozenset()


async def download_export(url: str, into: IO[bytes]) -> Unavailable | None:
    """Writes Retraction Watch's export to `into` as it comes, and gives why that failed, None where it is whole."""
    allowed = replace(
        policy_of_provider(url),
        deadline_s=_DOWNLOAD_S,
        first_byte_s=60.0,
        max_raw=_LARGEST_EXPORT,
        max_body=_LARGEST_EXPORT,
    )
    async with OutboundClient(allowed) as client:
        answer = await client.get(url, headers={"Accept": "text/csv"}, sink=into.write)
    if not isinstance(answer, Answer):
        return Unavailable(Provider.RETRACTION_WATCH, answer.detail, answer.retry_after_s)
    if answer.status != 200:
        return Unavailable(Provider.RETRACTION_WATCH, f"it answered with status {answer.status}", answer.retry_after_s)
    if answer.truncated:
        return Unavailable(Provider.RETRACTION_WATCH, f"it is larger than {_LARGEST_EXPORT // _MIB} MB")
    declared = answer.headers.get("content-length", "")
    if not answer.headers.get("content-encoding") and declared.isdigit() and int(declared) != into.tell():
        return Unavailable(Provider.RETRACTION_WATCH, "the download broke off")
    return None


def _client(stack: AsyncExitStack, url: str, manners: Manners) -> OutboundClient:
    return provider(stack, url, limit=HostLimit(_shared(manners)))


def _shared(manners: Manners) -> Manners:
    return replace(manners, interval_s=manners.interval_s * max(1, settings.WORKER_SLOTS))
