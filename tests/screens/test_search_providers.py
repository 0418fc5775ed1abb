"""The screen of search providers: enter, replace, remove; for admins only, and no key is ever shown."""

import html
import json
import logging
import re
import sys
from typing import Any

import pytest
from django.core.management import call_command
from django.core.signals import got_request_exception
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import get_resolver, reverse
from django.views.debug import ExceptionReporter
from pytest_django import DjangoAssertNumQueries

from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Change, ChangeSet
from tests.desk import Desk
from tests.factories import ProjectFactory, ProviderKeyFactory, SourceFactory, UserFactory
from validation.core.providers import Provider
from validation.models import ProviderKey
from validation.queries.provider_keys import accounts_by_workspace

pytestmark = pytest.mark.django_db
LIST = reverse("search-providers")
CANARY = "tvly-canary-7Qm2xV9r-LAST"


def form_of(provider: Provider) -> str:
    return reverse("search-provider", kwargs={"provider": provider})


def removal_of(provider: Provider) -> str:
    return reverse("search-provider-remove", kwargs={"provider": provider})


ADDRESSES = [LIST, *map(form_of, Provider), *map(removal_of, Provider)]


def text_of(answer: HttpResponse) -> str:
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split()))


def enter(desk: Desk, text: str = CANARY, provider: Provider = Provider.TAVILY) -> HttpResponse:
    answer: HttpResponse = desk.client(Role.ADMIN).post(form_of(provider), {"secret": text}, follow=True)
    return answer


def test_a_key_is_entered_replaced_and_removed_and_only_its_end_is_shown(desk: Desk) -> None:
    said = text_of(enter(desk))
    assert "Tavily’s key is saved" in said
    assert re.search(rf"set .* by {desk.person(Role.ADMIN).username} ?, ends in …LAST", said)
    assert "ends in …NEXT" in text_of(enter(desk, "tvly-another-canary-of-ours-NEXT"))
    (account,) = accounts_by_workspace([desk.workspace.pk])[desk.workspace.pk]
    assert account.secret == "tvly-another-canary-of-ours-NEXT"
    removed = desk.client(Role.ADMIN).post(removal_of(Provider.TAVILY), follow=True)
    assert "Tavily’s key is removed" in text_of(removed)
    assert not ProviderKey.objects.exists()
    history = text_of(desk.client(Role.ADMIN).get(reverse("history")))
    assert [f"Tavily: key {deed}" in history for deed in ("set", "replaced", "removed")] == [True] * 3


def test_of_an_address_the_host_is_shown(desk: Desk) -> None:
    said = text_of(enter(desk, "https://searx.example.org/secret-place/", Provider.SEARXNG))
    assert "on searx.example.org" in said
    assert "secret-place" not in said


def test_what_cannot_be_used_comes_back_with_the_way_out_and_without_the_key(desk: Desk) -> None:
    client = desk.client(Role.ADMIN)
    answer = client.post(form_of(Provider.TAVILY), {"secret": f"{CANARY} and more"})
    assert answer.status_code == 422
    assert "A key has no spaces" in text_of(answer)
    assert CANARY not in answer.content.decode()
    inside = client.post(form_of(Provider.SEARXNG), {"secret": "http://192.168.1.5:8888/"})
    assert "DESK_SEARXNG_URL" in text_of(inside)
    assert "Enter the key, or go back" in text_of(client.post(form_of(Provider.TAVILY), {"secret": " "}))
    assert not ProviderKey.objects.exists()


@pytest.mark.parametrize("role", [Role.READER, Role.CURATOR, Role.EDITOR])
def test_less_than_an_admin_sees_and_changes_nothing(desk: Desk, role: Role) -> None:
    ProviderKeyFactory(workspace=desk.workspace)
    client = desk.client(role)
    for address in ADDRESSES:
        for answer in (client.get(address), client.post(address, {"secret": CANARY})):
            assert answer.status_code in {403, 405}, address
    assert ProviderKey.objects.get().hint == "a1b2"
    assert LIST not in client.get(reverse("home"), follow=True).content.decode()


def test_another_workspaces_key_is_as_if_it_were_not_there(desk: Desk, other_desk: Desk) -> None:
    ProviderKeyFactory(workspace=other_desk.workspace)
    client = desk.client(Role.ADMIN)
    assert "a1b2" not in text_of(client.get(LIST))
    told = [client.post(removal_of(provider)) for provider in (Provider.TAVILY, Provider.FIRECRAWL)]
    assert [answer.status_code for answer in told] == [404, 404]
    enter(desk)
    assert ProviderKey.objects.filter(workspace=other_desk.workspace, hint="a1b2").exists()


def test_the_menu_leads_an_admin_there(desk: Desk) -> None:
    assert f'href="{LIST}"' in desk.client(Role.ADMIN).get(LIST).content.decode()


def test_a_key_that_cannot_be_read_says_so_and_the_way_out(desk: Desk, settings: Any) -> None:
    enter(desk)
    assert "cannot be read" not in text_of(desk.client(Role.ADMIN).get(LIST))
    settings.SECRET_KEY = "another secret of this installation"
    said = text_of(desk.client(Role.ADMIN).get(LIST))
    assert "cannot be read: enter it again" in said
    assert "DESK_SECRET_KEY_FALLBACKS" in said
    assert "cannot be read" not in text_of(enter(desk))


def test_that_nobody_can_be_asked_is_said_until_somebody_can(desk: Desk, settings: Any) -> None:
    told = "No search engine is configured"
    settings.SEARXNG_URL = settings.TAVILY_KEY = settings.PERPLEXITY_KEY = settings.FIRECRAWL_KEY = ""
    assert told in text_of(desk.client(Role.ADMIN).get(LIST))
    settings.FIRECRAWL_KEY = "operators-key"
    said = text_of(desk.client(Role.ADMIN).get(LIST))
    assert told not in said
    assert "the operator’s, for all workspaces" in said
    assert "operators-key" not in said
    settings.FIRECRAWL_KEY = ""
    assert told not in text_of(enter(desk))


@pytest.mark.parametrize("number", [0, 4])
def test_more_keys_cost_no_more_queries(
    desk: Desk, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for provider in list(Provider)[:number]:
        ProviderKeyFactory(workspace=desk.workspace, provider=provider, set_by=UserFactory())
    client = desk.client(Role.ADMIN)
    with django_assert_num_queries(4):
        client.get(LIST)


# -- the canary --------------------------------------------------------------------------------------------------------


def pages() -> list[str]:
    """Every address without a parameter, the admin's too."""
    found: list[str] = []

    def walk(patterns: list[Any], before: str) -> None:
        for pattern in patterns:
            path = before + str(pattern.pattern)
            if hasattr(pattern, "url_patterns"):
                walk(pattern.url_patterns, path)
            elif not set("<(^$\\") & set(path) and "logout" not in path:
                found.append(f"/{path}")

    walk(get_resolver().url_patterns, "")
    return found


def test_a_key_is_in_no_page_no_log_no_deed_no_dump_and_no_admin(
    desk: Desk, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    person = desk.person(Role.ADMIN)
    person.is_staff = person.is_superuser = True
    person.save()
    client = Client(raise_request_exception=False)
    client.force_login(person)
    project = ProjectFactory(workspace=desk.workspace)
    source = SourceFactory(workspace=desk.workspace)
    seen = [
        client.post(form_of(Provider.TAVILY), {"secret": CANARY}, follow=True),
        client.post(form_of(Provider.TAVILY), {"secret": f"{CANARY}é"}),
    ]
    deed = ChangeSet.objects.get()
    change = Change.objects.get()
    own = [f"/p/{project.uuid}/", f"/s/{source.uuid}/", f"/admin/changes/changeset/{deed.pk}/change/"]
    seen += [client.get(address, follow=True) for address in [*pages(), *own, *map(form_of, Provider)]]
    assert len([answer for answer in seen if answer.status_code == 200]) > 25
    for answer in seen:
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        assert CANARY.encode() not in body, answer.request["PATH_INFO"]
    assert CANARY not in caplog.text
    assert CANARY not in json.dumps([change.before, change.after, deed.note])
    assert CANARY not in f"{ProviderKey.objects.get()!r} {ProviderKey.objects.get()}"
    call_command("dumpdata", "validation", "changes", "sessions")
    assert CANARY not in capsys.readouterr().out


def test_a_report_of_a_fault_while_saving_holds_no_key(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Operators are sent the request's fields and the local variables of every frame."""
    reports: list[str] = []

    def fail(**_: object) -> None:
        raise RuntimeError("the disk is full")

    def write(request: HttpRequest, **_: object) -> None:
        reporter = ExceptionReporter(request, *sys.exc_info(), is_email=True)
        reports.extend([reporter.get_traceback_text(), reporter.get_traceback_html()])

    monkeypatch.setattr("validation.services.provider_keys.changes.record", fail)
    client = Client(raise_request_exception=False)
    client.force_login(desk.person(Role.ADMIN))
    got_request_exception.connect(write)
    try:
        answer = client.post(form_of(Provider.TAVILY), {"secret": CANARY})
    finally:
        got_request_exception.disconnect(write)
    assert answer.status_code == 500
    assert len(reports) == 2
    assert all("the disk is full" in report and "set_key" in report for report in reports)
    assert not [report for report in reports if CANARY in report]
    assert not ProviderKey.objects.exists()
