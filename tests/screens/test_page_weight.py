"""A page has a bounded number of rows, however many things hang on what it shows; the others are a click away."""

import re
from collections.abc import Callable

import pytest

from tests.desk import Desk
from tests.factories import (
    DraftVersionFactory,
    HarvestRequestFactory,
    ObservationFactory,
    ObservationSourceFactory,
    ProjectFactory,
    ShipCheckFactory,
    ShipLinkFactory,
    SourceFactory,
)
from validation.core.shipping import Rule

pytestmark = pytest.mark.django_db
NUMBER = 230
MOST = 100


def sources_of_an_observation(desk: Desk) -> tuple[str, str]:
    observation = ObservationFactory(project__workspace=desk.workspace)
    for one in range(NUMBER):
        source = SourceFactory(workspace=desk.workspace, title=f"Row number {one}.")
        ObservationSourceFactory(observation=observation, source=source)
    return f"/o/{observation.uuid}/", "page"


def claims_of_a_draft(desk: Desk) -> tuple[str, str]:
    version = DraftVersionFactory(draft__project=ProjectFactory(workspace=desk.workspace))
    for one in range(NUMBER):
        HarvestRequestFactory(draft=version.draft, version=version, claim=f"Row number {one}.")
    return f"/d/{version.draft.uuid}/markers/", "page"


def links_of_a_ship_check(desk: Desk) -> tuple[str, str]:
    project = ProjectFactory(workspace=desk.workspace)
    check = ShipCheckFactory(job__workspace=desk.workspace, project=project)
    for one in range(NUMBER):
        ShipLinkFactory(check_made=check, position=one + 1, line=one + 1, address=f"Row number {one}.")
    return f"/ship/{check.job.uuid}/", "page"


def remarks_of_a_ship_check(desk: Desk) -> tuple[str, str]:
    told: dict[str, object] = {"rule": Rule.MARKER, "level": "error", "column": 1, "address": ""}
    remarks = [told | {"message": f"Row number {one}.", "line": one + 1} for one in range(NUMBER)]
    project = ProjectFactory(workspace=desk.workspace)
    check = ShipCheckFactory(job__workspace=desk.workspace, project=project, standing=remarks)
    return f"/ship/{check.job.uuid}/", "remarks"


@pytest.mark.parametrize(
    "fill", [sources_of_an_observation, claims_of_a_draft, links_of_a_ship_check, remarks_of_a_ship_check]
)
def test_a_page_shows_a_part_and_leads_to_the_rest(desk: Desk, fill: Callable[[Desk], tuple[str, str]]) -> None:
    path, parameter = fill(desk)
    client, seen = desk.client(), set()
    for number in range(1, NUMBER // 20):
        page = client.get(path, {parameter: number}).content.decode()
        rows = set(re.findall(r"Row number (\d+)\.", page))
        assert 0 < len(rows) <= MOST, (number, len(rows))
        seen |= rows
        if f"{parameter}={number + 1}" not in page:
            break
    assert seen == {str(one) for one in range(NUMBER)}
