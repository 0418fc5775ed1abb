"""Which preprint belongs to which published work is read from records, in the right direction, and never guessed."""

from typing import Any

import pytest

from sources.core.kinds import IdentifierType
from sources.core.retraction_status import Provider
from validation.core.preprint_relations import Version, arxiv_versions, crossref_versions, preprint_versions
from validation.core.retraction_ids import WorkId

PREPRINT = WorkId(IdentifierType.DOI, "10.1101/2020.01.30.927871")
PUBLISHED = WorkId(IdentifierType.DOI, "10.5555/published")


def related(own: WorkId, **relations: Any) -> tuple[Version, ...]:
    return crossref_versions(
        {"DOI": own.value.upper(), "relation": {name.replace("_", "-"): value for name, value in relations.items()}}
    )


def named(work: WorkId, kind: str = "doi") -> list[dict[str, str]]:
    return [{"id-type": kind, "id": work.value, "asserted-by": "subject"}]


def test_both_sides_of_crossrefs_relation_say_the_same() -> None:
    expected = (Version(PREPRINT, PUBLISHED, Provider.CROSSREF),)
    assert related(PREPRINT, is_preprint_of=named(PUBLISHED)) == expected
    assert related(PUBLISHED, has_preprint=named(PREPRINT) * 2) == expected


def test_an_arxiv_doi_is_the_preprints_arxiv_id() -> None:
    (told,) = related(PUBLISHED, has_preprint=named(WorkId(IdentifierType.DOI, "10.48550/arXiv.2001.00001")))
    assert told.preprint == WorkId(IdentifierType.ARXIV, "2001.00001")


def test_arxiv_and_the_preprint_servers_name_what_was_published() -> None:
    paper = WorkId(IdentifierType.ARXIV, "2001.00001")
    assert arxiv_versions(paper, doi="10.5555/Published") == (Version(paper, PUBLISHED, Provider.ARXIV),)
    listed = [{"version": "1", "published": "NA"}, {"version": "2", "published": PUBLISHED.value}, "?"]
    assert preprint_versions(PREPRINT, listed) == (Version(PREPRINT, PUBLISHED, Provider.ARXIV),)


@pytest.mark.parametrize(
    "relations",
    [
        {},
        {"is_preprint_of": None},
        {"is_preprint_of": [None, {"id-type": "doi"}, {"id-type": "doi", "id": "unavailable"}]},
        {"is_preprint_of": named(PUBLISHED, "uri")},
        {"is_preprint_of": named(PREPRINT)},
        {"is_supplement_to": named(PUBLISHED)},
    ],
)
def test_what_names_no_other_work_says_nothing(relations: dict[str, Any]) -> None:
    assert related(PREPRINT, **relations) == ()
    assert arxiv_versions(PREPRINT, doi="") == preprint_versions(PREPRINT, [{"published": "NA"}]) == ()
