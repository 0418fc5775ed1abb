"""The links that an import brings: between observations, sources, concepts and projects, many at a time."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import models

from provenance_site.accounts.models import User
from provenance_site.changes.registry import ChangeFacts
from provenance_site.kit.rows import in_parts
from sources.core.entries import LinkKind, LinkRecord, Relationship
from sources.core.kinds import RowAction
from sources.models import Concept, ImportBatch, ImportRow, Observation, Project, Source
from sources.queries.readable import hidden_keys
from sources.services import observation_lineage, observation_links
from sources.services.batch_rows import objects_of, records_of
from sources.services.observation_links import NewLink

OBSERVATION_CONCEPT = Observation.concepts.through
_LOOSE = (
    "What it links joined no source, since its identifiers are those of several (its own row names them). Merge those "
    "that are one work, then link it by hand or import the file again."
)
PROJECT_CONCEPT = Concept.projects.through


def write(*, batch: ImportBatch, rows: Sequence[ImportRow], by: User, at: datetime) -> list[ChangeFacts]:
    """Joins what rows of the batch became, in the caller's transaction; gives the links that are new, for undo.

    A link that is there already stays one. One whose end became nothing (see `arrivals`) becomes an error that says so;
    one whose end was removed meanwhile is left out. A fixed number of queries per 500.
    """
    workspace_id = batch.project.workspace_id
    records = records_of(rows, LinkRecord)
    wanted, loose = _joined(batch, records)
    _leave_hidden(wanted)
    for part in in_parts(loose):
        ImportRow.objects.filter(pk__in=part).update(action=RowAction.ERROR, message=_LOOSE)
    resting = [NewLink(one, other, how) for one, other, how in wanted[LinkKind.OBSERVATION_SOURCE]]
    links = [
        link
        for part in in_parts(resting)
        for link in observation_links.make(workspace_id=workspace_id, links=part, at=at).made
    ]
    observation_lineage.write_edges(workspace_id=workspace_id, links=links, at=at)
    observations = Observation.objects.filter(project__workspace_id=workspace_id)
    projects = Project.objects.filter(workspace_id=workspace_id)
    made: list[models.Model] = [
        *links,
        *_about(OBSERVATION_CONCEPT, "observation", observations, wanted[LinkKind.OBSERVATION_CONCEPT], workspace_id),
        *_about(PROJECT_CONCEPT, "project", projects, wanted[LinkKind.PROJECT_CONCEPT], workspace_id),
    ]
    return [ChangeFacts(one._meta.label_lower, one.pk, {}, {"made": True}) for one in made]


def _leave_hidden(wanted: dict[LinkKind, dict[tuple[int, int, Relationship], None]]) -> None:
    """Leaves out what whoever gave the file may not read: an observation that is there stays as it is, and none of
    theirs comes to rest on a hidden source, which would hide it from them."""
    cited, told = wanted[LinkKind.OBSERVATION_SOURCE], wanted[LinkKind.OBSERVATION_CONCEPT]
    observations = hidden_keys(Observation, {one for one, _, _ in (*cited, *told)})
    sources = hidden_keys(Source, {other for _, other, _ in cited})
    wanted[LinkKind.OBSERVATION_SOURCE] = {
        link: None for link in cited if link[0] not in observations and link[1] not in sources
    }
    wanted[LinkKind.OBSERVATION_CONCEPT] = {link: None for link in told if link[0] not in observations}


def _joined(
    batch: ImportBatch, records: Mapping[int, LinkRecord]
) -> tuple[dict[LinkKind, dict[tuple[int, int, Relationship], None]], list[int]]:
    """The keys of both ends, each link once, and the rows of links whose end became nothing."""
    became = objects_of(batch, (ref for record in records.values() for ref in (record.from_ref, record.to_ref)))
    found: dict[LinkKind, dict[tuple[int, int, Relationship], None]] = {kind: {} for kind in LinkKind}
    loose: list[int] = []
    for row_id, record in records.items():
        one, other = became.get(record.from_ref), became.get(record.to_ref)
        if one is None or other is None:
            loose.append(row_id)
        else:
            found[record.kind][one, other, record.relationship or Relationship.CITED] = None
    return found, loose


def _about(
    link: Any,
    name: str,
    things: "models.QuerySet[Any]",
    wanted: Iterable[tuple[int, int, Relationship]],
    workspace_id: int,
) -> list[models.Model]:
    """Says that `things` (observations or projects, `name` in the table of links) are about concepts; the new links."""
    made: list[models.Model] = []
    rows: models.QuerySet[Any]
    for part in in_parts(wanted):
        mine = set(things.filter(pk__in={one for one, _, _ in part}).values_list("pk", flat=True))
        concepts = Concept.objects.filter(workspace_id=workspace_id, pk__in={other for _, other, _ in part})
        theirs = set(concepts.values_list("pk", flat=True))
        pairs = {(one, other) for one, other, _ in part if one in mine and other in theirs}
        rows = link.objects.filter(**{f"{name}__in": mine}, concept__in=theirs)
        there = set(rows.values_list(f"{name}_id", "concept_id"))
        new = [link(**{f"{name}_id": one, "concept_id": other}) for one, other in sorted(pairs - there)]
        # Somebody may say the same at this moment; what stands then is as good as ours.
        link.objects.bulk_create(new, ignore_conflicts=True)
        made += [row for row in rows.order_by("pk") if (getattr(row, f"{name}_id"), row.concept_id) in pairs - there]
    return made
