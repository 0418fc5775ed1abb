"""A workspace's own searches: their keys are set, replaced and removed by its admins, and never given out again.

Each deed is a ChangeSet that names the provider and what may be shown of the key. It cannot be undone: that would need
the old key kept.
"""

from datetime import datetime
from urllib.parse import urlsplit

from django.db import transaction
from django.views.decorators.debug import sensitive_variables

from provenance_site.accounts.models import User, Workspace
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.accounts.secrets import installation_secrets
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from provenance_site.changes.registry import ChangeFacts
from provenance_site.kit.outbound import OutboundPolicy
from provenance_site.kit.resealing import reseal_rows
from provenance_site.kit.sealing import sealed
from sources.core.findings import Verdict
from sources.models import Source
from sources.services import registry
from validation.core.providers import Provider, SecretRefused, checked_secret, hint_of
from validation.models import ProviderKey
from validation.queries.provider_keys import keys_of

CHANGE_KIND = "validation.provider-key"
_MISSED = [verdict for verdict in Verdict if verdict.wants_recovery]


@sensitive_variables("text", "secret")
def set_key(
    *, workspace: Workspace, provider: Provider, text: str, by: User, channel: Channel, at: datetime
) -> ProviderKey:
    """Keeps a key (or SearXNG's address) encrypted, in the place of the one before.

    Sources for which nobody could be asked before are asked about again. Raises SecretRefused, whose message repeats
    nothing of `text`; Http404 and PermissionDenied below the role of an admin.
    """
    check_role(by, workspace, Role.ADMIN)
    secret = checked_secret(provider, text)
    if provider is Provider.SEARXNG:
        _check_port(secret)
    with transaction.atomic():
        # Two admins who save at once wait for each other; the later key is the one that holds.
        Workspace.objects.select_for_update(no_key=True).get(pk=workspace.pk)
        before = keys_of(workspace).filter(provider=provider).first()
        had_none = not keys_of(workspace).exists()
        if before is not None:
            before.delete()
        row = ProviderKey(workspace=workspace, provider=provider, set_by=by, set_at=at)
        row.sealed = sealed(secret, place=row.place, secrets=installation_secrets())
        row.hint = hint_of(provider, secret)
        row.save()
        _record(row, before=_facts(before), after=_facts(row), by=by, channel=channel, at=at)
        if had_none:
            registry.ask_again(source_ids=_unsearched_in(workspace))
    return row


def remove_key(*, row: ProviderKey, by: User, channel: Channel, at: datetime) -> None:
    """Forgets a key. Checks ask what is left; Http404 and PermissionDenied below the role of an admin."""
    check_role(by, row.workspace_id, Role.ADMIN)
    with transaction.atomic():
        _record(row, before=_facts(row), after={}, by=by, channel=channel, at=at)
        row.delete()


def reseal() -> tuple[int, int]:
    """Encrypts all keys anew under the installation's secret of now; gives how many, and how many cannot be read, as
    `reseal_rows`."""
    rows = ProviderKey.objects.all()
    return reseal_rows(rows, column="sealed", place=lambda row: row.place, secrets=installation_secrets())


def _check_port(address: str) -> None:
    parts = urlsplit(address)
    refusal = OutboundPolicy(user_agent="").port_refusal(parts.hostname or "", parts.port or 443)
    if refusal:
        raise SecretRefused(f"A search engine does not answer there: {refusal}. Enter its web address.")


def _unsearched_in(workspace: Workspace) -> list[int]:
    found = Source.objects.standing().filter(
        workspace=workspace, verdict__in=_MISSED, latest_check__evidence__unsearched=True
    )
    return list(found.values_list("pk", flat=True))


def _facts(row: ProviderKey | None) -> dict[str, object]:
    """What History keeps of a row: not the key, and not its ciphertext, which would outlive its removal."""
    return {} if row is None else {"provider": row.provider, "hint": row.hint, "set_at": row.set_at}


def _record(
    row: ProviderKey, *, before: dict[str, object], after: dict[str, object], by: User, channel: Channel, at: datetime
) -> None:
    deed = "removed" if not after else "replaced" if before else "set"
    changes.record(
        workspace_id=row.workspace_id,
        kind=CHANGE_KIND,
        actor=by,
        channel=channel,
        note=f"{row.as_provider.label}: {row.as_provider.noun} {deed}",
        at=at,
        changes=[ChangeFacts(model=row._meta.label_lower, object_id=row.pk, before=before, after=after)],
    )
