"""Duplicates without a browser: over JSON for a token of its workspace, and from a terminal."""

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from provenance_site.accounts import services as accounts
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import ChangeSet
from sources.core.kinds import PairState
from sources.models import DuplicatePair, Source
from sources.services import merging
from tests.desk import Desk
from tests.factories import DuplicatePairFactory, SourceFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def pair(desk: Desk) -> list[Source]:
    """Two records of one work; the second has the publisher."""
    made = [SourceFactory(workspace=desk.workspace, title="Tide tables", publisher=name) for name in ("", "Quay")]
    DuplicatePairFactory(workspace=desk.workspace, first=made[0], second=made[1])
    return made


def client(desk: Desk, role: Role = Role.CURATOR) -> Client:
    _, secret = accounts.create_token(
        user=desk.person(role), workspace=desk.workspace, name="pipeline", days=30, at=timezone.now()
    )
    return Client(headers={"Authorization": f"Bearer {secret}"})


def post(one: Client, deed: str, **given: object) -> Any:
    return one.post(f"/api/v1/duplicates/{deed}", json.dumps(given, default=str), content_type="application/json")


def command(desk: Desk, *words: object) -> str:
    out = io.StringIO()
    who = desk.person(Role.CURATOR).get_username()
    call_command("duplicates", *map(str, words), "--workspace", desk.workspace.name, "--as", who, stdout=out)
    return out.getvalue()


def test_groups_are_listed_looked_at_and_merged_over_json(desk: Desk, pair: list[Source]) -> None:
    one, (keep, lose) = client(desk), pair
    (group,) = one.get("/api/v1/duplicates").json()["groups"]
    assert [record["source"] for record in group["sources"]] == [str(source.uuid) for source in pair]
    look = post(one, "merge", keep=keep.uuid, lose=[lose.uuid], dry_run=True).json()
    assert (look["values"]["publisher"], look["is_done"]) == ("Quay", False)
    assert not ChangeSet.objects.filter(kind=merging.CHANGE_KIND).exists()
    assert post(one, "merge", keep=keep.uuid, lose=[lose.uuid]).json()["is_done"]
    lose.refresh_from_db()
    assert lose.merged_into == keep
    assert one.get("/api/v1/duplicates").json()["total"] == 0
    assert post(one, "merge", keep=keep.uuid, lose=[lose.uuid]).status_code == 404


def test_what_stands_in_the_way_of_a_merge_is_told_over_json(desk: Desk, other_desk: Desk, pair: list[Source]) -> None:
    keep, lose = pair
    assert post(client(desk, Role.READER), "merge", keep=keep.uuid, lose=[lose.uuid]).status_code == 403
    assert post(client(other_desk), "merge", keep=keep.uuid, lose=[lose.uuid]).status_code == 404
    one = client(desk)
    assert post(one, "merge", keep=keep.uuid, lose=[keep.uuid]).status_code == 409
    assert post(one, "apart", sources=[keep.uuid, lose.uuid]).json() == {"is_new": True}
    assert post(one, "apart", sources=[keep.uuid, lose.uuid]).json() == {"is_new": False}
    assert post(one, "merge", keep=keep.uuid, lose=[lose.uuid]).status_code == 409
    assert not Source.objects.exclude(merged_into=None).exists()


def test_groups_are_found_merged_and_told_apart_from_a_terminal(desk: Desk) -> None:
    titles = (*["Winter fees of the outer harbour"] * 2, *["Dredging survey of the lower basin"] * 2)
    made = [SourceFactory(workspace=desk.workspace, title=title, published_date="2019") for title in titles]
    assert "2 new pairs found" in command(desk, "look")
    listed = command(desk, "list")
    assert "2 groups." in listed
    assert all(f"{source.pk}  " in listed for source in made)
    assert "Nothing was written" in command(desk, "merge", made[0].pk, made[1].pk, "--dry-run")
    assert "different works" in command(desk, "apart", made[2].pk, made[3].pk)
    assert "Merged 1 group" in command(desk, "merge-all", "--keep", "oldest")
    made[1].refresh_from_db()
    assert made[1].merged_into == made[0]
    assert DuplicatePair.objects.filter(state=PairState.OPEN).count() == 0
    assert "No group can be merged" in command(desk, "merge-all")


def test_a_retracted_record_is_merged_from_a_terminal_only_when_said(desk: Desk, pair: list[Source]) -> None:
    keep, lose = pair
    Source.objects.filter(pk=lose.pk).update(retracted=True, retraction_note="Notice 7")
    with pytest.raises(CommandError, match="is retracted") as refused:
        command(desk, "merge", keep.pk, lose.pk)
    assert refused.value.returncode == 2
    assert "[RETRACTED]" in command(desk, "merge", keep.pk, lose.pk, "--also-retracted")
    keep.refresh_from_db()
    assert keep.retraction_note == "Notice 7"
