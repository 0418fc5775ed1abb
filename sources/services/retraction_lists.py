"""Deciding about many works from a list: look first, then one ChangeSet, all or nothing."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.kit.rows import in_parts
from sources import permissions
from sources.core.credentials import without_credentials
from sources.core.records import RowError
from sources.core.retraction_list import ListRow, read_list, words_of
from sources.core.retraction_status import Status
from sources.models import RetractionDecision, Source
from sources.queries.known import sources_by_key
from sources.queries.readable import hidden_keys
from sources.queries.retraction_evidence import holding
from sources.services import retraction_decisions, retraction_policy
from sources.services.retraction_decisions import DecisionRefused, Ruling

LONGEST = 2_000_000


class ListChanged(Exception):
    """The sources of the list are not as they were when the person looked."""

    def __str__(self) -> str:
        return "Sources of this list changed since you looked, so nothing was written. This is how it stands now."


@dataclass(frozen=True, slots=True)
class Given:
    """A list as it was given. `status` is for lines that name none, `note` for all; with `over_decisions` what editors
    decided otherwise is decided anew."""

    text: str
    status: Status
    note: str
    over_decisions: bool = False


@dataclass(frozen=True, slots=True)
class Planned:
    """One source that would change: the line, its mark before, and what is decided."""

    line: int
    source: Source
    decided: RetractionDecision | None
    ruling: Ruling

    @property
    def before(self) -> str:
        """Where it stands now, in words."""
        if self.decided is not None:
            return f"{self.decided.label}, decided"
        return "Marked retracted" if self.source.retracted else "Not marked"

    @property
    def after(self) -> str:
        """Where it would stand, in words."""
        return words_of(self.ruling.status)


@dataclass(frozen=True, slots=True)
class Skipped:
    """One line that is left alone, and why."""

    line: int
    spelling: str
    why: str
    source_id: int | None = None


@dataclass(frozen=True, slots=True)
class ListLook:
    """What a list would do. `digest` names the sources it would change and their state."""

    planned: tuple[Planned, ...]
    skipped: tuple[Skipped, ...]
    errors: tuple[RowError, ...]
    digest: str


def look(*, workspace_id: int, given: Given) -> ListLook:
    """What the list would do, writing nothing; a few queries per 500 lines."""
    rows, errors = read_list(given.text[:LONGEST])
    known = sources_by_key(workspace_id=workspace_id, keys=[row.identity.key for row in rows])
    hidden = hidden_keys(Source, {source.pk for source in known.values()})
    found = {key: source for key, source in known.items() if source.pk not in hidden}
    decided = holding({source.pk for source in found.values()})
    planned: dict[int, Planned] = {}
    skipped: list[Skipped] = []
    for row in rows:
        source = found.get(row.identity.key)
        plan = _plan(row, source, given, planned, decided)
        if isinstance(plan, str):
            skipped.append(Skipped(row.line, row.spelling, plan, source.pk if source else None))
        else:
            planned[plan.source.pk] = plan
    plans = tuple(planned.values())
    versions = {pk: plan.source.row_version for pk, plan in planned.items()}
    return ListLook(plans, tuple(skipped), tuple(errors), _digest(plans, versions, decided))


def apply(*, workspace_id: int, given: Given, seen: str, by: User, channel: Channel, at: datetime) -> ChangeSet | None:
    """Decides as the look said, in one ChangeSet; None where nothing is to change. All of it or nothing.

    Raises PermissionDenied for less than an administrator, `DecisionRefused` without a note, `ListChanged` where the
    sources are not as `seen`, `SecondPersonNeeded` where nobody decides about a list alone.
    """
    permissions.check_can_retract(by, workspace_id)
    note = noted(given)
    with transaction.atomic():
        retraction_policy.check_one_is_enough(workspace_id=workspace_id)
        now = look(workspace_id=workspace_id, given=given)
        if _held(now.planned) != seen:
            raise ListChanged
        if not now.planned:
            return None
        return retraction_decisions.write(
            workspace_id=workspace_id,
            rulings={plan.source.pk: plan.ruling for plan in now.planned},
            note=note,
            by=by,
            channel=channel,
            at=at,
        )


def noted(given: Given) -> str:
    """The list's note as it is kept, without a password; raises `DecisionRefused` where there is none."""
    note = without_credentials(given.note.strip())
    if not note:
        raise DecisionRefused("Write a note: it says in the history why all of this was done.")
    return note


def _plan(
    row: ListRow,
    source: Source | None,
    given: Given,
    planned: Mapping[int, Planned],
    decided: Mapping[int, RetractionDecision],
) -> Planned | str:
    if source is None:
        return "No source here has this identifier"
    if source.pk in planned:
        return f"The same work as line {planned[source.pk].line}"
    status = row.status or given.status
    reason = without_credentials(row.note) or without_credentials(given.note.strip())
    ruling = Ruling(status, reason, without_credentials(row.notice), row.date)
    earlier = decided.get(source.pk)
    if earlier is not None:
        if earlier.as_status is status and not earlier.is_stale:
            return f"Decided so already: {earlier.reason[:120]}"
        if earlier.as_status is not status and not given.over_decisions:
            return f"An editor decided otherwise ({earlier.label.lower()}): {earlier.reason[:120]}"
    return Planned(row.line, source, earlier, ruling)


def _held(plans: Sequence[Planned]) -> str:
    """The digest of these plans as their sources stand now, which are locked: nobody decides between this and the
    writing."""
    versions: dict[int, int] = {}
    for part in in_parts(sorted(plan.source.pk for plan in plans)):
        rows = Source.objects.standing().select_for_update(no_key=True).filter(pk__in=part).order_by("pk")
        versions.update(rows.values_list("pk", "row_version"))
    return _digest(plans, versions, holding(versions))


def _digest(plans: Sequence[Planned], versions: Mapping[int, int], decided: Mapping[int, RetractionDecision]) -> str:
    """SHA-256 of what each plan is about: source, version (0 for one that is gone), status, and what was decided."""
    parts = []
    for plan in plans:
        pk = plan.source.pk
        parts.append((pk, versions.get(pk, 0), plan.ruling.status.value, decided[pk].pk if pk in decided else 0))
    return hashlib.sha256(repr(sorted(parts)).encode()).hexdigest()
