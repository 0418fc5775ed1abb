"""The figures of the dashboard and the list behind each, on what the asker may see."""

from dataclasses import dataclass
from statistics import median

from django.db.models import Count, DurationField, Exists, F, Max, OuterRef, Q, QuerySet

from lineage import access
from lineage.core.asking import Asker
from lineage.core.measures import Measure
from lineage.core.pairs import OUTPUTS
from lineage.core.relations import EntityType, Pin, Relation
from lineage.models import Edge, Entity, Impact
from lineage.queries.stories import Missing, replay_plan

SAMPLE = 20
# So many nodes of a plan are looked at first. What an edge among them says of its transform it says in the whole plan
# too; that a node has no transform, or that an input is gone, may only seem so where their edges are cut off.
NEAREST = 200
_ANYWHERE = frozenset({Missing.VERSION, Missing.CONFIG})
_OUTPUTS = sorted(one.value for one in OUTPUTS)
_EVIDENCE = [Relation.SUPPORTED_BY.value, Relation.DERIVED_FROM.value, Relation.GENERATED_FROM.value]


@dataclass(frozen=True, slots=True)
class Figure:
    """One measure: `part` of `whole`. For the time to impact `seconds` is the median, None where nobody was told of
    anything yet."""

    measure: Measure
    part: int
    whole: int
    seconds: float | None = None

    @property
    def share(self) -> float | None:
        """`part` of `whole`, 0 to 1; None where there is nothing to measure."""
        return self.part / self.whole if self.whole else None


def figures(*, asker: Asker) -> list[Figure]:
    """All measures, in their order, counted over what the asker may see. Some twenty statements, and four for each
    output of the sample, whose replay is planned."""
    return [_figure(measure, asker) for measure in Measure]


def behind(*, measure: Measure, asker: Asker) -> QuerySet[Entity]:
    """The nodes behind a figure that lack what it measures, oldest first; give it a page."""
    nodes = access.visible(asker)
    match measure:
        case Measure.COVERAGE:
            found = nodes.filter(type__in=[*_OUTPUTS, EntityType.CLAIM]).filter(~_rests(asker))
        case Measure.RESOLVABILITY:
            found = _named(asker)
        case Measure.CLAIM_EVIDENCE:
            found = nodes.filter(type=EntityType.CLAIM).filter(~_rests(asker, relation__in=_EVIDENCE))
        case Measure.ORPHANS:
            found = nodes.filter(~(_ends(asker, out=True) | _ends(asker, out=False)))
        case Measure.DANGLING:
            found = nodes.filter(
                _ends(asker, out=True, is_placeholder=True) | _ends(asker, out=False, is_placeholder=True)
            )
        case Measure.PINNING:
            found = nodes.filter(_rests(asker, to_entity__pin=Pin.UNRESOLVED))
        case Measure.TIME_TO_IMPACT:
            found = nodes.filter(Exists(_fallen(asker).filter(entity=OuterRef("pk"), reported_at__isnull=True)))
        case Measure.REPLAY:
            found = nodes.filter(pk__in=[node.pk for node in _sample(asker) if not _is_replayable(node, asker)])
        case Measure.UNEXPLAINED:
            found = _released(asker).filter(~_rests(asker))
        case Measure.STALE_OUTPUTS:
            found = _released(asker).filter(stale_at__isnull=False)
    return found.order_by("pk")


def _figure(measure: Measure, asker: Asker) -> Figure:
    lacking = behind(measure=measure, asker=asker)
    nodes = access.visible(asker)
    match measure:
        case Measure.COVERAGE:
            whole = nodes.filter(type__in=[*_OUTPUTS, EntityType.CLAIM]).count()
        case Measure.CLAIM_EVIDENCE:
            whole = nodes.filter(type=EntityType.CLAIM).count()
        case Measure.RESOLVABILITY:
            whole = nodes.count() + lacking.count()
        case Measure.ORPHANS:
            whole = nodes.count()
        case Measure.DANGLING:
            edges = access.readable_edges(asker)
            named = Q(from_entity__is_placeholder=True) | Q(to_entity__is_placeholder=True)
            return Figure(measure, edges.filter(named).count(), edges.count())
        case Measure.PINNING:
            edges = access.readable_edges(asker).filter(is_dependence=True)
            return Figure(measure, edges.filter(to_entity__pin=Pin.PINNED).count(), edges.count())
        case Measure.TIME_TO_IMPACT:
            return _time_to_impact(asker)
        case Measure.REPLAY:
            whole = len(_sample(asker))
        case Measure.UNEXPLAINED | Measure.STALE_OUTPUTS:
            whole = _released(asker).count()
    count = lacking.count()
    return Figure(measure, whole - count if measure.high_is_good else count, whole)


def _time_to_impact(asker: Asker) -> Figure:
    """Of each cause, the moment its last node was reported; nodes that nobody was told of yet count as not told. One
    row a cause is read."""
    wait = Max(F("reported_at") - F("at"), output_field=DurationField())
    rows = list(
        _fallen(asker).values_list("cause").annotate(number=Count("pk"), told=Count("reported_at"), longest=wait)
    )
    waits = [longest.total_seconds() for *_, longest in rows if longest is not None]
    told, whole = (sum(row[place] for row in rows) for place in (2, 1))
    return Figure(Measure.TIME_TO_IMPACT, told, whole, median(waits) if waits else None)


def _fallen(asker: Asker) -> QuerySet[Impact]:
    return Impact.objects.filter(access.visible_at(asker, "entity_id"))


def _released(asker: Asker) -> QuerySet[Entity]:
    return access.visible(asker).filter(released_at__isnull=False)


def _named(asker: Asker) -> QuerySet[Entity]:
    """What an edge names at whose other end the asker may read: a name alone would tell of the node that names it."""
    rows = Entity.objects.filter(workspace_id=asker.workspace_id, level__lte=asker.level, is_placeholder=True)
    return rows.filter(_ends(asker, out=True) | _ends(asker, out=False))


def _sample(asker: Asker) -> list[Entity]:
    """Without erased ones: nothing is left that could be made again."""
    return list(access.visible(asker).filter(type__in=_OUTPUTS).exclude(ref="").order_by("-pk")[:SAMPLE])


def _is_replayable(node: Entity, asker: Asker) -> bool:
    """Whether its whole plan lacks nothing. Mostly the nearest nodes tell already that it does: five exports of 25,000
    sources took 4 s when each was planned whole."""
    near = replay_plan(ref=node.ref, asker=asker, most=NEAREST)
    if near.complete or any(gap.missing in _ANYWHERE for planned in near.steps for gap in planned.gaps):
        return near.can_be_replayed
    return replay_plan(ref=node.ref, asker=asker).can_be_replayed


def _rests(asker: Asker, **edge: object) -> Exists:
    """Of a node that the asker may read: it rests on something that they may read too."""
    edges = Edge.objects.filter(from_entity=OuterRef("pk"), is_dependence=True, **edge)
    return Exists(edges.filter(to_entity__level__lte=asker.level))


def _ends(asker: Asker, *, out: bool, **other: object) -> Q:
    """Of a node that the asker may read: an edge leads out of it (or into it), at whose other end they may read."""
    here, there = ("from_entity", "to_entity") if out else ("to_entity", "from_entity")
    wanted = {f"{there}__{name}": value for name, value in {"level__lte": asker.level, **other}.items()}
    return Q(Exists(Edge.objects.filter(**{here: OuterRef("pk")}, **wanted)))
