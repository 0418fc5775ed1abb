"""What falls when something others rest on turns out wrong: one cause, an impact row for each node it reaches.

Runs over everything, as the desk itself: what a person may not read must become stale too. Each person is shown and
told of their own part only. A cause told twice is one cause; several causes at one node are kept apart, and a node is
stale as long as one of them stands and waits there.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db import connections, router, transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from lineage import access
from lineage.core.asking import Asker, system
from lineage.core.causes import CauseKind, Outcome
from lineage.models import Cause, Edge, Entity, Impact
from lineage.queries import walks
from lineage.queries.key_sets import among
from lineage.services import states
from provenance_site.accounts.models import User
from provenance_site.kit.rows import in_parts

# Where a person let a node stand, nothing falls by it that is made of it later.
_LET_STAND = {Outcome.DISMISSED, Outcome.ACCEPTED, Outcome.REVERIFIED}
_HANDED_ON = ["", *(outcome.value for outcome in Outcome if outcome not in _LET_STAND)]


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
    """Records the cause with an impact row for every node it reaches, and marks them stale; all or nothing.

    The node itself is not stale: it is what is wrong. Twice adds nothing but what came to rest on it since. Costs the
    same few statements however many nodes are reached. Raises `NothingNamed`.
    """
    if what.entity is None and not (what.transform_type or what.config_hash):
        raise NothingNamed("Name a node, or a transform by its type or its configuration.")
    with transaction.atomic():
        cause, _ = Cause.objects.get_or_create(
            workspace_id=workspace_id,
            key=what.key,
            cleared_at=None,
            defaults={
                "kind": what.kind,
                "entity": what.entity,
                "transform_type": what.transform_type,
                "transform_version": what.transform_version,
                "config_hash": what.config_hash,
                "reason": what.reason,
                "by": by,
                "at": at,
            },
        )
        if what.kind is CauseKind.RETRACTION and what.entity is not None:
            _retract(what.entity, at=at)
        _strike(cause_id=cause.pk, entity_ids=_reached(what, asker=system(workspace_id)), at=at)
    return cause


def clear(*, cause: Cause, by: User | None, at: datetime) -> int:
    """Takes a cause back: it was wrong or holds no longer. Gives how many nodes are current again.

    A node that another standing cause reaches stays stale. The rows stay as history. Twice does nothing more.
    """
    with transaction.atomic():
        if not Cause.objects.filter(pk=cause.pk, cleared_at=None).update(cleared_at=at, cleared_by=by):
            return 0
        cause.cleared_at, cause.cleared_by = at, by
        if cause.kind == CauseKind.RETRACTION and cause.entity_id is not None:
            Entity.objects.filter(pk=cause.entity_id, retracted_at__isnull=False).update(
                retracted_at=None, state=states.derived(clearing="retracted_at")
            )
        return refresh(entities=Entity.objects.filter(pk__in=Impact.objects.filter(cause=cause).values("entity")))


def standing_cause(*, workspace_id: int, what: What) -> Cause | None:
    """The cause that stands for `what`, None where there is none."""
    return Cause.objects.filter(workspace_id=workspace_id, key=what.key, cleared_at=None).first()


def reach(*, workspace_id: int, entity_ids: Collection[int], at: datetime) -> int:
    """Gives nodes whose edges are new the standing causes of what they rest on: late dependents are born stale.

    Their own dependents follow. Gives how many impact rows came of it; one query where no cause stands, as mostly.
    """
    standing = list(Cause.objects.filter(workspace_id=workspace_id, cleared_at=None).order_by("pk"))
    if not standing or not entity_ids:
        return 0
    struck: dict[int, set[int]] = {}
    for part in in_parts(sorted(entity_ids)):
        edges = Edge.objects.filter(from_entity__in=part, is_dependence=True)
        fallen = edges.filter(to_entity__impacts__cause__in=standing, to_entity__impacts__outcome__in=_HANDED_ON)
        for cause_id, node in fallen.values_list("to_entity__impacts__cause", "from_entity").distinct():
            struck.setdefault(cause_id, set()).add(node)
        for cause in standing:
            told = (
                edges.filter(_edges_of(cause)) if cause.entity_id is None else edges.filter(to_entity=cause.entity_id)
            )
            struck.setdefault(cause.pk, set()).update(told.values_list("from_entity", flat=True))
    asker = system(workspace_id)
    return sum(
        _strike(cause_id=cause_id, entity_ids={*nodes, *walks.descendant_ids(starts=list(nodes), asker=asker)}, at=at)
        for cause_id, nodes in struck.items()
        if nodes
    )


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
    made = Edge.objects.filter(_edges_of(what), workspace_id=asker.workspace_id, is_dependence=True)
    if not asker.sees_everything:
        made = made.filter(from_entity__level__lte=asker.level)
    outputs = set(made.values_list("from_entity", flat=True))
    return outputs | set(walks.descendant_ids(starts=list(outputs), asker=asker))


def _edges_of(transform: What | Cause) -> Q:
    told = {
        name: getattr(transform, name)
        for name in ("transform_type", "transform_version", "config_hash")
        if getattr(transform, name)
    }
    return Q(**told)


def _strike(*, cause_id: int, entity_ids: Collection[int], at: datetime) -> int:
    """Writes the impact rows that are missing and marks their nodes stale; gives how many rows were written."""
    if not entity_ids:
        return 0
    connection = connections[router.db_for_write(Impact) or "default"]
    nodes, parameter = (
        ("SELECT value FROM json_each(%s)", json.dumps(list(entity_ids)))
        if connection.vendor == "sqlite"
        else ("SELECT unnest(%s::bigint[])", list(entity_ids))
    )
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH found(node) AS ({nodes}) "  # noqa: S608 (our own two texts)
            "INSERT INTO lineage_impact (cause_id, entity_id, at, outcome, reason) "
            "SELECT %s, node, %s, '', '' FROM found WHERE true ON CONFLICT (cause_id, entity_id) DO NOTHING",
            [parameter, cause_id, connection.ops.adapt_datetimefield_value(at)],
        )
        written = int(cursor.rowcount)
    fallen = Impact.objects.filter(cause_id=cause_id, outcome="").values("entity")
    Entity.objects.filter(pk__in=fallen, stale_at__isnull=True).update(
        stale_at=at, state=states.derived(setting="stale_at")
    )
    return written


def _retract(entity: Entity, *, at: datetime) -> None:
    Entity.objects.filter(pk=entity.pk, retracted_at__isnull=True).update(
        retracted_at=at, state=states.derived(setting="retracted_at")
    )
