"""What a person may not see leaves no trace on any address of lineage: not in bytes, not in numbers, not in queries."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from lineage.core.causes import CauseKind
from lineage.core.relations import Label
from lineage.models import Entity
from lineage.services import deletion, impact, labels
from lineage.services.impact import What
from lineage.urls import urlpatterns
from provenance_site.accounts.models import Membership
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel
from tests.clock import NOW
from tests.desk import Desk, without_token
from tests.factories import HeldEdgeFactory
from tests.graphs import graph

pytestmark = pytest.mark.django_db

SEEN = (
    "claim:k SUPPORTED_BY chunk:c",
    "claim:k DERIVED_FROM chunk:d",
    "chunk:c CHUNKED_FROM artifact:a",
    "chunk:d CHUNKED_FROM artifact:a",
    "artifact:a FETCHED_FROM source:s",
    "report:r CONTAINS claim:k",
)
# What rests on what may be seen, and, through a claim that was declassified, what lies under it.
HIDDEN = (
    "claim:h SUPPORTED_BY chunk:c",
    "report:hr CONTAINS claim:h",
    "report:hr CONTAINS claim:k",
    "chunk:hc CHUNKED_FROM artifact:ha",
    "claim:k SUPPORTED_BY chunk:hc",
)
_CONFIDENTIAL = dict.fromkeys(("h", "hr", "hc", "ha"), "confidential")

Parameters = Callable[[str], dict[str, str]]


def by_ref(ref: str) -> dict[str, str]:
    return {"ref": ref}


# How each address is asked about a node; None for those that name none.
PAGES: dict[str, Parameters | None] = {
    "lineage": lambda ref: {"q": ref.partition("://")[2][:2]},
    "lineage-entity": lambda ref: {"ref": ref, "depth": "4"},
    "lineage-json": lambda ref: {"ref": ref, "depth": "4"},
    "lineage-svg": lambda ref: {"ref": ref, "depth": "4"},
    "lineage-file": lambda ref: {"ref": ref, "format": "prov-json"},
    "lineage-impact": by_ref,
    "lineage-impact-csv": by_ref,
    "lineage-cause": by_ref,
    "lineage-explain": by_ref,
    "lineage-replay": by_ref,
    "lineage-deletion": by_ref,
    "lineage-release": by_ref,
    "lineage-path": lambda ref: {"a": ref, "b": "source://s/v1"},
    "lineage-run": lambda _: {"run": "run-1"},
    "lineage-diff": lambda _: {"first": "run-1", "second": "run-2"},
    "lineage-recall": lambda _: {"transform": "chunk", "version": "2"},
    "lineage-worklist": None,
    "lineage-held": None,
    "lineage-measures": None,
    "lineage-measure": lambda _: {"measure": "orphans"},
    "lineage-policies": None,
    "lineage-relays": None,
}
DEEDS = {
    "lineage-verify",
    "lineage-label",
    "lineage-keep",
    "lineage-clear",
    "lineage-settle",
    "lineage-held-decide",
    "lineage-relay-remove",
}
ROUTES = {str(one.name): "/lineage/" + str(one.pattern) for one in urlpatterns}
ASKED_BY_REF = [
    name
    for name, how in PAGES.items()
    if how and name not in {"lineage", "lineage-run", "lineage-diff", "lineage-recall", "lineage-measure"}
]


def test_every_address_is_looked_at() -> None:
    assert set(ROUTES) == set(PAGES) | DEEDS


def told(client: Client, name: str, ref: str) -> tuple[int, bytes]:
    how = PAGES[name]
    answer: Any = client.get(f"{ROUTES[name]}?{urlencode(how(ref) if how else {})}")
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return answer.status_code, without_token(content)


@pytest.fixture
def seen(desk: Desk) -> dict[str, Entity]:
    Membership.objects.filter(workspace=desk.workspace).update(clearance="internal")
    nodes = graph(desk.workspace, *SEEN, run="run-1", transform="chunk@2")
    graph(desk.workspace, "chunk:e CHUNKED_FROM artifact:a", run="run-2", transform="chunk@2")
    what = What(CauseKind.RETRACTION, "Withdrawn.", entity=nodes["s"])
    impact.propagate(workspace_id=desk.workspace.pk, what=what, by=None, at=NOW)
    deletion.bury(entity_ids=[nodes["a"].pk], why="Asked for.", by=None, at=NOW)
    return nodes


def hide(desk: Desk) -> dict[str, Entity]:
    """Adds what the desk's people (cleared for internal) may not see; what they could see they still can."""
    nodes = graph(desk.workspace, *SEEN, *HIDDEN, labels=_CONFIDENTIAL, run="run-1", transform="chunk@2")
    cleared = desk.person(Role.ADMIN).memberships.get()
    Membership.objects.filter(pk=cleared.pk).update(clearance="confidential")
    person = type(desk.person(Role.ADMIN)).objects.get(pk=desk.person(Role.ADMIN).pk)
    labels.declassify(
        workspace_id=desk.workspace.pk,
        ref=nodes["k"].ref,
        to=Label.INTERNAL,
        reason="Cleared.",
        by=person,
        channel=Channel.PAGE,
        at=NOW,
    )
    HeldEdgeFactory(
        workspace=desk.workspace, from_ref=nodes["k"].ref, to_ref=nodes["h"].ref, facts={"relation": "DERIVED_FROM"}
    )
    what = What(CauseKind.RETRACTION, "A hidden source fell.", entity=nodes["h"])
    impact.propagate(workspace_id=desk.workspace.pk, what=what, by=None, at=NOW)
    return nodes


@pytest.mark.parametrize("name", PAGES)
def test_an_address_answers_as_if_what_is_hidden_had_never_been(desk: Desk, seen: dict[str, Entity], name: str) -> None:
    client = desk.client(Role.EDITOR)
    refs = [seen[one].ref for one in ("s", "a", "c", "k", "r")] if PAGES[name] else [""]
    before = {ref: told(client, name, ref) for ref in refs}
    hide(desk)
    for ref in refs:
        assert told(client, name, ref)[1].decode().splitlines() == before[ref][1].decode().splitlines(), ref


@pytest.mark.parametrize("name", ASKED_BY_REF)
def test_hidden_foreign_and_missing_refs_have_one_answer_and_cost(
    desk: Desk, other_desk: Desk, seen: dict[str, Entity], name: str
) -> None:
    hidden = hide(desk)["hr"].ref
    foreign = graph(other_desk.workspace, "report:f CONTAINS claim:g")["f"].ref
    client = desk.client(Role.EDITOR)
    told(client, "lineage", "")
    answers: list[tuple[Any, ...]] = []
    for ref in (hidden, foreign, "report://none/v1", "no ref at all", ""):
        with CaptureQueriesContext(connection) as queries:
            answer = told(client, name, ref)
        answers.append((*answer, len(queries)) if ref or name != "lineage-path" else answers[0])
    assert answers[0][0] == 404
    assert answers == [answers[0]] * len(answers)


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("lineage-verify", {"result": "PASS"}),
        ("lineage-label", {"to": "public", "reason": "x"}),
        ("lineage-keep", {"deed": "hold", "keep-reason": "x"}),
        ("lineage-cause", {"reason": "x"}),
        ("lineage-release", {}),
    ],
)
def test_deeds_on_what_is_not_there_are_answered_alike(
    desk: Desk, other_desk: Desk, seen: dict[str, Entity], name: str, fields: dict[str, str]
) -> None:
    hidden = hide(desk)["hr"].ref
    Membership.objects.filter(user=desk.person(Role.ADMIN)).update(clearance="internal")
    foreign = graph(other_desk.workspace, "report:f CONTAINS claim:g")["f"].ref
    for role in Role:
        client = desk.client(role)
        answers = [
            (answer.status_code, without_token(answer.content))
            for ref in (hidden, foreign, "report://none/v1")
            for answer in [client.post(f"{ROUTES[name]}?{urlencode({'ref': ref})}", fields)]
        ]
        assert answers[0][0] in {403, 404}
        assert answers == [answers[0]] * 3


def test_whoever_may_see_it_does(desk: Desk, seen: dict[str, Entity]) -> None:
    """What was hidden above is there: the same addresses differ for a person who is cleared for it."""
    client = desk.client(Role.EDITOR)
    hide(desk)
    names = ("lineage-entity", "lineage-svg", "lineage-impact", "lineage-impact-csv", "lineage-worklist", "lineage-run")
    before = [told(client, name, seen["c"].ref) for name in names]
    Membership.objects.filter(user=desk.person(Role.EDITOR)).update(clearance="confidential")
    after = [told(desk.client(Role.EDITOR), name, seen["c"].ref) for name in names]
    assert not [name for name, one, two in zip(names, before, after, strict=True) if one == two]
