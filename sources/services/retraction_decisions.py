"""What editors decide about retractions: one source or a list of them, each an override that no check undoes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import Change, ChangeSet, Channel
from provenance_site.changes.registry import ChangeFacts
from provenance_site.kit.rows import in_parts, update_rows
from sources import permissions
from sources.core.credentials import without_credentials
from sources.core.retraction_list import SAYABLE
from sources.core.retraction_status import Status
from sources.models import RetractionDecision, RetractionStanding, Source
from sources.queries.retraction_evidence import holding
from sources.services import chunk_marks, retraction_questions, retractions
from sources.services.retraction_standings import CHANGE_KIND as NEWS_KIND

CHANGE_KIND = "sources.retraction-decide"
_SOURCE = Source._meta.label_lower


class DecisionRefused(ValueError):
    """The decision cannot be kept; the message says what is missing."""


class EvidenceChanged(Exception):
    """Providers said more since the person looked: what they decided was about something else."""

    def __str__(self) -> str:
        return "Providers said more since you looked, so nothing was decided. This is how it stands now."


@dataclass(frozen=True, slots=True)
class Ruling:
    """What is decided about one source; the reason is shown wherever the source is used."""

    status: Status
    reason: str
    notice: str = ""
    notice_date: str = ""

    @property
    def note(self) -> str:
        """The note of the mark: the reason, and where it was announced."""
        where = ", ".join(part for part in (self.notice, self.notice_date) if part)
        return f"{self.reason} ({where})" if where else self.reason


def decide(
    *,
    source: Source,
    ruling: Ruling,
    seen: str,
    by: User,
    channel: Channel,
    at: datetime,
    expires_at: datetime | None = None,
) -> ChangeSet:
    """Keeps a decision about one source and has its mark, passages and graph follow, in one ChangeSet.

    To affirm a stale decision is to decide the same again. `seen` is the evidence's fingerprint that the person saw, ''
    for none. Raises PermissionDenied for less than an editor, `DecisionRefused`, and `EvidenceChanged`.
    """
    permissions.check_can_decide(by, source.workspace_id)
    ruling = _checked(ruling)
    if expires_at is not None and expires_at <= at:
        raise DecisionRefused("The day to look again must lie ahead.")
    with transaction.atomic():
        if Source.objects.standing().select_for_update(no_key=True).filter(pk=source.pk).first() is None:
            raise DecisionRefused("It was removed or merged into another since you looked. Decide about that one.")
        standing = RetractionStanding.objects.filter(source=source).first()
        if (standing.evidence_fingerprint if standing else "") != seen:
            raise EvidenceChanged
        return write(
            workspace_id=source.workspace_id,
            rulings={source.pk: ruling},
            note=ruling.reason,
            by=by,
            channel=channel,
            at=at,
            expires_at=expires_at,
        )


def write(
    *,
    workspace_id: int,
    rulings: Mapping[int, Ruling],
    note: str,
    by: User,
    channel: Channel,
    at: datetime,
    expires_at: datetime | None = None,
) -> ChangeSet:
    """Keeps decisions about standing sources of the workspace, in the caller's transaction; one ChangeSet with `note`.

    The caller has checked the person and the rulings. Marks, passages and the graph follow once for all of them.
    """
    before = _marks(workspace_id, rulings)
    kept = {pk: ruling for pk, ruling in rulings.items() if pk in before}
    fallen = {pk: ruling.note for pk, ruling in kept.items() if ruling.status.is_retracted}
    standing = [pk for pk in kept if pk not in fallen]
    change_set = changes.record(
        workspace_id=workspace_id, kind=CHANGE_KIND, actor=by, channel=channel, note=note, at=at, changes=[]
    )
    retractions.write_each(workspace_id=workspace_id, notes=fallen, retracted=True, by=by, at=at, renote=True)
    retractions.write_each(workspace_id=workspace_id, notes=dict.fromkeys(standing, ""), retracted=False, by=by, at=at)
    _release([pk for pk in standing if not before[pk]["retracted"]])
    retraction_questions.decide(
        statuses={pk: ruling.status for pk, ruling in kept.items()},
        reasons={pk: ruling.reason for pk, ruling in kept.items()},
        notices={pk: (ruling.notice, ruling.notice_date) for pk, ruling in kept.items()},
        change_set=change_set,
        by=by,
        at=at,
        expires_at=expires_at,
    )
    after = _marks(workspace_id, kept)
    facts = (
        ChangeFacts(_SOURCE, pk, before[pk], after[pk] | {"retraction_decision": kept[pk].status.value})
        for pk in sorted(kept)
    )
    changes.add(change_set=change_set, changes=facts)
    return change_set


def remind(*, at: datetime) -> int:
    """Asks again about decisions whose day has come; they hold on until somebody affirms or changes them.

    Gives how many. Twice asks once.
    """
    due = RetractionDecision.objects.filter(expires_at__lte=at, is_stale=False, undone_at=None).order_by("pk")
    with transaction.atomic():
        rows = list(due.select_for_update(no_key=True))
        now = holding({row.source_id for row in rows})
        for row in rows:
            row.is_stale = True
        update_rows(rows, ["is_stale"])
        asked = [row.source_id for row in rows if now[row.source_id].pk == row.pk]
        retraction_questions.ask(source_ids=asked, at=at)
    return len(asked)


def _checked(ruling: Ruling) -> Ruling:
    """The ruling as it is kept, without a password; raises `DecisionRefused`."""
    reason = without_credentials(ruling.reason.strip())
    if not reason:
        raise DecisionRefused("Say why: the reason stays in the history, and is shown where the source is used.")
    if ruling.status not in SAYABLE:
        raise DecisionRefused(f"“{ruling.status.label}” is nothing to decide. Choose where the work stands.")
    return Ruling(ruling.status, reason, without_credentials(ruling.notice.strip()), ruling.notice_date)


def _marks(workspace_id: int, source_ids: Collection[int]) -> dict[int, dict[str, object]]:
    marks: dict[int, dict[str, object]] = {}
    for part in in_parts(sorted(source_ids)):
        rows = Source.objects.standing().select_for_update(no_key=True).filter(workspace_id=workspace_id, pk__in=part)
        for pk, retracted, note, version in rows.order_by("pk").values_list(
            "pk", "retracted", "retraction_note", "row_version"
        ):
            marks[pk] = {"retracted": retracted, "retraction_note": note, "row_version": version}
    return marks


def _release(source_ids: Sequence[int]) -> None:
    """Takes the marks off passages of works that were reinstated: they waited for a person to look."""
    for part in in_parts(source_ids):
        lifted = Change.objects.filter(model=_SOURCE, object_id__in=part, change_set__kind=NEWS_KIND).order_by("pk")
        earlier = {
            pk: (True, str(before["retraction_note"]))
            for pk, before in lifted.values_list("object_id", "before")
            if before.get("retracted")
        }
        chunk_marks.follow(earlier=earlier)
