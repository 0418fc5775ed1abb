"""Proposing that two sources are one work.

The same identifier or canonical URL needs no proposal: registration joins it. What is found here only proposes.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

from django.db import transaction

from provenance_site.kit.rows import in_parts, insert_rows, update_rows
from sources.core.findings import Verdict
from sources.core.kinds import IdentifierType, PairReason, VersionOrigin
from sources.core.near_titles import TitleFacts, may_be_one, title_keys
from sources.models import DuplicatePair, Source, SourceVersion, TitleKey
from sources.queries.duplicates import told_apart_among
from sources.queries.readable import hidden_keys
from sources.services.metadata import fingerprint_of, first_author_of

# A shorter body is a notice («Loading …», «Please enable scripts») that many works share.
SMALLEST_CONTENT = 1_024
# What more sources than this share is a page that a site gives for everything, or the title of a series.
MOST_ALIKE = 20
# Titles meet under two of their words; two that so many have are no mark of a work.
MOST_UNDER_A_KEY = 60
_TITLE_FIELDS = (
    "workspace_id",
    "title",
    "authors",
    "author_list",
    "published_date",
    "identifier_type",
    "identifier_value",
    "fingerprint",
)

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Met:
    """Sources that have something in common, in the order of their keys."""

    source_ids: tuple[int, ...]
    reason: PairReason


def propose_for(*, source_ids: Iterable[int], at: datetime, renewed_only: bool = False) -> int:
    """Proposes pairs of these sources and any others of their workspaces; gives how many pairs are new.

    By the same content that was fetched from both, and by titles that agree or nearly do. Renews the fingerprints and
    title keys that this rests on, so it is to be called for what was registered or edited; sources that were merged,
    and keys of none, are left out. Twice is safe, two callers at once too: UNIQUE decides. A pair that a person told
    apart is not proposed again. About twenty queries per 500 sources, whatever the size of the registry.

    With `renewed_only` near titles are compared for those whose title, year or author changed since they were filed:
    for looking through a whole registry, where the others were compared when they came.
    """
    found = 0
    for part in in_parts(sorted(set(source_ids))):
        with transaction.atomic():
            sources = {
                row.pk: row for row in Source.objects.standing().filter(pk__in=part).only(*_TITLE_FIELDS).order_by("pk")
            }
            renewed = _renew_fingerprints(list(sources.values()))
            keys, filed = _renew_title_keys(list(sources.values()))
            compared = (renewed | filed) if renewed_only else sources.keys()
            met = [*_of_one_content(sources), *_of_one_fingerprint(sources)]
            near = _of_near_titles({pk: sources[pk] for pk in compared}, keys)
            found += _write(_pairs_from(met, also=near), sources=sources, at=at)
    return found


def propose_shared(*, source_ids: Iterable[Sequence[int]], at: datetime) -> int:
    """Proposes sources that one imported entry names together, each sequence a set of them; gives how many are new.

    Idempotent, in the caller's transaction or one of its own.
    """
    named = [set(ids) for ids in source_ids]
    sources: dict[int, Source] = {}
    for part in in_parts(sorted(set().union(*named))):
        rows = Source.objects.standing().filter(pk__in=part).only("workspace_id")
        sources.update({row.pk: row for row in rows})
    by_workspace: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, ids in enumerate(named):
        for pk in sorted(ids & sources.keys()):
            by_workspace[number, sources[pk].workspace_id].append(pk)
    met = [_Met(tuple(ids), PairReason.SHARED_IDENTIFIERS) for ids in by_workspace.values()]
    with transaction.atomic():
        return _write(_pairs_from(met, also=()), sources=sources, at=at)


def _renew_fingerprints(sources: Sequence[Source]) -> set[int]:
    """Writes the fingerprints that changed; gives whose."""
    changed = [source for source in sources if source.fingerprint != fingerprint_of(source)]
    for source in changed:
        source.fingerprint = fingerprint_of(source)
    update_rows(changed, ["fingerprint"])
    return {source.pk for source in changed}


def _renew_title_keys(sources: Sequence[Source]) -> tuple[dict[int, frozenset[int]], set[int]]:
    """Files the titles anew where they changed; gives the keys by source, and whose are new."""
    wanted = {source.pk: title_keys(source.title) for source in sources}
    there: dict[int, set[int]] = defaultdict(set)
    for source_id, key in TitleKey.objects.filter(source__in=wanted).values_list("source_id", "key"):
        there[source_id].add(key)
    for source_id, keys in there.items():
        if gone := keys - wanted[source_id]:
            TitleKey.objects.filter(source=source_id, key__in=gone).delete()
    missing = [
        TitleKey(workspace_id=source.workspace_id, source_id=source.pk, key=key)
        for source in sources
        for key in sorted(wanted[source.pk] - there[source.pk])
    ]
    insert_rows(missing, ignore_conflicts=True)
    return wanted, {row.source_id for row in missing}


def _of_one_content(sources: Mapping[int, Source]) -> list[_Met]:
    """Sources whose fetched pages were the same, byte for byte, and really were the works that were asked for."""
    read = SourceVersion.objects.filter(
        origin=VersionOrigin.FETCHED, byte_count__gte=SMALLEST_CONTENT, checks__verdict=Verdict.VERIFIED_ACCESSIBLE
    ).order_by()
    hashes = set(read.filter(source__in=sources).values_list("sha256", flat=True))
    found: dict[tuple[int, str], set[int]] = defaultdict(set)
    for part in in_parts(sorted(hashes)):
        rows = read.filter(sha256__in=part, source__merged_into__isnull=True)
        for workspace_id, sha256, source_id in rows.values_list("source__workspace_id", "sha256", "source_id"):
            found[workspace_id, sha256].add(source_id)
    return [_Met(tuple(sorted(ids)), PairReason.SAME_CONTENT) for ids in found.values() if 1 < len(ids) <= MOST_ALIKE]


def _of_one_fingerprint(sources: Mapping[int, Source]) -> list[_Met]:
    told: dict[int, set[str]] = defaultdict(set)
    for source in sources.values():
        if source.fingerprint:
            told[source.workspace_id].add(source.fingerprint)
    found: dict[tuple[int, str], list[int]] = defaultdict(list)
    for workspace_id, prints in told.items():
        for part in in_parts(sorted(prints)):
            rows = Source.objects.standing().filter(workspace_id=workspace_id, fingerprint__in=part)
            for one, source_id in rows.order_by("pk").values_list("fingerprint", "pk"):
                found[workspace_id, one].append(source_id)
    return [_Met(tuple(ids), PairReason.SIMILAR_TITLE) for ids in found.values() if 1 < len(ids) <= MOST_ALIKE]


def _of_near_titles(sources: Mapping[int, Source], keys: Mapping[int, frozenset[int]]) -> list[Pair]:
    """Pairs whose titles meet under a key and are nearly the same. What has one fingerprint was found by it."""
    meeting: set[Pair] = set()
    told: dict[int, set[int]] = defaultdict(set)
    for source in sources.values():
        told[source.workspace_id] |= keys[source.pk]
    for workspace_id, wanted in told.items():
        for part in in_parts(sorted(wanted)):
            under: dict[int, list[int]] = defaultdict(list)
            rows = TitleKey.objects.filter(workspace_id=workspace_id, key__in=part).order_by()
            for key, source_id in rows.values_list("key", "source_id"):
                under[key].append(source_id)
            for ids in under.values():
                if 1 < len(ids) <= MOST_UNDER_A_KEY:
                    ours = [pk for pk in ids if pk in sources]
                    meeting.update((min(one, other), max(one, other)) for one in ours for other in ids if one != other)
    facts = {pk: _title_facts(source) for pk, source in sources.items()}
    prints = {pk: source.fingerprint for pk, source in sources.items()}
    others = {pk for pair in meeting for pk in pair} - facts.keys()
    for part in in_parts(sorted(others)):
        for source in Source.objects.standing().filter(pk__in=part).only(*_TITLE_FIELDS):
            facts[source.pk], prints[source.pk] = _title_facts(source), source.fingerprint
    return [
        (one, other)
        for one, other in sorted(meeting)
        if one in facts
        and other in facts
        and not (prints[one] and prints[one] == prints[other])
        and may_be_one(facts[one], facts[other])
    ]


def _pairs_from(met: Iterable[_Met], *, also: Iterable[Pair]) -> dict[Pair, PairReason]:
    """Pairs that connect what met: each source with the first; where some were told apart, every two that were not."""
    groups = list(met)
    apart = told_apart_among([pk for one in groups for pk in one.source_ids])
    pairs: dict[Pair, PairReason] = {}
    for one in groups:
        every = list(combinations(one.source_ids, 2))
        chosen = every if apart.intersection(every) else [(one.source_ids[0], pk) for pk in one.source_ids[1:]]
        for pair in chosen:
            if pair not in apart:
                pairs.setdefault(pair, one.reason)
    for pair in also:
        pairs.setdefault(pair, PairReason.SIMILAR_TITLE)
    return pairs


def _write(pairs: Mapping[Pair, PairReason], *, sources: Mapping[int, Source], at: datetime) -> int:
    known: set[Pair] = set()
    for part in in_parts(sorted({first for first, _ in pairs})):
        known.update(DuplicatePair.objects.filter(first__in=part).values_list("first_id", "second_id"))
    workspaces = {pk: source.workspace_id for pk, source in sources.items()}
    rows = [
        DuplicatePair(
            workspace_id=workspaces.get(first) or workspaces[second],
            first_id=first,
            second_id=second,
            reason=reason,
            found_at=at,
        )
        # In key order, so that two workers cannot wait for each other.
        for (first, second), reason in sorted(pairs.items())
        if (first, second) not in known and (first in workspaces or second in workspaces)
    ]
    insert_rows(rows, ignore_conflicts=True)
    # What is like one that the person may not read is proposed to others, and not counted to them.
    hidden = hidden_keys(Source, {pk for row in rows for pk in (row.first_id, row.second_id)})
    return sum(row.first_id not in hidden and row.second_id not in hidden for row in rows)


def _title_facts(source: Source) -> TitleFacts:
    is_doi = source.identifier_type == IdentifierType.DOI
    return TitleFacts(
        title=source.title,
        year=source.published_date[:4],
        family=first_author_of(source),
        doi=source.identifier_value if is_doi else "",
    )
