"""What no database keeps is told to whoever sends it over JSON, wherever it stands; nothing breaks over it."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client

from provenance_site.accounts.roles import Role
from provenance_site.api import api
from tests.clearance import api_client
from tests.damage import HALF, LONG, NUL, Schemas, exchanged
from tests.desk import Desk
from tests.layers import Layer, layer

pytestmark = pytest.mark.django_db

DOCUMENT = api.get_openapi_schema(path_prefix="/api/v1/")
SCHEMAS = Schemas(DOCUMENT)


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.EXPORT_DIR = tmp_path / "exports"


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def real(path: str, seen: Layer) -> str:
    """The address with the key of a thing that is there."""
    work = seen.work
    keys = {
        "runs": seen.run.job.uuid,
        "harvests": work.harvest.uuid,
        "ship-checks": work.ship.job.uuid,
        "drafts": work.draft.uuid,
        "source-requests": work.request.uuid,
        "observations": seen.observation.uuid,
        "projects": seen.project.uuid,
        "exports": seen.export.uuid,
        "export-orders": seen.order.uuid,
        "imports": seen.batch.uuid,
        "retractions": work.proposal.uuid,
    }
    path = path.replace("{uuid}", str(keys.get(path.split("/")[3], "")))
    chunk = seen.document.store.chunks.get(path=seen.document.path).pk
    return path.replace("{pk}", str(chunk)).replace("{measure}", "orphans")


def client_of(desk: Desk) -> Client:
    client = api_client(desk, desk.person(Role.ADMIN))
    client.raise_request_exception = False
    return client


@contextmanager
def undone() -> Iterator[None]:
    """Whatever a request did, the next one finds things as they were: a statement that PostgreSQL refuses, too."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def test_no_parameter_of_any_address_breaks_it(desk: Desk) -> None:
    seen, client = layer(desk, "tides", "public"), client_of(desk)
    broken, taken = [], []
    for method, path, operation in operations():
        parameters = operation.get("parameters", ())
        asked = [one for one in parameters if one["in"] == "query" and method == "get"]
        needed = {one["name"]: "x" for one in asked if one.get("required")}
        urls = [
            f"{real(path, seen)}?{urlencode({**needed, one['name']: value}, errors='surrogatepass')}"
            for one in asked
            for value in (LONG if SCHEMAS.type_of(one["schema"]) in ("integer", "number") else (NUL, HALF))
        ]
        urls += [re.sub("{.+?}", one, path) for one in ("a%00b", str(LONG[0])) if "{" in path]
        for url in urls:
            with undone():
                answer = getattr(client, method)(url)
            if answer.status_code >= 500:
                broken.append(url[:200])
            if "%00" in url and "?" in url and answer.status_code != 422:
                taken.append(url)
    assert "\n".join(broken) == ""
    assert "\n".join(taken) == ""


def test_no_field_of_any_body_breaks_its_address(desk: Desk) -> None:
    seen, client = layer(desk, "tides", "public"), client_of(desk)
    known = {"project": seen.project.name, "section": seen.project.sections.get().slug}
    known |= dict.fromkeys(("keep", "source", "candidate"), str(seen.sources[0].uuid))
    broken, taken = [], []
    for method, path, operation in operations():
        for kind, told in operation.get("requestBody", {}).get("content", {}).items():
            fitting, address = SCHEMAS.fitting(told["schema"], known), real(path, seen)
            for where, what in SCHEMAS.places(told["schema"]):
                if where == ("file",):
                    continue
                texts = (NUL, HALF) if "json" in kind else (NUL,)
                for value in (*LONG, float("nan"), float("inf")) if what in ("integer", "number") else texts:
                    body = exchanged(fitting, where, value)
                    with undone():
                        answer = getattr(client, method)(address, *_body(body, kind))
                    said = f"{method} {path} {where} {value!r}: {answer.status_code} {answer.content[:200]!r}"
                    if answer.status_code >= 500:
                        broken.append(said)
                    if value in (NUL, HALF):
                        *_, name = (part for part in where if isinstance(part, str))
                        (first, *_) = answer.json()["detail"] if answer.status_code == 422 else ({},)
                        if not isinstance(first, dict) or name not in first.get("loc", ()):
                            taken.append(said)
    assert "\n".join(broken) == ""
    assert "\n".join(taken) == ""


def _body(body: Any, kind: str) -> tuple[Any, ...]:
    if "json" in kind:
        return json.dumps(body), kind
    return ({**body, "file": SimpleUploadedFile("a.md", b"https://a.example/1")},)
