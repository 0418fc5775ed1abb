"""Content versions: what was really fetched, named by its hash, with its edge to the source in the same transaction."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from lineage import capture
from lineage.core import refs
from lineage.core.relations import EntityType, Label, Relation
from provenance_site.kit.values import insert_values, reserve_keys, stored_moment
from sources.core.findings import SourceFinding
from sources.core.kinds import VersionOrigin
from sources.models import SourceVersion
from sources.queries.states import SourceState

_COLUMNS = (
    "source_id",
    "origin",
    "sha256",
    "media_type",
    "byte_count",
    "final_url",
    "title",
    "fetched_at",
)


class Planned(NamedTuple):
    """A version not written yet; `lineage` is None for a source without a node, and for what was not fetched."""

    source_id: int
    sha256: str
    row: tuple[Any, ...]
    lineage: capture.Planned | None


def plan(told: SourceFinding, state: SourceState, *, at: datetime) -> Planned | None:
    """The version that the finding's content makes, with its edge to the source; None where no content was read.

    The version rests on its source by FETCHED_FROM, told with the run that fetched it; judging again is no fetch.
    Touches no database.
    """
    evidence = told.finding.evidence
    if not evidence.sha256:
        return None
    fetched_at = stored_moment(told.finding.at)
    return Planned(
        source_id=told.source_id,
        sha256=evidence.sha256,
        row=(
            told.source_id,
            VersionOrigin.FETCHED.value,
            evidence.sha256,
            evidence.media_type,
            evidence.byte_count,
            evidence.final_url,
            evidence.title_found,
            fetched_at,
        ),
        lineage=None if told.rejudged else _lineage(told, state, at=at),
    )


def record(*, planned: Sequence[Planned], at: datetime) -> dict[tuple[int, str], int]:
    """Writes versions that are not there yet, once per content; gives the keys of all, by source and hash.

    Two statements and those of lineage; one more where a version was known. In the caller's transaction.
    """
    if not planned:
        return {}
    nodes = capture.record_planned(planned=[one.lineage for one in planned if one.lineage is not None], at=at)
    keys = reserve_keys(SourceVersion, len(planned))
    rows = [
        (key, None if one.lineage is None else nodes[one.lineage.name], *one.row)
        for key, one in zip(keys, planned, strict=True)
    ]
    if insert_values(SourceVersion, ("id", "entity_id", *_COLUMNS), rows, ignore_conflicts=True) == len(rows):
        return {(one.source_id, one.sha256): key for key, one in zip(keys, planned, strict=True)}
    there = SourceVersion.objects.filter(
        source_id__in={one.source_id for one in planned}, sha256__in={one.sha256 for one in planned}
    )
    return {(source_id, sha256): pk for pk, source_id, sha256 in there.values_list("pk", "source_id", "sha256")}


def _lineage(told: SourceFinding, state: SourceState, *, at: datetime) -> capture.Planned | None:
    if state.entity_id is None or state.entity_version is None:
        return None
    finding = told.finding
    version = refs.make(EntityType.SOURCE_VERSION, str(state.uuid), finding.evidence.sha256)
    return capture.plan(
        workspace_id=state.workspace_id,
        node=capture.EntityFacts(
            ref=version,
            content_hash=finding.evidence.sha256,
            source_time=finding.at,
            authority=state.authority,
            classification=Label.PUBLIC,  # of its own: it inherits the source's
            metadata={"final_url": finding.evidence.final_url},
        ),
        edge=capture.EdgeFacts(
            dependent=version,
            relation=Relation.FETCHED_FROM,
            rests_on=refs.make(EntityType.SOURCE, str(state.uuid), state.entity_version),
            transform_type="fetch",
            transform_implementation="validation.adapters.web",
            transform_version=finding.rules_version,
            run_id=told.run_id,
        ),
        rests_on=state.entity_id,
        at=at,
    )
