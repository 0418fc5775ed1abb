"""What a person should look at where no provider names the work itself: kept, asked once, and never a mark."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from provenance_site.kit.rows import in_parts, insert_rows
from sources.core.retraction_terms import HintKind, Provider
from sources.models import RetractionHint, RetractionStanding
from sources.queries.retraction_evidence import holding
from sources.services import retraction_questions

_LONGEST_ID, _LONGEST_WORDS = 200, 1_000


@dataclass(frozen=True, slots=True)
class HintFacts:
    """One thing to look at. `record_id` names what it rests on, so that the same is asked once; `words` are shown."""

    source_id: int
    kind: HintKind
    provider: Provider
    record_id: str
    words: str


def keep(*, hints: Iterable[HintFacts], at: datetime) -> int:
    """Keeps what is new of these and asks about it, in the caller's transaction; gives how many were new.

    Of a source about which somebody has decided nothing is asked: it is only shown there. Twice changes nothing.
    """
    told = {(one.source_id, one.kind.value, one.provider.value, one.record_id[:_LONGEST_ID]): one for one in hints}
    known: set[tuple[int, str, str, str]] = set()
    for part in in_parts(sorted({key[0] for key in told})):
        rows = RetractionHint.objects.filter(source__in=part)
        known.update(rows.values_list("source_id", "kind", "provider", "record_id"))
    new = {key: one for key, one in told.items() if key not in known}
    insert_rows(
        [
            RetractionHint(
                source_id=pk, kind=kind, provider=provider, record_id=record, words=one.words[:_LONGEST_WORDS], at=at
            )
            for (pk, kind, provider, record), one in new.items()
        ],
        ignore_conflicts=True,
    )
    asked = {key[0] for key in new}
    retraction_questions.ask(source_ids=asked - holding(asked).keys(), at=at)
    return len(new)


def withdraw(
    *, kind: HintKind, record_ids: Collection[str], at: datetime, source_ids: Collection[int] | None = None
) -> None:
    """Takes back what rested on these records, in the caller's transaction, and the question where nothing else is
    asked of the source. `source_ids` narrows it to some sources."""
    for part in in_parts(sorted({one[:_LONGEST_ID] for one in record_ids})):
        gone = RetractionHint.objects.filter(kind=kind, record_id__in=part)
        if source_ids is not None:
            gone = gone.filter(source__in=source_ids)
        about = set(gone.values_list("source_id", flat=True))
        if not about:
            continue
        gone.delete()
        for some in in_parts(sorted(about)):
            told = RetractionStanding.objects.filter(source__in=some).exclude(evidence_fingerprint="")
            others = RetractionHint.objects.filter(source__in=some)
            busy = {*told.values_list("source_id", flat=True), *others.values_list("source_id", flat=True)}
            retraction_questions.close(source_ids=set(some) - busy, at=at)
