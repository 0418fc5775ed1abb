"""What members do with drafts, harvests and notices who may not read everything."""

import json
from pathlib import Path
from typing import Any

import pytest

from provenance_site.accounts.models import User
from provenance_site.accounts.reading import reading_as, reading_under
from provenance_site.accounts.roles import Clearance
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.notices import feeds, queries
from sources.core.citations import ProblemCode
from sources.models import CorpusEntry, Source
from sources.queries import retraction_notices
from sources.services import drafts
from tests.clearance import cleared_for_internal, page_client, told
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import CandidateFactory, HarvestRunFactory
from tests.layers import Layer, layer, told_of
from validation.models import RequestCandidate
from validation.services import marker_resolution, retraction_requests, ship_gate
from validation.services.marker_resolution import PickRefused
from validation.services.ship_gate import Document

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.EXPORT_DIR = tmp_path / "exports"


@pytest.fixture
def reader(desk: Desk) -> User:
    return cleared_for_internal(desk)


def _stable_id(source: Source) -> str:
    return source.entries.get().stable_id


def test_the_gate_of_ones_own_draft_knows_no_hidden_id_and_the_version_stays_readable(desk: Desk, reader: User) -> None:
    seen = layer(desk, "tides", "public")
    hidden = layer(desk, "wrecks", "restricted", under=seen)
    known, unknown = _stable_id(seen.sources[2]), _stable_id(hidden.sources[2])
    text = f"The tides rose twice a day [{known}].\n\nThe wrecks rose twice [{unknown}].\n"
    with reading_as(reader):
        made = drafts.begin(project=seen.project, name="Mine", text=text, by=reader, channel=Channel.PAGE, at=NOW)
        never = drafts.begin(
            project=seen.project, name="Never", text=text.replace(unknown, "src-999"), by=reader, channel=Channel.PAGE,
            at=NOW,
        )  # fmt: skip
    assert [one["id"] for one in made.citations] == [known]
    codes = [[one["code"] for one in version.problems] for version in (made, never)]
    assert codes[0] == codes[1] != []
    assert ProblemCode.UNKNOWN_ID in codes[0]
    assert made.entity is not None
    assert made.entity.classification == "internal"
    page = told(page_client(reader), f"/d/{made.draft.uuid}/")
    assert page[0] == 200
    assert "wrecks.example" not in page[1]


def test_a_version_goes_on_from_what_its_writer_saw_of_the_draft(desk: Desk, reader: User) -> None:
    seen = layer(desk, "tides", "public")
    layer(desk, "wrecks", "restricted", under=seen)
    with reading_as(reader):
        made = drafts.add_version(draft=seen.work.draft, text="Another text.\n", by=reader, at=NOW, seen=1)
    assert made.number == 4
    assert "wrecks" not in told(page_client(reader), f"/d/{seen.work.draft.uuid}/")[1]


def test_a_candidate_that_is_a_hidden_source_can_neither_be_seen_nor_picked(desk: Desk, reader: User) -> None:
    seen = layer(desk, "tides", "public")
    hidden = layer(desk, "wrecks", "restricted", under=seen)
    candidate = RequestCandidate.objects.get(request=seen.work.request, key=hidden.sources[1].canonical_key)
    text = f'<needs-source claim="{seen.work.request.claim}"/>\n'
    with reading_as(reader):
        drafts.add_version(draft=seen.work.draft, text=text, by=reader, at=NOW)
    before = CorpusEntry.objects.count()
    answer = page_client(reader).post(
        f"/markers/{seen.work.request.uuid}/", {"step": "pick", "candidate": str(candidate.uuid)}
    )
    assert answer.status_code == 404
    with reading_as(reader), pytest.raises(PickRefused, match="cannot be cited here") as refused:
        marker_resolution.pick(candidate=candidate, by=reader, channel=Channel.PAGE, at=NOW)
    assert "wrecks" not in str(refused.value)
    assert CorpusEntry.objects.count() == before


def test_a_harvest_of_ones_own_list_shows_a_hidden_work_as_new(desk: Desk, reader: User) -> None:
    hidden = layer(desk, "wrecks", "restricted")
    run = HarvestRunFactory(project=hidden.project, created_by=reader, mode="list", call_budget=0)
    key = hidden.sources[0].canonical_key
    candidate = CandidateFactory(run=run, key=key, title="A wreck of theirs", state="found")
    client = page_client(reader)
    assert "A wreck of theirs" in told(client, f"/harvests/{run.uuid}/")[1]
    candidate.state, candidate.reason = "rejected", "A person rejected it before: No wrecks here."
    candidate.save()
    assert "wreck" not in told(client, f"/harvests/{run.uuid}/")[1]


def test_a_ship_check_of_ones_own_holds_a_text_against_what_its_person_may_read(desk: Desk, reader: User) -> None:
    seen = layer(desk, "tides", "public")
    hidden = layer(desk, "wrecks", "restricted", under=seen)
    text = f"It fell [wreck]({hidden.sources[1].request_url}).\n"
    with reading_as(reader):
        check = ship_gate.start(project=seen.project, document=Document("a.md", "a.md", text), by=reader, at=NOW)
    assert [(link.source_id, link.stable_id) for link in check.links.all()] == [(None, "")]
    page = told(page_client(reader), f"/ship/{check.job.uuid}/")
    assert page[0] == 200
    assert "made up" not in page[1]


def test_a_check_for_retractions_links_no_hidden_source_and_is_nobody_else_s(desk: Desk, reader: User) -> None:
    hidden = layer(desk, "wrecks", "restricted")
    text = "10.5555/wreck.1"
    theirs = retraction_requests.of_text(workspace_id=desk.workspace.pk, text=text, by=desk.person(), at=NOW)
    own = retraction_requests.of_text(workspace_id=desk.workspace.pk, text=text, by=reader, at=NOW)
    client = page_client(reader)
    assert told(client, f"/retractions/checks/{theirs.uuid}/")[0] == 404
    status, page = told(client, f"/retractions/checks/{own.uuid}/")
    assert status == 200
    assert str(hidden.sources[0].uuid) not in page


def _news(hidden: Layer) -> dict[str, Any] | None:
    deed = ChangeSet.objects.get(kind="sources.retraction-decide", changes__object_id=hidden.sources[1].pk)
    return retraction_notices.event(workspace_id=deed.workspace_id, subject_id=deed.pk)


def test_feed_mail_and_webhook_tell_as_much_as_their_person_may_read(desk: Desk, reader: User, client: Any) -> None:
    seen = layer(desk, "tides", "public")
    hidden = layer(desk, "wrecks", "restricted", under=seen)
    told_of(reader, seen)
    told_of(reader, hidden)
    _, key = feeds.make(user=reader, workspace=desk.workspace, name="Reader", at=NOW)
    feed = client.get(f"/notices/feed/?key={key}").content.decode()
    assert "tides" in feed
    assert "wrecks" not in feed
    # What a mail is made of; no person is signed in where it is written.
    lines = queries.newest(membership=reader.memberships.get())
    assert len(lines) == 2
    assert "wrecks" not in " ".join(line.shown.text for line in lines)
    assert "wrecks" in json.dumps(_news(hidden))
    for clearance, is_told in ((Clearance.RESTRICTED, True), (Clearance.INTERNAL, False)):
        with reading_under(user_id=reader.pk, workspace_id=desk.workspace.pk, clearance=clearance):
            assert (_news(hidden) is not None) is is_told
