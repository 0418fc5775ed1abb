"""The sample DOI agency answers as doi.org's proxy does."""

import json

import pytest

from provenance_site.sample.articles import Article, articles
from provenance_site.sample.publishers import DOI_HOST
from provenance_site.sample.site import respond

REGISTERED = [article for article in articles() if article.doi]


@pytest.mark.parametrize("article", REGISTERED, ids=lambda a: a.doi)
def test_a_registered_doi_has_a_handle_and_leads_to_its_page(article: Article) -> None:
    landing = f"http://tidewater-journal.sample.localhost:8010{article.path}"
    answer = respond(f"{DOI_HOST}:8010", f"/api/handles/{article.doi}", "", {})
    handle = json.loads(answer.body)
    assert (answer.status, handle["responseCode"], handle["handle"]) == (200, 1, article.doi)
    assert [(value["type"], value["data"]["value"]) for value in handle["values"]] == [("URL", landing)]
    redirect = respond(f"{DOI_HOST}:8010", f"/{article.doi}", "", {})
    assert (redirect.status, redirect.header("Location")) == (302, landing)


@pytest.mark.parametrize("spelling", ["10.5555/PROVDESK.2024.0117", "10.5555%2Fprovdesk.2024.0117"])
def test_a_doi_is_known_under_every_spelling(spelling: str) -> None:
    assert respond(DOI_HOST, f"/{spelling}", "", {}).status == 302
    assert respond(DOI_HOST, f"/api/handles/{spelling}", "", {}).status == 200


@pytest.mark.parametrize("name", ["10.5555/provdesk.2024.9999", "10.1000/182", "", "10.5555"])
def test_a_doi_that_nobody_registered_is_unknown(name: str) -> None:
    answer = respond(DOI_HOST, f"/api/handles/{name}", "", {})
    assert (answer.status, json.loads(answer.body)["responseCode"]) == (404, 100)
    assert respond(DOI_HOST, f"/{name}", "", {}).status == 404


def test_an_unknown_name_cannot_write_into_the_page() -> None:
    assert b"<script>" not in respond(DOI_HOST, "/10.1/%3Cscript%3E", "", {}).body
