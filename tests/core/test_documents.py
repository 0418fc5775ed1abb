"""What is made of a document's title and text, and how a PDF that was read is judged."""

import pytest

from sources.core.findings import Cause, Verdict
from tests.growth import assert_linear
from tests.pages import TITLE, answer, prose
from validation.core import stored
from validation.core.classify import Claimed, Judgement, classify
from validation.core.classify import judge as judge_again
from validation.core.documents import Document, Obstacle, is_legible
from validation.core.fetching import Page

OTHER = "Ten recipes for mountain cheese and bread"
LINES = prose(200).replace("<p>", "").replace("</p>", "\n")


def page_of(document: Document | None) -> Page:
    page = answer(b"%PDF-1.7\n%%EOF", headers={"content-type": "application/pdf"})
    return Page(page.requested_url, page.final_url, page.status, page.headers, page.body, document=document)


def judged(document: Document | None, claimed: str = TITLE) -> Judgement:
    return classify(page_of(document), Claimed(title=claimed))


@pytest.mark.parametrize(
    "document",
    [
        Document.of(TITLE, LINES),
        Document.of("", f"{TITLE}\n{LINES}"),
        Document.of(
            "", f"Reports of the harbour, volume 3\nHarbour survey results\nof the northern quay\nA. Quay\n{LINES}"
        ),
        Document.of("draft_final2.docx", f"{TITLE.upper()}\n{LINES}"),
        Document.of("Layout 1", f"Har-\nbour survey results of the nor-\nthern quay\n{LINES}"),
    ],
)
def test_a_pdf_that_bears_the_claimed_title_is_the_work(document: Document) -> None:
    judgement = judged(document)
    assert (judgement.verdict, judgement.cause) == (Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT)


@pytest.mark.parametrize("title", ["", "Annual accounts of a mountain railway company"])
def test_a_pdf_of_another_work_is_swapped(title: str) -> None:
    judgement = judged(Document.of(title, LINES), OTHER)
    assert (judgement.verdict, judgement.cause) == (Verdict.TITLE_SWAPPED, Cause.OTHER_TITLE)


def test_a_pdf_without_a_claimed_title_is_accessible_with_its_words_counted() -> None:
    judgement = judged(Document.of("", LINES), "")
    assert (judgement.verdict, judgement.title_found) == (Verdict.VERIFIED_ACCESSIBLE, LINES.splitlines()[0])
    assert (judgement.word_count or 0) >= 200


@pytest.mark.parametrize("obstacle", Obstacle)
def test_a_pdf_that_could_not_be_read_stays_accessible_and_says_why(obstacle: Obstacle) -> None:
    judgement = judged(Document(obstacle=obstacle), OTHER)
    assert judgement.verdict is Verdict.VERIFIED_ACCESSIBLE
    assert (obstacle, obstacle.explanation) in [(signal.name, signal.text) for signal in judgement.signals]


def test_the_beginning_of_a_file_speaks_for_a_citation_and_never_against_it() -> None:
    beginning = Document.of("", f"{TITLE}\n{LINES}", is_cut=True)
    assert judged(beginning, TITLE).similarity == 1.0
    other = judged(beginning, OTHER)
    assert (other.verdict, other.cause, other.title_found) == (Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT, "")
    assert judged(Document.of("", f"{TITLE}\n{LINES}"), OTHER).verdict is Verdict.TITLE_SWAPPED
    assert judged(Document.of(TITLE, LINES, is_cut=True), OTHER).verdict is Verdict.TITLE_SWAPPED


def test_the_title_in_a_scans_description_still_tells_whose_it_is() -> None:
    assert judged(Document(OTHER, "", Obstacle.NO_TEXT), OTHER).similarity == 1.0
    assert judged(Document(OTHER, "", Obstacle.NO_TEXT), TITLE).verdict is Verdict.TITLE_SWAPPED


def test_a_leaflet_that_speaks_of_missing_pages_is_no_soft_404() -> None:
    text = "Page not found\n" + "The page you are looking for does not exist, says the sign at the gate.\n" * 4
    assert judged(Document.of("", text), "").verdict is Verdict.VERIFIED_ACCESSIBLE


@pytest.mark.parametrize("document", [Document.of(TITLE, LINES), Document(obstacle=Obstacle.ENCRYPTED), None])
@pytest.mark.parametrize("claimed", [TITLE, OTHER, ""])
def test_a_stored_reading_of_a_pdf_is_judged_like_the_file(document: Document | None, claimed: str) -> None:
    said = judged(document, claimed)
    assert said.read is not None
    facts = stored.unpack(stored.pack(said.read))
    assert facts is not None
    assert judge_again(facts, Claimed(title=claimed)) == said


@pytest.mark.parametrize(
    ("text", "legible"),
    [
        (LINES, True),
        ("北码头港口调查结果报告，" * 20, True),
        ("", False),
        ("Page 1 of 1", False),
        ("H a r b o u r s u r v e y " * 30, False),
        ("\ue001\ue002 \ue003\ue004 " * 80, False),
        ("12 34 56.7 ... " * 80, False),
        ("harbour\ufffd\ufffd\ufffd " * 80, False),
    ],
)
def test_letters_without_sense_are_no_text(text: str, legible: bool) -> None:
    assert is_legible(text) == legible


def test_a_document_is_cut_and_clean() -> None:
    document = Document.of(" Harbour\x00 survey\n", f"\x00{LINES}" * 200)
    assert document.title == "Harbour survey"
    assert len(document.text) == 20_000
    assert "\x00" not in document.text


def test_reading_a_documents_lines_grows_with_their_number_only() -> None:
    assert_linear(lambda text: judged(Document.of("", text)), "word of a line\n", 160_000)
