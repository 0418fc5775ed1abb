"""A member who may not read everything, and what they are told."""

from typing import Any

from django.test import Client

from provenance_site.accounts.models import User
from provenance_site.accounts.roles import Clearance, Role
from provenance_site.accounts.services import create_token
from tests.clock import NOW
from tests.desk import Desk, without_token
from tests.factories import MembershipFactory, UserFactory


def cleared_for_internal(desk: Desk) -> User:
    """An administrator who reads what is internal, and nothing above."""
    person: User = UserFactory(username="reader")
    MembershipFactory(user=person, workspace=desk.workspace, role=Role.ADMIN, clearance=Clearance.INTERNAL)
    return person


def page_client(person: User) -> Client:
    """A client with the person signed in."""
    client = Client()
    client.force_login(person)
    return client


def api_client(desk: Desk, person: User) -> Client:
    """A client with a token of the person."""
    _, token = create_token(user=person, workspace=desk.workspace, name="t", days=366, at=NOW)
    return Client(headers={"Authorization": f"Bearer {token}"})


def told(client: Client, path: str) -> tuple[int, str]:
    """Status and text of an answer, to its last piece, without CSRF tokens."""
    answer: Any = client.get(path)
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return answer.status_code, without_token(content).decode()
