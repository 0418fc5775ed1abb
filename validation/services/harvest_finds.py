"""What a harvest comes upon: each source once, with all places where it was found."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sources.core.identifiers import BadIdentifier, UnusableUrl, identify
from validation.core.harvest_states import CandidateState
from validation.models import Candidate, HarvestHit, HarvestRun

_BATCH = 500
_TOLD = ("title", "publisher", "published")


@dataclass(frozen=True, slots=True)
class Find:
    """One place where something was found. `call_id` is None where it stands in a list; `rank` counts from 1."""

    section_id: int
    url: str
    title: str
    rank: int
    call_id: int | None = None
    snippet: str = ""
    score: float | None = None
    published: str = ""
    publisher: str = ""
    rejected_because: str = ""


def record(*, run: HarvestRun, finds: Iterable[Find]) -> int:
    """Writes candidates that the harvest does not have yet, and where each was found; gives how many are new.

    Title, publisher and date are the words of the first that tells them: not every search tells all.

    What is no address becomes a candidate that is dropped with that reason. In the caller's transaction; twice is safe.
    """
    told = [(_key_and_fault(find.url), find) for find in finds]
    rows: dict[str, Candidate] = {}
    for (key, fault), find in told:
        one = _candidate(run, key, find, fault=fault)
        first = rows.setdefault(key, one)
        for name in _TOLD:
            if not getattr(first, name):
                setattr(first, name, getattr(one, name))
    before = set(_keys(run, rows))
    # In the order of their keys, so that two workers cannot wait for each other.
    Candidate.objects.bulk_create([rows[key] for key in sorted(rows)], batch_size=_BATCH, ignore_conflicts=True)
    ids = _keys(run, rows)
    _fill(run, rows)
    hits = [
        HarvestHit(
            candidate_id=ids[key],
            section_id=find.section_id,
            call_id=find.call_id,
            rank=find.rank,
            score=find.score,
            snippet=find.snippet,
        )
        for (key, _), find in told
    ]
    HarvestHit.objects.bulk_create(hits, batch_size=_BATCH, ignore_conflicts=True)
    return len(set(rows) - before)


def _fill(run: HarvestRun, rows: Mapping[str, Candidate]) -> None:
    """Adds what these say to candidates that another answer brought first, also one of the same moment."""
    wanted = sorted(rows)
    for start in range(0, len(wanted), _BATCH):
        for one in Candidate.objects.filter(run=run, key__in=wanted[start : start + _BATCH]).order_by("key"):
            said = {name: getattr(rows[one.key], name) for name in _TOLD if not getattr(one, name)}
            if any(said.values()):
                Candidate.objects.filter(pk=one.pk).update(**said)


def _keys(run: HarvestRun, keys: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    wanted = sorted(keys)
    for start in range(0, len(wanted), _BATCH):
        rows = Candidate.objects.filter(run=run, key__in=wanted[start : start + _BATCH])
        found.update(rows.values_list("key", "pk"))
    return found


def _key_and_fault(url: str) -> tuple[str, str]:
    try:
        identity = identify(url)
    except (BadIdentifier, UnusableUrl) as refused:
        return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest(), str(refused)
    if not identity.request_url:
        return identity.key, "It has no address that could be fetched."
    return identity.key, ""


def _candidate(run: HarvestRun, key: str, find: Find, *, fault: str) -> Candidate:
    row = Candidate(
        run=run,
        key=key,
        url=find.url[:8_000].replace("\x00", ""),
        title=" ".join(find.title.split())[:1_000],
        publisher=find.publisher[:300],
        published=find.published[:40],
    )
    if find.rejected_because:
        row.state, row.reason = CandidateState.REJECTED, f"The list rejects it: {find.rejected_because}"[:500]
    elif fault:
        row.state, row.reason = CandidateState.DROPPED, fault[:500]
    return row
