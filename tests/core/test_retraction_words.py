"""Providers' words in ours: what moves the bit, what does not, and what nobody has mapped."""

import pytest

from sources.core.kinds import IdentifierType
from sources.core.retraction_status import Nature
from validation.core.retraction_ids import WorkId
from validation.core.retraction_words import crossref_nature, pubmed_nature, watch_nature
from validation.core.update_relations import statements_in
from validation.core.withdrawals import arxiv_statements, openalex_statements, preprint_statements, pubmed_statements

WORK = WorkId(IdentifierType.DOI, "10.5555/a")


@pytest.mark.parametrize(
    ("raw", "nature"),
    [
        ("retraction", Nature.RETRACTED),
        ("Retraction", Nature.RETRACTED),
        ("retration", Nature.RETRACTED),
        ("withdrawal", Nature.WITHDRAWN),
        ("removal", Nature.REMOVED),
        ("partial_retraction", Nature.PARTIAL),
        ("Partial retraction", Nature.PARTIAL),
        ("expression_of_concern", Nature.CONCERN),
        ("expression-of-concern", Nature.CONCERN),
        ("erratum", Nature.CORRECTED),
        ("corrigendum", Nature.CORRECTED),
        ("reinstatement", Nature.REINSTATED),
        ("new_version", None),
        ("something else", Nature.UNKNOWN),
        ("", Nature.UNKNOWN),
    ],
)
def test_crossrefs_types_are_told_apart(raw: str, nature: Nature | None) -> None:
    assert crossref_nature(raw) is nature


def test_a_nature_is_read_whatever_its_case_and_an_unknown_one_is_kept_as_unknown() -> None:
    assert watch_nature("Expression of concern") is watch_nature("expression  of Concern") is Nature.CONCERN
    assert watch_nature("Retractation") is Nature.UNKNOWN
    assert watch_nature("Retraction", ("Retract and Replace",)) is Nature.REPLACED
    assert watch_nature("Correction", ("Retract and Replace",)) is Nature.CORRECTED


def test_a_partial_retraction_at_pubmed_is_an_erratum_there() -> None:
    assert pubmed_nature("Erratum in") is Nature.CORRECTED
    assert pubmed_nature("Partial retraction in") is Nature.PARTIAL
    assert pubmed_nature("Comment in") is None


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"DOI": "not a doi", "updated-by": [{"DOI": "10.5555/n", "type": "retraction"}]},
        {"DOI": "10.5555/a", "updated-by": None, "update-to": [7, {}, {"DOI": None, "type": "retraction"}]},
        {"DOI": "10.5555/a", "updated-by": [{"DOI": "10.5555/n", "type": "new_version"}]},
    ],
)
def test_a_record_that_says_nothing_says_nothing(record: dict[str, object]) -> None:
    assert statements_in(record) == ()


def test_dates_are_as_exact_as_they_were_given() -> None:
    entries = [
        {"DOI": "10.5555/n", "type": kind, "updated": {"date-parts": [parts]}}
        for kind, parts in (
            ("retraction", [2010]),
            ("removal", [2010, 2]),
            ("erratum", [2010, 2, 6]),
            ("concern", [None]),
        )
    ]
    told = statements_in({"DOI": "10.5555/a", "updated-by": entries})
    assert [one.notice_date for one in told] == ["2010", "2010-02", "2010-02-06", ""]


def test_the_notice_of_many_works_is_read_to_its_end() -> None:
    entries = [{"DOI": f"10.5555/p{n}", "type": "retraction"} for n in range(659)]
    told = statements_in({"DOI": "10.5555/notice", "update-to": entries})
    assert len([one for one in told if one.nature is Nature.RETRACTED]) == 659
    assert [one.work.value for one in told if one.nature is Nature.NOTICE] == ["10.5555/notice"]


@pytest.mark.parametrize(
    ("comment", "is_withdrawn"),
    [
        ("This paper has been withdrawn by the author due to a crucial error", True),
        ("Withdrawn", True),
        ("withdrawn due to errors", True),
        ("This submission has been withdrawn by arXiv administrators", True),
        ("12 pages, 3 figures", False),
        ("We study funds withdrawn by customers", False),
        ("This paper was withdrawn from a conference and sent to a journal", False),
    ],
)
def test_an_arxiv_comment_says_whether_the_paper_was_withdrawn(comment: str, is_withdrawn: bool) -> None:
    work = WorkId(IdentifierType.ARXIV, "2010.00001")
    assert bool(arxiv_statements(work, comment=comment, updated="2021-03-04T00:00:00Z")) is is_withdrawn


def test_only_the_newest_version_of_a_preprint_counts() -> None:
    withdrawn, new = {"version": "2", "type": "withdrawn"}, {"version": "10", "type": "new results"}
    assert preprint_statements(WORK, [withdrawn], server="biorxiv")[0].nature is Nature.WITHDRAWN
    assert preprint_statements(WORK, [withdrawn, new], server="biorxiv") == ()


def test_openalexs_notice_is_a_notice_and_its_silence_is_told() -> None:
    natures = [
        [one.nature for one in openalex_statements(WORK, record)]
        for record in ({"type": "retraction", "is_retracted": True}, {"is_retracted": False}, {})
    ]
    assert natures == [[Nature.NOTICE], [Nature.NONE], []]


def test_a_retracted_publication_without_a_link_is_retracted() -> None:
    told = pubmed_statements(WORK, {"pubtype": ["Retracted Publication"], "references": None})
    assert [(one.nature, one.notice) for one in told] == [(Nature.RETRACTED, "")]
    notice = pubmed_statements(WORK, {"pubtype": ["Retraction of Publication"], "references": []})
    assert [one.nature for one in notice] == [Nature.NOTICE]
