"""A merge that is taken back leaves every row as it was, whatever hung on the sources."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from provenance_site.accounts.models import Workspace
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from sources.core.entries import Relationship
from sources.core.kinds import DecisionKind, FieldRule, PairState, ReviewReason
from sources.models import Source
from sources.services import merging
from sources.services.merge_cases import MergeRefused, Wanted
from tests.clock import NOW
from tests.desk import Desk, furnish
from tests.factories import (
    CatalogEntryFactory,
    ChunkFactory,
    ChunkStoreFactory,
    CitationFactory,
    DecisionFactory,
    DuplicatePairFactory,
    EntryAliasFactory,
    ObservationFactory,
    ObservationSourceFactory,
    ProjectFactory,
    ProjectVersionFactory,
    ReviewItemFactory,
    SourceAliasFactory,
    SourceFactory,
    TagFactory,
    TurnFactory,
    TurnSourceFactory,
)
from tests.unit.sources.disturbance import everything

SOURCES = 5
WORDS = st.sampled_from(["", "Harbour survey", "Tides", "Harbour survey of the northern coast"])
_KEPT_AS_HISTORY = {"changes.ChangeSet", "changes.Change", "sources.StatusChange"}


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, Any]:
    """Numbers that say which rows hang on which of five sources."""
    place, small = st.integers(0, SOURCES - 1), st.integers(0, 2)

    def some(*parts: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
        return st.lists(st.tuples(*parts), max_size=6, unique=True)

    return {
        "titles": draw(st.lists(WORDS, min_size=SOURCES, max_size=SOURCES)),
        "entries": draw(some(small, place)),
        "citations": draw(some(st.integers(0, 5), small)),
        "former": draw(st.lists(st.integers(0, 5), max_size=2)),
        "links": draw(some(small, place, st.sampled_from(Relationship))),
        "held": draw(st.lists(st.tuples(st.sampled_from(["chunk", "hit"]), place), max_size=4)),
        "spellings": draw(some(small, place)),
        "tags": draw(some(small, place)),
        "decided": draw(st.lists(st.tuples(place, st.sampled_from(DecisionKind)), max_size=3)),
        "asked": draw(st.lists(place, max_size=3, unique=True)),
        "pairs": draw(st.lists(st.tuples(place, place, st.sampled_from(PairState)), max_size=6)),
        "merges": draw(st.lists(st.tuples(place, st.lists(place, min_size=1, max_size=3)), min_size=1, max_size=3)),
        "fields": draw(st.sampled_from(FieldRule)),
    }


def build(workspace: Workspace, graph: dict[str, Any]) -> list[Source]:
    sources: list[Source] = [SourceFactory(workspace=workspace, title=title) for title in graph["titles"]]
    projects = [ProjectFactory(workspace=workspace) for _ in range(3)]
    versions = [ProjectVersionFactory(project=project) for project in projects]
    observations = [ObservationFactory(project=project) for project in projects]
    tags = [TagFactory(workspace=workspace) for _ in range(3)]
    entries = [
        CatalogEntryFactory(project=projects[project], source=sources[place], number=number)
        for number, (project, place) in enumerate(graph["entries"], start=1)
    ]
    for number, line in graph["citations"]:
        if number < len(entries):
            entry = entries[number]
            CitationFactory(entry=entry, version=versions[projects.index(entry.project)], line=line)
    for number in graph["former"]:
        if number < len(entries):
            EntryAliasFactory(entry=entries[number])
    for observation, place, relationship in graph["links"]:
        ObservationSourceFactory(
            observation=observations[observation], source=sources[place], relationship=relationship
        )
    store = ChunkStoreFactory(workspace=workspace)
    turn = TurnFactory(session__project=projects[0])
    made: dict[str, Callable[[Source], object]] = {
        "chunk": lambda source: ChunkFactory(store=store, source=source),
        "hit": lambda source: TurnSourceFactory(turn=turn, source=source),
    }
    for kind, place in graph["held"]:
        made[kind](sources[place])
    for spelling, place in graph["spellings"]:
        SourceAliasFactory(source=sources[place], spelling=f"spelling {spelling}")
    for tag, place in graph["tags"]:
        sources[place].tags.add(tags[tag])
    by = workspace.memberships.get(role=Role.EDITOR).user
    for place, kind in graph["decided"]:
        extra = {"override_verdict": "thin"} if kind is DecisionKind.OVERRIDE else {}
        DecisionFactory(source=sources[place], kind=kind, reason="Read it.", by=by, **extra)
    for place in graph["asked"]:
        ReviewItemFactory(source=sources[place], reason=ReviewReason.THIN)
    for one, other, state in {(min(a, b), max(a, b)): (a, b, s) for a, b, s in graph["pairs"] if a != b}.values():
        low, high = sorted((sources[one], sources[other]), key=lambda source: source.pk)
        DuplicatePairFactory(workspace=workspace, first=low, second=high, state=state)
    merging.follow_decisions(sources, by=by, at=NOW, reason="As decided")
    return sources


def rows() -> dict[str, list[tuple[Any, ...]]]:
    """Every row, without what history adds and without the counters of edits."""
    found = {label: told for label, told in everything().items() if label not in _KEPT_AS_HISTORY}
    version = [field.attname for field in Source._meta.concrete_fields].index("row_version")
    found["sources.Source"] = [row[:version] + row[version + 1 :] for row in found["sources.Source"]]
    tagged = Source.tags.through.objects.order_by("source_id", "tag_id")
    found["tags"] = list(tagged.values_list("source_id", "tag_id"))
    return found


@pytest.mark.django_db
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(graph=graphs())
def test_merges_taken_back_in_turn_leave_every_row_as_it_was(graph: dict[str, Any]) -> None:
    desk: Desk = furnish("Harbour desk")
    sources = build(desk.workspace, graph)
    deeds, states = [], [rows()]
    for number, (keep, lose) in enumerate(graph["merges"], start=1):
        wanted = Wanted(
            keep=sources[keep].pk,
            lose=tuple(sources[place].pk for place in dict.fromkeys(lose) if place != keep),
            fields=graph["fields"],
        )
        try:
            deed = merging.merge(
                workspace_id=desk.workspace.pk,
                wanted=[wanted],
                carry_retractions=True,
                by=desk.person(),
                channel=Channel.PAGE,
                at=NOW + timedelta(hours=number),
            )
        except MergeRefused:
            continue
        deeds.append(deed)
        states.append(rows())
    assert states[-1] != states[0] or not deeds
    for deed in reversed(deeds):
        states.pop()
        result = changes.undo(change_set=deed, by=desk.person(), at=NOW + timedelta(days=1))
        assert result.skipped == ()
        assert rows() == states[-1]
