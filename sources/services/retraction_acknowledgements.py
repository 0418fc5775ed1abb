"""Saying that one use of a retracted source is meant, with the reason, and taking that back."""

from datetime import datetime
from typing import assert_never

from django.db import transaction

from provenance_site.accounts.models import User
from sources import permissions
from sources.core.credentials import without_credentials
from sources.core.kinds import UseKind
from sources.models import (
    CatalogEntry,
    Chunk,
    ObservationSource,
    RetractionAcknowledgement,
    RetractionStanding,
    Source,
)
from sources.queries.readable import readable


class AcknowledgementRefused(ValueError):
    """It cannot be kept; the message says why."""


def acknowledge(
    *, source: Source, use_kind: UseKind, use_id: int, reason: str, by: User, at: datetime
) -> RetractionAcknowledgement:
    """Keeps that this use is meant. Said again with another reason or on other evidence, it takes the place of what
    was said before, and that stays as history; the same again is silence.

    Raises PermissionDenied for less than an editor, `AcknowledgementRefused` without a reason and for what does not use
    the source.
    """
    permissions.check_can_decide(by, source.workspace_id)
    reason = without_credentials(reason.strip())
    if not reason:
        raise AcknowledgementRefused("Say why it is cited although it is retracted.")
    if not _is_used(source, use_kind, use_id):
        raise AcknowledgementRefused("This does not use the source any more.")
    with transaction.atomic():
        # Two who say it at once take turns at the source: one acknowledgement of a use stands.
        Source.objects.select_for_update(no_key=True).get(pk=source.pk)
        standing = RetractionStanding.objects.filter(source=source).first()
        evidence = standing.evidence_fingerprint if standing else ""
        said = RetractionAcknowledgement.objects.filter(
            source=source, use_kind=use_kind.value, use_id=use_id, withdrawn_at=None
        )
        before = said.first()
        if before is not None and (before.reason, before.evidence_fingerprint) == (reason, evidence):
            return before
        said.update(withdrawn_at=at)
        return RetractionAcknowledgement.objects.create(
            source=source,
            use_kind=use_kind.value,
            use_id=use_id,
            reason=reason,
            evidence_fingerprint=evidence,
            by=by,
            at=at,
        )


def withdraw(*, acknowledgement: RetractionAcknowledgement, by: User, at: datetime) -> None:
    """Takes it back; it stays as history. Twice changes nothing."""
    permissions.check_can_decide(by, acknowledgement.source.workspace_id)
    RetractionAcknowledgement.objects.filter(pk=acknowledgement.pk, withdrawn_at=None).update(withdrawn_at=at)


def _is_used(source: Source, use_kind: UseKind, use_id: int) -> bool:
    match use_kind:
        case UseKind.OBSERVATION:
            return readable(ObservationSource.objects.all()).filter(source=source, observation=use_id).exists()
        case UseKind.PROJECT:
            return CatalogEntry.objects.filter(source=source, project=use_id).exists()
        case UseKind.STORE:
            return readable(Chunk.objects.all()).filter(source=source, store=use_id).exists()
        case _:
            assert_never(use_kind)
