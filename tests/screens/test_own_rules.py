"""The screen of own publishers and patterns: enter, look, save, change, turn off, delete."""

import html
import re

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from provenance_site.accounts.roles import Role
from provenance_site.changes.models import ChangeSet
from sources.core.findings import Disposition, Verdict
from tests.desk import Desk
from tests.factories import OwnPatternFactory, OwnPublisherFactory, SourceFactory
from validation.models import OwnPattern, OwnPublisher

LIST = reverse("own-rules")
NEW_PUBLISHER = reverse("own-publisher-new")
NEW_PATTERN = reverse("own-pattern-new")
PUBLISHER = {
    "name": "The Gazette",
    "domains": "https://www.gazette.org/\r\n\r\ngazette.com",
    "access_note": "",
    "path_hints": "/2024/",
    "notes": "",
}
PATTERN = {
    "name": "Without a slug",
    "pattern": r"^https?://gazette\.org/article/\d+$",
    "hits": "https://gazette.org/article/17",
    "passes": "https://gazette.org/article/17-harbour\nhttps://gazette.org/",
    "notes": "",
}


def text_of(answer: HttpResponse) -> str:
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split()))


def hidden_of(answer: HttpResponse) -> dict[str, str]:
    """The hidden fields of the page's form, as a browser would send them."""
    form = answer.content.decode().partition('class="form"')[2].partition("</form>")[0]
    inputs = re.findall(r'<input type="hidden" name="(\w+)"(?: value="([^"]*)")?', form)
    return {name: html.unescape(value) for name, value in inputs if name != "csrfmiddlewaretoken"}


def test_a_publisher_is_entered_looked_at_and_saved(desk: Desk) -> None:
    SourceFactory(workspace=desk.workspace, host="blog.gazette.org", title="Harbour survey")
    client = desk.client(Role.EDITOR)
    preview = client.post(NEW_PUBLISHER, {**PUBLISHER, "step": "try"})
    assert preview.status_code == 200
    assert "1 source of this workspace matches it, 0 of them verified. Nothing is saved yet." in text_of(preview)
    assert "Harbour survey" in text_of(preview)
    assert not OwnPublisher.objects.exists()
    saved = client.post(NEW_PUBLISHER, {**hidden_of(preview), "step": "save"}, follow=True)
    assert saved.redirect_chain[-1][0] == LIST
    assert "gazette.org, gazette.com" in text_of(saved)
    row = OwnPublisher.objects.get()
    assert (row.domains, row.path_hints) == (["gazette.org", "gazette.com"], ["/2024/"])
    assert row.access_note == "The Gazette: requires a subscription"
    history = text_of(client.get(reverse("history")))
    assert "Own publisher" in history
    assert "The Gazette: added" in history


def test_a_pattern_that_hits_verified_sources_is_saved_with_a_tick_only(desk: Desk) -> None:
    url = "https://gazette.org/article/99"
    SourceFactory(
        workspace=desk.workspace, request_url=url, verdict=Verdict.VERIFIED_ACCESSIBLE, disposition=Disposition.KEEP
    )
    client = desk.client(Role.EDITOR)
    preview = client.post(NEW_PATTERN, {**PATTERN, "step": "try"})
    assert "1 verified source would be told as fabricated" in text_of(preview)
    refused = client.post(NEW_PATTERN, {**hidden_of(preview), "step": "save"})
    assert refused.status_code == 422
    assert 'role="alert"' in refused.content.decode()
    assert "Tick “Yes, these too”" in text_of(refused)
    assert not OwnPattern.objects.exists()
    body = {**hidden_of(refused), "step": "save", "also_verified": "yes"}
    assert client.post(NEW_PATTERN, body)["Location"] == LIST
    row = OwnPattern.objects.get()
    assert (row.pattern, len(row.passes)) == (PATTERN["pattern"], 2)


def test_from_the_preview_one_goes_back_with_nothing_lost(desk: Desk) -> None:
    client = desk.client(Role.EDITOR)
    preview = client.post(NEW_PATTERN, {**PATTERN, "step": "try"})
    back = client.post(NEW_PATTERN, {**hidden_of(preview), "step": "change"})
    assert back.status_code == 200
    assert "https://gazette.org/article/17-harbour" in back.content.decode()
    assert not OwnPattern.objects.exists()


@pytest.mark.parametrize("step", ["try", "save", ""])
@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("pattern", "(?=x)y", "cannot be read"),
        ("pattern", "(?i)GAZETTE", "although it is real"),
        ("hits", "https://gazette.org/blog", "is not matched"),
        ("passes", "", "required"),
        ("name", "x" * 101, "100 characters"),
    ],
)
def test_a_pattern_with_a_fault_says_so_at_its_field(desk: Desk, step: str, field: str, value: str, told: str) -> None:
    answer = desk.client(Role.EDITOR).post(NEW_PATTERN, {**PATTERN, field: value, "step": step})
    assert answer.status_code == 422
    assert told in text_of(answer)
    assert not OwnPattern.objects.exists()


def test_a_domain_that_everybody_shares_is_refused_on_the_form(desk: Desk) -> None:
    answer = desk.client(Role.EDITOR).post(NEW_PUBLISHER, {**PUBLISHER, "domains": "co.uk\ncom", "step": "save"})
    assert answer.status_code == 422
    assert "Everybody has names below “co.uk”" in text_of(answer)
    assert not OwnPublisher.objects.exists()


def test_a_domain_of_the_built_in_list_is_named(desk: Desk) -> None:
    answer = desk.client(Role.EDITOR).post(NEW_PUBLISHER, {**PUBLISHER, "domains": "wsj.com", "step": "try"})
    assert "wsj.com is on the built-in list as “WSJ”. Your entry will be asked first." in text_of(answer)


def test_an_entry_is_changed_and_a_stale_form_is_refused(desk: Desk) -> None:
    row, client = OwnPatternFactory(workspace=desk.workspace), desk.client(Role.EDITOR)
    url = reverse("own-pattern", args=[row.uuid])
    assert row.pattern in html.unescape(client.get(url).content.decode())
    body = {**PATTERN, "name": "Renamed", "row_version": "1", "step": "save"}
    assert client.post(url, body)["Location"] == LIST
    row.refresh_from_db()
    assert (row.name, row.row_version) == ("Renamed", 2)
    again = client.post(url, {**body, "name": "Once more"}, follow=True)
    assert "Somebody changed this entry meanwhile." in text_of(again)
    row.refresh_from_db()
    assert row.name == "Renamed"


def test_an_entry_is_turned_off_and_on_and_deleted_and_comes_back(desk: Desk) -> None:
    row, client = OwnPublisherFactory(workspace=desk.workspace), desk.client(Role.EDITOR)
    turn, delete = (reverse(f"own-publisher-{deed}", args=[row.uuid]) for deed in ("turn", "delete"))
    assert "is turned off" in text_of(client.post(turn, {"on": "no"}, follow=True))
    assert not OwnPublisher.objects.get().enabled
    assert "is turned on" in text_of(client.post(turn, {"on": "yes"}, follow=True))
    assert "is deleted" in text_of(client.post(delete, follow=True))
    assert not OwnPublisher.objects.exists()
    client.post(reverse("change-undo", args=[ChangeSet.objects.latest("pk").uuid]))
    assert OwnPublisher.objects.get().name == row.name


def test_a_pattern_that_hits_verified_sources_by_now_is_looked_at_before_it_is_turned_on(desk: Desk) -> None:
    row = OwnPatternFactory(workspace=desk.workspace, enabled=False)
    SourceFactory(workspace=desk.workspace, request_url="https://gazette.org/article/5", disposition=Disposition.KEEP)
    answer = desk.client(Role.EDITOR).post(reverse("own-pattern-turn", args=[row.uuid]), {"on": "yes"})
    assert answer["Location"] == reverse("own-pattern", args=[row.uuid])
    assert not OwnPattern.objects.get().enabled


def test_the_built_in_entries_are_searched_by_name_domain_and_pattern(desk: Desk) -> None:
    client = desk.client(Role.EDITOR)
    everything = text_of(client.get(LIST))
    assert "gartner-bare-document" in everything
    assert "Financial Times" in everything
    assert "Continental Ledger" not in everything
    found = text_of(client.get(LIST, {"q": "FT.com"}))
    assert "Financial Times" in found
    assert "gartner-bare-document" not in found
    assert "No built-in entry has that" in text_of(client.get(LIST, {"q": "<script>"}))


@pytest.mark.parametrize("role", [Role.READER, Role.CURATOR])
def test_below_an_editor_there_is_neither_page_nor_link(desk: Desk, role: Role) -> None:
    client = desk.client(role)
    row = OwnPatternFactory(workspace=desk.workspace)
    turn = reverse("own-pattern-turn", args=[row.uuid])
    answers = [client.get(LIST), client.get(NEW_PATTERN), client.post(NEW_PATTERN, PATTERN), client.post(turn)]
    assert {answer.status_code for answer in answers} == {403}
    assert LIST not in client.get(reverse("home")).content.decode()
    assert LIST in desk.client(Role.EDITOR).get(reverse("home")).content.decode()


def test_what_people_enter_is_text_wherever_it_stands(desk: Desk) -> None:
    hostile = '"><img src=x onerror=alert(1)>'
    row = OwnPatternFactory(workspace=desk.workspace, name=hostile, pattern=hostile, notes=hostile)
    OwnPublisherFactory(workspace=desk.workspace, name=hostile, access_note=hostile, domains=[hostile])
    client = desk.client(Role.EDITOR)
    body = {**PATTERN, "name": hostile, "pattern": PATTERN["pattern"], "step": "try"}
    for answer in (
        client.get(LIST),
        client.get(reverse("own-pattern", args=[row.uuid])),
        client.post(reverse("own-pattern", args=[row.uuid]), body),
    ):
        assert answer.status_code == 200
        assert "<img" not in answer.content.decode()
        assert "&lt;img" in answer.content.decode()


def test_the_list_costs_the_same_for_ten_and_twenty(desk: Desk) -> None:
    def queries_for_ten_more() -> int:
        OwnPatternFactory.create_batch(10, workspace=desk.workspace)
        OwnPublisherFactory.create_batch(10, workspace=desk.workspace)
        client = desk.client(Role.EDITOR)
        with CaptureQueriesContext(connection) as captured:
            assert client.get(LIST).status_code == 200
        return len(captured)

    assert queries_for_ten_more() == queries_for_ten_more()


@pytest.mark.parametrize("model", [OwnPublisher, OwnPattern])
def test_the_admin_shows_them_to_administrators_of_their_workspace_and_changes_nothing(
    desk: Desk, other_desk: Desk, model: type[OwnPublisher | OwnPattern]
) -> None:
    factory = OwnPublisherFactory if model is OwnPublisher else OwnPatternFactory
    row, foreign = (
        factory(workspace=desk.workspace, name="Mine"),
        factory(workspace=other_desk.workspace, name="Theirs"),
    )
    admin = desk.person(Role.ADMIN)
    admin.is_staff = admin.is_superuser = True
    admin.save()
    client, where = desk.client(Role.ADMIN), f"admin:validation_{model._meta.model_name}"
    listed = text_of(client.get(reverse(f"{where}_changelist"), {"q": "e"}))
    assert "Mine" in listed
    assert "Theirs" not in listed
    assert client.get(reverse(f"{where}_change", args=[row.pk])).status_code == 200
    assert client.get(reverse(f"{where}_change", args=[foreign.pk])).status_code == 302
    assert client.post(reverse(f"{where}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403
