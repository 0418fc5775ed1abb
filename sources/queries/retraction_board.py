"""What the Retractions screen shows: which sources wait for a person, what is said of each, and by what it is used."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from django.db.models import Count, F, OuterRef, QuerySet, Subquery
from django.urls import reverse

from lineage import access
from lineage.models import Impact
from provenance_site.accounts.models import Membership
from provenance_site.kit.text import counted
from sources.core.kinds import ReviewReason, UseKind
from sources.models import (
    CatalogEntry,
    Chunk,
    Export,
    ObservationSource,
    RetractionAcknowledgement,
    RetractionAssertion,
    RetractionDecision,
    RetractionHint,
    RetractionStanding,
    ReviewItem,
    Source,
)
from sources.queries.readable import readable
from sources.queries.retraction_evidence import acknowledged, evidence_of, holding, tell
from sources.queries.work_versions import OtherVersion, other_versions

# Of each kind of use so many are named; the rest is counted.
NAMED = 20


class Tab(StrEnum):
    """Why a source stands on the screen."""

    NEW = "new"
    STALE = "stale"
    CONFLICTS = "conflicts"
    ACKNOWLEDGED = "acknowledged"
    RETRACTED = "retracted"

    @property
    def label(self) -> str:
        """The words of the tab."""
        return {
            "new": "New",
            "stale": "Decisions to affirm",
            "conflicts": "Only an editor can say",
            "acknowledged": "Used on purpose",
            "retracted": "All retracted",
        }[self.value]


@dataclass(frozen=True, slots=True)
class Use:
    """One thing that uses the source. `kind` is None where nobody can say that it is meant."""

    kind: UseKind | None
    pk: int
    words: str
    url: str
    acknowledged: RetractionAcknowledgement | None = None


@dataclass(frozen=True, slots=True)
class Dossier:
    """All that a person needs to decide about one source's retraction. `more` counts the uses that are not named."""

    source: Source
    standing: RetractionStanding | None
    statements: tuple[RetractionAssertion, ...]
    decision: RetractionDecision | None
    uses: tuple[Use, ...]
    more: int
    fallen: tuple[str, ...]
    hints: tuple[RetractionHint, ...] = ()
    versions: tuple[OtherVersion, ...] = ()

    @property
    def seen(self) -> str:
        """The fingerprint of the evidence shown, '' for none."""
        return self.standing.evidence_fingerprint if self.standing else ""

    @property
    def open_uses(self) -> tuple[Use, ...]:
        """Uses of which nobody has said that they are meant, on the evidence of now."""
        return tuple(
            use
            for use in self.uses
            if use.kind is not None and (use.acknowledged is None or use.acknowledged.is_outdated)
        )


def sources_on(tab: Tab, *, workspace_id: int) -> QuerySet[Source]:
    """The sources of a tab, those with the newest news first.

    Asked from the few rows that put a source on the screen, not from all sources.
    """
    standing = readable(Source.objects.all()).standing().filter(workspace=workspace_id)
    # Without the workspace, which `standing` says: with it, SQLite looks through the sources for the few rows.
    decided = readable(RetractionDecision.objects.all()).filter(undone_at=None)
    doubtful = readable(RetractionStanding.objects.all()).filter(workspace=workspace_id, needs_editor=True)
    undecided = standing.exclude(pk__in=decided.values("source"))
    match tab:
        case Tab.NEW:
            asked = readable(ReviewItem.objects.all()).filter(reason=ReviewReason.RETRACTION, closed_at=None)
            found = undecided.filter(pk__in=asked.values("source")).exclude(pk__in=doubtful.values("source"))
        case Tab.STALE:
            newest = (
                readable(RetractionDecision.objects.all())
                .filter(source=OuterRef("pk"), undone_at=None)
                .order_by("-at", "-pk")
            )
            found = standing.filter(pk__in=decided.filter(is_stale=True).values("source"))
            found = found.annotate(is_stale=Subquery(newest.values("is_stale")[:1])).filter(is_stale=True)
        case Tab.CONFLICTS:
            found = undecided.filter(pk__in=doubtful.values("source"))
        case Tab.ACKNOWLEDGED:
            found = standing.filter(pk__in=readable(acknowledged()).values("source"))
        case Tab.RETRACTED:
            found = standing.filter(retracted=True)
        case _:
            assert_never(tab)
    return found.order_by(F("retraction_standing__changed_at").desc(nulls_last=True), "-pk")


def counts(*, workspace_id: int) -> dict[Tab, int]:
    """How many sources each tab has. One query a tab."""
    return {tab: sources_on(tab, workspace_id=workspace_id).order_by().count() for tab in Tab}


def dossiers_of(sources: Sequence[Source], *, membership: Membership, internal: bool) -> list[Dossier]:
    """A dossier for each of the sources, in their order; the same dozen queries however many there are.

    `internal` also names exports that are not for others.
    """
    ids = [source.pk for source in sources]
    standings = {row.source_id: row for row in readable(RetractionStanding.objects.all()).filter(source__in=ids)}
    evidence = evidence_of(sources)
    decided = holding(ids)
    uses = _uses_of(ids, internal=internal)
    fallen = _fallen_of(sources, membership=membership)
    versions = other_versions(workspace_id=membership.workspace_id, keys={pk: own for pk, (own, _) in evidence.items()})
    tell(sources)
    hints: dict[int, list[RetractionHint]] = defaultdict(list)
    for row in readable(RetractionHint.objects.all()).filter(source__in=ids).order_by("at", "pk"):
        hints[row.source_id].append(row)
    return [
        Dossier(
            source=source,
            standing=standings.get(source.pk),
            statements=tuple(sorted(evidence[source.pk][1], key=lambda row: (row.notice_date, row.pk))),
            decision=decided.get(source.pk),
            uses=tuple(uses[source.pk][:NAMED]),
            more=max(0, len(uses[source.pk]) - NAMED),
            fallen=tuple(fallen[source.pk]),
            hints=tuple(hints[source.pk][:NAMED]),
            versions=tuple(versions.get(source.pk, ())[:NAMED]),
        )
        for source in sources
    ]


def _uses_of(ids: Sequence[int], *, internal: bool) -> dict[int, list[Use]]:
    meant = {(row.source_id, row.use_kind, row.use_id): row for row in readable(acknowledged()).filter(source__in=ids)}
    uses: dict[int, list[Use]] = defaultdict(list)

    def add(source_id: int, kind: UseKind, pk: int, words: str, url: str) -> None:
        uses[source_id].append(Use(kind, pk, words, url, meant.get((source_id, kind.value, pk))))

    entries = (
        readable(CatalogEntry.objects.all()).filter(source__in=ids).select_related("project").annotate(drafts=_DRAFTS)
    )
    for entry in entries.order_by("project__name", "pk"):
        words = f"Project {entry.project.name}, {entry.stable_id}"
        words += f", in {counted(entry.drafts, 'draft')}" if entry.drafts else ""
        add(entry.source_id, UseKind.PROJECT, entry.project_id, words, reverse("project", args=[entry.project.uuid]))
    links = readable(ObservationSource.objects.all()).filter(source__in=ids).order_by("observation_id")
    named: set[tuple[int, int]] = set()
    for link in links.select_related("observation"):
        if link.source_id is not None and (link.source_id, link.observation_id) not in named:
            named.add((link.source_id, link.observation_id))
            words = f"Observation “{link.observation.body[:80]}”"
            url = reverse("observation", args=[link.observation.uuid])
            add(link.source_id, UseKind.OBSERVATION, link.observation_id, words, url)
    chunks = readable(Chunk.objects.all()).filter(source__in=ids).order_by("store__name", "store")
    for source_id, store_id, name, number in chunks.values_list("source", "store", "store__name").annotate(Count("pk")):
        if source_id is not None:
            words = f"{counted(number, 'chunk')} in store {name}"
            add(source_id, UseKind.STORE, store_id, words, reverse("store", args=[store_id]))
    for source_id, use in _exports_of(ids, internal=internal):
        uses[source_id].append(use)
    return uses


_DRAFTS = Count("citations__version", distinct=True)


def _exports_of(ids: Sequence[int], *, internal: bool) -> list[tuple[int, Use]]:
    """Files that were handed on with the source in them; what has left cannot be acknowledged away."""
    nodes = dict(
        readable(Source.objects.all()).standing().filter(pk__in=ids, entity__isnull=False).values_list("entity", "pk")
    )
    found = readable(Export.objects.all()).filter(entity__edges_out__to_entity__in=nodes).order_by("-created_at", "-pk")
    if not internal:
        found = found.filter(is_external=True)
    rows = found.values_list("entity__edges_out__to_entity", "pk", "uuid", "file_name", "created_at")
    return [
        (nodes[node], Use(None, pk, f"Export {name} of {at:%Y-%m-%d}", reverse("export", args=[uuid])))
        for node, pk, uuid, name, at in rows
        if node in nodes
    ]


def _fallen_of(sources: Sequence[Source], *, membership: Membership) -> dict[int, list[str]]:
    """What rests on each source and fell with it, by type, as far as the member may see."""
    nodes = {source.entity_id: source.pk for source in sources if source.entity_id is not None}
    seen = access.visible_at(access.asker_of(membership), "entity_id")
    rows = Impact.objects.filter(seen, cause__entity__in=nodes, cause__cleared_at=None).order_by()
    told: dict[int, list[str]] = defaultdict(list)
    for node, kind, number in rows.values_list("cause__entity", "entity__type").annotate(Count("pk")):
        told[nodes[node]].append(f"{number:,} {kind.replace('-', ' ')}")
    return told
