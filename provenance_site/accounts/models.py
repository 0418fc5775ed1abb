"""Users, workspaces and memberships: who may see and do what. Everything else in the product hangs on a workspace."""

import uuid

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q

from provenance_site.accounts.roles import Clearance, Role
from provenance_site.kit.choices import choices_of, value_in


class User(AbstractUser):
    """A person (or a machine account) that signs in. Roles are held per workspace, see `Membership`."""

    password_is_one_time = models.BooleanField(
        default=False, help_text="The password was made by the machine; only the page that changes it opens."
    )


class Workspace(models.Model):
    """A tenant: nothing of one workspace is ever visible from another."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """One person's role in one workspace, and up to which label they read what it holds."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=choices_of(Role))
    clearance = models.CharField(
        max_length=12, choices=choices_of(Clearance), default=Clearance.RESTRICTED.value, help_text="Reads up to this."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "workspace"], name="one_membership_per_person_and_workspace"),
            models.CheckConstraint(condition=value_in("role", Role), name="membership_role_is_known"),
            models.CheckConstraint(condition=value_in("clearance", Clearance), name="membership_clearance_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} in {self.workspace}"

    @property
    def as_role(self) -> Role:
        """The role as the enum."""
        return Role(self.role)

    @property
    def as_clearance(self) -> Clearance:
        """The clearance as the enum."""
        return Clearance(self.clearance)


class ApiToken(models.Model):
    """A token for the JSON interface: acts as its user in one workspace, never above the user's present role.

    Only a SHA-256 of the token is kept; the token itself is shown once.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=12)
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(expires_at__gt=models.F("created_at")), name="token_expires_after_it_is_made"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


class LoginFailure(models.Model):
    """A sign-in that failed or is under way; counted per account and per network, so that guessing is slow.

    `key` is a keyed hash: people type passwords into the name field, and the table must not keep them.
    """

    key = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["key", "at"], name="login_failures_of_a_key")]

    def __str__(self) -> str:
        return f"failed sign-in at {self.at:%Y-%m-%d %H:%M}"
