"""Where a work stands, of what providers assert about it: one pure, versioned function.

Only retractions in full and reinstatements move the bit. Corrections and expressions of concern never do, however late
they come: for 52 papers of the public list the latest notice is not the one that holds.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sources.core.notice_dates import Span, span_of
from sources.core.retraction_terms import Nature, Provider, Status

__all__ = [
    "STATUS_VERSION",
    "Asserted",
    "Checked",
    "Derived",
    "Nature",
    "Provider",
    "Status",
    "derive",
    "fingerprint",
]

STATUS_VERSION = "1"


@dataclass(frozen=True, slots=True)
class Asserted:
    """One assertion about one work. `notice_date` is '', 2010, 2010-02 or 2010-02-06."""

    provider: Provider
    record_id: str
    nature: Nature
    first_seen_at: datetime
    last_seen_at: datetime
    notice_identifier: str = ""
    notice_date: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """The state of one provider's checks of a work: when it last answered and when it last failed; None for never."""

    provider: Provider
    answered_at: datetime | None = None
    failed_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        """True where the newest check failed: what this provider knows now, nobody knows."""
        return self.failed_at is not None and (self.answered_at is None or self.failed_at > self.answered_at)


@dataclass(frozen=True, slots=True)
class Derived:
    """What follows. `as_of`: since when nothing newer is known (None: nobody ever answered).

    `evidence_fingerprint` is the lower-case hex SHA-256 of all that could make a person judge anew, '' where there is
    no such evidence. `disagrees`: providers differ about the bit, even where it is clear which one holds.
    """

    status: Status
    is_retracted: bool
    needs_editor: bool
    evidence_fingerprint: str
    as_of: datetime | None
    disagrees: bool = False
    unchecked: tuple[Provider, ...] = field(default=())


def derive(assertions: Sequence[Asserted], *, now: datetime, checks: Sequence[Checked] = ()) -> Derived:
    """Where the work stands of these assertions and checks, in whatever order they come.

    Of a provider's record only what was seen first last counts (its date may have been mended). A notice dated after
    `now` counts as undated. A failed check is never “none found”, and takes nothing from what is known already.
    """
    held = _newest_of_each_record(assertions)
    status, disagrees = _status_of(held, now=now)
    checks = sorted(checks, key=lambda check: check.provider)
    failing = tuple(check.provider for check in checks if check.is_open)
    if status is Status.NONE_FOUND:
        unread = any(row.nature is Nature.UNKNOWN for row in held)
        if failing or unread or not (checks or held):
            status = Status.UNCHECKED
    return Derived(
        status=status,
        is_retracted=status.is_retracted,
        needs_editor=status.needs_editor or any(row.nature is Nature.UNKNOWN for row in held),
        evidence_fingerprint=fingerprint(held),
        as_of=_as_of(held, checks),
        disagrees=disagrees,
        unchecked=failing,
    )


# What an editor would want to judge anew for. A correction is none, and that nothing is known is none either.
_EVIDENCE = frozenset(Nature) - {Nature.NONE, Nature.CORRECTED, Nature.NOTICE}


def fingerprint(assertions: Iterable[Asserted]) -> str:
    """Of the evidence among these, whatever their order and however often they were seen; '' where there is none."""
    told = sorted(
        {
            (row.provider.value, row.record_id, row.nature.value, row.notice_identifier, row.notice_date)
            for row in assertions
            if row.nature in _EVIDENCE
        }
    )
    return hashlib.sha256(json.dumps(told, ensure_ascii=False).encode()).hexdigest() if told else ""


def _newest_of_each_record(assertions: Iterable[Asserted]) -> list[Asserted]:
    """A record tells one thing of each nature: what was first seen last; of two at one moment, the later words."""
    newest: dict[tuple[str, ...], Asserted] = {}
    for row in assertions:
        record = (row.provider, row.record_id, row.nature)
        if record not in newest or _arrival(row) > _arrival(newest[record]):
            newest[record] = row
    return sorted(newest.values(), key=lambda row: (row.provider, row.record_id, row.nature))


def _arrival(row: Asserted) -> tuple[datetime, str, str]:
    return row.first_seen_at, row.notice_date, row.notice_identifier


def _status_of(held: Sequence[Asserted], *, now: datetime) -> tuple[Status, bool]:
    """The status, and whether providers disagree about the bit beside it."""
    strong = [row for row in held if not row.provider.is_weak]
    falls = [row for row in strong if row.nature.is_full]
    doubted = [row for row in falls if _is_doubted(row, strong)]
    firm = [row for row in falls if row not in doubted]
    weak_falls = any(row.provider.is_weak and row.nature.is_full for row in held)
    returns = [row for row in strong if row.nature is Nature.REINSTATED]
    replaced = [row for row in strong if row.nature is Nature.REPLACED]
    spans = _spans(strong, now=now)

    if returns and (firm or replaced):
        return _after_reinstatement(firm, replaced, returns, spans), weak_falls or bool(doubted)
    if firm or replaced:
        return _fallen(firm, replaced, spans), _denied(held)
    if doubted:
        return Status.CONFLICT, True
    if returns:
        return Status.REINSTATED, weak_falls
    if weak_falls:
        return Status.CONFLICT, True
    for nature, status in _LESSER:
        if any(row.nature is nature for row in held):
            return status, False
    return Status.NONE_FOUND, False


# What leaves the bit alone, the gravest first: a concern stays one when a correction follows.
_LESSER = (
    (Nature.PARTIAL, Status.PARTIAL),
    (Nature.REPLACED, Status.REPLACED),
    (Nature.CONCERN, Status.CONCERN),
    (Nature.NOTICE, Status.NOTICE),
    (Nature.REINSTATED, Status.REINSTATED),
    (Nature.CORRECTED, Status.CORRECTED),
)


def _is_doubted(fall: Asserted, strong: Sequence[Asserted]) -> bool:
    """True where another provider calls the same notice a correction or a concern, and none agrees on that notice."""
    if not fall.notice_identifier:
        return False
    same = [row for row in strong if row.notice_identifier == fall.notice_identifier and row.provider != fall.provider]
    agree = any(row.nature.is_full or row.nature is Nature.REPLACED for row in same)
    return not agree and any(row.nature in {Nature.CORRECTED, Nature.CONCERN} for row in same)


def _denied(held: Sequence[Asserted]) -> bool:
    """True where a provider that can say so says that nothing is known: it may be late, so the bit stays."""
    return any(row.nature is Nature.NONE for row in held)


def _spans(rows: Sequence[Asserted], *, now: datetime) -> Mapping[int, Span | None]:
    """When each row's notice appeared, by the row's `id`; an undated row takes that of its notice."""
    own = {id(row): span_of(row.notice_date, latest=now.date()) for row in rows}
    of_notice: dict[tuple[str, Nature], Span] = {}
    for row in rows:
        span = own[id(row)]
        if row.notice_identifier and span is not None:
            key = (row.notice_identifier, row.nature)
            of_notice[key] = max(of_notice.get(key, span), span)
    return {id(row): own[id(row)] or of_notice.get((row.notice_identifier, row.nature)) for row in rows}


def _after_reinstatement(
    firm: Sequence[Asserted],
    replaced: Sequence[Asserted],
    returns: Sequence[Asserted],
    spans: Mapping[int, Span | None],
) -> Status:
    """Which holds: it takes dates that leave no doubt which came later."""
    fell = [spans[id(row)] for row in (*firm, *replaced)]
    came_back = [spans[id(row)] for row in returns]
    known_falls = [span for span in fell if span is not None]
    known_returns = [span for span in came_back if span is not None]
    if len(known_falls) < len(fell) or len(known_returns) < len(came_back):
        return Status.CONFLICT
    last_return = max(known_returns)
    if all(span.is_before(last_return) for span in known_falls):
        return Status.REINSTATED
    later = [row for row in firm if _is_after(spans[id(row)], last_return)]
    later_replaced = [row for row in replaced if _is_after(spans[id(row)], last_return)]
    return _fallen(later, later_replaced, spans) if later or later_replaced else Status.CONFLICT


def _is_after(span: Span | None, other: Span) -> bool:
    return span is not None and other.is_before(span)


# Of two at one moment: the plain word before the finer ones.
_RANK = {Nature.WITHDRAWN: 0, Nature.REMOVED: 1, Nature.RETRACTED: 2}


def _fallen(firm: Sequence[Asserted], replaced: Sequence[Asserted], spans: Mapping[int, Span | None]) -> Status:
    """The newest full retraction's word; replaced, unless the work was retracted again, plainly and later."""
    if replaced:
        known = [span for row in replaced if (span := spans[id(row)]) is not None]
        again = known and any(_is_after(spans[id(row)], max(known)) for row in firm)
        if not again:
            return Status.REPLACED
    newest = max(firm, key=lambda row: (_start(spans[id(row)]), _RANK[row.nature]))
    return Status(newest.nature.value)


def _start(span: Span | None) -> str:
    return span.first.isoformat() if span is not None else ""


def _as_of(held: Sequence[Asserted], checks: Sequence[Checked]) -> datetime | None:
    """Up to when every provider that was asked has answered; without checks, when something was last seen."""
    answered = [check.answered_at for check in checks]
    if answered:
        return None if None in answered else min(moment for moment in answered if moment is not None)
    return max((row.last_seen_at for row in held), default=None)
