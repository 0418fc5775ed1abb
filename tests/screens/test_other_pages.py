"""What stands on other pages of a list costs a page little: counts are those of the rows that it shows."""

from collections.abc import Callable

import pytest

from sources.models import Observation, Source
from tests.desk import Desk
from tests.effort import counted_effort
from tests.factories import (
    CatalogEntryFactory,
    ConceptFactory,
    ObservationFactory,
    ObservationSourceFactory,
    ProjectFactory,
    ReviewItemFactory,
    SourceFactory,
    TagFactory,
)

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]


def projects(desk: Desk, number: int) -> str:
    """Each with sources about which a question waits."""
    sources = SourceFactory.create_batch(10, workspace=desk.workspace)
    for source in sources:
        ReviewItemFactory(source=source)
    for _ in range(number):
        project = ProjectFactory(workspace=desk.workspace)
        for source in sources:
            CatalogEntryFactory(project=project, source=source)
    return "/"


def observations(desk: Desk, number: int) -> str:
    """Each resting on sources."""
    project = ProjectFactory(workspace=desk.workspace)
    sources = SourceFactory.create_batch(10, workspace=desk.workspace)
    for _ in range(number):
        row = ObservationFactory(project=project)
        for source in sources:
            ObservationSourceFactory(observation=row, source=source)
    return "/observations/"


def concepts(desk: Desk, number: int) -> str:
    """Each with observations about it."""
    project = ProjectFactory(workspace=desk.workspace)
    rows: list[Observation] = ObservationFactory.create_batch(10, project=project)
    for _ in range(number):
        concept = ConceptFactory(workspace=desk.workspace)
        concept.observations.set(rows)
    return "/concepts/"


def tags(desk: Desk, number: int) -> str:
    """Each on one of two hundred sources."""
    sources = list(Source.objects.filter(workspace=desk.workspace))
    sources = sources or SourceFactory.create_batch(200, workspace=desk.workspace)
    for one in range(number):
        sources[one].tags.add(TagFactory(workspace=desk.workspace))
    return "/sources/"


@pytest.mark.parametrize("fill", [projects, observations, concepts, tags])
def test_a_page_costs_the_same_however_many_pages_there_are(desk: Desk, fill: Callable[[Desk, int], str]) -> None:
    client = desk.client()
    path = fill(desk, 50)
    client.get(path)
    with counted_effort() as one_page:
        assert client.get(path).status_code == 200
    fill(desk, 200)
    with counted_effort() as five_pages:
        assert client.get(path).status_code == 200
    assert one_page.hundreds > 5
    assert five_pages.hundreds < 2 * one_page.hundreds, (one_page.hundreds, five_pages.hundreds)
