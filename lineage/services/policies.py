"""What a workspace wants of each type of node: what is captured, what is kept, for how long, what a release needs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.db import transaction

from lineage.core.relations import EntityType
from lineage.models import Claim, Entity, LegalHold, TypePolicy
from lineage.queries.key_sets import among
from lineage.services import deletion, mentions
from lineage.services.in_turn import wait_for_turn
from provenance_site.accounts.models import User
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import Change, ChangeSet, Channel
from provenance_site.changes.registry import ChangeFacts, Undone

CHANGE_KIND = "lineage.policy"
_POLICY = TypePolicy._meta.label_lower
LONGEST_DAYS = 36_500


class PolicyRefused(ValueError):
    """The policy cannot be set so; the message names the field and the way out."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What holds for nodes of one type. `retention_days` and `greatest_evidence_age_days`: None for no limit."""

    is_captured: bool = True
    keeps_text: bool = True
    retention_days: int | None = None
    accepts_unpinned: bool = False
    least_authority: str = ""
    greatest_evidence_age_days: int | None = None


def policies_of(*, workspace_id: int) -> Mapping[EntityType, Policy]:
    """The policy of every type; what nobody set is as `Policy()` says. One query."""
    rows = {EntityType(row.type): _policy(row) for row in TypePolicy.objects.filter(workspace=workspace_id)}
    return {kind: rows.get(kind, Policy()) for kind in EntityType}


def set_policy(
    *, workspace_id: int, entity_type: EntityType, policy: Policy, by: User, channel: Channel, at: datetime
) -> ChangeSet | None:
    """Sets what holds for one type, in one ChangeSet that can be undone; None where it is so already. Admins may.

    Raises `PolicyRefused` for days that are none.
    """
    check_role(by, workspace_id, Role.ADMIN)
    for field, days in (
        ("retention_days", policy.retention_days),
        ("greatest_evidence_age_days", policy.greatest_evidence_age_days),
    ):
        if days is not None and not 1 <= days <= LONGEST_DAYS:
            raise PolicyRefused(f"{field}: give 1 to {LONGEST_DAYS:,} days, or leave it empty to keep no limit.")
    with transaction.atomic():
        row, _ = TypePolicy.objects.select_for_update(no_key=True).get_or_create(
            workspace_id=workspace_id, type=entity_type
        )
        before = _policy(row)
        if before == policy:
            return None
        _write(row, policy)
        facts = ChangeFacts(_POLICY, row.pk, before=asdict(before), after=asdict(policy))
        return changes.record(
            workspace_id=workspace_id,
            kind=CHANGE_KIND,
            actor=by,
            channel=channel,
            note=entity_type.value,
            at=at,
            changes=[facts],
        )


def undo(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Gives a policy its values of before, where nobody set it since. Registered for `lineage.policy`."""
    undone: list[ChangeFacts] = []
    skipped: list[str] = []
    for change in changes:
        check_role(by, change.change_set.workspace_id, Role.ADMIN)
        row = TypePolicy.objects.select_for_update(no_key=True).filter(pk=change.object_id).first()
        if row is None or asdict(_policy(row)) != dict(change.after):
            skipped.append("The policy was set again since")
            continue
        _write(row, Policy(**change.before))
        undone.append(ChangeFacts(_POLICY, row.pk, before=change.after, after=change.before))
    return Undone(changes=tuple(undone), skipped=tuple(skipped))


def expire(*, workspace_id: int, kept: Collection[int], at: datetime) -> int:
    """Removes what is past the days that the workspace's policies keep it; gives how many nodes are tombstoned now.

    The text of claims past their days is erased in any case, and everywhere where the policy keeps no text; in kept
    events too. Nodes in `kept`, whose object is there, and those under a legal hold stay; edges stay always, so that
    lineage outlives what it is of. Idempotent.
    """
    expired = 0
    # Its types follow each other, and rows of nodes of one are held while those of the next are looked for.
    wait_for_turn(workspace_id=workspace_id)
    held = LegalHold.objects.filter(released_at__isnull=True).values("entity")
    for kind, policy in policies_of(workspace_id=workspace_id).items():
        rows = Entity.objects.filter(workspace_id=workspace_id, type=kind).exclude(pk__in=held)
        if kind is EntityType.CLAIM and not policy.keeps_text:
            Claim.objects.filter(entity__in=rows).exclude(text="").update(text="")
            mentions.forget_texts(workspace_id=workspace_id)
        if policy.retention_days is None:
            continue
        past = rows.filter(created_at__lt=at - timedelta(days=policy.retention_days))
        Claim.objects.filter(entity__in=past).exclude(text="").update(text="")
        if kind is EntityType.CLAIM:
            mentions.forget_texts(workspace_id=workspace_id, before=at - timedelta(days=policy.retention_days))
        going = set(past.filter(tombstoned_at__isnull=True).values_list("pk", flat=True)) - set(kept)
        expired += deletion.bury(
            entity_ids=going, why=f"Kept for {policy.retention_days:,} days, as the policy says.", by=None, at=at
        )
        Entity.objects.filter(pk__in=among(going)).update(metadata={})
    return expired


def _policy(row: TypePolicy) -> Policy:
    return Policy(**{name: getattr(row, name) for name in Policy.__dataclass_fields__})


def _write(row: TypePolicy, policy: Policy) -> None:
    for name, value in asdict(policy).items():
        setattr(row, name, value)
    row.save()
