"""Texts that a subscription cuts short, in several languages, and readable texts that only sell one."""

import pytest

from sources.core.findings import Cause, Verdict
from tests.pages import judge, told_pages

CUT = told_pages("paywalls", "cut")
READABLE = told_pages("paywalls", "readable")


@pytest.mark.parametrize("name", CUT)
def test_a_text_cut_short_by_an_offer_is_a_stub_in_any_language(name: str) -> None:
    judgement = judge(CUT[name], title="")
    assert (judgement.verdict, judgement.cause) == (Verdict.PAYWALL_STUB, Cause.PAY_WALL), judgement.signals


@pytest.mark.parametrize("name", READABLE)
def test_a_text_that_only_sells_a_subscription_is_readable(name: str) -> None:
    judgement = judge(READABLE[name], title="")
    assert judgement.verdict is Verdict.VERIFIED_ACCESSIBLE, judgement.signals
