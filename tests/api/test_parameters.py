"""A parameter that an address of the JSON interface does not know is said, whoever may see what."""

import re
from collections import Counter

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from ninja import Schema

from lineage.models import Entity
from provenance_site.accounts import services as accounts
from provenance_site.accounts.roles import Role
from provenance_site.api import api
from tests.desk import Desk
from tests.graphs import graph

# Of the database they ask nothing.
pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]


def client_of(desk: Desk, role: Role = Role.READER) -> Client:
    made = accounts.create_token(
        user=desk.person(role), workspace=desk.workspace, name="pipeline", days=30, at=timezone.now()
    )
    return Client(headers={"Authorization": f"Bearer {made[1]}"})


def test_every_operation_says_that_it_does_not_know_a_parameter_to_whoever_has_a_token(desk: Desk) -> None:
    client = client_of(desk)
    paths = api.get_openapi_schema(path_prefix="/api/v1/")["paths"]
    operations = [(method, path) for path, methods in paths.items() for method in methods]
    assert len(operations) > 60
    for method, path in operations:
        address = f"{re.sub('{.+?}', '1', path)}?owner__password=x"
        answer = getattr(client, method)(address)
        assert answer.status_code == 400, (method, path)
        assert "knows no parameter “owner__password”. It takes" in answer.json()["detail"], (method, path)
    assert Client().get("/api/v1/lineage/path?owner__password=x").status_code == 401


def test_the_names_that_are_known_are_told(desk: Desk) -> None:
    client = client_of(desk)
    answer = client.get("/api/v1/lineage/path?a=x&from=y&b=z")
    assert (answer.status_code, answer.json()) == (
        400,
        {"detail": "This address knows no parameter “from”. It takes a, b."},
    )
    detail = client.get("/api/v1/lineage/measures?" + "x" * 500).json()["detail"]
    assert detail.endswith("…" + "x" * 26 + "”. It takes none.")
    assert client.get("/api/v1/lineage/worklist?mine=1&per_page=5").status_code == 200


@pytest.mark.parametrize("name", ["ancestors", "evidence", "export", "impact", "release"])
def test_what_is_hidden_foreign_or_missing_is_not_looked_up_for_an_unknown_parameter(
    desk: Desk, other_desk: Desk, name: str
) -> None:
    desk.person(Role.READER).memberships.update(clearance="internal")
    refs = [
        graph(desk.workspace, "claim:h SUPPORTED_BY chunk:c", labels={"h": "restricted"})["h"].ref,
        graph(other_desk.workspace, "claim:f SUPPORTED_BY chunk:c")["f"].ref,
        "claim://none/v1",
        "no ref at all",
    ]
    client = client_of(desk)
    client.get(f"/api/v1/lineage/{name}?x=1")
    answers = []
    for ref in refs:
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(f"/api/v1/lineage/{name}", {"ref": ref, "x": "1"})
        answers.append((answer.status_code, answer.content, len(queries)))
        assert not [one for one in queries.captured_queries if Entity._meta.db_table in one["sql"]]
    assert answers == [answers[0]] * 4
    assert answers[0][0] == 400


def test_no_schema_of_the_document_hides_another_of_its_name() -> None:
    rooms = ("sources.api.", "validation.api.", "lineage.api.")
    names = Counter(one.__name__ for one in set(_below(Schema)) if one.__module__.startswith(rooms))
    # Parameters are written out where they are taken, so the name of such a schema tells nobody anything.
    assert {name for name, number in names.items() if number > 1} == {"PageIn"}


def _below(one: type) -> list[type]:
    return [each for below in one.__subclasses__() for each in (below, *_below(below))]
