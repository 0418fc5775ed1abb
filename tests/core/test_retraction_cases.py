"""Cases that other tools got wrong, from a provider's own record to where the work stands; each is named by what it is.

The records are those of real works, shortened to what decides.
"""

from collections.abc import Iterable
from datetime import date

import pytest

from sources.core.identifiers import BadIdentifier, identify
from sources.core.kinds import IdentifierType
from sources.core.retraction_status import Asserted, Status, derive
from sources.formats.identifying import Identifiers
from tests.clock import NOW
from validation.core.retraction_ids import Unusable, WorkId, doi_of, is_preprint_of_openrxiv
from validation.core.retraction_statements import Statement
from validation.core.retraction_watch import WatchReader, WatchRow, statements_of
from validation.core.update_relations import statements_in
from validation.core.withdrawals import openalex_statements, preprint_statements, pubmed_statements

HEADER = (
    "Record ID,Title,Subject,Institution,Journal,Publisher,Country,Author,URLS,ArticleType,RetractionDate,"
    "RetractionDOI,RetractionPubMedID,OriginalPaperDate,OriginalPaperDOI,OriginalPaperPubMedID,RetractionNature,Reason,"
    "Paywalled,Notes,\r\n"
)


def doi(value: str) -> WorkId:
    return WorkId(IdentifierType.DOI, value)


def pmid(value: str) -> WorkId:
    return WorkId(IdentifierType.PMID, value)


def watch(*rows: tuple[str, ...]) -> tuple[Statement, ...]:
    """Rows as (record, date, notice, work, pmid, nature, reason)."""
    lines = [HEADER]
    for record, day, notice, work, pubmed, nature, reason in rows:
        lines.append(f"{record},T,,,,,,,,,{day} 0:00,{notice},0,1/1/2000 0:00,{work},{pubmed},{nature},{reason},,,\r\n")
    found = WatchReader([line.encode() for line in lines])
    return tuple(one for row in found if isinstance(row, WatchRow) for one in statements_of(row, snapshot="s"))


def crossref(work: str, **relations: list[tuple[str, str, str, str]]) -> tuple[Statement, ...]:
    """A record with `updated_by` and `update_to` as (DOI, type, source, day)."""

    def entry(told: tuple[str, str, str, str]) -> dict[str, object]:
        other, kind, source, day = told
        parts = [[int(part) for part in day.split("-")]] if day else [[None]]
        return {"DOI": other, "type": kind, "source": source, "updated": {"date-parts": parts}}

    named = {name.replace("_", "-"): [entry(one) for one in entries] for name, entries in relations.items()}
    return statements_in({"DOI": work, **named})


def stands(work: WorkId, told: Iterable[Statement]) -> Status:
    """Where the work stands of what was said of it."""
    assertions = [
        Asserted(one.provider, one.record_id, one.nature, NOW, NOW, one.notice, one.notice_date)
        for one in told
        if one.work == work
    ]
    derived = derive(assertions, now=NOW)
    assert derived.is_retracted is (derived.status in {Status.RETRACTED, Status.WITHDRAWN, Status.REMOVED})
    return derived.status


WAKEFIELD, WAKEFIELD_NOTICE = doi("10.1016/s0140-6736(97)11096-0"), doi("10.1016/s0140-6736(10)60175-4")
IN_PLACE = doi("10.1016/j.micpro.2021.104006")
_ROW = ("4036", "2/6/2010", "10.1016/S0140-6736(10)60175-4", "10.1016/S0140-6736(97)11096-0", "9500320")
_PLAIN = (*_ROW, "Retraction", "Ethical Violations by Author;")

CASES: dict[str, tuple[WorkId, tuple[Statement, ...], Status]] = {
    "1: a DOI in capitals in the export is the work cited in small letters": (
        WAKEFIELD,
        watch(_PLAIN),
        Status.RETRACTED,
    ),
    "7: the notice that somebody cites is a notice": (
        WAKEFIELD_NOTICE,
        crossref(WAKEFIELD_NOTICE.value, update_to=[(WAKEFIELD.value, "retraction", "retraction-watch", "2010-2-6")]),
        Status.NOTICE,
    ),
    "7: and the work that it is about fell": (
        WAKEFIELD,
        crossref(WAKEFIELD_NOTICE.value, update_to=[(WAKEFIELD.value, "retraction", "retraction-watch", "2010-2-6")]),
        Status.RETRACTED,
    ),
    "8: retracted in place, with a notice elsewhere and an erratum, is retracted": (
        IN_PLACE,
        crossref(
            IN_PLACE.value,
            update_to=[(IN_PLACE.value, "retraction", "publisher", "")],
            updated_by=[
                ("10.1016/j.micpro.2023.104901", "retraction", "retraction-watch", "2023-7-1"),
                ("10.1016/j.micpro.2023.104901", "erratum", "publisher", "2023-7-2"),
                (IN_PLACE.value, "retraction", "publisher", ""),
            ],
        ),
        Status.RETRACTED,
    ),
    "10: errata alone are corrections": (
        doi("10.1/x"),
        crossref("10.1000/x", updated_by=[("10.1000/e", "erratum", "publisher", "2020-1-2")]),
        Status.CORRECTED,
    ),
    "11: a concern alone is a concern": (
        doi("10.1/x"),
        crossref("10.1000/x", updated_by=[("10.1000/e", "expression_of_concern", "publisher", "2020-1-2")]),
        Status.CONCERN,
    ),
    "13: a concern after the retraction changes nothing": (
        pmid("9500320"),
        pubmed_statements(
            pmid("9500320"),
            {
                "pubtype": ["Journal Article", "Retracted Publication"],
                "references": [
                    {"refsource": "Lancet. 2010 Feb 6;375:445", "reftype": "Retraction in", "pmid": 20137807},
                    {"refsource": "Eur J. 2011 Nov;23", "reftype": "Expression of concern in", "pmid": 21971344},
                ],
            },
        ),
        Status.RETRACTED,
    ),
    "14: reinstated years later": (
        doi("10.1/x"),
        watch(
            ("1", "3/1/2011", "10.1000/r", "10.1000/x", "0", "Retraction", "Error;"),
            ("2", "3/1/2017", "10.1000/b", "10.1000/x", "0", "Reinstatement", "Error;Retract and Replace;"),
        ),
        Status.REINSTATED,
    ),
    "16: retracted and reinstated on one day is for an editor": (
        doi("10.1/x"),
        watch(
            ("1", "3/1/2017", "10.1000/r", "10.1000/x", "0", "Retraction", "Error;"),
            ("2", "3/1/2017", "10.1000/b", "10.1000/x", "0", "Reinstatement", "Error;"),
        ),
        Status.CONFLICT,
    ),
    "18: a review that became too old was replaced": (
        doi("10.1/x"),
        watch(("1", "3/1/2017", "10.1000/r", "10.1000/x", "0", "Retraction", "Withdrawn as Out of Date;")),
        Status.REPLACED,
    ),
    "19: a preprint withdrawn at its second version is withdrawn": (
        doi("10.1101/2020.01.30.927871"),
        preprint_statements(
            doi("10.1101/2020.01.30.927871"),
            [{"version": "1", "type": "new results"}, {"version": "2", "type": "withdrawn", "published": "NA"}],
            server="biorxiv",
        ),
        Status.WITHDRAWN,
    ),
    "19: and what was published of it elsewhere is judged alone": (
        doi("10.1000/published"),
        preprint_statements(
            doi("10.1101/2020.01.30.927871"),
            [{"version": "2", "type": "withdrawn", "published": "10.1000/published"}],
            server="biorxiv",
        ),
        Status.UNCHECKED,
    ),
    "23: partly retracted, which PubMed has as an erratum": (
        doi("10.1/x"),
        (
            *crossref("10.1000/x", updated_by=[("10.1000/p", "partial_retraction", "publisher", "2016-10-1")]),
            *pubmed_statements(
                doi("10.1000/x"),
                {"pubtype": [], "references": [{"refsource": "J. 2016", "reftype": "Erratum in", "pmid": 7}]},
            ),
        ),
        Status.PARTIAL,
    ),
    "25: known by its PubMed id alone": (
        pmid("33926210"),
        pubmed_statements(pmid("33926210"), {"pubtype": ["Retracted Publication"], "references": []}),
        Status.RETRACTED,
    ),
    "27: OpenAlex's no does not lift it": (
        WAKEFIELD,
        (*watch(_PLAIN), *openalex_statements(WAKEFIELD, {"type": "article", "is_retracted": False})),
        Status.RETRACTED,
    ),
    "31: a chapter's retraction says nothing of the book": (
        doi("10.1163/9789004322868"),
        watch(("1", "3/1/2017", "10.1000/r", "10.1163/9789004322868_003", "0", "Retraction", "Error;")),
        Status.UNCHECKED,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_work_stands_where_its_providers_records_put_it(case: str) -> None:
    work, told, status = CASES[case]
    named = doi("10.1000/x") if work == doi("10.1/x") else work
    assert stands(named, told) is status


def test_8_both_events_are_kept_with_their_notices_and_dates() -> None:
    told = CASES["8: retracted in place, with a notice elsewhere and an erratum, is retracted"][1]
    fallen = {(one.notice, one.notice_date) for one in told if one.nature == "retracted"}
    assert fallen == {(IN_PLACE.value, ""), ("10.1016/j.micpro.2023.104901", "2023-07-01")}


def test_24_a_row_with_a_title_alone_is_about_no_work() -> None:
    row = ("70548", "10/18/2023", "unavailable", "unavailable", "0", "Retraction", "Legal Reasons and/or Threats;")
    assert watch(row) == ()


@pytest.mark.parametrize(
    ("case", "spelling", "value"),
    [
        (2, "DOI: 10.2147/IJN.S97476", "10.2147/ijn.s97476"),
        (2, "http://dx.doi.org/10.2147/IJN.S97476", "10.2147/ijn.s97476"),
        (2, "https://doi-org.proxy.edu/10.2147/IJN.S97476", "10.2147/ijn.s97476"),
        (2, " 10.2147/IJN.S97476 ", "10.2147/ijn.s97476"),
        (3, "10.1061/(ASCE)0733-9399(2010)136:2(174)", "10.1061/(asce)0733-9399(2010)136:2(174)"),
        (3, "(10.1000/xyz)", "10.1000/xyz"),
        (3, "10.1000/xyz.", "10.1000/xyz"),
        (6, "10.1080/0.2013.545518#.Us5z4LSsxK0", "10.1080/0.2013.545518"),
        (6, "xx10.1007/978-3-030-00524-5_9", "10.1007/978-3-030-00524-5_9"),
        (6, "unavailable", None),
        (6, "0", None),
    ],
)
def test_a_doi_has_one_form_however_it_is_written(case: int, spelling: str, value: str | None) -> None:
    assert doi_of(spelling) == (doi(value) if value else None), case


def test_6_what_is_no_doi_is_refused_with_a_reason_and_never_a_key() -> None:
    with pytest.raises(Unusable, match="not a DOI"):
        doi_of("not a doi")


def test_21_a_journal_under_the_preprint_servers_prefix_is_no_preprint() -> None:
    assert not is_preprint_of_openrxiv("10.1101/gad.489409")
    assert is_preprint_of_openrxiv("10.1101/2020.01.30.927871")


def test_32_isbn_10_and_13_are_one_book_and_two_in_a_field_are_two() -> None:
    assert identify("ISBN 0-306-40615-2").key == identify("9780306406157").key
    assert identify("ISBN 979-10-323-0569-0").value == "9791032305690"
    with pytest.raises(BadIdentifier, match="check digit"):
        identify("ISBN 978-0-306-40615-8")
    two = Identifiers()
    two.add_isbn("978-0-306-40615-7; 979-10-323-0569-0")
    assert [one.value for one in two.identities()] == ["9780306406157", "9791032305690"]


def test_dates_are_read_month_first() -> None:
    (told, _) = watch(("1", "5/6/2024", "10.1000/r", "10.1000/x", "0", "Retraction", ""))
    assert date.fromisoformat(told.notice_date) == date(2024, 5, 6)
