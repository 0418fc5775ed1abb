"""Two persons for bulk edits through the doors: the pages, the admin and JSON, and the setting."""

import re
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from provenance_site.accounts import services as accounts
from provenance_site.accounts.models import User
from provenance_site.accounts.roles import Role
from provenance_site.notices.models import Notice
from sources.models import RetractionPolicy, RetractionProposal, Source
from tests.api.test_duplicates import client as api_client
from tests.desk import Desk
from tests.factories import (
    MembershipFactory,
    RetractionPolicyFactory,
    RetractionProposalFactory,
    RetractionProposalRowFactory,
    SourceFactory,
)
from tests.screens.test_admin import ask, confirm, operator
from tests.screens.test_bulk_edit import confirm as confirm_edit
from tests.screens.test_bulk_edit import ids, preview
from tests.unit.sources.test_retraction_records import DOI, work

pytestmark = pytest.mark.django_db
LIST = {"text": DOI, "status": "retracted", "note": "The list of May"}


@pytest.fixture
def second(desk: Desk) -> Client:
    """Another administrator, signed in, in a workspace that wants two persons."""
    RetractionPolicyFactory(workspace=desk.workspace)
    other: User = MembershipFactory(workspace=desk.workspace, role=Role.ADMIN).user
    client = Client()
    client.force_login(other)
    return client


def text_of(client: Client, name: str, *args: object) -> str:
    return unescape(client.get(reverse(name, args=args)).content.decode())


def confirmed(client: Client, address: str, given: dict[str, str], **more: str) -> RetractionProposal:
    """Looks, confirms what the page carries, and gives the proposal that the answer leads to."""
    page = client.post(address, given)
    digest = re.search(r'name="digest" value="([0-9a-f]{64})"', page.content.decode())
    assert digest
    assert "second person" in page.content.decode()
    answer = client.post(reverse("retraction-list-apply"), given | {"digest": digest[1]} | more)
    filed = RetractionProposal.objects.latest("pk")
    assert answer["Location"] == reverse("retraction-proposal", args=[filed.uuid])
    return filed


def test_a_list_is_proposed_looked_at_and_approved_on_pages(desk: Desk, second: Client) -> None:
    source = work(desk, title="Harbour silt")
    own = desk.client(Role.ADMIN)
    filed = confirmed(own, reverse("retraction-list"), LIST)
    assert "Withdraw it" in text_of(own, "retraction-proposal", filed.uuid)
    assert own.post(reverse("proposal-approve", args=[filed.uuid])).status_code == 409
    assert "1 proposal waiting" in text_of(second, "retractions")
    assert "asks for your approval" in text_of(second, "notices")
    assert "Harbour silt" in text_of(second, "retraction-proposal", filed.uuid)
    source.refresh_from_db()
    assert not source.retracted
    assert second.post(reverse("proposal-refuse", args=[filed.uuid]), {"reason": ""}).status_code == 422
    assert second.post(reverse("proposal-approve", args=[filed.uuid])).status_code == 302
    source.refresh_from_db()
    assert source.retracted
    assert "approved by" in text_of(own, "history")
    leads = reverse("retraction-proposal", args=[filed.uuid])
    assert leads in text_of(own, "history")
    curator = desk.client(Role.CURATOR)
    assert leads not in text_of(curator, "history")
    assert "Approved by" in text_of(own, "notices")
    unread = Notice.objects.filter(kind="sources.retraction-proposal", read_at=None)
    assert [one.user for one in unread] == [desk.person(Role.ADMIN)]  # whoever approved has dealt with it
    assert second.post(reverse("proposal-approve", args=[filed.uuid])).status_code == 409


def test_a_selection_of_the_list_page_is_proposed(desk: Desk, second: Client) -> None:
    source = SourceFactory(workspace=desk.workspace)
    own = desk.client(Role.ADMIN)
    page = preview(own, ids([source]), deed="retract", note="The list of May")
    assert "Propose to another administrator" in page.content.decode()
    answer = confirm_edit(own, page)
    filed = RetractionProposal.objects.get()
    assert answer["Location"] == reverse("retraction-proposal", args=[filed.uuid])
    assert not Source.objects.filter(retracted=True).exists()
    second.post(reverse("proposal-approve", args=[filed.uuid]))
    source.refresh_from_db()
    assert source.retraction_note == "The list of May"


def test_an_admin_action_and_an_admin_list_are_proposed(desk: Desk, second: Client) -> None:
    source = work(desk)
    client = operator(desk)
    confirm(client, ask(client, [source]))
    assert RetractionProposal.objects.get().channel == "admin"
    given = LIST | {"workspace": str(desk.workspace.pk)}
    look = client.post(reverse("admin:sources_retraction_list"), given).content.decode()
    digest = re.search(r'name="digest" value="([0-9a-f]{64})"', look)
    assert digest
    client.post(reverse("admin:sources_retraction_list"), given | {"digest": digest[1]})
    assert RetractionProposal.objects.count() == 2
    assert not Source.objects.filter(retracted=True).exists()


def test_json_proposes_and_nobody_approves_their_own_there(desk: Desk, second: Client) -> None:
    source = work(desk)
    own, other = api_client(desk, Role.ADMIN), another(desk)
    look = own.post("/api/v1/retractions/list", LIST, content_type="application/json").json()
    told = own.post("/api/v1/retractions/list", LIST | {"seen": look["digest"]}, content_type="application/json").json()
    assert (told["change_set"], Source.objects.filter(retracted=True).exists()) == (None, False)
    address = f"/api/v1/retractions/proposals/{told['proposal']}"
    listed = other.get("/api/v1/retractions/proposals").json()
    assert (listed["waiting"], listed["proposals"][0]["note"]) == (1, "The list of May")
    assert other.get(address).json()["rows"][0]["after"] == "Retracted"
    assert own.post(f"{address}/approve").status_code == 409
    assert api_client(desk, Role.EDITOR).post(f"{address}/approve").status_code == 403
    assert other.post(f"{address}/withdraw").status_code == 409
    refused = other.post(f"{address}/refuse", {"reason": ""}, content_type="application/json")
    assert refused.status_code == 409
    done = other.post(f"{address}/approve")
    assert (done.status_code, done.json()["changed"]) == (200, 1)
    source.refresh_from_db()
    assert source.retracted


def another(desk: Desk) -> Client:
    """The second administrator's token."""
    member = desk.workspace.memberships.exclude(user=desk.person(Role.ADMIN)).get(role=Role.ADMIN)
    _, secret = accounts.create_token(
        user=member.user, workspace=desk.workspace, name="second", days=30, at=timezone.now()
    )
    return Client(headers={"Authorization": f"Bearer {secret}"})


def test_foreign_proposals_are_not_there_over_json(desk: Desk, other_desk: Desk) -> None:
    foreign = RetractionProposalFactory(workspace=other_desk.workspace)
    one = api_client(desk, Role.ADMIN)
    assert one.get(f"/api/v1/retractions/proposals/{foreign.uuid}").status_code == 404
    assert one.post(f"/api/v1/retractions/proposals/{foreign.uuid}/approve").status_code == 404
    assert one.get("/api/v1/retractions/proposals").json()["total"] == 0


def test_the_setting_names_who_changed_it(desk: Desk) -> None:
    client, address = desk.client(Role.ADMIN), reverse("retraction-settings")
    alone = client.post(address, {"second_person": "on"})
    assert (alone.status_code, "only administrator" in alone.content.decode()) == (422, True)
    MembershipFactory(workspace=desk.workspace, role=Role.ADMIN)
    assert client.post(address, {"second_person": "on"}).status_code == 302
    assert RetractionPolicy.objects.get().second_person
    for page in ("retraction-settings", "history"):
        assert "needed from now on" in text_of(client, page)
    assert desk.client(Role.EDITOR).get(address).status_code == 403


@pytest.mark.parametrize("role", [Role.READER, Role.CURATOR, Role.EDITOR])
def test_proposals_are_an_administrators(desk: Desk, role: Role) -> None:
    filed = RetractionProposalFactory(workspace=desk.workspace)
    client = desk.client(role)
    assert client.get(reverse("retraction-proposals")).status_code == 403
    for name in ("proposal-approve", "proposal-refuse", "proposal-withdraw"):
        assert client.post(reverse(name, args=[filed.uuid]), {"reason": "No"}).status_code == 403
    filed.refresh_from_db()
    assert filed.state == "waiting"


def test_no_deed_is_done_without_a_token_of_the_page(desk: Desk, second: Client) -> None:
    filed = RetractionProposalFactory(workspace=desk.workspace)
    RetractionProposalRowFactory(proposal=filed)
    client = Client(enforce_csrf_checks=True)
    client.force_login(desk.person(Role.ADMIN))
    for address in (
        reverse("proposal-approve", args=[filed.uuid]),
        reverse("proposal-refuse", args=[filed.uuid]),
        reverse("retraction-settings"),
        reverse("webhook"),
        reverse("webhook-test"),
        reverse("feed-new"),
        reverse("notice-settings"),
    ):
        assert client.post(address, {"reason": "No"}).status_code == 403, address


@pytest.mark.parametrize("screen", ["one", "list"])
def test_a_longer_proposal_costs_no_more_queries(desk: Desk, screen: str) -> None:
    filed = RetractionProposalFactory(workspace=desk.workspace)
    client = desk.client(Role.ADMIN)
    address = reverse("retraction-proposal", args=[filed.uuid]) if screen == "one" else reverse("retraction-proposals")
    numbers = []
    for _ in range(2):
        RetractionProposalRowFactory.create_batch(10, proposal=filed)
        RetractionProposalFactory.create_batch(5, workspace=desk.workspace)
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address).status_code == 200
        numbers.append(len(captured))
    assert numbers[0] == numbers[1]
