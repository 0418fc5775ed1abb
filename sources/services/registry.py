"""The one door to a source's standing: registering identities, and writing what a check found.

Every verdict enters through `apply_findings`, whichever run, command or person asked for it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F

from lineage import capture
from lineage.core import refs
from lineage.core.relations import EntityType, Label
from provenance_site.kit.rows import insert_rows
from provenance_site.kit.values import insert_values, reserve_keys
from sources.core.findings import Finding, SourceFinding, Verdict
from sources.core.records import Identity
from sources.models import Check, Source
from sources.queries import decisions, known
from sources.queries.states import locked_states, states_of
from sources.services import metadata, readings, retraction_parts, review_items, standing, versions
from sources.services.ready import Ready, made_ready
from sources.services.ready import ready as made_anew
from sources.services.weighing import weigh

_BATCH = 500
_CHECK = ("id", "source_id", "item_id", "version_id", "verdict", "cause", "at", "rules_version", "evidence")


@dataclass(frozen=True, slots=True)
class NewSource:
    """A work to be in the registry: its identity, the title it was cited under ('' where none was), and what else is
    known of it by column (`services.metadata.values_of`). `uuid` is the one it has elsewhere, kept where nobody has it.
    """

    identity: Identity
    title: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    uuid: str = ""


@dataclass(frozen=True, slots=True)
class Registered:
    """Sources by canonical key, and which of the keys were new; works without identifier in their order, all new."""

    by_key: Mapping[str, Source]
    new_keys: frozenset[str]
    untraceable: list[Source] = field(default_factory=list)

    def is_new(self, source: Source) -> bool:
        """True where `source` was not in the registry before."""
        return source.canonical_key in self.new_keys if source.canonical_key else True


def register_many(*, workspace_id: int, sources: Iterable[NewSource], at: datetime) -> Registered:
    """Puts each identity into the registry once and gives all of them by key. Idempotent, and safe from many threads.

    UNIQUE decides who was first: rows are inserted in key order (so that two writers cannot deadlock), a conflict is
    ignored, and the winner's row is read back. Each new source gets its lineage entity in the same transaction. A work
    without identifier is always new: whoever calls has looked whether it is there.
    """
    given = list(sources)
    wanted = {new.identity.key: new for new in given if new.identity.key}
    with transaction.atomic():
        taken = _taken_uuids(given)
        there = known.sources_by_key(workspace_id=workspace_id, keys=wanted)
        rows = [
            _row(workspace_id=workspace_id, new=wanted[key], taken=taken, at=at)
            for key in sorted(wanted.keys() - there.keys())
        ]
        nameless = [
            _row(workspace_id=workspace_id, new=new, taken=taken, at=at) for new in given if not new.identity.key
        ]
        _give_entities(workspace_id=workspace_id, rows=nameless, at=at)
        insert_rows(nameless)
        _give_entity_keys(workspace_id=workspace_id, rows=rows, at=at)
        insert_rows(rows, ignore_conflicts=True)
        inserted = known.sources_by_key(workspace_id=workspace_id, keys=[row.canonical_key for row in rows])
        ours = {row.uuid: row for row in rows}
        new_keys = frozenset(key for key, source in inserted.items() if ours.pop(source.uuid, None))
        # What is left in `ours` lost the race for its key; its entity describes nothing.
        capture.forget(entities=[row.entity_id for row in ours.values() if row.entity_id is not None])
        retraction_parts.take_in(sources=[*(inserted[key] for key in new_keys), *nameless], at=at)
    return Registered(by_key={**there, **inserted}, new_keys=new_keys, untraceable=nameless)


def apply_findings(*, findings: Sequence[SourceFinding], at: datetime) -> int:
    """Weighs findings against earlier checks and writes them; see `apply_ready`."""
    return apply_ready(ready=made_ready(weigh(findings), at=at), at=at)


@transaction.atomic
def apply_ready(*, ready: Sequence[Ready], at: datetime) -> int:
    """Writes checks, versions, standing and review items for findings; gives how many sources changed standing.

    One short transaction whatever the number: sources are locked in key order, a fixed number of queries per 500.
    A decision of a person stays; contrary news opens a review item (`sources.core.review_policy`). Earlier checks have
    a say in what is written of dead and failed sources (`sources.core.freshness`): that was weighed by the caller, who
    may have needed it before. What was made ready for a source that has changed since is made ready anew.
    """
    changed = 0
    ordered = sorted(ready, key=lambda one: one.state.pk)
    for start in range(0, len(ordered), _BATCH):
        part = _as_they_stand(ordered[start : start + _BATCH], at=at)
        seen = versions.record(planned=[one.version for one in part if one.version], at=at)
        checks = reserve_keys(Check, len(part))
        insert_values(Check, _CHECK, [_check(one, key, seen) for key, one in zip(checks, part, strict=True)])
        by_source = {one.state.pk: key for key, one in zip(checks, part, strict=True)}
        readings.keep({one.state.pk: (by_source[one.state.pk], one.reading) for one in part if one.reading})
        decided = [one.state.pk for one in part if one.state.decided]
        held = decisions.holding(decided) if decided else {}
        outcomes = standing.move(findings=part, checks=by_source, decided=held, at=at)
        review_items.follow(outcomes=outcomes, checks=by_source, at=at)
        changed += sum(outcome.moved for outcome in outcomes)
    return changed


def _as_they_stand(ready: Sequence[Ready], *, at: datetime) -> list[Ready]:
    """These with their sources locked, without those whose source is gone."""
    locked = locked_states([one.state.pk for one in ready])
    there = [one for one in ready if one.state.pk in locked]
    changed = {one.state.pk for one in there if one.state.changeable != locked[one.state.pk]}
    if not changed:
        return there
    states = states_of(changed)
    return [made_anew(one.weighed, states[one.state.pk], at=at) if one.state.pk in changed else one for one in there]


def apply_finding(*, source_id: int, finding: Finding, at: datetime) -> None:
    """Writes one finding about one source; see `apply_findings`."""
    apply_findings(findings=[SourceFinding(source_id=source_id, finding=finding)], at=at)


@transaction.atomic
def ask_again(*, source_ids: Iterable[int]) -> int:
    """Makes the stored verdicts of these sources answer for them no longer; gives how many sources there are.

    For who changes what verdicts rest on, such as a workspace's own patterns. The verdicts stay until the next check;
    failures are due at once, also those whose retries were over.
    """
    wanted = sorted(set(source_ids))
    changed = 0
    for start in range(0, len(wanted), _BATCH):
        part = Source.objects.filter(pk__in=list(locked_states(wanted[start : start + _BATCH])))
        changed += part.update(fresh_until=None)
        part.filter(verdict=Verdict.HALLUCINATED_PATTERN).update(is_final=False)
        part.filter(verdict=Verdict.FETCH_FAILED).exclude(request_url="").update(retry_at=F("last_checked_at"))
    return changed


def _taken_uuids(sources: Iterable[NewSource]) -> set[str]:
    """Of the uuids that these bring along those that are somebody's already, in whatever workspace."""
    wanted = [told for new in sources if (told := known.uuid_of(new.uuid)) is not None]
    return {str(uuid) for uuid in Source.objects.filter(uuid__in=wanted).values_list("uuid", flat=True)}


def _row(*, workspace_id: int, new: NewSource, taken: set[str], at: datetime) -> Source:
    """A new row; its uuid is then taken, so that no second row of the same call gets it."""
    identity = new.identity
    source = Source(
        workspace_id=workspace_id,
        title=new.title,
        identifier_type=identity.type,
        identifier_value=identity.value,
        canonical_key=identity.key,
        request_url=identity.request_url,
        host=identity.host,
        first_seen_at=at,
    )
    brought = known.uuid_of(new.uuid)
    if brought is not None and str(brought) not in taken:
        source.uuid = brought
        taken.add(str(brought))
    metadata.fill(source, metadata.missing_of(source, new.values))
    return source


def _check(one: Ready, key: int, seen: Mapping[tuple[int, str], int]) -> tuple[Any, ...]:
    version = seen[one.version.source_id, one.version.sha256] if one.version else None
    return key, one.state.pk, one.weighed.told.item_id, version, *one.check


def _give_entities(*, workspace_id: int, rows: Sequence[Source], at: datetime) -> None:
    """Writes the lineage entities of sources that are about to be inserted, and sets them in the rows."""
    facts = _entity_facts(rows, at)
    entities = capture.record_entities(workspace_id=workspace_id, entities=facts, at=at)
    for row, fact in zip(rows, facts, strict=True):
        row.entity = entities[str(fact.ref)]


def _give_entity_keys(*, workspace_id: int, rows: Sequence[Source], at: datetime) -> None:
    """The same for rows that are read back from the database anyway: sets the keys alone."""
    facts = _entity_facts(rows, at)
    ids = capture.record_ids(workspace_id=workspace_id, entities=facts, at=at)
    for row, fact in zip(rows, facts, strict=True):
        row.entity_id = ids[str(fact.ref)]


def _entity_facts(rows: Sequence[Source], at: datetime) -> list[capture.EntityFacts]:
    return [
        capture.EntityFacts(
            ref=refs.make(EntityType.SOURCE, str(row.uuid), "v1"),
            source_time=at,
            authority=row.authority,
            classification=Label(row.classification),
            metadata={"identifier": f"{row.identifier_type}:{row.identifier_value}"},
        )
        for row in rows
    ]
