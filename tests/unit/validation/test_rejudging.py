"""New rules on what old checks have read: no fetch, one new check each, and what others said stays said."""

import io
from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from lineage.models import Edge
from sources.core.findings import Cause, Evidence, Finding, Recovery, Signal, SourceFinding, Verdict
from sources.models import Check, Reading, ReviewItem, Source, SourceVersion
from sources.queries import evidence
from sources.services import registry
from tests.clock import NOW
from tests.factories import CatalogEntryFactory, CheckFactory, ProjectFactory, SourceFactory
from tests.pages import TITLE, answer, html, prose
from validation.core import stored
from validation.core.classify import RULES_VERSION, Claimed, classify
from validation.core.fetching import Failure, FetchResult
from validation.services.rejudging import Rejudged, rejudge

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(days=9)
URL = "https://gazette.press/2024/harbour-survey"
ARTICLE = answer(html(main=prose(300)))
GONE = answer(html("Page not found", ""))
WALL = answer(html("Access denied", "<p>You have been blocked.</p>"), 403)
Ruled = tuple[Verdict, Cause]


@pytest.fixture(autouse=True)
def _nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("judging again asked the world")

    monkeypatch.setattr("validation.adapters.registry.outside", refuse)
    monkeypatch.setattr("validation.services.validate.outside", refuse)


def checked(page: FetchResult, was: Ruled | None = None, *, rules: str = "0", **seen: object) -> Source:
    """A source whose newest check, by old rules, read `page` and came to `was` (the page's own verdict if None).

    The reading says that the page was then judged as today: `by_old_rules` makes the old rules differ.
    """
    source = SourceFactory(title=TITLE, request_url=URL)
    said = classify(page, Claimed(title=TITLE))
    assert said.read is not None
    verdict, cause = was or (said.verdict, said.cause)
    told = replace(
        Evidence(requested_url=URL, title_found=said.title_found, sha256="ab" * 32, reading=stored.written(said.read)),
        **seen,  # type: ignore[arg-type]
    )
    finding = Finding(verdict=verdict, cause=cause, at=NOW, rules_version=rules, evidence=told)
    registry.apply_findings(findings=[SourceFinding(source_id=source.pk, finding=finding)], at=NOW)
    source.refresh_from_db()
    return source


def by_old_rules(source: Source, verdict: Verdict, cause: Cause) -> Source:
    """Makes the stored reading say that the old rules took the page itself for this."""
    reading = Reading.objects.get(source=source)
    reading.content["judged"] = [verdict, cause]
    reading.save()
    return source


def stands(source: Source) -> Ruled:
    source.refresh_from_db()
    return Verdict(source.verdict), Cause(source.cause)


def test_what_a_check_has_read_is_kept_with_it() -> None:
    source = checked(ARTICLE)
    assert source.latest_check is not None
    reading = evidence.readings([source.latest_check.pk])[source.latest_check.pk]
    assert stored.judged_as(reading) == (Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT)
    assert "reading" not in source.latest_check.evidence


def test_a_false_alarm_of_old_rules_is_put_right_without_a_fetch() -> None:
    source = by_old_rules(
        checked(ARTICLE, (Verdict.SOFT_404_GRACEFUL, Cause.SAYS_GONE)), Verdict.SOFT_404_GRACEFUL, Cause.SAYS_GONE
    )
    told = rejudge(at=LATER)
    assert [(one.source_id, one.was[0], one.now[0]) for one in told.differences] == [
        (source.pk, Verdict.SOFT_404_GRACEFUL, Verdict.VERIFIED_ACCESSIBLE)
    ]
    assert stands(source) == (Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT)
    check = source.checks.latest("pk")
    assert check == source.latest_check
    assert (check.rules_version, check.at) == (RULES_VERSION, NOW)
    assert evidence.of(check).sha256 == "ab" * 32
    assert Signal("rejudged", "was soft-404-graceful, says-gone by rules 0") in evidence.of(check).signals
    assert source.status_changes.latest("pk").at == LATER


def test_an_overlooked_error_page_loses_its_verdict() -> None:
    source = by_old_rules(
        checked(GONE, (Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT)), Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT
    )
    rejudge(at=LATER)
    assert stands(source) == (Verdict.SOFT_404_GRACEFUL, Cause.SAYS_GONE)


def test_a_dry_run_tells_the_same_and_writes_nothing() -> None:
    by_old_rules(checked(GONE, (Verdict.THIN, Cause.LITTLE_TEXT)), Verdict.THIN, Cause.LITTLE_TEXT)
    shown = rejudge(dry_run=True, at=LATER)
    assert Check.objects.count() == 1
    assert rejudge(at=LATER).differences == shown.differences
    assert Check.objects.count() == 2


def test_judging_again_twice_writes_once() -> None:
    checked(ARTICLE)
    assert rejudge(at=LATER) == Rejudged(same=1)
    assert rejudge(at=LATER) == Rejudged()
    assert Check.objects.count() == 2
    assert rejudge(every=True, at=LATER).same == 1


def test_a_verdict_of_todays_rules_is_left_alone() -> None:
    checked(ARTICLE, rules=RULES_VERSION)
    assert rejudge(at=LATER) == Rejudged()


def test_the_reading_follows_the_newest_check() -> None:
    source = checked(ARTICLE)
    rejudge(at=LATER)
    assert Reading.objects.get().check_made_id == Source.objects.get(pk=source.pk).latest_check_id


def test_nothing_is_said_to_have_been_fetched_again() -> None:
    checked(ARTICLE)
    edges, versions = Edge.objects.count(), SourceVersion.objects.count()
    rejudge(at=LATER)
    assert (Edge.objects.count(), SourceVersion.objects.count()) == (edges, versions)


def test_a_check_that_read_nothing_is_counted_and_left() -> None:
    source = SourceFactory(request_url=URL)
    source.latest_check = CheckFactory(source=source)
    source.save()
    assert rejudge(at=LATER) == Rejudged(unread=1)


def test_an_older_reading_does_not_answer_for_a_newer_check() -> None:
    source = checked(ARTICLE)
    failed = Finding(Verdict.FETCH_FAILED, Cause.GIVEN_UP, at=NOW + timedelta(days=1), rules_version="0")
    registry.apply_finding(source_id=source.pk, finding=failed, at=LATER)
    assert rejudge(at=LATER) == Rejudged(unread=1)
    assert stands(source) == (Verdict.FETCH_FAILED, Cause.GIVEN_UP)


@pytest.mark.parametrize(
    ("page", "was", "then"),
    [
        (WALL, (Verdict.VERIFIED_GATED, Cause.BLOCK_WALL), (Verdict.FETCH_FAILED, Cause.BLOCK_WALL)),
        (WALL, (Verdict.VERIFIED_GATED, Cause.BOT_WALL), (Verdict.FETCH_FAILED, Cause.BOT_WALL)),
        (answer(GONE.body, 404), (Verdict.HARD_404, Cause.DOI_NOT_REGISTERED), (Verdict.HARD_404, Cause.NOT_FOUND)),
        (ARTICLE, (Verdict.SOFT_404_GRACEFUL, Cause.CATCH_ALL), (Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT)),
        (Failure(URL, Cause.DNS), (Verdict.HARD_404, Cause.DOMAIN_GONE), (Verdict.FETCH_FAILED, Cause.DNS)),
    ],
)
def test_what_rests_on_the_word_of_others_stands_while_the_page_is_of_its_class(
    page: FetchResult, was: Ruled, then: Ruled
) -> None:
    source = by_old_rules(checked(page, was), *then)
    told = rejudge(at=LATER)
    assert (told.judged, told.differences) == (1, [])
    assert stands(source) == was


def test_a_wall_that_never_was_one_is_gated_no_more() -> None:
    source = by_old_rules(
        checked(ARTICLE, (Verdict.VERIFIED_GATED, Cause.LOGIN_WALL)), Verdict.FETCH_FAILED, Cause.LOGIN_WALL
    )
    rejudge(at=LATER)
    assert stands(source) == (Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT)


def test_a_recovery_stands_while_the_page_found_does() -> None:
    found = Recovery("https://gazette.press/new", TITLE, "title", f'"{TITLE}"', "search", 1.0)
    was = (Verdict.VERIFIED_VIA_REPUBLISH, Cause.RECOVERED_BY_SEARCH)
    lost = Signal("original-was", "hard-404, not-found")
    kept = by_old_rules(
        checked(ARTICLE, was, recovery=found, signals=(lost,)), Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT
    )
    fallen = by_old_rules(
        checked(GONE, was, recovery=found, signals=(lost,)), Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT
    )
    rejudge(at=LATER)
    assert stands(kept) == was
    assert stands(fallen) == (Verdict.HARD_404, Cause.NOT_FOUND)


def test_a_new_pattern_reaches_sources_that_were_checked_before_it() -> None:
    source = checked(ARTICLE)
    Source.objects.filter(pk=source.pk).update(request_url="https://www.gartner.com/en/documents/1234567")
    rejudge(at=LATER)
    assert stands(source)[0] is Verdict.HALLUCINATED_PATTERN


def test_news_opens_a_question_for_a_person() -> None:
    by_old_rules(
        checked(answer(html("The ferry timetable changes in autumn", prose(300)))),
        Verdict.VERIFIED_ACCESSIBLE,
        Cause.CONTENT,
    )
    rejudge(at=LATER)
    assert ReviewItem.objects.filter(closed_at__isnull=True).count() == 1


def test_the_command_shows_differences_and_counts() -> None:
    source = by_old_rules(checked(GONE, (Verdict.THIN, Cause.LITTLE_TEXT)), Verdict.THIN, Cause.LITTLE_TEXT)
    checked(ARTICLE)
    entry = CatalogEntryFactory(source=source, project=ProjectFactory(workspace=source.workspace, name="Memo"))
    said = io.StringIO()
    call_command("rejudge", "--dry-run", "--project", entry.project.name, stdout=said)
    assert "thin/little-text → soft-404-graceful/says-gone" in said.getvalue()
    assert "1 judged again: 1 would differ, 0 the same" in said.getvalue()
    assert Check.objects.count() == 2
    call_command("rejudge", stdout=said)
    assert "2 judged again: 1 differ now, 1 the same" in said.getvalue()


def test_a_project_that_is_not_there_is_named() -> None:
    with pytest.raises(CommandError, match="no project 'Nowhere'"):
        call_command("rejudge", "--project", "Nowhere")
