"""How fresh what is known of retractions is: each provider, the newest exports, and what nobody has answered for."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, Max, OuterRef

from sources.core.kinds import IdentifierType
from sources.core.retraction_status import Provider
from sources.models import RetractionCheck, Source
from sources.queries.readable import readable
from validation.models import RetractionFeed, RetractionSnapshot
from validation.queries.retractions import MAIN_PROVIDER

_SHOWN = 20
_KIND_WORDS = {IdentifierType.DOI: "a DOI", IdentifierType.PMID: "a PubMed id", IdentifierType.ARXIV: "an arXiv id"}
_STREAMS = (Provider.RETRACTION_WATCH, Provider.CROSSREF, Provider.PUBMED, Provider.ARXIV, Provider.OPENALEX)


@dataclass(frozen=True, slots=True)
class ProviderState:
    """One provider: its stream of changes where it has one, when it last answered about any work (or its export was
    taken in), and why it is not asked, '' where it is.

    `unchecked` counts the workspace's sources for which it is the one to ask and that it never answered about; `kind`
    says what those go by, '' where it is none's first provider.
    """

    provider: Provider
    feed: RetractionFeed | None
    answered_at: datetime | None
    absent: str
    kind: str
    unchecked: int

    @property
    def has_stream(self) -> bool:
        """True where it tells what changed, without being asked about each work."""
        return self.provider in {Provider.RETRACTION_WATCH, Provider.CROSSREF}


def provider_states(*, workspace_id: int, absent: Mapping[Provider, str]) -> list[ProviderState]:
    """All providers in the order in which they are told of; `absent` says why some are not asked. Six queries."""
    feeds = {feed.provider: feed for feed in RetractionFeed.objects.all()}
    newest = dict(RetractionCheck.objects.order_by().values_list("provider").annotate(Max("answered_at")))
    taken = RetractionSnapshot.objects.aggregate(newest=Max("completed_at"))["newest"]
    newest[Provider.RETRACTION_WATCH.value] = taken
    kinds = {provider: kind for kind, provider in MAIN_PROVIDER.items()}
    return [
        ProviderState(
            provider=one,
            feed=feeds.get(one),
            answered_at=newest.get(one),
            absent=absent.get(one, ""),
            kind=_KIND_WORDS[kinds[one]] if one in kinds else "",
            unchecked=_unchecked(workspace_id, kinds[one], one) if one in kinds else 0,
        )
        for one in _STREAMS
    ]


def without_identifier(*, workspace_id: int) -> int:
    """How many standing sources no provider can be asked about: none knows them by an address or a title."""
    rows = readable(Source.objects.all()).standing().filter(workspace=workspace_id)
    return rows.exclude(identifier_type__in=MAIN_PROVIDER).count()


def newest_snapshots() -> list[RetractionSnapshot]:
    """The newest exports of Retraction Watch, taken in or refused."""
    return list(RetractionSnapshot.objects.order_by("-started_at", "-pk").defer("record_ids")[:_SHOWN])


def _unchecked(workspace_id: int, kind: IdentifierType, provider: Provider) -> int:
    answered = RetractionCheck.objects.filter(
        identifier_key=OuterRef("canonical_key"), provider=provider, answered_at__isnull=False
    )
    rows = readable(Source.objects.all()).standing().filter(workspace=workspace_id, identifier_type=kind)
    return rows.exclude(Exists(answered)).count()
