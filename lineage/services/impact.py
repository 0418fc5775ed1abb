"""What falls when something others rest on turns out wrong: one cause, an impact row for each node it reaches.

Runs over everything, as the desk itself: what a person may not read must become stale too. Each person is shown and
told of their own part only. A cause told twice is one cause; several causes at one node are kept apart, and a node is
stale as long as one of them stands and waits there.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self

from django.db import connection, transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from lineage import access
from lineage.core.asking import Asker, system
from lineage.core.causes import CauseKind, Outcome, kind_for
from lineage.models import Cause, Edge, Entity, Impact
from lineage.queries import walks
from lineage.queries.key_sets import among
from lineage.queries.made_with import made_with
from lineage.queries.reach_of_each import descendants_of_each
from lineage.services import states
from lineage.services.in_turn import hold, wait_for_turn
from provenance_site.accounts.models import User
from provenance_site.kit.rows import in_parts, insert_rows

# The outcomes of a node whose fall reaches what is made of it later; '' while it waits.
_HANDED_ON = ["", *(outcome.value for outcome in Outcome if not outcome.lets_stand)]


class NothingNamed(ValueError):
    """A cause names neither nodes nor a transform."""


@dataclass(frozen=True, slots=True)
class What:
    """What turned out wrong: a node with all that rests on it, or a transform with its outputs and what rests on those.

    A transform is named by its type with a version, a configuration, or both; '' leaves one open.
    """

    kind: CauseKind
    reason: str
    entity: Entity | None = None
    transform_type: str = ""
    transform_version: str = ""
    config_hash: str = ""

    @classmethod
    def named(
        cls, *, reason: str, entity: Entity | None = None, transform: str = "", version: str = "", config_hash: str = ""
    ) -> Self:
        """A node, if there is one, else a transform; with the kind that follows from it. Raises `NothingNamed`."""
        if entity is not None:
            return cls(kind_for(entity.as_type), reason, entity=entity)
        if not (transform or config_hash):
            raise NothingNamed("Name a ref, a transform or a config_hash.")
        kind = CauseKind.TRANSFORM_RECALL if transform else CauseKind.CONFIG_RECALL
        return cls(kind, reason, transform_type=transform, transform_version=version, config_hash=config_hash)

    @property
    def key(self) -> str:
        """Lower-case hex SHA-256 of what makes it this cause; the reason is none of it."""
        about = self.entity.ref_key if self.entity else ""
        parts = [self.kind.value, about, self.transform_type, self.transform_version, self.config_hash]
        return hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Reached:
    """What a cause would make stale, as far as the asker may see: how many of each type, and the released outputs."""

    total: int
    by_type: Mapping[str, int] = field(default_factory=dict)
    released: tuple[Entity, ...] = ()


def preview(*, what: What, asker: Asker) -> Reached:
    """What `propagate` would reach, without writing anything; released outputs are named, the newest first."""
    seen = access.visible(asker).filter(pk__in=among(_reached(what, asker=asker)))
    by_type = Counter(dict(seen.order_by().values_list("type").annotate(Count("pk"))))
    released = seen.filter(released_at__isnull=False).order_by("-released_at", "-pk")
    return Reached(total=by_type.total(), by_type=by_type, released=tuple(released))


def propagate(*, workspace_id: int, what: What, by: User | None, at: datetime) -> Cause:
    """Records one cause with an impact row for every node it reaches; else as `propagate_all`."""
    return propagate_all(workspace_id=workspace_id, whats=[what], by=by, at=at)[0]


def propagate_all(*, workspace_id: int, whats: Sequence[What], by: User | None, at: datetime) -> list[Cause]:
    """Records causes, each with an impact row for every node it reaches, and marks those stale; all or nothing.

    A node that a cause is about is not stale by it: it is what is wrong. Twice adds nothing but what came to rest on it
    since. Costs the same few statements however many causes and nodes there are (a walk more for each transform).
    Raises `NothingNamed`.
    """
    if any(what.entity is None and not (what.transform_type or what.config_hash) for what in whats):
        raise NothingNamed("Name a node, or a transform by its type or its configuration.")
    retracted = [what.entity.pk for what in whats if what.kind is CauseKind.RETRACTION and what.entity is not None]
    with transaction.atomic():
        wait_for_turn(workspace_id=workspace_id)
        causes = _recorded(workspace_id=workspace_id, whats=whats, by=by, at=at)
        about = {what.entity.pk: causes[what.key].pk for what in whats if what.entity is not None}
        # An edge that another transaction wrote during our walk is seen by the next one: its writer held the row that
        # it rests on, which we waited for to hold it. So we walk until nothing new is met.
        seen: set[tuple[int, int]] | None = None
        while True:
            met = {(about[start], node) for start, node in descendants_of_each(starts=sorted(about))}
            for what in whats:
                if what.entity is None:
                    met |= {(causes[what.key].pk, node) for node in _reached(what, asker=system(workspace_id))}
            fresh = met - seen if seen is not None else met
            if seen is not None and not fresh:
                break
            hold({*about, *(node for _, node in fresh)})
            if seen is None:
                states.retract(entity_ids=retracted, at=at)
            _strike(sorted(fresh), at=at)
            seen = met
            if connection.vendor == "sqlite":
                break
    return [causes[what.key] for what in whats]


def clear(*, cause: Cause, by: User | None, at: datetime) -> int:
    """Takes one cause back; else as `clear_all`."""
    fresh = clear_all(causes=[cause], by=by, at=at)
    cause.refresh_from_db(fields=["cleared_at", "cleared_by"])
    return fresh


def clear_all(*, causes: Collection[Cause], by: User | None, at: datetime) -> int:
    """Takes causes back: they were wrong or hold no longer. Gives how many nodes are current again.

    A node that another standing cause reaches stays stale. The rows stay as history. Twice does nothing more.
    """
    with transaction.atomic():
        for workspace_id in sorted({cause.workspace_id for cause in causes}):
            wait_for_turn(workspace_id=workspace_id)
        standing = Cause.objects.filter(pk__in=among(cause.pk for cause in causes), cleared_at=None)
        keys = set(standing.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))
        ended = [cause for cause in causes if cause.pk in keys]
        standing.update(cleared_at=at, cleared_by=by)
        reached = Impact.objects.filter(cause__in=among(keys)).values_list("entity", flat=True)
        hold({*reached, *(cause.entity_id for cause in ended if cause.entity_id is not None)})
        states.clear_retraction(
            entity_ids=[
                cause.entity_id for cause in ended if cause.kind == CauseKind.RETRACTION and cause.entity_id is not None
            ]
        )
        return refresh(
            entities=Entity.objects.filter(pk__in=Impact.objects.filter(cause__in=among(keys)).values("entity"))
        )


def standing(*, workspace_id: int, whats: Iterable[What]) -> list[Cause]:
    """The causes that stand for any of `whats`."""
    keys = {what.key for what in whats}
    return [
        cause
        for part in in_parts(sorted(keys))
        for cause in Cause.objects.filter(workspace_id=workspace_id, key__in=part, cleared_at=None).order_by("pk")
    ]


def reach(*, workspace_id: int, entity_ids: Collection[int], at: datetime) -> int:
    """Gives nodes whose edges are new the standing causes of what they rest on: late dependents are born stale.

    Their own dependents follow. Gives how many impact rows came of it; one query where no cause stands, as mostly.
    """
    standing = Cause.objects.filter(workspace_id=workspace_id, cleared_at=None)
    if not entity_ids or not standing.exists():
        return 0
    causes_of: dict[int, set[int]] = defaultdict(set)
    transforms = list(standing.filter(entity=None).order_by("pk"))
    for part in in_parts(sorted(entity_ids)):
        edges = Edge.objects.filter(from_entity__in=part, is_dependence=True)
        about = edges.filter(to_entity__causes__in=standing).values_list("from_entity", "to_entity__causes")
        fallen = edges.filter(to_entity__impacts__cause__in=standing, to_entity__impacts__outcome__in=_HANDED_ON)
        made = [
            (node, cause.pk)
            for cause in transforms
            for node in edges.filter(_edges_of(cause)).values_list("from_entity", flat=True)
        ]
        for node, cause_id in [*about, *fallen.values_list("from_entity", "to_entity__impacts__cause"), *made]:
            causes_of[node].add(cause_id)
    struck = {(cause_id, node) for node, causes in causes_of.items() for cause_id in causes}
    below = descendants_of_each(starts=sorted(causes_of)) if causes_of else []
    struck |= {(cause_id, node) for start, node in below for cause_id in causes_of[start]}
    return _strike(sorted(struck), at=at)


def reach_of(cause: Cause) -> set[int]:
    """The nodes that the cause reaches now, whatever was done about them; that it is about none of them."""
    what = What(
        CauseKind(cause.kind),
        cause.reason,
        entity=cause.entity,
        transform_type=cause.transform_type,
        transform_version=cause.transform_version,
        config_hash=cause.config_hash,
    )
    return _reached(what, asker=system(cause.workspace_id))


def troubled(workspace_ids: Iterable[int]) -> set[int]:
    """Those of these workspaces where a cause stands, so that new dependents may be born stale. One small query."""
    causes = Cause.objects.filter(workspace_id__in=set(workspace_ids), cleared_at=None)
    return set(causes.values_list("workspace_id", flat=True).distinct())


def refresh(*, entities: QuerySet[Entity]) -> int:
    """Makes stale nodes current (or what else they are) again that no standing cause waits at; gives how many."""
    waiting = Impact.objects.filter(entity=OuterRef("pk"), outcome="", cause__cleared_at__isnull=True)
    fresh = entities.filter(~Exists(waiting), stale_at__isnull=False)
    return Entity.objects.filter(pk__in=Subquery(fresh.values("pk"))).update(
        stale_at=None, state=states.derived(clearing="stale_at")
    )


def _reached(what: What, *, asker: Asker) -> set[int]:
    if what.entity is not None:
        return set(walks.descendant_ids(starts=[what.entity.pk], asker=asker))
    made = access.readable_edges(asker).filter(_edges_of(what), is_dependence=True)
    outputs = set(made.values_list("from_entity", flat=True))
    return outputs | set(walks.descendant_ids(starts=list(outputs), asker=asker))


def _edges_of(transform: What | Cause) -> Q:
    return made_with(
        transform_type=transform.transform_type,
        transform_version=transform.transform_version,
        config_hash=transform.config_hash,
    )


def _recorded(*, workspace_id: int, whats: Sequence[What], by: User | None, at: datetime) -> dict[str, Cause]:
    """The causes by their key: those that stand, and the others written now."""
    known = {cause.key: cause for cause in standing(workspace_id=workspace_id, whats=whats)}
    missing = {what.key: what for what in whats if what.key not in known}
    insert_rows(
        [
            Cause(
                workspace_id=workspace_id,
                kind=what.kind,
                key=key,
                entity=what.entity,
                transform_type=what.transform_type,
                transform_version=what.transform_version,
                config_hash=what.config_hash,
                reason=what.reason,
                by=by,
                at=at,
            )
            for key, what in missing.items()
        ],
        ignore_conflicts=True,
    )
    return {cause.key: cause for cause in standing(workspace_id=workspace_id, whats=whats)} if missing else known


def _strike(struck: Sequence[tuple[int, int]], *, at: datetime) -> int:
    """Writes the impact rows (cause, node) that are missing, marks their nodes stale, and gives how many it wrote."""
    if not struck:
        return 0
    if connection.vendor == "sqlite":
        found = "SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(%s)"
        parameters: list[Any] = [json.dumps(struck)]
    else:
        found = "SELECT * FROM unnest(%s::bigint[], %s::bigint[])"
        parameters = [[cause for cause, _ in struck], [node for _, node in struck]]
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH found(cause, node) AS ({found}) "  # noqa: S608 (our own two texts)
            "INSERT INTO lineage_impact (cause_id, entity_id, at, outcome, reason) "
            "SELECT cause, node, %s, '', '' FROM found WHERE true ON CONFLICT (cause_id, entity_id) DO NOTHING",
            [*parameters, connection.ops.adapt_datetimefield_value(at)],
        )
        written = int(cursor.rowcount)
    causes = among({cause for cause, _ in struck})
    states.mark_stale_by(waiting=Impact.objects.filter(cause__in=causes, outcome="").values("entity"), at=at)
    return written
