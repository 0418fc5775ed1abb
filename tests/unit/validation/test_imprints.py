"""Publisher and date of what was found stand in its citation, whoever tells them and whoever answers first."""

from collections.abc import Iterator
from typing import Any

import pytest

from provenance_site.changes.models import Channel
from sources.core.citations import CorpusItem
from sources.models import CatalogEntry, Project
from sources.queries import corpora
from tests.clock import NOW
from tests.desk import Desk
from tests.unit.validation.harvest_site import HarvestSite, opened
from tests.unit.validation.shipping import draft_of
from tests.unit.validation.test_harvest import MARKET, SONAR, carried_out, planned, project_with
from validation import dispatch, tasks
from validation.core.harvest_tools import Tool
from validation.models import RequestCandidate
from validation.queries.harvests import candidates_of
from validation.services import marker_resolution

pytestmark = pytest.mark.django_db
META = '<meta property="og:site_name" content="The Gazette"><meta property="article:published_time" content="{}">'
LINKED = (
    '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "Robots", "datePublished": '
    '"2024-04-25T08:00:00Z", "publisher": {"@type": "Organization", "name": "The Gazette"}}</script>'
)
SCHOLARLY = (
    '<meta name="citation_publication_date" content="2024/04/25"><meta name="citation_journal_title" '
    'content="The Gazette"><meta property="og:site_name" content="A library of gazettes">'
)
FULL = "2024, Apr 25. [{}]({}). The Gazette. Published: 2024-04-25"
CLAIM = "Harbour robots found their market in the north."


@pytest.fixture
def site(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[HarvestSite]:
    for task in (tasks.work_on_harvests, tasks.work_on_harvest_requests):
        monkeypatch.setattr(task, "apply_async", lambda *_, **__: None)
    yield from opened(settings)


def item_at(project: Project, address: str) -> CorpusItem:
    (found,) = {item.id: item for item in corpora.corpus_of(project=project, at=NOW) if item.url == address}.values()
    return found


@pytest.mark.parametrize("head", [META.format("2024-04-25T08:00:00+02:00"), LINKED, SCHOLARLY])
def test_what_a_page_says_of_itself_is_in_its_citation(desk: Desk, site: HarvestSite, head: str) -> None:
    """The page knows its date better than the search that listed it."""
    site.heads["/market"] = head
    site.dated = {Tool.TAVILY: "2019-01-01"}
    project = project_with(desk, MARKET)
    carried_out(desk, planned(desk, project))
    url = site.url("/market")
    assert item_at(project, url).definition == FULL.format(site.titles["/market"], url)


@pytest.mark.parametrize("tool", [Tool.SEARXNG, Tool.TAVILY, Tool.PERPLEXITY])
def test_a_date_that_one_search_tells_is_kept_whoever_else_found_the_page(
    desk: Desk, site: HarvestSite, tool: Tool
) -> None:
    site.found = {**site.found, Tool.SEARXNG: ["/market"], Tool.PERPLEXITY: ["/market"]}
    site.dated = {tool: "2024-04-25"}
    project = project_with(desk, MARKET)
    carried_out(desk, planned(desk, project))
    assert item_at(project, site.url("/market")).published == "2024-04-25"


def test_of_a_work_the_registry_is_believed_before_the_page(desk: Desk, site: HarvestSite) -> None:
    site.heads["/sonar"] = META.format("2011-11-11")
    site.registered = {"container-title": ["Journal of Quays"], "issued": {"date-parts": [[2024, 4]]}}
    project = project_with(desk, SONAR)
    carried_out(desk, planned(desk, project))
    (item,) = corpora.corpus_of(project=project, at=NOW)
    assert (item.publisher, item.published) == ("Journal of Quays", "2024-04")


def test_a_source_that_was_chosen_for_a_claim_has_them_too(desk: Desk, site: HarvestSite) -> None:
    site.heads["/market"] = META.format("2024-04-25")
    site.found = {**{one: [] for one in site.found}, Tool.TAVILY: ["/market"]}
    project = project_with(desk, MARKET)
    version = draft_of(desk, project, f"# Market\n\n{CLAIM} [src-404]\n")
    dispatch.request_sources(version=version, claims=[CLAIM], by=desk.person(), at=NOW)
    tasks.work_on_harvest_requests()
    candidate = RequestCandidate.objects.select_related("request__draft__project__workspace").get(
        url=site.url("/market")
    )
    cited = marker_resolution.pick(candidate=candidate, by=desk.person(), channel=Channel.PAGE, at=NOW)
    url = site.url("/market")
    assert f"[^1]: {FULL.format(site.titles['/market'], url)}" in cited.gated_text
    assert CatalogEntry.objects.get().stable_id == "src-001"


def test_what_was_found_is_listed_best_first(desk: Desk, site: HarvestSite) -> None:
    site.found = {**{one: [] for one in site.found}, Tool.TAVILY: ["/sonar", "/history", "/gone", "/market"]}
    run = carried_out(desk, planned(desk, project_with(desk, MARKET)))
    listed = [row.url for row in candidates_of(run)]
    assert listed == [site.url(page) for page in site.found[Tool.TAVILY]]
