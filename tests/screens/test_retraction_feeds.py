"""How fresh retractions are, and asking now: what an editor sees, what an operator brings."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from provenance_site.accounts.roles import Role
from sources.core.kinds import IdentifierType
from sources.models import Source
from sources.services.retraction_records import record_checks
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import CatalogEntryFactory, ProjectFactory, SourceFactory
from tests.fakes.providers import FakeRetractions
from tests.unit.validation.test_retraction_checks import FALLEN, FINE, opens, says
from validation.models import RetractionFeed, RetractionRequest, RetractionSnapshot
from validation.services.retraction_requests import work

pytestmark = pytest.mark.django_db
SAMPLE = Path(__file__).parent.parent / "data" / "retraction_watch" / "sample.csv"
FEEDS, EXPORT = "/retractions/feeds/", "/retractions/feeds/export/"


def operator(desk: Desk) -> Any:
    person = desk.person(Role.ADMIN)
    person.is_staff = True
    person.save()
    return desk.client(Role.ADMIN)


def upload(data: bytes, name: str = "retraction_watch.csv", **more: str) -> dict[str, Any]:
    return {"file": SimpleUploadedFile(name, data, content_type="text/csv"), **more}


def test_the_feeds_page_says_who_answered_when_and_what_nobody_answered_for(desk: Desk) -> None:
    SourceFactory(workspace=desk.workspace, identifier_type=IdentifierType.DOI, identifier_value=FALLEN.value)
    SourceFactory(workspace=desk.workspace, identifier_type=IdentifierType.DOI, identifier_value=FINE.value)
    SourceFactory(workspace=desk.workspace)
    record_checks(identifiers=[("doi", FINE.value)], provider=says(FINE).provider, outcome="answered", at=NOW)
    RetractionFeed.objects.create(provider="crossref", problem="it answered with status 503", retry_at=NOW)
    text = desk.client(Role.READER).get(FEEDS).content.decode()
    assert "1 source with a DOI" in text
    assert "it answered with status 503" in text
    assert "1 source has neither a DOI nor" in text
    assert "No export was taken in yet" in text
    assert 'type="file"' not in text


def test_where_no_provider_is_configured_that_is_said_with_what_it_means(desk: Desk, settings: Any) -> None:
    settings.RETRACTION_PROVIDERS = ["none"]
    text = desk.client().get(FEEDS).content.decode()
    assert "No provider is configured" in text
    assert "every source counts as unchecked" in text
    assert text.count("Not asked") >= 4


def test_an_operator_brings_an_export_and_a_refused_one_is_kept_with_the_reason(desk: Desk) -> None:
    fallen = SourceFactory(
        workspace=desk.workspace, identifier_type=IdentifierType.DOI, identifier_value="10.5555/gulls.2019"
    )
    client = operator(desk)
    done = client.post(EXPORT, upload(SAMPLE.read_bytes()), follow=True)
    assert "13 rows" in done.content.decode()
    fallen.refresh_from_db()
    assert fallen.retracted
    refused = client.post(EXPORT, upload(b"<!doctype html><title>Sign in</title>", "export.html"))
    assert refused.status_code == 422
    text = client.get(FEEDS).content.decode()
    assert "Refused" in text
    assert "This is no export of Retraction Watch" in text
    assert "1 row without a nature: kept as unknown" in text
    header = SAMPLE.read_bytes().splitlines(keepends=True)
    few = b"".join(header[:3])
    assert client.post(EXPORT, upload(few)).status_code == 422
    assert client.post(EXPORT, upload(few, allow_shrink="on")).status_code == 302
    assert RetractionSnapshot.objects.exclude(refused="").count() == 1


@pytest.mark.parametrize("role", list(Role))
def test_who_is_no_operator_brings_no_export(desk: Desk, role: Role) -> None:
    assert desk.client(role).post(EXPORT, upload(SAMPLE.read_bytes())).status_code == 403
    assert not RetractionSnapshot.objects.exists()


def test_a_list_a_project_a_selection_and_one_source_are_checked_now(desk: Desk) -> None:
    source: Source = SourceFactory(
        workspace=desk.workspace, title="Silt", identifier_type=IdentifierType.DOI, identifier_value=FALLEN.value
    )
    entry = CatalogEntryFactory(project=ProjectFactory(workspace=desk.workspace), source=source)
    client = desk.client(Role.CURATOR)
    asked = [
        client.post("/retractions/check/", {"text": f"see {FALLEN.value} and {FINE.value}"}),
        client.post("/retractions/check/", {"project": str(entry.project.uuid)}),
        client.post("/retractions/check/sources/", {"ids": str(source.pk), "query": ""}),
        client.post("/retractions/check/sources/", {"all": "1", "query": ""}),
    ]
    assert [len(one.works) for one in RetractionRequest.objects.order_by("pk")] == [2, 1, 1, 1]
    page = client.get(asked[0].headers["Location"]).content.decode()
    assert "<b>0</b> of 2 asked" in page
    assert "hx-trigger" in page
    world = opens(FakeRetractions(said={FALLEN: (says(FALLEN),)}))
    assert not work(clock=lambda: NOW, budget_s=0.1, world=world) or work(clock=lambda: NOW, budget_s=9, world=world)
    page = client.get(asked[0].headers["Location"]).content.decode()
    assert "hx-trigger" not in page
    assert f'href="/s/{source.uuid}/retraction/"' in page
    assert "Crossref: 1 answered, 1 not held there, 0 failed." in page
    assert "1 work stays unchecked" in page


def test_what_cannot_be_asked_about_is_refused_in_words(desk: Desk, other_desk: Desk) -> None:
    client = desk.client(Role.CURATOR)
    for given, words in (({"text": "no works"}, "There is no DOI"), ({}, "Paste a list or choose a project")):
        answer = client.post("/retractions/check/", given)
        assert (answer.status_code, words in answer.content.decode()) == (422, True)
    foreign = SourceFactory(
        workspace=other_desk.workspace, identifier_type=IdentifierType.DOI, identifier_value=FINE.value
    )
    page = client.post("/retractions/check/sources/", {"ids": str(foreign.pk)}, follow=True).content.decode()
    assert "There is no DOI" in page
    assert not RetractionRequest.objects.exists()
    assert desk.client(Role.READER).get("/retractions/check/").status_code == 403
    other_desk.client().post("/retractions/check/", {"text": FINE.value})
    made = RetractionRequest.objects.get()
    assert client.get(f"/retractions/checks/{made.uuid}/").status_code == 404


def test_the_buttons_stand_where_an_editor_looks(desk: Desk) -> None:
    source = SourceFactory(workspace=desk.workspace)
    project = ProjectFactory(workspace=desk.workspace)
    CatalogEntryFactory(project=project, source=source)
    client = desk.client(Role.CURATOR)
    assert 'href="/retractions/check/"' in client.get("/retractions/").content.decode()
    assert 'href="/retractions/feeds/"' in client.get("/retractions/").content.decode()
    assert 'action="/retractions/check/sources/"' in client.get(f"/s/{source.uuid}/retraction/").content.decode()
    chosen = client.post("/sources/edit/", {"ids": str(source.pk)}).content.decode()
    assert 'action="/retractions/check/sources/"' in chosen
    assert f"/retractions/check/?project={project.uuid}" in client.get(f"/p/{project.uuid}/").content.decode()
