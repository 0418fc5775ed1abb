"""A furnished workspace for tests: one person per role, and clients that are signed in."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from django.test import Client

from provenance_site.accounts.models import User, Workspace
from provenance_site.accounts.roles import Role
from tests.factories import MembershipFactory, UserFactory, WorkspaceFactory

HTMX = {"HX-Request": "true"}
_TOKEN = re.compile(rb'("X-CSRFToken": "|name="csrfmiddlewaretoken" value=")[^"]+')


def without_token(page: bytes) -> bytes:
    """`page` without its CSRF tokens, which are masked anew for every answer; the one difference two pages may have."""
    return _TOKEN.sub(rb"\1", page)


@dataclass(frozen=True, slots=True)
class Desk:
    """A workspace with one person per role."""

    workspace: Workspace
    people: Mapping[Role, User]

    def person(self, role: Role = Role.CURATOR) -> User:
        """The one person with `role`."""
        return self.people[role]

    def client(self, role: Role = Role.CURATOR, *, htmx: bool = False) -> Client:
        """A new client with that person signed in; with `htmx` all its requests say that they come from htmx."""
        client = Client(headers=HTMX if htmx else None)
        client.force_login(self.people[role])
        return client


def furnish(name: str) -> Desk:
    """A new workspace called `name` with one person per role, whose user names are `<role>-<number>`."""
    workspace = WorkspaceFactory(name=name)
    people = {}
    for role in Role:
        person = UserFactory(username=f"{role}-{workspace.pk}")
        MembershipFactory(user=person, workspace=workspace, role=role)
        people[role] = person
    return Desk(workspace=workspace, people=people)
