"""The not-found pages that systems bring along, with the furniture that sites hang around them, and pages like them."""

import pytest

from sources.core.findings import Cause, Verdict
from tests.pages import judge, told_pages

MISSING = told_pages("not_found", "missing")
FAULTY = told_pages("not_found", "faulty")
READABLE = told_pages("not_found", "readable")
# Not the page is gone but the site: any verdict that says so will do.
SITES_GONE = {"wix-lost-domain", "squarespace-expired", "shopify-empty-shop"}


@pytest.mark.parametrize("name", MISSING)
def test_the_not_found_page_of_a_common_system_is_a_soft_404(name: str) -> None:
    judgement = judge(MISSING[name], title="")
    allowed = {Cause.SAYS_GONE} | ({Cause.PARKED, Cause.SERVER_ERROR} if name in SITES_GONE else set())
    assert judgement.cause in allowed, judgement.signals


@pytest.mark.parametrize("name", FAULTY)
def test_a_fault_of_a_common_server_proves_nothing(name: str) -> None:
    judgement = judge(FAULTY[name], title="")
    assert (judgement.verdict, judgement.cause) == (Verdict.FETCH_FAILED, Cause.SERVER_ERROR), judgement.signals


@pytest.mark.parametrize("name", READABLE)
def test_a_page_that_only_sounds_like_a_missing_one_is_readable(name: str) -> None:
    judgement = judge(READABLE[name], title="")
    assert judgement.verdict is Verdict.VERIFIED_ACCESSIBLE, judgement.signals
