"""The Retractions screen, a decision on it, and deciding about a list."""

import re
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from provenance_site.accounts.roles import Role
from sources.core.retraction_status import Nature
from sources.models import RetractionAcknowledgement, RetractionDecision, Source
from sources.services.retraction_records import record
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import CatalogEntryFactory, ChunkFactory, ObservationSourceFactory, SourceFactory
from tests.unit.sources.test_retraction_records import DOI, said, work

pytestmark = pytest.mark.django_db


def page(client: Client, name: str, *args: object, **params: str) -> str:
    return client.get(reverse(name, args=args), params).content.decode()


def seen_on(text: str) -> str:
    found = re.search(r'name="seen" value="([0-9a-f]*)"', text)
    assert found
    return found[1]


def test_the_screen_shows_statements_side_by_side_and_what_uses_the_work(desk: Desk) -> None:
    source = work(desk, title="Harbour silt")
    entry = CatalogEntryFactory(project__workspace=desk.workspace, source=source)
    ChunkFactory(store__workspace=desk.workspace, store__name="Notes", source=source)
    ObservationSourceFactory(observation__project=entry.project, observation__body="Silt rises", source=source)
    record(assertions=[said(Nature.CONCERN, "2009"), said(Nature.RETRACTED)], at=NOW)
    text = page(desk.client(Role.READER), "retractions")
    for words in ("Harbour silt", "Retraction Watch", "Expression of concern", "2010-02-06", "Silt rises", "Notes"):
        assert words in text
    assert 'href="https://doi.org/10.5555/notice.retracted"' in text
    assert entry.project.name in text
    assert 'name="reason"' not in text
    assert "Harbour silt" not in page(desk.client(), "retractions", tab="stale")


def test_a_decision_on_the_screen_is_kept_and_one_on_old_evidence_is_not(desk: Desk) -> None:
    source = work(desk)
    record(assertions=[said(Nature.RETRACTED)], at=NOW)
    client = desk.client(Role.EDITOR)
    given = {"status": "none-found", "reason": "Another work", "seen": seen_on(page(client, "retractions"))}
    record(assertions=[said(Nature.REMOVED, "2013")], at=NOW + timedelta(hours=1))
    address = reverse("retraction-decide", args=[source.uuid])
    refused = client.post(address, given)
    assert (refused.status_code, "said more since" in refused.content.decode()) == (409, True)
    assert client.post(address, given | {"reason": " "}).status_code == 422
    assert not RetractionDecision.objects.exists()
    given["seen"] = seen_on(page(client, "source-retraction", source.uuid))
    assert client.post(address, given).status_code == 302
    source.refresh_from_db()
    assert not source.retracted
    assert desk.client(Role.CURATOR).post(address, given).status_code == 403


def test_a_use_is_said_to_be_meant(desk: Desk) -> None:
    entry = CatalogEntryFactory(
        project__workspace=desk.workspace, source=SourceFactory(workspace=desk.workspace, retracted=True)
    )
    client = desk.client(Role.EDITOR)
    address = reverse("retraction-acknowledge", args=[entry.source.uuid])
    given = {"kind": "project", "use": entry.project_id, "reason": "As an example"}
    assert client.post(address, given).status_code == 302
    assert RetractionAcknowledgement.objects.get().use_id == entry.project_id
    assert "As an example" in page(client, "retractions", tab="acknowledged")
    assert client.post(address, given | {"use": 0}).status_code == 422


def test_a_use_that_is_meant_warns_no_more_until_that_is_withdrawn(desk: Desk) -> None:
    source = SourceFactory(workspace=desk.workspace, retracted=True, retraction_note="Notice of May")
    link = ObservationSourceFactory(observation__project__workspace=desk.workspace, source=source)
    chunk = ChunkFactory(store__workspace=desk.workspace, source=source)
    observation, client = link.observation, desk.client(Role.EDITOR)
    stored = f"{reverse('document', args=[chunk.store_id])}?key={chunk.path_key}"

    def warnings() -> tuple[int, int, int]:
        pages = (page(client, "observation", observation.uuid), page(client, "observation-list"))
        third = client.get(stored).content.decode()
        assert pages[1].count("chip-bad") == 1  # the word stands there whatever was said of the use
        return pages[0].count("note-error"), 1 - pages[1].count(">meant<"), third.count("note-error")

    assert warnings() == (1, 1, 1)
    address = reverse("retraction-acknowledge", args=[source.uuid])
    for kind, use in (("observation", observation.pk), ("store", chunk.store_id)):
        client.post(address, {"kind": kind, "use": use, "reason": "As an example"})
    assert warnings() == (0, 0, 0)
    shown = page(client, "observation", observation.uuid)
    assert "It is cited on purpose: As an example" in shown
    assert "Source 1 is marked retracted: “Notice of May”" in shown
    assert "As an example" in page(client, "retractions", tab="acknowledged")
    withdraw = reverse("acknowledgement-withdraw", args=[source.uuid])
    assert withdraw in page(client, "source-retraction", source.uuid)
    for row in RetractionAcknowledgement.objects.all():
        assert desk.client(Role.CURATOR).post(withdraw, {"acknowledgement": row.pk}).status_code == 403
        assert client.post(withdraw, {"acknowledgement": row.pk}).status_code == 302
    assert warnings() == (1, 1, 1)
    assert client.post(withdraw, {"acknowledgement": 0}).status_code == 422
    assert not RetractionAcknowledgement.objects.filter(withdrawn_at=None).exists()


def test_a_list_is_looked_at_and_then_done(desk: Desk) -> None:
    source = work(desk)
    client = desk.client(Role.ADMIN)
    file = SimpleUploadedFile("list.csv", f"doi,status\n{DOI},withdrawn\n10.5555/none,\nrubbish,".encode())
    look = client.post(reverse("retraction-list"), {"file": file, "status": "retracted", "note": "The list of May"})
    text = look.content.decode()
    assert look.status_code == 200
    for words in ("1 source would be decided", "Withdrawn", "No source here has this identifier", "rubbish"):
        assert words in text
    assert not Source.objects.filter(retracted=True).exists()
    digest = re.search(r'name="digest" value="([0-9a-f]{64})"', text)
    assert digest
    given = {"text": f"{DOI},withdrawn", "status": "retracted", "note": "The list of May", "digest": digest[1]}
    assert client.post(reverse("retraction-list-apply"), given | {"digest": "0" * 64}).status_code == 409
    assert client.post(reverse("retraction-list-apply"), given).status_code == 302
    source.refresh_from_db()
    assert (source.retracted, source.retraction_note) == (True, "The list of May")
    assert desk.client(Role.EDITOR).get(reverse("retraction-list")).status_code == 403


def test_the_screen_asks_the_same_number_of_questions_for_more_rows(desk: Desk) -> None:
    client = desk.client(Role.EDITOR)
    numbers = []
    for _ in range(2):
        for _ in range(3):
            entry = CatalogEntryFactory(
                project__workspace=desk.workspace, source=SourceFactory(workspace=desk.workspace, retracted=True)
            )
            ChunkFactory(store__workspace=desk.workspace, source=entry.source)
        with CaptureQueriesContext(connection) as captured:
            page(client, "retractions", tab="retracted")
        numbers.append(len(captured))
    assert numbers[0] == numbers[1]
