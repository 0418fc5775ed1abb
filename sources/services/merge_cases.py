"""The merges that a person or a rule asks for, read whole: what may be merged, and what would come of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from provenance_site.kit.rows import in_parts
from sources.core.kinds import Classification, FieldRule, IdentifierType, PairReason, Sensitivity, Survivor
from sources.core.merging import FIELDS, Facts, Joined, join, survivor
from sources.models import Decision, Source
from sources.queries import decisions
from sources.queries.duplicates import board_of, told_apart_among
from sources.queries.readable import readable
from sources.services.standing import decided_of

# One deed, one lock: more are merged by doing it again.
GROUPS_AT_ONCE = 500
# A person looks at larger groups one by one: so many records are seldom one work.
_LARGEST = 10


class MergeRefused(ValueError):
    """These sources cannot be merged so; the message says why and what to do. Nothing was written."""


class Overtaken(MergeRefused):
    """One of the sources was merged or removed since the person looked."""


class ToldApart(MergeRefused):
    """A person said that two of the sources are different works."""


class RetractionUnconfirmed(MergeRefused):
    """One of the sources is retracted, and nobody said that the one that stays is too."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One merge: which source stays and which go into it, by their keys, and whose fields it has afterwards.

    `chosen` names a source per field (of `sources.core.merging.FIELDS`) in place of the rule.
    """

    keep: int
    lose: tuple[int, ...]
    fields: FieldRule = FieldRule.OWN
    chosen: Mapping[str, int] = field(default_factory=dict)

    @property
    def everyone(self) -> tuple[int, ...]:
        """All keys, the one that stays first."""
        return (self.keep, *self.lose)


@dataclass(frozen=True, slots=True)
class Case:
    """One merge with its rows read: what is decided about each, and what the one that stays says afterwards."""

    wanted: Wanted
    kept: Source
    going: tuple[Source, ...]
    joined: Joined
    keeps_its_decision: bool
    dissent: bool

    @property
    def retracted(self) -> tuple[Source, ...]:
        """Those that go and are retracted, where the one that stays is not."""
        return () if self.kept.retracted else tuple(source for source in self.going if source.retracted)


def wanted_by(*, workspace_id: int, groups: Iterable[Sequence[int]], keep: Survivor, fields: FieldRule) -> list[Wanted]:
    """One merge for each group of keys, the survivor chosen by rule. Groups with fewer than two standing sources are
    left out. One query per 500 sources."""
    asked = [list(dict.fromkeys(group)) for group in groups]
    sources = _standing(workspace_id=workspace_id, ids=[pk for group in asked for pk in group], lock=False)
    found: list[Wanted] = []
    for group in asked:
        records = [facts_of(sources[pk]) for pk in group if pk in sources]
        if len(records) > 1:
            stays = survivor(records, keep).source_id
            rest = tuple(record.source_id for record in records if record.source_id != stays)
            found.append(Wanted(keep=stays, lose=rest, fields=fields))
    return found


@dataclass(frozen=True, slots=True)
class ByRule:
    """What merging all groups by a rule means now. `later` groups come after the most that go at once; `left_out` are
    too large for a rule, or hold two that were told apart."""

    wanted: tuple[Wanted, ...]
    later: int
    left_out: int


def all_by(*, workspace_id: int, reason: PairReason | None, keep: Survivor, fields: FieldRule) -> ByRule:
    """The merges of all groups that a rule may merge, up to 500 of them. `reason` None means groups of any reason."""
    groups = board_of(workspace_id=workspace_id).groups(reason)
    whole = [group for group in groups if not group.told_apart and len(group.source_ids) <= _LARGEST]
    at_once = [group.source_ids for group in whole[:GROUPS_AT_ONCE]]
    wanted = wanted_by(workspace_id=workspace_id, groups=at_once, keep=keep, fields=fields)
    return ByRule(tuple(wanted), later=len(whole) - len(at_once), left_out=len(groups) - len(whole))


def cases_of(*, workspace_id: int, wanted: Sequence[Wanted], lock: bool) -> list[Case]:
    """The merges with their sources, in the order asked for; with `lock` the sources are locked, in key order.

    Raises `MergeRefused` where a group is none, `Overtaken` and `ToldApart`. A query per 500 sources each for sources,
    pairs told apart and decisions.
    """
    ids = [pk for one in wanted for pk in one.everyone]
    if not wanted or any(not one.lose for one in wanted):
        raise MergeRefused("Choose at least two sources to merge.")
    if len(ids) != len(set(ids)):
        raise MergeRefused("A source is named twice. Choose for each source once whether it stays or goes.")
    sources = _standing(workspace_id=workspace_id, ids=ids, lock=lock)
    if len(sources) != len(ids):
        raise Overtaken("One of these sources was merged or removed since you looked. Nothing was merged; look again.")
    apart = told_apart_among(ids)
    for one in wanted:
        inside = sorted(pair for pair in apart if set(pair) <= set(one.everyone))
        if inside:
            first, second = (sources[pk] for pk in inside[0])
            raise ToldApart(
                f"“{first}” and “{second}” were told apart by a person. Leave one of them out, or undo that in History."
            )
    holding = decisions.holding(ids)
    return [_case(one, sources=sources, holding=holding) for one in wanted]


def _case(wanted: Wanted, *, sources: Mapping[int, Source], holding: Mapping[int, Decision]) -> Case:
    kept, going = sources[wanted.keep], tuple(sources[pk] for pk in wanted.lose)
    own = holding.get(kept.pk)
    others = [decided_of(holding[pk]).disposition for pk in wanted.lose if pk in holding]
    return Case(
        wanted=wanted,
        kept=kept,
        going=going,
        joined=join(facts_of(kept), [facts_of(source) for source in going], rule=wanted.fields, chosen=wanted.chosen),
        keeps_its_decision=own is not None,
        dissent=own is not None and any(one is not decided_of(own).disposition for one in others),
    )


def facts_of(source: Source) -> Facts:
    """The source as the pure rules of merging see it."""
    return Facts(
        source_id=source.pk,
        values={name: getattr(source, name) for name in FIELDS},
        author_list=source.author_list,
        bibliography=source.bibliography,
        identifier_type=IdentifierType(source.identifier_type),
        classification=Classification(source.classification),
        sensitivity=Sensitivity(source.sensitivity),
        decided=source.decided,
        seen_at=source.last_checked_at or source.first_seen_at,
    )


def _standing(*, workspace_id: int, ids: Iterable[int], lock: bool) -> dict[int, Source]:
    found: dict[int, Source] = {}
    for part in in_parts(sorted(set(ids))):
        rows = (
            readable(Source.objects.all())
            .standing()
            .filter(workspace_id=workspace_id, pk__in=part)
            .select_related("entity")
        )
        if lock:
            rows = rows.select_for_update(of=("self",), no_key=True)
        found.update({source.pk: source for source in rows.order_by("pk")})
    return found
