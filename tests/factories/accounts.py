"""Rows of people, workspaces, memberships and tokens."""

from datetime import timedelta

import factory
from factory.django import DjangoModelFactory

from provenance_site.accounts.models import ApiToken, LoginFailure, Membership, User, Workspace
from provenance_site.accounts.roles import Role
from tests.clock import NOW
from tests.factories.keys import sha256

PASSWORD = "correct-horse-7-battery"


class UserFactory(DjangoModelFactory[User]):
    """A person without a membership; the password is `PASSWORD`."""

    class Meta:
        model = User
        skip_postgeneration_save = True

    username = factory.Sequence(lambda n: f"person-{n}")
    email = factory.LazyAttribute(lambda user: f"{user.username}@example.org")
    password = factory.django.Password(PASSWORD)


class WorkspaceFactory(DjangoModelFactory[Workspace]):
    """A workspace without members."""

    class Meta:
        model = Workspace

    name = factory.Sequence(lambda n: f"Workspace {n}")
    created_at = NOW


class MembershipFactory(DjangoModelFactory[Membership]):
    """A curator of a new workspace."""

    class Meta:
        model = Membership

    user = factory.SubFactory(UserFactory)
    workspace = factory.SubFactory(WorkspaceFactory)
    role = Role.CURATOR


class ApiTokenFactory(DjangoModelFactory[ApiToken]):
    """A token that is valid at `NOW`; its secret is known to nobody."""

    class Meta:
        model = ApiToken

    user = factory.SubFactory(UserFactory)
    workspace = factory.SubFactory(WorkspaceFactory)
    name = factory.Sequence(lambda n: f"token {n}")
    prefix = factory.Sequence(lambda n: f"pd_{n:06d}")
    token_hash = factory.LazyAttribute(lambda token: sha256(token.prefix))
    created_at = NOW
    expires_at = NOW + timedelta(days=90)


class LoginFailureFactory(DjangoModelFactory[LoginFailure]):
    """One failed sign-in."""

    class Meta:
        model = LoginFailure

    key = factory.Sequence(lambda n: sha256(f"account {n}"))
    at = NOW
