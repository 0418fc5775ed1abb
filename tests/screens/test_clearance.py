"""What is above a member's clearance is to them as if it had never been: on every address of the registry, of checks.

The addresses come from the resolver: a new one fails here until it is put into the list, with how it is asked, or with
the reason why it need not be.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver

from provenance_site.accounts.models import User
from provenance_site.accounts.roles import Role
from sources.core.chunking import hash_of
from tests.clearance import api_client, cleared_for_internal, page_client, told
from tests.clearance_pages import API, ELSEWHERE, PAGES, Asked
from tests.desk import Desk, without_token
from tests.layers import Layer, layer, told_of

pytestmark = pytest.mark.django_db
MISSING = "00000000-0000-4000-8000-000000000000"


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.EXPORT_DIR = tmp_path / "exports"


def names() -> Iterator[tuple[str, str]]:
    """Door and name of each address of the product that is not of another room."""

    def walk(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[tuple[str, str]]:
        for pattern in patterns:
            path = before + str(pattern.pattern)
            if path.startswith(tuple(ELSEWHERE)) or (path == "api/v1/" and isinstance(pattern, URLPattern)):
                continue
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, path)
            else:
                yield ("api" if path.startswith("api/") else "page"), str(pattern.name)

    yield from walk(get_resolver().url_patterns, "")


def test_every_address_is_in_the_list() -> None:
    found = set(names())
    assert {name for door, name in found if door == "page"} - {"search-provider"} == set(PAGES) - {"search-provider"}
    assert {name for door, name in found if door == "api"} - {"api-root"} == set(API)


@pytest.fixture
def reader(desk: Desk) -> User:
    return cleared_for_internal(desk)


def differences(client: Client, paths: list[str], before: dict[str, tuple[int, str]]) -> list[str]:
    """For each address whose answer is another now: itself, and the first line that differs."""
    found = []
    for path in paths:
        now, then = told(client, path), before[path]
        if now != then:
            lines = zip([str(then[0]), *then[1].splitlines()], [str(now[0]), *now[1].splitlines()], strict=False)
            first = next((f"{old.strip()!r} became {new.strip()!r}" for old, new in lines if old != new), "length")
            found.append(f"{path}: {first}"[:400])
    return found


def asked(addresses: dict[str, Asked | str], of: Layer, before: str = "") -> list[str]:
    return [before + path for how in addresses.values() if not isinstance(how, str) for path in how(of)]


def doors(desk: Desk, person: User, of: Layer) -> list[tuple[Client, list[str]]]:
    return [
        (page_client(person), asked(PAGES, of)),
        (api_client(desk, person), asked(API, of, "/api/v1")),
    ]


def test_every_page_is_as_if_what_is_hidden_had_never_been(desk: Desk, reader: User) -> None:
    seen = layer(desk, "tides", "public")
    told_of(reader, seen)
    both = doors(desk, reader, seen)
    before = [{path: told(client, path) for path in paths} for client, paths in both]
    broken = {path: answer[0] for answers in before for path, answer in answers.items() if answer[0] != 200}
    assert broken == {}
    told_of(reader, layer(desk, "wrecks", "restricted", under=seen))
    found = [
        line for (client, paths), was in zip(both, before, strict=True) for line in differences(client, paths, was)
    ]
    assert "\n".join(found) == ""


def test_who_reads_everything_sees_both_layers(desk: Desk) -> None:
    seen = layer(desk, "tides", "public")
    layer(desk, "wrecks", "restricted", under=seen)
    client = page_client(desk.person(Role.ADMIN))
    for path in ("/sources/", "/queue/", "/observations/", "/history/", f"/p/{seen.project.uuid}/report.md"):
        assert "wrecks" in told(client, path)[1], path


def _addressed(hidden: Layer) -> list[tuple[str, str, Any, Any]]:
    """Method, address with `{}`, what is hidden, and what never was, for each kind of thing that has an address."""
    source, turn_over = hidden.sources[0].uuid, 999_999_999
    chunk = hidden.document.store.chunks.get(path=hidden.document.path).pk
    return [
        *(
            ("get", f"/s/{{}}/{path}", source, MISSING)
            for path in ("", "edit/", "retraction/", "knowledge/", "remove/")
        ),
        *(
            ("post", f"/s/{{}}/{path}", source, MISSING)
            for path in ("edit/", "decide/", "retraction/decide/", "retraction/acknowledge/", "remove/")
        ),
        *(("get", f"/o/{{}}/{path}", hidden.observation.uuid, MISSING) for path in ("", "edit/")),
        *(
            ("post", f"/o/{{}}/{path}", hidden.observation.uuid, MISSING)
            for path in ("edit/", "delete/", "link/", "unlink/", "link-turn/")
        ),
        ("get", "/exports/{}/", hidden.export.uuid, MISSING),
        ("get", "/exports/{}/file/", hidden.export.uuid, MISSING),
        ("get", "/exports/orders/{}/", hidden.order.uuid, MISSING),
        ("get", "/imports/{}/", hidden.batch.uuid, MISSING),
        ("post", "/imports/{}/commit/", hidden.batch.uuid, MISSING),
        ("post", "/imports/{}/discard/", hidden.batch.uuid, MISSING),
        ("get", "/chunks/{}/provenance.json", chunk, turn_over),
        ("get", "/runs/{}/", hidden.own_run.job.uuid, MISSING),
        ("get", "/runs/{}/report.json", hidden.own_run.job.uuid, MISSING),
        ("post", "/runs/{}/cancel/", hidden.own_run.job.uuid, MISSING),
        ("get", "/sources/removed/{}/", hidden.removed.uuid, MISSING),
        ("post", "/changes/{}/undo/", hidden.removed.uuid, MISSING),
        ("get", "/deeds/{}/", hidden.deed.job.uuid, MISSING),
        ("post", "/deeds/{}/stop/", hidden.deed.job.uuid, MISSING),
        (
            "get",
            f"/stores/{hidden.document.store.pk}/document/?key={{}}",
            hash_of(hidden.document.path),
            hash_of("none"),
        ),
        *(
            ("get", f"/d/{{}}/{path}", hidden.work.draft.uuid, MISSING)
            for path in ("", "gated.md", "diff/", "ship/", "markers/")
        ),
        *(("post", f"/d/{{}}/{path}", hidden.work.draft.uuid, MISSING) for path in ("again/", "policy/", "correct/")),
        ("get", "/harvests/{}/", hidden.work.own_harvest.uuid, MISSING),
        ("post", "/harvests/{}/cancel/", hidden.work.own_harvest.uuid, MISSING),
        ("get", "/markers/{}/", hidden.work.request.uuid, MISSING),
        ("get", "/ship/{}/", hidden.work.ship.job.uuid, MISSING),
        ("get", "/ship/{}/report.json", hidden.work.ship.job.uuid, MISSING),
        ("post", "/ship/{}/spot/", hidden.work.ship.job.uuid, MISSING),
        ("get", "/retractions/proposals/{}/", hidden.work.proposal.uuid, MISSING),
        *(
            ("post", f"/retractions/proposals/{{}}/{path}/", hidden.work.proposal.uuid, MISSING)
            for path in ("approve", "refuse", "withdraw")
        ),
        ("get", f"/duplicates/merge/?keep={{0}}&source={{0}}&source={source}", source, MISSING),
    ]


def _answer(client: Client, method: str, path: str) -> tuple[int, bytes, int]:
    with CaptureQueriesContext(connection) as queries:
        answer: Any = getattr(client, method)(path)
    return answer.status_code, without_token(answer.content), len(queries)


def test_what_is_hidden_is_addressed_like_what_never_was(desk: Desk, reader: User) -> None:
    seen = layer(desk, "tides", "public")
    hidden = layer(desk, "wrecks", "confidential", under=seen)
    client = page_client(reader)
    told(client, "/sources/")
    for method, path, there, never in _addressed(hidden):
        answers = {_answer(client, method, path.format(one)) for one in (there, never)}
        assert len(answers) == 1, f"{method} {path}: {answers}"
        assert next(iter(answers))[0] == 404, f"{method} {path}"
    api = api_client(desk, reader)
    told(api, "/api/v1/observations")
    for path, there in (
        ("exports/{}", hidden.export.uuid),
        ("exports/{}/file", hidden.export.uuid),
        ("export-orders/{}", hidden.order.uuid),
        ("imports/{}", hidden.batch.uuid),
        ("runs/{}", hidden.own_run.job.uuid),
        ("runs/{}/report", hidden.own_run.job.uuid),
        ("drafts/{}", hidden.work.draft.uuid),
        ("harvests/{}", hidden.work.own_harvest.uuid),
        ("source-requests/{}", hidden.work.request.uuid),
        ("ship-checks/{}", hidden.work.ship.job.uuid),
        ("retractions/proposals/{}", hidden.work.proposal.uuid),
    ):
        answers = {_answer(api, "get", "/api/v1/" + path.format(one)) for one in (there, MISSING)}
        assert len(answers) == 1, f"{path}: {answers}"
        assert next(iter(answers))[0] == 404, path
