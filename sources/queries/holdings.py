"""Reads sources for exports: a light pass over all of them, then batches in whatever order a writer needs.

What is told of a project's source is of that project's texts alone: what others in the workspace write must not change
its exports. A source that was merged into another never appears; one that is removed meanwhile is passed over.
"""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from heapq import merge
from itertools import groupby, islice
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.db.models import Max, QuerySet

from sources.core.catalog import CitationStatus
from sources.core.exported import Brief, Export, ExportedSource, best_status, in_order
from sources.core.findings import Disposition, Verdict
from sources.core.kinds import DecisionKind, IdentifierType, Sensitivity
from sources.core.records import Identity
from sources.models import CatalogEntry, Citation, CorpusEntry, Decision, Project, Source, SourceAlias
from sources.queries import exported, retraction_evidence
from sources.queries.readable import readable

_BATCH = 500
# To call an enum costs three times a look-up, and the light pass does it some ten times a source.
_VERDICTS: dict[str, Verdict | None] = {"": None, **{one.value: one for one in Verdict}}
_DISPOSITIONS = {one.value: one for one in Disposition}
_KINDS = {one.value: one for one in IdentifierType}
_STATUSES = {one.value: one for one in CitationStatus}
_CHUNK = 2_000
_INTERNAL = Sensitivity.INTERNAL_ONLY.value
_WITHOUT_ADDRESS = [
    kind.value for kind in (IdentifierType.ISBN, IdentifierType.ISSN, IdentifierType.URN, IdentifierType.NONE)
]


@dataclass
class StoredHoldings:
    """Sources of a workspace as `sources.core.holdings.Holdings`: those of `project`, those of `chosen`, or of both.

    Under a project they come in the order of their stable ids; without one in the order in which they were registered,
    under ids made of their uuids. `external` leaves out what must not leave the house. Which sources they are is asked
    once, at the first use, and kept as sixteen bytes each.
    """

    workspace_id: int
    project: Project | None = None
    chosen: "QuerySet[Source] | None" = None
    external: bool = True
    batch: int = field(default=_BATCH, repr=False)

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[ExportedSource]:
        return self.read(range(len(self._ids)))

    def briefs(self) -> Iterator[Brief]:
        """A brief of each source. Eight queries at most whatever their number; overrides, retractions, and addresses of
        works whose own identifier has none, are all that is held."""
        overrides, addresses = self._overrides(), self._other_addresses()
        told = retraction_evidence.labelled(workspace_id=self.workspace_id)
        columns = ("uuid", "verdict", "disposition", "identifier_type", "identifier_value", "request_url",
                   "sensitivity", "retracted")  # fmt: skip
        rows = self._rows().values_list(self._key, f"{self._path}pk", *(f"{self._path}{column}" for column in columns))
        uses = _Uses(self._cited())
        for key, pk, uuid, verdict, disposition, kind, value, url, sensitivity, retracted in rows.iterator(_CHUNK):
            used = uses.of(key)
            holds = overrides.get(pk, verdict)
            yield Brief(
                stable_id=self._stable_id(key, uuid),
                verdict=_VERDICTS[holds],
                disposition=_DISPOSITIONS[disposition],
                status=best_status(status for _, status in used),
                link=Identity(_KINDS[kind], value, url).link or addresses.get(pk, ""),
                sections=_best_by_section(used),
                is_internal=sensitivity == _INTERNAL,
                retraction=told.get(pk) or exported.retraction_of(retracted),
            )

    def read(self, positions: Iterable[int]) -> Iterator[ExportedSource]:
        """The sources at these places, in this order. At most ten queries for 500 of them."""
        waiting = iter(positions)
        while places := list(islice(waiting, self.batch)):
            batch = [self._ids[place] for place in places]
            numbers = {self._ids[place]: self._keys[place] for place in places} if self.project else {}
            told = exported.sources_of(batch, numbers=numbers, project=self.project)
            yield from (told[pk] for pk in batch if pk in told)

    def count(self) -> int:
        """How many sources these are, without asking which. One query."""
        return self._rows().count()

    def left_out(self) -> int:
        """How many sources stand in none of this because they must not leave the house. One query, none inside it."""
        if not self.external:
            return 0
        return self._rows(external=False).filter(**{f"{self._path}sensitivity": _INTERNAL}).count()

    def export(self) -> Export:
        """What an export of these sources is of: named after its project, else after nothing; as of the newest check
        or decision in it, before the first as of the newest entry. At most four queries."""
        project = self.project
        labels = readable(project.versions.all()).values_list("label", flat=True) if project else ()
        creator = project.created_by if project else None
        return Export(
            project=project.name if project else "Sources",
            firm=project.firm if project else "",
            versions=in_order(labels),
            as_of=self._as_of(),
            left_out_internal=self.left_out(),
            curated_by=creator.get_username() if creator else "",
        )

    def source_ids(self, positions: Iterable[int]) -> Iterator[int]:
        """The keys of the sources at these places."""
        return (self._ids[position] for position in positions)

    # -- which they are ------------------------------------------------------------------------------------------------

    @cached_property
    def _both(self) -> "tuple[array[int], array[int]]":
        ids, keys = array("q"), array("q")
        for pk, key in self._rows().values_list(f"{self._path}pk", self._key).iterator(_CHUNK):
            ids.append(pk)
            keys.append(key)
        return ids, keys

    @property
    def _ids(self) -> "array[int]":
        return self._both[0]

    @property
    def _keys(self) -> "array[int]":
        """What the sources are ordered by: their numbers in the project, else their ids again."""
        return self._both[1]

    @property
    def _path(self) -> str:
        return "source__" if self.project else ""

    @property
    def _key(self) -> str:
        """What rows are ordered by and citations are joined on."""
        return "number" if self.project else "pk"

    def _rows(self, *, external: bool | None = None) -> "QuerySet[Any]":
        rows: QuerySet[Any]
        if self.project:
            rows = readable(CatalogEntry.objects.all()).filter(project=self.project)
        else:
            rows = readable(Source.objects.all()).filter(workspace_id=self.workspace_id)
        return self._narrowed(rows, self._path, self.external if external is None else external).order_by(self._key)

    def _narrowed(self, rows: "QuerySet[Any]", path: str, external: bool) -> "QuerySet[Any]":
        """Rows whose source, at `path`, is one of these."""
        found = rows.filter(**{f"{path}merged_into__isnull": True})
        if self.chosen is not None:
            found = found.filter(**{f"{path}pk__in": self.chosen.order_by().values("pk")})
        return found.exclude(**{f"{path}sensitivity": _INTERNAL}) if external else found

    def _stable_id(self, key: int, uuid: UUID) -> str:
        return exported.stable_id(number=key if self.project else None, uuid=uuid)

    # -- what the light pass asks besides ------------------------------------------------------------------------------

    def _of_these(self, rows: "QuerySet[Any]", path: str) -> "QuerySet[Any]":
        if self.project:
            rows = rows.filter(**{f"{path}entries__project": self.project})
        else:
            rows = rows.filter(**{f"{path}workspace_id": self.workspace_id})
        return self._narrowed(rows, path, self.external)

    def _overrides(self) -> dict[int, str]:
        """The verdict that a person put in the machine's place, by source."""
        rows = self._of_these(readable(Decision.objects.all()).filter(undone_at__isnull=True), "source__")
        overriding = rows.filter(source__decided=DecisionKind.OVERRIDE).exclude(override_verdict="")
        return dict(overriding.order_by("at", "pk").values_list("source_id", "override_verdict"))

    def _other_addresses(self) -> dict[int, str]:
        """The address by another identifier, of works whose own identifier has none."""
        rows = self._of_these(readable(SourceAlias.objects.all()).exclude(canonical_key=""), "source__")
        rows = rows.filter(source__identifier_type__in=_WITHOUT_ADDRESS).order_by("-pk")
        found: dict[int, str] = {}
        for pk, spelling, key in rows.values_list("source_id", "spelling", "canonical_key").iterator(_CHUNK):
            if (identity := exported.identity_of(spelling, key)) and identity.link:
                found[pk] = identity.link
        return found

    def _cited(self) -> Iterator[tuple[int, str | None, str]]:
        """(key, section, status) of every use, each once, in the order of the keys."""
        key = "entry__number" if self.project else "entry__source_id"
        rows = (
            readable(Citation.objects.all()).filter(entry__project=self.project)
            if self.project
            else readable(Citation.objects.all())
        )
        if not self.project:
            rows = rows.filter(entry__source__workspace_id=self.workspace_id)
        rows = self._narrowed(rows, "entry__source__", self.external)
        cited = rows.order_by(key).values_list(key, "section__slug", "status").distinct().iterator(_CHUNK)
        return merge(cited, self._kept(), key=itemgetter(0)) if self.project else cited

    def _kept(self) -> Iterator[tuple[int, str | None, str]]:
        """The same of what sections keep in their corpora: found in research, whether a text cites it or not."""
        rows = readable(CorpusEntry.objects.all()).filter(entry__project=self.project)
        rows = self._narrowed(rows, "entry__source__", self.external)
        kept = rows.order_by("entry__number").values_list("entry__number", "section__slug").iterator(_CHUNK)
        return ((number, slug, CitationStatus.FOUND_IN_RESEARCH.value) for number, slug in kept)

    def _as_of(self) -> datetime:
        path = self._path
        rows = self._rows().order_by()
        decided = self._of_these(
            readable(Decision.objects.all()).filter(undone_at__isnull=True).exclude(source__decided=""), "source__"
        )
        moments = (
            rows.aggregate(at=Max(f"{path}latest_check__at"))["at"],
            decided.aggregate(at=Max("at"))["at"],
        )
        newest = max((at for at in moments if at), default=None)
        if newest is None:
            newest = rows.aggregate(at=Max("added_at" if self.project else "first_seen_at"))["at"]
        if newest is None and self.project:
            newest = self.project.created_at
        return newest or datetime.min.replace(tzinfo=UTC)


class _Uses:
    """Citations in the order of their keys, given to rows that come in the same order: neither is held."""

    def __init__(self, cited: Iterator[tuple[int, str | None, str]]) -> None:
        self._groups = groupby(cited, key=itemgetter(0))
        self._key: int | None = None
        self._rest: Iterable[tuple[int, str | None, str]] = ()
        self._advance()

    def of(self, key: int) -> list[tuple[str, CitationStatus]]:
        """(section, status) of each use of `key`, '' for no section; keys rise from call to call."""
        while self._key is not None and self._key < key:
            self._advance()
        if self._key != key:
            return []
        return [(section or "", _STATUSES[status]) for _, section, status in self._rest]

    def _advance(self) -> None:
        self._key, self._rest = next(self._groups, (None, ()))


def _best_by_section(used: list[tuple[str, CitationStatus]]) -> tuple[tuple[str, CitationStatus], ...]:
    places: dict[str, CitationStatus] = {}
    for section, status in used:
        if section and (section not in places or status.rank < places[section].rank):
            places[section] = status
    return tuple(sorted(places.items()))
