"""App registration of accounts."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """People, workspaces, roles, tokens."""

    name = "provenance_site.accounts"
    label = "accounts"
