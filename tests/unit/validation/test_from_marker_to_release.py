"""From a draft with faults to a text that may go out, over real sockets: gate, search, choice, correction, gate."""

import io
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command

from provenance_site.accounts.roles import Role
from sources.core.findings import Cause, Verdict
from sources.models import DraftVersion, Project, Section
from sources.services import corpora
from sources.services.corpora import KeptFinding
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import ProjectFactory
from tests.fakes.loopback import Loopback, Reply, Request, reply
from tests.fakes.world import ARTICLE
from tests.unit.validation.shipping import draft_of
from validation import tasks
from validation.models import HarvestRequest, RequestCandidate, ShipCheck, SpotCheck

pytestmark = pytest.mark.django_db

GAZETTE, OBSERVER, SEARCH = (f"{name}.sample.localhost" for name in ("gazette", "observer", "search"))
CLAIM = "In 2023 the ferry carried 48,200 passengers over the sound."
PASSAGE = "In 2023 the ferry carried 48,200 passengers over the sound, a record."
TITLES = {f"{GAZETTE}/boats": "Boats in the harbour", f"{OBSERVER}/ferry": "A year of the ferry"}


def world(request: Request) -> Reply:
    host, _, port = request.headers["host"].partition(":")
    path = request.target.partition("?")[0]
    if host == SEARCH:
        hits = [
            {"url": f"http://{OBSERVER}:{port}{place}", "title": title}
            for place, title in (("/gone", "The ferry of before"), ("/ferry", "A year of the ferry"))
        ]
        return reply(json.dumps({"results": hits}).encode(), "Content-Type: application/json")
    title = TITLES.get(host + path)
    if title is None:
        return reply(b"<title>Not found</title>", status="404 Not Found")
    text = f"{ARTICLE * 5} {PASSAGE if host == OBSERVER else ''}"
    body = f"<html><head><title>{title}</title></head><body><main><h1>{title}</h1><p>{text}</p></main></body></html>"
    return reply(body.encode(), "Content-Type: text/html; charset=utf-8")


@pytest.fixture
def port(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    for task in (tasks.work_on_ship_checks, tasks.work_on_harvest_requests):
        monkeypatch.setattr(task, "apply_async", lambda **_options: None)
    with Loopback(world) as server:
        settings.SAMPLE_HOSTS, settings.SAMPLE_PORT = (GAZETTE, OBSERVER, SEARCH), server.port
        settings.SCHOLARLY = False
        yield server.port


def project_of(desk: Desk, port: int) -> Project:
    project: Project = ProjectFactory(workspace=desk.workspace, name="Harbour memo")
    section = Section.objects.create(project=project, slug="ferries", title="Ferries")
    boats = KeptFinding(
        url=f"http://{GAZETTE}:{port}/boats",
        title="Boats in the harbour",
        verdict=Verdict.VERIFIED_ACCESSIBLE,
        cause=Cause.CONTENT,
        fetched_at=NOW,
    )
    corpora.keep(project=project, section=section, findings=[boats], by=desk.person(), at=NOW)
    return project


def gate(*arguments: str) -> tuple[int, str]:
    said = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("gate", *arguments, stdout=said, stderr=io.StringIO())
    return int(ended.value.code or 0), said.getvalue()


def test_a_draft_with_faults_becomes_a_text_that_may_go_out(desk: Desk, port: int) -> None:
    project, client = project_of(desk, port), desk.client()
    text = (
        "# Ferries\n\nBoats came. [src-001]\n\n"
        f"{CLAIM} [src-047]\n\n"
        "Sails are [in fashion](https://else.invalid/sails) again, see https://else.invalid/bare too.\n"
    )
    version = draft_of(desk, project, text)
    code, said = gate("Memo", "--project", project.name)
    assert (code, said.count("open-marker")) == (2, 3)

    # The claim is searched, its candidates are fetched and judged, and one is chosen.
    client.post(f"/d/{version.draft.uuid}/markers/", {"claim": CLAIM})
    tasks.work_on_harvest_requests()
    request = HarvestRequest.objects.get()
    good, dead = RequestCandidate.objects.order_by("-score")
    assert (good.url, good.passage) == (f"http://{OBSERVER}:{port}/ferry", PASSAGE)
    assert (dead.verdict, dead.may_be_picked) == (Verdict.HARD_404, False)
    client.post(f"/markers/{request.uuid}/", {"step": "pick", "candidate": good.uuid})
    resolved = DraftVersion.objects.get(number=2)
    assert f"{CLAIM} [^2]" in resolved.gated_text

    # What has no source is taken out by a person, who brings a link: a request, no citation.
    corrected = re.sub(r"Sails are .*\n", "", resolved.gated_text) + f"\nMore [here](http://{GAZETTE}:{port}/more).\n"
    client.post(f"/d/{version.draft.uuid}/correct/", {"text": corrected})
    assert HarvestRequest.objects.get(kind="new-link").url == f"http://{GAZETTE}:{port}/more"
    assert gate("Memo", "--project", project.name)[0] == 2
    client.post(
        f"/d/{version.draft.uuid}/correct/", {"text": resolved.gated_text.partition("\n\nSails")[0] + notes(resolved)}
    )

    code, said = gate("Memo", "--project", project.name)
    assert (code, said.splitlines()[-1]) == (0, "Memo v4: accept. 2 of 2 verified (100.0 %).")
    check = ShipCheck.objects.latest("pk")
    spot = {"position": SpotCheck.objects.filter(check_made=check).earliest("position").position}
    desk.client(Role.EDITOR).post(f"/ship/{check.job.uuid}/spot/", {**spot, "result": "wrong", "note": "No boats."})
    check.refresh_from_db()
    assert check.decision == "block"


def notes(version: DraftVersion) -> str:
    """The definitions at the end of the gated text."""
    return "\n\n" + "\n".join(line for line in version.gated_text.splitlines() if line.startswith("[^"))
