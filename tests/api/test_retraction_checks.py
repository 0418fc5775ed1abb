"""Retraction checks without a browser: over JSON for a token of its workspace, and from a terminal."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from provenance_site.accounts import services as accounts
from provenance_site.accounts.roles import Role
from sources.core.kinds import IdentifierType
from sources.models import Source
from tests.desk import Desk
from tests.factories import SourceFactory
from tests.fakes.loopback import Loopback, Reply, Request, reply
from validation import tasks

pytestmark = pytest.mark.django_db
SAMPLE = Path(__file__).parent.parent / "data" / "retraction_watch" / "sample.csv"


@pytest.fixture
def _alone(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No broker and no provider but what a test names."""
    settings.RETRACTION_PROVIDERS = []
    monkeypatch.setattr(tasks.work_on_retraction_requests, "apply_async", lambda **_: None)


def client(desk: Desk, role: Role = Role.CURATOR) -> Client:
    _, secret = accounts.create_token(
        user=desk.person(role), workspace=desk.workspace, name="pipeline", days=30, at=timezone.now()
    )
    return Client(headers={"Authorization": f"Bearer {secret}"})


def ask(one: Client, **given: object) -> Any:
    return one.post("/api/v1/retractions/checks", json.dumps(given, default=str), content_type="application/json")


def crossref(request: Request) -> Reply:
    if request.target.startswith("/api/handles/"):
        return reply(b'{"responseCode": 100}', status="404 Not Found")
    if "fallen" not in request.target:
        return reply(b"Resource not found.", status="404 Not Found")
    record = {
        "DOI": "10.5555/fallen",
        "updated-by": [{"DOI": "10.5555/n", "type": "retraction", "source": "publisher"}],
    }
    return reply(json.dumps({"status": "ok", "message-type": "work", "message": record}).encode())


@pytest.mark.usefixtures("_alone")
def test_a_list_is_checked_and_read_over_json(desk: Desk, other_desk: Desk, settings: Any) -> None:
    one = client(desk)
    with Loopback(crossref) as server:
        settings.RETRACTION_PROVIDERS, settings.CROSSREF_URL = ["crossref"], server.url("/")
        settings.DOI_RESOLVER_URL = server.url("/")
        made = ask(one, text="10.5555/fallen\nPMID: 9500320")
        assert made.status_code == 202
        assert set(made.json()["absent"]) == {"pubmed", "arxiv", "openalex"}
        before = one.get(made.json()["check_url"]).json()
        assert (before["is_done"], [work["status"] for work in before["works"]]) == (False, ["unchecked", "unchecked"])
        tasks.work_on_retraction_requests()
    told = one.get(made.json()["check_url"]).json()
    assert (told["is_done"], told["asked"], told["unchecked"]) == (True, 2, 1)
    assert [(work["work"], work["status"], work["retracted"]) for work in told["works"]] == [
        ("doi:10.5555/fallen", "retracted", True),
        ("pmid:9500320", "unchecked", False),
    ]
    assert told["providers"]["crossref"]["answered"] == 1
    assert client(other_desk).get(made.json()["check_url"]).status_code == 404


@pytest.mark.usefixtures("_alone")
def test_what_cannot_be_asked_about_is_refused_in_words(desk: Desk) -> None:
    refused = ask(client(desk), text="https://harbour.example/survey")
    assert (refused.status_code, "DOI" in refused.json()["detail"]) == (422, True)
    assert ask(client(desk), project="No such").status_code == 404
    assert ask(client(desk, Role.READER), text="10.5555/fallen").status_code == 403


@pytest.mark.usefixtures("_alone")
def test_the_export_is_taken_in_from_a_terminal_and_told_over_json(desk: Desk, tmp_path: Path) -> None:
    source = SourceFactory(
        workspace=desk.workspace, identifier_type=IdentifierType.DOI, identifier_value="10.5555/gulls.2019"
    )
    out = io.StringIO()
    call_command("import_retraction_watch", str(SAMPLE), stdout=out, stderr=io.StringIO())
    assert "13 rows; " in out.getvalue()
    assert "1 sources changed" in out.getvalue()
    assert Source.objects.get(pk=source.pk).retracted
    call_command("import_retraction_watch", str(SAMPLE), stdout=out)
    assert "taken in before" in out.getvalue()
    feeds = client(desk).get("/api/v1/retractions/feeds").json()
    assert (feeds["export_rows"], feeds["export_notes"]["unknown_natures"]) == (13, {"": 1})
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("a,b\n", encoding="utf-8")
    for words in ([str(wrong)], [str(tmp_path / "none.csv")], []):
        with pytest.raises(CommandError):
            call_command("import_retraction_watch", *words)


@pytest.mark.usefixtures("_alone")
def test_a_terminal_tells_where_works_stand_and_that_some_stay_unchecked(tmp_path: Path, settings: Any) -> None:
    listed = tmp_path / "list.txt"
    listed.write_text("10.5555/fallen\n10.5555/none,really\n", encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    with Loopback(crossref) as server:
        settings.RETRACTION_PROVIDERS, settings.CROSSREF_URL = ["crossref"], server.url("/")
        settings.DOI_RESOLVER_URL = server.url("/")
        with pytest.raises(CommandError, match="1 of 2"):
            call_command("check_retractions", str(listed), stdout=out, stderr=err)
    assert [line.split()[0] for line in out.getvalue().splitlines()] == ["retracted", "unchecked"]
    assert "Crossref: 1 answered, 1 not held there, 0 failed" in err.getvalue()
    assert "PubMed is not asked" in err.getvalue()
    assert "10.5555/none,really is not registered anywhere" in err.getvalue()
