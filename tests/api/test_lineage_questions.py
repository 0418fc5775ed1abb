"""The questions of lineage over JSON and on the command line; what is hidden leaves no trace in either."""

import io
import json
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from lineage.core.causes import CauseKind
from lineage.models import Cause, Entity, Impact
from lineage.services import impact
from lineage.services.impact import What
from provenance_site.accounts import services as accounts
from provenance_site.accounts.models import Membership
from provenance_site.accounts.roles import Role
from tests.clock import NOW
from tests.desk import Desk
from tests.graphs import graph

pytestmark = pytest.mark.django_db
SEEN = (
    "claim:k SUPPORTED_BY chunk:c",
    "chunk:c CHUNKED_FROM artifact:a",
    "artifact:a FETCHED_FROM source:s",
    "report:r CONTAINS claim:k",
)
HIDDEN = ("claim:h SUPPORTED_BY chunk:c", "report:hr CONTAINS claim:h")
BY_REF = ("ancestors", "descendants", "evidence", "explain", "replay-plan", "release", "impact")
OTHERS = (
    "outputs?run_id=run-1",
    "recall?transform=chunk&version=2",
    "path?a=report://r/v1&b=source://s/v1",
    "diff?first=run-1&second=run-2",
    "worklist",
    "held",
    "measures/resolvability",
)


def client_of(desk: Desk, role: Role = Role.EDITOR) -> Client:
    made = accounts.create_token(
        user=desk.person(role), workspace=desk.workspace, name="pipeline", days=30, at=timezone.now()
    )
    return Client(headers={"Authorization": f"Bearer {made[1]}"})


def get(client: Client, path: str) -> Any:
    return client.get(f"/api/v1/lineage/{path}")


def post(client: Client, path: str, body: dict[str, Any]) -> Any:
    return client.post(f"/api/v1/lineage/{path}", body, content_type="application/json")


def asked(name: str, ref: str) -> str:
    return f"{name}?{urlencode({'ref': ref})}"


@pytest.fixture
def seen(desk: Desk) -> dict[str, Entity]:
    Membership.objects.filter(workspace=desk.workspace).update(clearance="internal")
    return graph(desk.workspace, *SEEN, run="run-1", transform="chunk@2")


def hide(desk: Desk) -> dict[str, Entity]:
    labels = {"h": "confidential", "hr": "confidential"}
    return graph(desk.workspace, *SEEN, *HIDDEN, labels=labels, run="run-1", transform="chunk@2")


def test_questions_are_answered_by_refs(desk: Desk, seen: dict[str, Entity]) -> None:
    client = client_of(desk, Role.READER)
    down = get(client, asked("descendants", "source://s/v1")).json()
    assert ({one["ref"] for one in down["nodes"]}, down["total"], down["complete"]) == (
        {"claim://k/v1", "chunk://c/v1", "artifact://a/v1", "report://r/v1"},
        4,
        True,
    )
    assert get(client, asked("descendants", "source://s/v1") + "&type=report").json()["total"] == 1
    evidence = get(client, asked("evidence", "claim://k/v1")).json()
    assert (evidence["live"], evidence["all_sources"], evidence["standing"]) == (1, 1, "supported")
    steps = get(client, asked("explain", "report://r/v1")).json()["steps"]
    assert [step["made"] for step in steps][-1] == ["report://r/v1"]
    way = get(client, OTHERS[2]).json()
    assert [hop["node"]["ref"] for hop in way["hops"]][::4] == ["report://r/v1", "source://s/v1"]
    assert get(client, "recall").status_code == 422
    for nothing in ("outputs?run_id=-", "diff?first=-&second=x", "recall?transform=-"):
        assert get(client, nothing).json()["total"] == 0


def test_a_fall_is_previewed_told_worked_on_and_taken_back(desk: Desk, seen: dict[str, Entity]) -> None:
    client = client_of(desk)
    assert get(client, asked("impact", "source://s/v1")).json()["by_type"] == {
        "artifact": 1,
        "chunk": 1,
        "claim": 1,
        "report": 1,
    }
    assert not Cause.objects.exists()
    cause = post(client, "impact", {"ref": "source://s/v1", "reason": "Withdrawn."}).json()
    waiting = get(client, "worklist").json()
    assert (waiting["total"], waiting["waiting"][0]["node"]["ref"]) == (4, "report://r/v1")
    keys = [waiting["waiting"][0]["impact"], 10**6]
    assert post(client, "worklist/settle", {"impacts": keys, "outcome": "dismissed"}).status_code == 422
    done = post(client, "worklist/settle", {"impacts": keys, "outcome": "dismissed", "reason": "Untouched."})
    assert done.json() == {"settled": 1, "already": 0}
    for nothing in (get(client, "impact?version=2"), post(client, "impact", {"version": "2", "reason": "x"})):
        assert (nothing.status_code, nothing.json()["detail"].startswith("Name a ref")) == (422, True)
    assert get(client, f"worklist?cause={cause['cause'] + 1}").json()["total"] == 0
    Entity.objects.filter(pk=seen["k"].pk).update(owner=desk.person(Role.EDITOR))
    mine = get(client, f"worklist?cause={cause['cause']}&mine=true").json()["waiting"]
    assert [one["node"]["ref"] for one in mine] == ["claim://k/v1"]
    assert post(client, f"causes/{cause['cause']}/clear", {}).json()["cleared_at"]
    assert get(client, "worklist").json()["total"] == 0


def test_a_claim_is_looked_at_and_an_output_released(desk: Desk, seen: dict[str, Entity]) -> None:
    client = client_of(desk)
    look = post(client, "verifications", {"ref": "claim://k/v1", "result": "FAIL"})
    assert (look.status_code, "misread" in look.json()["detail"]) == (422, True)
    failed = {"ref": "claim://k/v1", "result": "FAIL", "fault": "misread"}
    assert post(client, "verifications", {**failed, "result": "PASS"}).status_code == 422
    assert post(client, "verifications", failed).status_code == 201
    refused = post(client, "release", {"ref": "report://r/v1"})
    assert (refused.status_code, refused.json()["problems"][0]["hindrance"]) == (409, "failed-verification")
    post(client, "verifications", {"ref": "claim://k/v1", "result": "PASS"})
    assert post(client, "release", {"ref": "report://r/v1"}).json()["passes"]
    assert get(client, asked("release", "claim://k/v1")).status_code == 422


@pytest.mark.parametrize("path", [*BY_REF, *OTHERS])
def test_json_answers_as_if_what_is_hidden_had_never_been(desk: Desk, seen: dict[str, Entity], path: str) -> None:
    what = What(CauseKind.RETRACTION, "Withdrawn.", entity=seen["s"])
    impact.propagate(workspace_id=desk.workspace.pk, what=what, by=None, at=NOW)
    client = client_of(desk)
    refs = ["report://r/v1"] if path == "release" else ["source://s/v1", "chunk://c/v1", "report://r/v1"]
    paths = [asked(path, ref) for ref in refs] if path in BY_REF else [path]

    def told() -> list[Any]:
        answers = [get(client, one).json() for one in paths]
        return [{name: value for name, value in one.items() if name != "at"} for one in answers]

    before = told()
    hide(desk)
    assert Impact.objects.filter(entity__level=2).count() == 2
    assert told() == before


@pytest.mark.parametrize("path", BY_REF)
def test_hidden_foreign_and_missing_refs_have_one_json_answer_and_cost(
    desk: Desk, other_desk: Desk, seen: dict[str, Entity], path: str
) -> None:
    hidden = hide(desk)["hr"].ref
    foreign = graph(other_desk.workspace, "report:f CONTAINS claim:g")["f"].ref
    client = client_of(desk)
    get(client, "worklist")
    answers: list[tuple[Any, ...]] = []
    for ref in (hidden, foreign, "report://none/v1", "no ref", "x\x01"):
        with CaptureQueriesContext(connection) as queries:
            answer = get(client, asked(path, ref))
        answers.append((answer.status_code, answer.content, len(queries)))
    assert answers == [(404, b'{"detail": "Not Found"}', answers[0][2])] * 5


def asked_of_the_command(desk: Desk, *words: str) -> str:
    out = io.StringIO()
    call_command("lineage", *words, "--workspace", desk.workspace.name, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("ancestors", "report://r/v1"), "4 in all, complete."),
        (("descendants", "source://s/v1", "--type", "report"), "report://r/v1 report, current\n1 in all"),
        (("evidence", "claim://k/v1"), "from source://s/v1"),
        (("run", "run-1"), "4 in all"),
        (("recall", "--transform", "chunk"), "4 in all"),
        (("impact", "source://s/v1"), "1 artifact\n"),
        (("impact", "--transform", "chunk", "--transform-version", "2"), "4 in all would become stale."),
        (("explain", "report://r/v1"), "4. report report://r/v1: CONTAINS, by chunk 2"),
        (("path", "report://r/v1", "source://s/v1"), "artifact://a/v1 artifact, current; FETCHED_FROM"),
        (("diff", "run-1", "run-2"), "5 differences."),
        (("replay", "report://r/v1"), "missing: The config of the transform is not recorded."),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_the_command_answers_each_question(
    desk: Desk, seen: dict[str, Entity], words: tuple[str, ...], told: str
) -> None:
    assert told in asked_of_the_command(desk, *words)
    assert json.loads(asked_of_the_command(desk, *words, "--json"))


def test_commands_end_with_2_for_what_is_not_there_and_what_is_refused(desk: Desk, seen: dict[str, Entity]) -> None:
    for words in (("ancestors", hide(desk)["hr"].ref), ("impact", "report://none/v1"), ("recall",), ("impact",)):
        with pytest.raises(CommandError) as refused:
            asked_of_the_command(desk, *words)
        assert refused.value.returncode == 2
    what = What(CauseKind.RETRACTION, "Withdrawn.", entity=seen["s"])
    call_command("release_check", "report://r/v1", "--workspace", desk.workspace.name, stderr=io.StringIO())
    impact.propagate(workspace_id=desk.workspace.pk, what=what, by=None, at=NOW)
    out = io.StringIO()
    with pytest.raises(CommandError) as refused:
        call_command("release_check", "report://r/v1", "--workspace", desk.workspace.name, stdout=out)
    assert (refused.value.returncode, "retracted: claim://k/v1" in out.getvalue()) == (2, True)


def checked(desk: Desk, *words: str) -> tuple[int, str, str]:
    """The exit code of a release check, what it prints and what it says."""
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("release_check", *words, "--workspace", desk.workspace.name, stdout=out, stderr=err)
    except CommandError as refused:
        return refused.returncode, out.getvalue(), str(refused)
    return 0, out.getvalue(), err.getvalue()


def test_a_release_is_checked_and_made_on_the_command_line(desk: Desk, seen: dict[str, Entity]) -> None:
    reader = ("--as", desk.person(Role.READER).username)
    assert checked(desk, "report://none/v1")[0] == checked(desk, hide(desk)["hr"].ref, *reader)[0] == 2
    assert "reports and files are released" in checked(desk, "claim://k/v1")[2]
    assert "may not release" in checked(desk, "report://r/v1", "--release", *reader)[2]
    assert Entity.objects.get(pk=seen["r"].pk).released_at is None
    code, told, said = checked(desk, "report://r/v1", "--release", "--json")
    assert (code, said) == (0, "report://r/v1 may be handed on: 1 claim looked at.\n")
    assert json.loads(told) == {"ref": "report://r/v1", "passes": True, "claims": 1, "problems": []}
    assert Entity.objects.get(pk=seen["r"].pk).released_at is not None
    Entity.objects.filter(pk=seen["s"].pk).update(retracted_at=NOW)
    code, told, said = checked(desk, "report://r/v1", "--release", "--json")
    assert (code, said) == (2, "report://r/v1 must not be handed on: 1 reason.")
    assert [one["hindrance"] for one in json.loads(told)["problems"]] == ["retracted"]
