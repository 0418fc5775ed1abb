"""The draft and the table of what it should come to belong together."""

import re
from urllib.parse import urlsplit

from provenance_site.sample.articles import articles
from provenance_site.sample.draft import expectations, sample_list
from provenance_site.sample.publishers import HOSTS
from sources.core.findings import Cause, Verdict

PORT = 8123


def test_every_address_of_the_draft_has_an_expectation_and_the_other_way_round() -> None:
    # ")" ends a Markdown link, ">" an autolink, a space stands before a link's title.
    cited = {found.rstrip(".") for found in re.findall(r"(?:https?://|doi:10\.)[^\s)>]+", sample_list(PORT))}
    known = [spelling for e in expectations(PORT) for spelling in (e.spelling, *e.also)]
    assert cited == set(known)
    assert len(known) == len(set(known))


def test_every_verdict_is_reached() -> None:
    assert {Verdict(e.verdict) for e in expectations(PORT)} == set(Verdict)


def test_every_cause_is_a_known_one() -> None:
    for expectation in expectations(PORT):
        assert expectation.causes
        assert all(Cause(cause) for cause in expectation.causes)


def test_every_sample_address_names_a_sample_host_and_the_port() -> None:
    for expectation in expectations(PORT):
        for spelling in (expectation.spelling, *expectation.also, expectation.recovered_url):
            parts = urlsplit(spelling)
            if "sample" in parts.netloc:
                assert parts.hostname in HOSTS
                assert parts.port == PORT


def test_what_is_recovered_is_a_page_of_ours() -> None:
    addresses = {f"http://{article.host}:{PORT}{article.path}" for article in articles()}
    recovered = [e for e in expectations(PORT) if e.verdict == Verdict.VERIFIED_VIA_REPUBLISH]
    assert {e.recovered_url for e in recovered} <= addresses
    assert all(e.recovered_url == "" for e in expectations(PORT) if e not in recovered)


def test_the_draft_has_sections_footnotes_and_a_second_spelling() -> None:
    text = sample_list(PORT)
    assert len(re.findall(r"^## ", text, re.MULTILINE)) >= 5
    marks = set(re.findall(r"(?<!^)\[\^(\d+)\]", text))
    notes = set(re.findall(r"^\[\^(\d+)\]:", text, re.MULTILINE))
    assert marks == notes
    assert any(e.also for e in expectations(PORT))
    assert "{port}" not in text
    assert "{station_id}" in text
