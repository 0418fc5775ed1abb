"""Not-found pages in the languages of the web, as sites word them: in a title, a heading, or one sentence."""

import pytest
import yaml

from sources.core.findings import Cause, Verdict
from tests.pages import DATA, html, judge

WORDINGS = yaml.safe_load((DATA / "wordings.yaml").read_text(encoding="utf-8"))
HEADINGS = [(language, text) for language, texts in WORDINGS.items() for text in texts["headings"]]
SENTENCES = [(language, text) for language, texts in WORDINGS.items() for text in texts["sentences"]]
GONE = (Verdict.SOFT_404_GRACEFUL, Cause.SAYS_GONE)


@pytest.mark.parametrize(("language", "text"), HEADINGS)
def test_a_title_that_says_not_here_is_a_soft_404_in_any_language(language: str, text: str) -> None:
    judgement = judge(html(f"{text} | Gazette", "<p>Gazette</p>", heading=""))
    assert (judgement.verdict, judgement.cause) == GONE, language


@pytest.mark.parametrize(("language", "text"), HEADINGS)
def test_a_heading_that_says_not_here_is_a_soft_404_in_any_language(language: str, text: str) -> None:
    judgement = judge(html("Gazette", "<p><a href=/>Gazette</a></p>", heading=text))
    assert (judgement.verdict, judgement.cause) == GONE, language


@pytest.mark.parametrize(("language", "text"), SENTENCES)
def test_a_page_whose_only_sentence_says_not_here_is_a_soft_404_in_any_language(language: str, text: str) -> None:
    judgement = judge(html("Gazette", f"<div><p>{text}</p></div>", heading=""))
    assert (judgement.verdict, judgement.cause) == GONE, language
