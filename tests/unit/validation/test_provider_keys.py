"""Keys of a workspace's own searches: who keeps them, where they are not, and what a worker asks with."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.core.management import call_command
from django.db import connection
from django.http import Http404
from django.test.utils import CaptureQueriesContext

from provenance_site.accounts.roles import Role
from provenance_site.accounts.secrets import installation_secrets
from provenance_site.changes.models import Change, ChangeSet, Channel
from provenance_site.kit.sealing import opened
from sources.core.findings import Cause, Verdict
from sources.core.identifiers import identify
from sources.models import Check, Source
from sources.services import projects, registry
from sources.services.registry import NewSource
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import CheckFactory, ProviderKeyFactory, SourceFactory, WorkspaceFactory
from tests.fakes.providers import FakeSearch
from tests.fakes.world import World, gone
from validation.adapters.registry import Outside
from validation.core.ports import Search
from validation.core.providers import Account, Provider, SecretRefused
from validation.models import ProviderKey
from validation.queries.provider_keys import accounts_by_workspace, key_states
from validation.services import provider_keys, runs, work
from validation.services.runs import Scope
from validation.services.targets import targets_of

pytestmark = pytest.mark.django_db
CANARY = "tvly-canary-7Qm2xV9r-LAST"
TITLE = "Boats of the harbour in spring"


def enter(desk: Desk, text: str = CANARY, provider: Provider = Provider.TAVILY, role: Role = Role.ADMIN) -> ProviderKey:
    return provider_keys.set_key(
        workspace=desk.workspace, provider=provider, text=text, by=desk.person(role), channel=Channel.PAGE, at=NOW
    )


def secret_of(row: ProviderKey) -> str | None:
    return opened(row.sealed, place=row.place, secrets=installation_secrets())


# -- setting, replacing, removing --------------------------------------------------------------------------------------


def test_a_key_is_kept_encrypted_and_its_deed_tells_nothing_of_it(desk: Desk) -> None:
    row = enter(desk)
    row.refresh_from_db()
    assert secret_of(row) == CANARY
    assert (row.hint, row.set_by, row.set_at) == ("LAST", desk.person(Role.ADMIN), NOW)
    deed = ChangeSet.objects.get()
    assert (deed.kind, deed.note, deed.actor) == ("validation.provider-key", "Tavily: key set", desk.person(Role.ADMIN))
    kept = f"{row.sealed} {Change.objects.get().after} {deed.note}"
    assert CANARY not in kept
    assert row.sealed not in str(Change.objects.get().after)


def test_a_key_that_replaces_another_has_another_name_and_the_old_one_is_gone(desk: Desk) -> None:
    first, second = enter(desk), enter(desk, "tvly-another-key-of-ours-NEXT")
    assert ProviderKey.objects.get() == second
    assert first.name != second.name
    assert ChangeSet.objects.latest("pk").note == "Tavily: key replaced"
    assert first.sealed not in str(list(Change.objects.values()))


def test_a_removed_key_is_forgotten(desk: Desk) -> None:
    row = enter(desk)
    provider_keys.remove_key(row=row, by=desk.person(Role.ADMIN), channel=Channel.PAGE, at=NOW)
    assert not ProviderKey.objects.exists()
    assert ChangeSet.objects.latest("pk").note == "Tavily: key removed"
    assert accounts_by_workspace([desk.workspace.pk]) == {}


@pytest.mark.parametrize("role", [Role.READER, Role.CURATOR, Role.EDITOR])
def test_less_than_an_admin_sets_and_removes_nothing(desk: Desk, role: Role) -> None:
    with pytest.raises(PermissionDenied):
        enter(desk, role=role)
    row = enter(desk)
    with pytest.raises(PermissionDenied):
        provider_keys.remove_key(row=row, by=desk.person(role), channel=Channel.PAGE, at=NOW)
    assert ProviderKey.objects.count() == 1


def test_an_admin_of_another_workspace_finds_none(desk: Desk, other_desk: Desk) -> None:
    row, stranger = enter(desk), other_desk.person(Role.ADMIN)
    with pytest.raises(Http404):
        provider_keys.remove_key(row=row, by=stranger, channel=Channel.PAGE, at=NOW)
    with pytest.raises(Http404):
        provider_keys.set_key(
            workspace=desk.workspace, provider=Provider.TAVILY, text=CANARY, by=stranger, channel=Channel.PAGE, at=NOW
        )
    assert ProviderKey.objects.count() == 1


def test_what_cannot_be_used_is_refused_and_the_old_key_stays(desk: Desk) -> None:
    row = enter(desk)
    with pytest.raises(SecretRefused):
        enter(desk, "has a space")
    with pytest.raises(SecretRefused):
        enter(desk, "http://10.0.0.7/", Provider.SEARXNG)
    with pytest.raises(SecretRefused, match="web port"):
        enter(desk, "http://searx.example.org:6379/", Provider.SEARXNG)
    assert ProviderKey.objects.get() == row


def test_what_nobody_could_be_asked_about_is_asked_again(desk: Desk) -> None:
    dead = {"verdict": Verdict.HARD_404, "cause": Cause.NOT_FOUND, "fresh_until": NOW}
    missed, searched = (SourceFactory(workspace=desk.workspace, **dead) for _ in range(2))
    for source, unsearched in ((missed, True), (searched, False)):
        source.latest_check = CheckFactory(source=source, evidence={"unsearched": unsearched})
        source.save()
    enter(desk)
    assert list(Source.objects.filter(fresh_until=None)) == [missed]


# -- the installation's secret -----------------------------------------------------------------------------------------


def test_after_a_rotation_keys_stay_readable_and_can_be_sealed_anew(desk: Desk, settings: Any) -> None:
    row = enter(desk)
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "the secret of now, fifty letters long"
    assert secret_of(row) == CANARY
    told = StringIO()
    call_command("reseal_keys", stdout=told)
    assert told.getvalue() == "1 search key encrypted under the secret of now.\n"
    settings.SECRET_KEY_FALLBACKS = []
    row.refresh_from_db()
    assert secret_of(row) == CANARY


def test_a_key_that_cannot_be_read_is_a_state_and_no_fault(desk: Desk, settings: Any) -> None:
    enter(desk)
    enter(desk, "https://searx.example.org/", Provider.SEARXNG)
    settings.SECRET_KEY = "another secret altogether"
    assert accounts_by_workspace([desk.workspace.pk]) == {}
    states = {state.provider: state for state in key_states(desk.workspace)}
    assert states[Provider.TAVILY].row is not None
    assert not states[Provider.TAVILY].is_readable
    told = StringIO()
    call_command("reseal_keys", stdout=told)
    assert "2 search keys cannot be read" in told.getvalue()
    assert "DESK_SECRET_KEY_FALLBACKS" in told.getvalue()


def test_a_row_copied_into_another_workspace_opens_nothing_there(desk: Desk, other_desk: Desk) -> None:
    row = enter(desk)
    ProviderKeyFactory(workspace=other_desk.workspace, sealed=row.sealed)
    assert list(accounts_by_workspace([desk.workspace.pk, other_desk.workspace.pk])) == [desk.workspace.pk]


# -- what a worker asks with -------------------------------------------------------------------------------------------


def test_each_workspace_has_its_accounts_in_the_order_in_which_they_are_asked(desk: Desk, other_desk: Desk) -> None:
    for provider in (Provider.FIRECRAWL, Provider.PERPLEXITY, Provider.TAVILY):
        enter(desk, provider=provider)
    enter(desk, "https://searx.example.org/", Provider.SEARXNG)
    enter(other_desk, "their-key-of-the-other-desk")
    found = accounts_by_workspace([desk.workspace.pk, other_desk.workspace.pk, WorkspaceFactory().pk])
    assert [one.provider for one in found[desk.workspace.pk]] == list(Provider)
    assert [one.secret for one in found[other_desk.workspace.pk]] == ["their-key-of-the-other-desk"]
    assert set(found) == {desk.workspace.pk, other_desk.workspace.pk}


@pytest.mark.parametrize("number", [1, 6])
def test_the_accounts_of_all_workspaces_of_a_claim_cost_one_query(number: int) -> None:
    found = [SourceFactory(workspace=ProviderKeyFactory().workspace).pk for _ in range(number)]
    with CaptureQueriesContext(connection) as queries:
        targets = targets_of(found)
    assert all(target.accounts for target in targets.values())
    assert len([one for one in queries if "providerkey" in one["sql"]]) == 1
    assert len(queries) == 7


@dataclass
class Answering(World):
    """A world in which each account has a search of its own, and nothing is configured."""

    made: dict[str, FakeSearch] = field(default_factory=dict)

    def searches_of(self, accounts: tuple[Account, ...]) -> tuple[Search, ...]:
        return tuple(self.made.setdefault(one.secret, FakeSearch(name=one.provider)) for one in accounts)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Outside]:
        async with super().open() as opened:
            yield replace(opened, own_searches=self.searches_of)


def checked(desk: Desk, url: str) -> None:
    project = projects.create(workspace_id=desk.workspace.pk, name="Memo", by=desk.person(), at=NOW)
    found = registry.register_many(workspace_id=desk.workspace.pk, sources=[NewSource(identify(url), TITLE)], at=NOW)
    projects.enter(project=project, source_ids=[source.pk for source in found.by_key.values()], at=NOW)
    runs.start(project=project, scope=Scope.ALL, by=desk.person(), at=datetime.now(UTC))


def test_one_worker_asks_for_each_workspace_with_its_own_keys_and_logs_none(
    desk: Desk, other_desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    enter(desk)
    enter(other_desk, "their-canary-of-the-other-desk")
    checked(desk, "https://gazette.org/mine")
    checked(other_desk, "https://gazette.org/theirs")
    world = Answering(pages={url: gone(url) for url in ("https://gazette.org/mine", "https://gazette.org/theirs")})
    work.work(clock=lambda: datetime.now(UTC), budget_s=30, open_world=world.open)
    assert set(world.made) == {CANARY, "their-canary-of-the-other-desk"}
    assert all(f'"{TITLE}" site:gazette.org' in one.asked for one in world.made.values())
    assert Source.objects.filter(latest_check__evidence__unsearched=False).count() == 2
    assert "canary" not in caplog.text
    assert not Check.objects.filter(evidence__icontains="canary").exists()


def test_a_workspace_without_keys_is_told_that_nobody_was_asked(desk: Desk, other_desk: Desk) -> None:
    enter(other_desk)
    checked(desk, "https://gazette.org/mine")
    work.work(
        clock=lambda: datetime.now(UTC),
        budget_s=30,
        open_world=Answering(pages={"https://gazette.org/mine": gone("https://gazette.org/mine")}).open,
    )
    assert Source.objects.get().latest_check.evidence["unsearched"] is True
