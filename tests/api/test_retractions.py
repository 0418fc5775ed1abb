"""Retractions over JSON."""

import pytest
from django.test import Client

from provenance_site.accounts.roles import Role
from sources.core.retraction_status import Nature
from sources.models import Source
from sources.services.retraction_records import record
from tests.api.test_duplicates import client
from tests.clock import NOW
from tests.desk import Desk
from tests.unit.sources.test_retraction_records import DOI, said, work

pytestmark = pytest.mark.django_db


def post(one: Client, **fields: object) -> tuple[int, dict[str, object]]:
    answer = one.post("/api/v1/retractions/list", fields, content_type="application/json")
    return answer.status_code, answer.json()


def test_what_providers_say_is_listed_for_ones_own_workspace(desk: Desk, other_desk: Desk) -> None:
    source = work(desk)
    record(assertions=[said(Nature.WITHDRAWN)], at=NOW)
    told = client(desk, Role.READER).get("/api/v1/retractions?tab=new").json()
    (row,) = told["sources"]
    assert (row["source"], row["retraction_status"], row["retracted"]) == (str(source.uuid), "withdrawn", True)
    assert row["assertions"][0]["notice_date"] == "2010-02-06"
    assert client(other_desk).get("/api/v1/retractions").json()["total"] == 0


def test_a_list_is_looked_at_and_then_done_over_json(desk: Desk) -> None:
    source = work(desk)
    one = client(desk, Role.ADMIN)
    given = {"text": f"{DOI}\nrubbish", "note": "The list of May"}
    status, look = post(one, **given)
    assert status == 200
    assert [row["source"] for row in look["planned"]] == [str(source.uuid)]  # type: ignore[attr-defined]
    assert (look["change_set"], len(look["left"])) == (None, 1)  # type: ignore[arg-type]
    assert post(one, **given, seen="0" * 64)[0] == 409
    assert post(one, text=DOI, seen=look["digest"])[0] == 422
    assert post(client(desk, Role.EDITOR), **given)[0] == 403
    assert not Source.objects.filter(retracted=True).exists()
    assert post(one, **given, seen=look["digest"])[1]["change_set"]
    source.refresh_from_db()
    assert source.retraction_note == "The list of May"
