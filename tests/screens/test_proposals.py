"""Another address that only a person can take: shown with what differs, taken with one press, told in every export."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from provenance_site.accounts.roles import Role
from sources.core.findings import Disposition, Recovery, Verdict
from sources.core.kinds import DecisionKind, ReviewReason, Sensitivity
from sources.models import Decision, Project, ReviewItem, Source
from sources.services import projects
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import (
    CatalogEntryFactory,
    CheckRunFactory,
    JobFactory,
    JobItemFactory,
    ProjectFactory,
    SourceFactory,
)
from tests.unit.sources.findings import apply, seen

pytestmark = pytest.mark.django_db
TITLE = "Harbour survey of spring"
NEAR = "Harbour census of spring"
NEW_URL = "https://mirror.example/harbour?a=1&b=2"
ARCHIVED = "https://web.archive.org/web/20240102030405/https://gazette.example/a"
PROPOSAL = Recovery(NEW_URL, NEAR, "title and author", f'"{TITLE}" "Ada Quay"', "tavily", 0.667)


def dead(desk: Desk, *, verdict: Verdict = Verdict.HARD_404, **evidence: object) -> tuple[Source, Project]:
    source: Source = SourceFactory(workspace=desk.workspace, title=TITLE)
    project: Project = ProjectFactory(workspace=desk.workspace, name="Memo")
    CatalogEntryFactory(source=source, project=project)
    return apply(source, verdict, **evidence), project


def taking(source: Source) -> dict[str, object]:
    return {
        "kind": DecisionKind.OVERRIDE.value,
        **seen(source),
        "override_verdict": Verdict.VERIFIED_VIA_REPUBLISH.value,
        "reason": f"Use this address: {NEW_URL}",
    }


def test_a_dead_source_with_a_proposal_is_a_question(desk: Desk) -> None:
    source, _ = dead(desk, proposals=(PROPOSAL,))
    assert source.disposition == Disposition.DROP
    assert ReviewItem.objects.get().reason == ReviewReason.RECOVERED


def test_a_dead_source_without_one_is_none(desk: Desk) -> None:
    dead(desk)
    assert not ReviewItem.objects.exists()


@pytest.mark.parametrize("address", ["/queue/", "/s/{uuid}/"])
def test_a_proposal_is_shown_with_what_differs(desk: Desk, address: str) -> None:
    source, _ = dead(desk, proposals=(PROPOSAL,))
    page = desk.client(Role.EDITOR).get(address.format(uuid=source.uuid)).content.decode()
    assert "https://mirror.example/harbour?a=1&amp;b=2" in page
    assert "<del>survey</del>" in page
    assert "<ins>census</ins>" in page
    assert "Alike by 0.67" in page
    assert "Use this address" in page


def test_who_may_not_decide_sees_the_proposal_without_the_button(desk: Desk) -> None:
    source, _ = dead(desk, proposals=(PROPOSAL,))
    page = desk.client(Role.READER).get(f"/s/{source.uuid}/").content.decode()
    assert "mirror.example" in page
    assert "Use this address</button>" not in page


def test_taking_it_is_a_decision_that_every_export_tells(desk: Desk) -> None:
    source, project = dead(desk, proposals=(PROPOSAL,))
    client = desk.client(Role.EDITOR)
    assert client.post(f"/s/{source.uuid}/decide/", taking(source)).status_code == 302
    source.refresh_from_db()
    assert source.disposition == Disposition.KEEP
    assert Decision.objects.get().override_verdict == Verdict.VERIFIED_VIA_REPUBLISH
    assert NEW_URL in client.get(f"/p/{project.uuid}/Master-Sources.md").content.decode()
    (entry,) = client.get(f"/p/{project.uuid}/recovery-log.json").json()
    assert entry["recovered_url"] == NEW_URL
    assert entry["matched_via"] == "title and author, taken by a person"
    assert entry["similarity"] == 0.67


def test_a_decision_taken_back_is_in_no_log(desk: Desk) -> None:
    source, project = dead(desk, proposals=(PROPOSAL,))
    desk.client(Role.EDITOR).post(f"/s/{source.uuid}/decide/", taking(source))
    Decision.objects.update(undone_at=NOW)
    assert desk.client().get(f"/p/{project.uuid}/recovery-log.json").json() == []


def test_a_copy_is_offered_beside_a_dead_verdict(desk: Desk) -> None:
    source, _ = dead(desk, archived_url=ARCHIVED)
    page = desk.client().get(f"/s/{source.uuid}/").content.decode()
    assert f'href="{ARCHIVED}"' in page
    assert "It does not prove" in page


def test_a_source_that_nobody_looked_for_says_so(desk: Desk) -> None:
    told = "so moved works were not looked for"
    source, project = dead(desk, unsearched=True)
    client = desk.client()
    assert told in client.get(f"/s/{source.uuid}/").content.decode()
    job = JobFactory(workspace=desk.workspace, state="done", finished_at=NOW)
    run = CheckRunFactory(job=job, project=project)
    page = f"/runs/{run.job.uuid}/"
    assert told not in client.get(page).content.decode()
    item = JobItemFactory(job=job, subject_id=source.pk, state="done", outcome="hard-404")
    source.checks.update(item=item)
    assert told in client.get(page).content.decode()


# -- recovery-log.json -------------------------------------------------------------------------------------------------


def test_the_log_tells_what_was_replaced_and_how(desk: Desk) -> None:
    _, project = dead(desk, verdict=Verdict.VERIFIED_VIA_REPUBLISH)
    answer = desk.client(Role.READER).get(f"/p/{project.uuid}/recovery-log.json")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="recovery-log.json"'
    assert answer.json() == [
        {
            "original_url": "https://harbour.example/a",
            "recovered_url": "https://harbour.example/new",
            "matched_via": "title",
            "query": '"Harbour survey"',
            "provider": "search",
            "similarity": 0.93,
            "at": f"{NOW:%Y-%m-%dT%H:%M:%SZ}",
        }
    ]
    assert 'value="recovery-log"' in desk.client().get(f"/p/{project.uuid}/exports/").content.decode()


def test_nothing_replaced_is_an_empty_list(desk: Desk) -> None:
    _, project = dead(desk)
    assert desk.client().get(f"/p/{project.uuid}/recovery-log.json").json() == []


def test_the_log_is_of_its_workspace(desk: Desk, other_desk: Desk) -> None:
    _, project = dead(desk, verdict=Verdict.VERIFIED_VIA_REPUBLISH)
    assert other_desk.client().get(f"/p/{project.uuid}/recovery-log.json").status_code == 404


def test_the_command_writes_the_same_file(desk: Desk, tmp_path: Path) -> None:
    _, project = dead(desk, verdict=Verdict.VERIFIED_VIA_REPUBLISH)
    out = tmp_path / "logs" / "recovery-log.json"
    call_command("export_recovery_log", project="Memo", out=str(out), stderr=StringIO())
    assert out.read_bytes() == desk.client().get(f"/p/{project.uuid}/recovery-log.json").content
    printed = StringIO()
    call_command("export_recovery_log", project="Memo", out="-", stdout=printed)
    assert json.loads(printed.getvalue())[0]["similarity"] == 0.93


def test_the_log_of_an_internal_source_stays_in_the_house(desk: Desk) -> None:
    source, project = dead(desk, verdict=Verdict.VERIFIED_VIA_REPUBLISH)
    Source.objects.filter(pk=source.pk).update(sensitivity=Sensitivity.INTERNAL_ONLY)
    assert desk.client().get(f"/p/{project.uuid}/recovery-log.json").json() == []
    printed, warned = StringIO(), StringIO()
    call_command("export_recovery_log", project="Memo", out="-", stdout=printed, stderr=warned)
    assert (json.loads(printed.getvalue()), warned.getvalue()) == ([], "1 of internal sources left out\n")
    whole = StringIO()
    call_command("export_recovery_log", project="Memo", out="-", internal=True, stdout=whole, stderr=warned)
    assert len(json.loads(whole.getvalue())) == 1


def test_the_command_says_which_project_it_lacks(desk: Desk, other_desk: Desk) -> None:
    with pytest.raises(CommandError, match="no project 'Memo'"):
        call_command("export_recovery_log", project="Memo")
    for one in (desk, other_desk):
        projects.create(workspace_id=one.workspace.pk, name="Memo", by=one.person(), at=NOW)
    with pytest.raises(CommandError, match="--workspace"):
        call_command("export_recovery_log", project="Memo")
