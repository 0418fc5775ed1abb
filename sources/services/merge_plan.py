"""What hangs on sources that are merged, and where each row of it goes. Reads only; a fixed number of queries per 500.

Whoever shows a preview and whoever merges ask for the same plan.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime

from django.db.models import Q

from provenance_site.accounts.models import User
from provenance_site.kit.rows import in_parts
from sources.core.kinds import PairState
from sources.models import (
    CatalogEntry,
    Chunk,
    Citation,
    CorpusEntry,
    Decision,
    DuplicatePair,
    EntryAlias,
    ObservationSource,
    ReviewItem,
    Source,
    SourceAlias,
    TurnSource,
)
from sources.services.merge_rows import Row, whole

_TAGGED = Source.tags.through


def rows_to_move(
    *,
    sources: Mapping[int, Source],
    into: Mapping[int, int],
    keep_decisions: set[int],
    by: User,
    at: datetime,
    lock: bool,
) -> list[Row]:
    """The rows that a merge changes, makes or removes, the sources themselves apart.

    `into` leads from each source that goes to the one that stays; both are in `sources`. Decisions of those in
    `keep_decisions` stay where they were made. With `lock`, for whoever writes, the pairs are locked; the sources are
    by then.
    """
    rows: list[Row] = []
    rows += _entries(into, at=at)
    rows += _spellings(sources, into, at=at)
    rows += _tags(into)
    rows += _observation_links(into)
    rows += _retrieved(into)
    rows += _judgements(into, keep_decisions=keep_decisions, at=at)
    rows += _pairs(into, by=by, at=at, lock=lock)
    return rows


def _entries(into: Mapping[int, int], *, at: datetime) -> list[Row]:
    """Entries go to the source that stays. Where the project has that one too, citations go to its entry, and the id
    of the other becomes an alias of it."""
    rows: list[Row] = []
    wanted = [*into, *into.values()]
    by_source: dict[int, list[CatalogEntry]] = defaultdict(list)
    for part in in_parts(sorted(set(wanted))):
        for entry in CatalogEntry.objects.filter(source__in=part).order_by("project_id", "number"):
            by_source[entry.source_id].append(entry)
    standing = {(entry.project_id, entry.source_id): entry for pk in set(into.values()) for entry in by_source[pk]}
    joined: dict[int, CatalogEntry] = {}
    going = sorted((entry for pk in into for entry in by_source[pk]), key=lambda entry: (entry.number, entry.pk))
    for entry in going:
        merged, stays = entry.source_id, into[entry.source_id]
        there = standing.setdefault((entry.project_id, stays), entry)
        if there is entry:
            rows.append(Row(CatalogEntry, entry.pk, {"source_id": merged}, {"source_id": stays}, merged))
            continue
        joined[entry.pk] = there
        rows.append(Row(CatalogEntry, entry.pk, whole(entry), {}, merged))
        alias = EntryAlias(
            project_id=entry.project_id, number=entry.number, entry=there, source_id=merged, added_at=entry.added_at
        )
        rows.append(Row(EntryAlias, None, {}, whole(alias), merged))
    merged_of = {entry.pk: entry.source_id for entry in going}
    return rows + _cited(joined, merged_of) + _kept(joined, merged_of) + _former_ids(joined, merged_of)


def _cited(joined: Mapping[int, CatalogEntry], merged_of: Mapping[int, int]) -> list[Row]:
    """Citations of entries that were joined. One line that cites both cites one work: there the second row goes."""
    rows: list[Row] = []
    taken: set[tuple[int, int, int]] = set()
    for part in in_parts(sorted({entry.pk for entry in joined.values()})):
        taken.update(Citation.objects.filter(entry__in=part).values_list("entry_id", "version_id", "line"))
    for part in in_parts(sorted(joined)):
        for citation in Citation.objects.filter(entry__in=part).order_by("pk"):
            goal, merged = joined[citation.entry_id].pk, merged_of[citation.entry_id]
            place = (goal, citation.version_id, citation.line)
            if place in taken:
                rows.append(Row(Citation, citation.pk, whole(citation), {}, merged))
            else:
                taken.add(place)
                rows.append(Row(Citation, citation.pk, {"entry_id": citation.entry_id}, {"entry_id": goal}, merged))
    return rows


def _kept(joined: Mapping[int, CatalogEntry], merged_of: Mapping[int, int]) -> list[Row]:
    """What sections kept of entries that were joined. A section that kept both keeps what it has of the one that
    stays."""
    rows: list[Row] = []
    taken: set[tuple[int, int]] = set()
    for part in in_parts(sorted({entry.pk for entry in joined.values()})):
        taken.update(CorpusEntry.objects.filter(entry__in=part).values_list("entry_id", "section_id"))
    for part in in_parts(sorted(joined)):
        for kept in CorpusEntry.objects.filter(entry__in=part).order_by("pk"):
            goal, merged = joined[kept.entry_id].pk, merged_of[kept.entry_id]
            if (goal, kept.section_id) in taken:
                rows.append(Row(CorpusEntry, kept.pk, whole(kept), {}, merged))
            else:
                taken.add((goal, kept.section_id))
                rows.append(Row(CorpusEntry, kept.pk, {"entry_id": kept.entry_id}, {"entry_id": goal}, merged))
    return rows


def _former_ids(joined: Mapping[int, CatalogEntry], merged_of: Mapping[int, int]) -> list[Row]:
    """Ids that led to an entry that goes lead on to the one it was joined to."""
    rows: list[Row] = []
    for part in in_parts(sorted(joined)):
        for alias in EntryAlias.objects.filter(entry__in=part).order_by("pk"):
            goal = joined[alias.entry_id].pk
            rows.append(
                Row(EntryAlias, alias.pk, {"entry_id": alias.entry_id}, {"entry_id": goal}, merged_of[alias.entry_id])
            )
    return rows


def _spellings(sources: Mapping[int, Source], into: Mapping[int, int], *, at: datetime) -> list[Row]:
    """What led to a source that goes, its own identifier too, leads to the one that stays."""
    rows: list[Row] = []
    known: dict[tuple[int, str], SourceAlias] = {}
    wanted = set(into) | set(into.values())
    aliases: list[SourceAlias] = []
    for part in in_parts(sorted(wanted)):
        aliases += SourceAlias.objects.filter(source__in=part).order_by("pk")
    known = {(alias.source_id, alias.spelling_key): alias for alias in aliases if alias.source_id not in into}
    for alias in aliases:
        stays = into.get(alias.source_id)
        if stays is not None and (stays, alias.spelling_key) not in known:
            known[stays, alias.spelling_key] = alias
            rows.append(
                Row(SourceAlias, alias.pk, {"source_id": alias.source_id}, {"source_id": stays}, alias.source_id)
            )
        # The same spelling twice: the other one stays where it is, and still leads on.
    moved = {row.pk: row for row in rows}
    keyed = _keys_taken(sources[pk] for pk in into)
    for merged, stays in sorted(into.items()):
        source = sources[merged]
        spelling = source.request_url or source.identifier_value
        key = source.canonical_key if source.canonical_key not in keyed else ""
        if not spelling:
            continue
        spelling_key = hashlib.sha256(spelling.encode()).hexdigest()
        there = known.get((stays, spelling_key))
        if there is None:
            alias = SourceAlias(
                source_id=stays,
                workspace_id=source.workspace_id,
                spelling=spelling,
                spelling_key=spelling_key,
                canonical_key=key,
                first_seen_at=at,
            )
            known[stays, spelling_key] = alias
            rows.append(Row(SourceAlias, None, {}, whole(alias), merged))
        elif key and not there.canonical_key and there.pk is not None:
            row = moved.get(there.pk)
            if row is None:
                rows.append(Row(SourceAlias, there.pk, {"canonical_key": ""}, {"canonical_key": key}, merged))
            else:
                row.before["canonical_key"], row.after["canonical_key"] = "", key
    return rows


def _keys_taken(sources: Iterable[Source]) -> set[str]:
    found: set[str] = set()
    by_workspace: dict[int, list[str]] = defaultdict(list)
    for source in sources:
        by_workspace[source.workspace_id].append(source.canonical_key)
    for workspace_id, keys in by_workspace.items():
        for part in in_parts(sorted(set(keys) - {""})):
            rows = SourceAlias.objects.filter(workspace_id=workspace_id, canonical_key__in=part)
            found.update(rows.values_list("canonical_key", flat=True))
    return found


def _tags(into: Mapping[int, int]) -> list[Row]:
    """Tags are put on the source that stays; the others keep theirs."""
    told: dict[int, list[int]] = defaultdict(list)
    for part in in_parts(sorted(set(into) | set(into.values()))):
        for source_id, tag_id in (
            _TAGGED.objects.filter(source__in=part).order_by("pk").values_list("source_id", "tag_id")
        ):
            told[source_id].append(tag_id)
    has = {(source_id, tag_id) for source_id in set(into.values()) for tag_id in told[source_id]}
    rows: list[Row] = []
    for merged, stays in sorted(into.items()):
        for tag_id in told[merged]:
            if (stays, tag_id) not in has:
                has.add((stays, tag_id))
                rows.append(Row(_TAGGED, None, {}, {"source_id": stays, "tag_id": tag_id}, merged))
    return rows


def _observation_links(into: Mapping[int, int]) -> list[Row]:
    """An observation that rests on both in the same way rests on one."""
    rows: list[Row] = []
    links: list[ObservationSource] = []
    for part in in_parts(sorted(set(into) | set(into.values()))):
        links += ObservationSource.objects.filter(source__in=part).order_by("pk")
    has = {(link.observation_id, link.source_id, link.relationship) for link in links if link.source_id not in into}
    for link in links:
        merged = link.source_id
        if merged not in into:
            continue
        place = (link.observation_id, into[merged], link.relationship)
        if place in has:
            rows.append(Row(ObservationSource, link.pk, whole(link), {}, merged))
        else:
            has.add(place)
            rows.append(Row(ObservationSource, link.pk, {"source_id": merged}, {"source_id": into[merged]}, merged))
    return rows


def _retrieved(into: Mapping[int, int]) -> list[Row]:
    rows: list[Row] = []
    for model in (Chunk, TurnSource):
        for part in in_parts(sorted(into)):
            held = model.objects.filter(source__in=part).order_by("pk").values_list("pk", "source_id")
            for pk, merged in held:
                if merged is not None:
                    rows.append(Row(model, pk, {"source_id": merged}, {"source_id": into[merged]}, merged))
    return rows


def _judgements(into: Mapping[int, int], *, keep_decisions: set[int], at: datetime) -> list[Row]:
    """Decisions come along unless the source that stays has its own; questions about what went are closed."""
    rows: list[Row] = []
    for part in in_parts(sorted(set(into) - keep_decisions)):
        decided = Decision.objects.filter(source__in=part).order_by("pk").values_list("pk", "source_id")
        rows += [
            Row(Decision, pk, {"source_id": merged}, {"source_id": into[merged]}, merged) for pk, merged in decided
        ]
    for part in in_parts(sorted(into)):
        asked = ReviewItem.objects.filter(source__in=part, closed_at__isnull=True).order_by("pk")
        rows += [
            Row(ReviewItem, pk, {"closed_at": None}, {"closed_at": at.isoformat()}, merged)
            for pk, merged in asked.values_list("pk", "source_id")
        ]
    return rows


def _pairs(into: Mapping[int, int], *, by: User, at: datetime, lock: bool) -> list[Row]:
    """Pairs that were merged are done; pairs with others are from now on about the source that stays.

    What a person told apart from one that goes is apart from the one that stays too.
    """
    touched: dict[int, DuplicatePair] = {}
    for part in in_parts(sorted(set(into) | set(into.values()))):
        pairs = DuplicatePair.objects.filter(Q(first__in=part) | Q(second__in=part)).order_by("pk")
        if lock:
            pairs = pairs.select_for_update(no_key=True)
        touched.update({pair.pk: pair for pair in pairs})
    by_ends = {(pair.first_id, pair.second_id): pair for pair in touched.values()}
    states = {pair.pk: PairState(pair.state) for pair in touched.values()}
    told: dict[int, tuple[dict[str, object], dict[str, object], int]] = {}
    for pk, pair in sorted(touched.items()):
        merged = next((one for one in (pair.first_id, pair.second_id) if one in into), None)
        if merged is None:
            continue
        low, high = sorted((into.get(pair.first_id, pair.first_id), into.get(pair.second_id, pair.second_id)))
        if low == high:
            if states[pk] is PairState.OPEN:
                told[pk] = _decided(pair, PairState.MERGED, by_id=by.pk, at=at, merged=merged)
            continue
        there = by_ends.setdefault((low, high), pair)
        if there is pair:
            before: dict[str, object] = {"first_id": pair.first_id, "second_id": pair.second_id}
            told[pk] = (before, {"first_id": low, "second_id": high}, merged)
        elif states[pk] is PairState.DISTINCT and states[there.pk] is PairState.OPEN:
            states[there.pk] = PairState.DISTINCT
            before, after, _ = _decided(there, PairState.DISTINCT, by_id=pair.decided_by_id, at=at, merged=merged)
            earlier = told.get(there.pk, ({}, {}, merged))
            told[there.pk] = (earlier[0] | before, earlier[1] | after, earlier[2])
    return [Row(DuplicatePair, pk, before, after, merged) for pk, (before, after, merged) in told.items()]


def _decided(
    pair: DuplicatePair, state: PairState, *, by_id: int | None, at: datetime, merged: int
) -> tuple[dict[str, object], dict[str, object], int]:
    before: dict[str, object] = {
        "state": pair.state,
        "decided_at": pair.decided_at.isoformat() if pair.decided_at else None,
        "decided_by_id": pair.decided_by_id,
    }
    return before, {"state": str(state), "decided_at": at.isoformat(), "decided_by_id": by_id}, merged
