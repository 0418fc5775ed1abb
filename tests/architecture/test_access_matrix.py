"""Every address that names a thing, for every role: a thing of another workspace answers like one that never existed.

The addresses come from the resolver, so a new one is in the matrix without anybody remembering it.
"""

import re
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver

from lineage.models import Edge, Entity, Relay
from provenance_site.accounts.models import ApiToken, Membership
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Change, ChangeSet
from provenance_site.jobs.models import Job, JobItem
from sources.models import (
    CatalogEntry,
    Chunk,
    ChunkStore,
    Concept,
    CorpusEntry,
    Decision,
    Draft,
    DraftVersion,
    Export,
    ExportOrder,
    ImportBatch,
    LongDeed,
    Observation,
    ObservationSource,
    OutlineSection,
    Project,
    RetractionProposal,
    Session,
    Source,
    Turn,
)
from tests.desk import HTMX, Desk, without_token
from tests.factories import (
    ApiTokenFactory,
    ChangeSetFactory,
    CheckRunFactory,
    ChunkFactory,
    ConceptFactory,
    DraftVersionFactory,
    ExportFactory,
    ExportOrderFactory,
    FeedAddressFactory,
    HarvestRequestFactory,
    HarvestRunFactory,
    ImportBatchFactory,
    JobFactory,
    LongDeedFactory,
    ObservationSourceFactory,
    OwnPatternFactory,
    OwnPublisherFactory,
    ProjectFactory,
    RelayFactory,
    RetractionProposalFactory,
    SavedViewFactory,
    ShipCheckFactory,
    SourceFactory,
    TurnFactory,
)
from validation.models import (
    Candidate,
    HarvestQuery,
    HarvestRequest,
    HarvestRun,
    OwnPattern,
    OwnPublisher,
    ShipCheck,
    SpotCheck,
)

pytestmark = pytest.mark.django_db
COUNTED = (
    ApiToken,
    Candidate,
    CatalogEntry,
    Change,
    ChangeSet,
    Chunk,
    ChunkStore,
    Concept,
    CorpusEntry,
    Decision,
    Draft,
    DraftVersion,
    Edge,
    Entity,
    Export,
    ExportOrder,
    HarvestRequest,
    HarvestQuery,
    HarvestRun,
    ImportBatch,
    Job,
    JobItem,
    LongDeed,
    Membership,
    Observation,
    ObservationSource,
    OutlineSection,
    OwnPattern,
    OwnPublisher,
    Project,
    Relay,
    RetractionProposal,
    Session,
    ShipCheck,
    Source,
    SpotCheck,
    Turn,
)
# The admin lists what operators may see and is tested on its own page by page.
_ELSEWHERE = ("admin/", "api/")


def addresses() -> list[str]:
    """Every address with one parameter, with `{}` where the parameter stands."""

    def walk(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[str]:
        for pattern in patterns:
            path = before + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, path)
            elif "<" in path and not path.startswith(_ELSEWHERE):
                yield path

    found = sorted(set(walk(get_resolver().url_patterns, "")))
    return [path.replace("<uuid:uuid>", "{}").replace("<int:pk>", "{}") for path in found]


ADDRESSES = addresses()


def things_of(desk: Desk) -> dict[str, list[Any]]:
    """One thing of each kind in a workspace, by the beginning of the addresses that may name it ('' for all others)."""
    project = ProjectFactory(workspace=desk.workspace)
    job = JobFactory(workspace=desk.workspace)
    CheckRunFactory(job=job, project=project)
    turn = TurnFactory(session__project=project)
    chunk = ChunkFactory(store__workspace=desk.workspace)
    link = ObservationSourceFactory(observation__project=project)
    return {
        "accounts/tokens/": [ApiTokenFactory(user=desk.person(Role.ADMIN), workspace=desk.workspace).pk],
        "sources/views/": [SavedViewFactory(workspace=desk.workspace, owner=desk.person(), is_shared=True).pk],
        "accounts/people/": [desk.person(Role.READER).memberships.get().pk],
        "chunks/": [chunk.pk],
        "notices/feeds/": [FeedAddressFactory(user=desk.person(Role.ADMIN), workspace=desk.workspace).pk],
        "lineage/relays/": [RelayFactory(workspace=desk.workspace).pk],
        "sessions/": [turn.session_id],
        "stores/": [chunk.store_id],
        "turns/": [turn.pk],
        "": [
            project.uuid,
            link.observation.uuid,
            ConceptFactory(workspace=desk.workspace).uuid,
            job.uuid,
            DraftVersionFactory(draft__project=project).draft.uuid,
            LongDeedFactory(job__workspace=desk.workspace).job.uuid,
            SourceFactory(workspace=desk.workspace).uuid,
            RetractionProposalFactory(workspace=desk.workspace).uuid,
            ImportBatchFactory(project=project).uuid,
            ChangeSetFactory(workspace=desk.workspace).uuid,
            ExportFactory(workspace=desk.workspace).uuid,
            ExportOrderFactory(workspace=desk.workspace).uuid,
            HarvestRunFactory(project=project).uuid,
            OwnPublisherFactory(workspace=desk.workspace).uuid,
            OwnPatternFactory(workspace=desk.workspace).uuid,
            ShipCheckFactory(job__workspace=desk.workspace).job.uuid,
            HarvestRequestFactory(draft__project=project).uuid,
        ],
    }


def test_the_matrix_is_not_empty_and_knows_every_parameter() -> None:
    assert len(ADDRESSES) >= 14
    assert not [path for path in ADDRESSES if "<" in path]


# Roles are told apart in Python, things are looked up in the database: the other one is asked once, as who may do most.
_ROLES = [pytest.param(role, marks=() if role is Role.ADMIN else pytest.mark.sqlite) for role in Role]
# How an answer is drawn for htmx is no matter of the database (see the test below it): the other one is asked plainly.
_ASKED_BY = ({}, HTMX) if connection.vendor == "sqlite" else ({},)


@pytest.mark.parametrize("role", _ROLES)
def test_a_foreign_thing_answers_like_one_that_never_existed(desk: Desk, other_desk: Desk, role: Role) -> None:
    foreign = things_of(other_desk)
    before = {model: model.objects.count() for model in COUNTED}
    client = desk.client(role)
    for address in ADDRESSES:
        names = names_for(address, foreign)
        # Things are found by workspace before a role is asked for: the one that may do most is shown all kinds of them,
        # the others one for each address, which is a fifth of the requests.
        names = names if role is Role.ADMIN else names[:1]
        # One that never existed is asked for once: its answer is the measure for all that do exist.
        missing = uuid.uuid4() if isinstance(names[0], uuid.UUID) else 2_000_000_000
        for method in ("get", "post"):
            for headers in _ASKED_BY:
                ask = partial(getattr(client, method), headers=headers)
                none = _told(ask("/" + address.format(missing)))
                assert none[0] in {403, 404, 405}, (method, address, role, none[0])
                # One thing shows what does not depend on its kind: htmx changes how an answer is drawn, never what is
                # looked up (the test below), and a method that is not allowed is refused before anything is looked up.
                asked_for = names[:1] if headers or none[0] == 405 else names
                told = [_told(ask("/" + address.format(name))) for name in asked_for]
                assert told == [none] * len(asked_for), (method, address, role, asked_for)
    assert {model: model.objects.count() for model in COUNTED} == before


@pytest.mark.sqlite
def test_a_foreign_thing_is_looked_up_alike_whether_htmx_asks_or_not(desk: Desk, other_desk: Desk) -> None:
    foreign = things_of(other_desk)
    client = desk.client(Role.ADMIN)
    looked_up = 0
    for address in ADDRESSES:
        path = "/" + address.format(names_for(address, foreign)[0])
        for ask in (client.get, client.post):
            plain, by_htmx = (statements(ask, path, headers) for headers in ({}, HTMX))
            assert by_htmx == plain, (ask.__name__, address)
            looked_up += len(plain)
    assert looked_up > len(ADDRESSES)


def _told(answer: Any) -> tuple[int, bytes]:
    return answer.status_code, without_token(answer.content)


def names_for(address: str, things: dict[str, list[Any]]) -> list[Any]:
    """The things by which `address` may be asked for."""
    return next(names for prefix, names in things.items() if address.startswith(prefix))


def statements(ask: Callable[..., object], path: str, headers: dict[str, str]) -> list[str]:
    """What the database is asked on the way to an answer, without the values."""
    with CaptureQueriesContext(connection) as asked:
        ask(path, headers=headers)
    return [re.sub(r"'[^']*'|\b\d+\b", "?", query["sql"]) for query in asked]
