"""The searches that workspaces bring: what a screen may show of them, and what a worker asks with."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet

from provenance_site.accounts.models import Workspace
from provenance_site.accounts.secrets import installation_secrets
from provenance_site.kit.sealing import opened
from validation.adapters.searches import installed_providers
from validation.core.providers import Account, Provider
from validation.models import ProviderKey

_ORDER = list(Provider)


@dataclass(frozen=True, slots=True)
class KeyState:
    """What a screen may show of one provider: `row` is the workspace's own key, None without one.

    `is_readable` is false where the row cannot be opened: the installation's secret has changed since.
    `is_installed` says that the operator has configured the provider for everybody.
    """

    provider: Provider
    row: ProviderKey | None
    is_readable: bool
    is_installed: bool


def key_states(workspace: Workspace) -> list[KeyState]:
    """One state for each provider, in the order in which they are asked. One query."""
    installed = installed_providers()
    rows = {row.as_provider: row for row in keys_of(workspace).select_related("set_by")}
    return [
        KeyState(
            provider=provider,
            row=rows.get(provider),
            is_readable=provider in rows and _opened(rows[provider]) is not None,
            is_installed=provider in installed,
        )
        for provider in Provider
    ]


def keys_of(workspace: Workspace) -> QuerySet[ProviderKey]:
    """The workspace's rows."""
    return ProviderKey.objects.filter(workspace=workspace)


def accounts_by_workspace(workspace_ids: Iterable[int]) -> dict[int, tuple[Account, ...]]:
    """What each workspace asks with, in the order in which it is asked. One query; workspaces without any are left out,
    and so are rows that cannot be opened: their screen says so.
    """
    found: dict[int, list[Account]] = {}
    for row in ProviderKey.objects.filter(workspace_id__in=set(workspace_ids)):
        secret = _opened(row)
        if secret is not None:
            account = Account(provider=row.as_provider, name=row.name.hex, secret=secret)
            found.setdefault(row.workspace_id, []).append(account)
    return {key: tuple(sorted(own, key=lambda one: _ORDER.index(one.provider))) for key, own in found.items()}


def _opened(row: ProviderKey) -> str | None:
    return opened(row.sealed, place=row.place, secrets=installation_secrets())
