"""The one door: identities are registered once, findings move a source's standing and never a person's decision."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from lineage.core.relations import Label
from lineage.models import Edge, Entity
from lineage.services import labels
from lineage.services.labels import Declared
from provenance_site.accounts.models import Workspace
from sources.core.findings import Disposition, SourceFinding, Verdict
from sources.core.identifiers import identify
from sources.core.kinds import DecisionKind, ReviewReason
from sources.models import Check, Reading, ReviewItem, Source, SourceVersion, StatusChange
from sources.services import registry
from sources.services.ready import made_ready
from sources.services.registry import NewSource
from sources.services.weighing import weigh
from tests.clock import NOW
from tests.factories import DecisionFactory, SourceFactory, WorkspaceFactory
from tests.unit.sources.findings import apply, finding

pytestmark = pytest.mark.django_db


def new(*addresses: str) -> list[NewSource]:
    return [NewSource(identity=identify(address)) for address in addresses]


def registered(*addresses: str) -> Source:
    """One source, registered through the door and so with its lineage entity."""
    workspace = WorkspaceFactory()
    found = registry.register_many(workspace_id=workspace.pk, sources=new(*addresses), at=NOW)
    return next(iter(found.by_key.values()))


def test_the_same_address_under_two_spellings_is_one_source() -> None:
    workspace = WorkspaceFactory()
    found = registry.register_many(
        workspace_id=workspace.pk,
        sources=new("https://www.harbour.org/a/?utm_source=x", "http://harbour.org/a"),
        at=NOW,
    )
    assert len(found.by_key) == 1
    assert Source.objects.filter(workspace=workspace).count() == 1


def test_registering_twice_changes_nothing() -> None:
    workspace = WorkspaceFactory()
    first = registry.register_many(workspace_id=workspace.pk, sources=new("https://harbour.org/a"), at=NOW)
    again = registry.register_many(workspace_id=workspace.pk, sources=new("https://harbour.org/a"), at=NOW)
    assert first.new_keys
    assert not again.new_keys
    assert Source.objects.count() == Entity.objects.count() == 1


def test_workspaces_do_not_share_sources() -> None:
    for workspace in (WorkspaceFactory(), WorkspaceFactory()):
        registry.register_many(workspace_id=workspace.pk, sources=new("https://harbour.org/a"), at=NOW)
    assert Source.objects.count() == 2


def test_an_alias_finds_its_source() -> None:
    source = registered("https://harbour.org/a")
    other = identify("10.5555/harbour.7")
    source.aliases.create(
        workspace_id=source.workspace_id,
        spelling="10.5555/harbour.7",
        spelling_key="0" * 64,
        canonical_key=other.key,
        first_seen_at=NOW,
    )
    found = registry.register_many(workspace_id=source.workspace_id, sources=[NewSource(identity=other)], at=NOW)
    assert found.by_key[other.key].pk == source.pk
    assert not found.new_keys


@pytest.mark.django_db(transaction=True)
def test_eight_threads_with_the_same_hundred_addresses_make_a_hundred_rows() -> None:
    workspace = WorkspaceFactory()
    addresses = new(*(f"https://harbour.org/article-{number}" for number in range(100)))
    start = threading.Barrier(8)
    new_keys: list[frozenset[str]] = []
    faults: list[BaseException] = []

    def register(shift: int) -> None:
        try:
            start.wait()
            rotated = addresses[shift:] + addresses[:shift]
            new_keys.append(registry.register_many(workspace_id=workspace.pk, sources=rotated, at=NOW).new_keys)
        except BaseException as fault:  # noqa: BLE001  # a thread's fault must fail the test, whatever it is
            faults.append(fault)
        finally:
            connection.close()

    threads = [threading.Thread(target=register, args=(number * 12,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    assert Source.objects.filter(workspace=workspace).count() == 100
    assert sum(len(keys) for keys in new_keys) == 100
    assert Entity.objects.filter(workspace=workspace).count() == 100


def test_a_finding_writes_check_standing_and_history() -> None:
    source = apply(SourceFactory(), Verdict.HARD_404)
    assert (source.verdict, source.disposition) == (Verdict.HARD_404, Disposition.DROP)
    assert source.last_checked_at == NOW
    check = Check.objects.get(source=source)
    assert source.latest_check == check
    assert check.evidence["requested_url"] == "https://harbour.example/a"
    change = StatusChange.objects.get(source=source)
    assert (change.from_disposition, change.to_disposition) == (Disposition.UNCHECKED, Disposition.DROP)


def test_the_same_verdict_again_keeps_the_check_and_adds_no_status_change() -> None:
    source = apply(SourceFactory(), Verdict.HARD_404)
    apply(source, Verdict.HARD_404, at=NOW + timedelta(days=3))
    assert source.checks.count() == 2
    assert source.status_changes.count() == 1


def test_fetched_content_becomes_a_version_with_its_lineage() -> None:
    source = registered("https://harbour.org/a")
    apply(source, Verdict.VERIFIED_ACCESSIBLE, sha256="ab" * 32, byte_count=2048, title_found="Harbour survey")
    version = SourceVersion.objects.get(source=source)
    assert version.byte_count == 2048
    edge = Edge.objects.get(relation="FETCHED_FROM")
    assert edge.from_entity == version.entity
    assert edge.to_entity == source.entity
    assert version.entity is not None
    assert version.entity.content_hash == "ab" * 32


def test_the_same_content_again_is_no_new_version() -> None:
    source = registered("https://harbour.org/a")
    for day in range(3):
        apply(source, Verdict.VERIFIED_ACCESSIBLE, at=NOW + timedelta(days=day), sha256="ab" * 32)
    assert source.source_versions.count() == 1
    assert source.checks.filter(version=source.source_versions.get()).count() == 3


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        (Verdict.THIN, ReviewReason.THIN),
        (Verdict.TITLE_SWAPPED, ReviewReason.TITLE_SWAPPED),
        (Verdict.VERIFIED_VIA_REPUBLISH, ReviewReason.RECOVERED),
        (Verdict.FETCH_FAILED, ReviewReason.FAILED),
    ],
)
def test_what_needs_a_person_opens_one_question(verdict: Verdict, reason: ReviewReason) -> None:
    source = apply(SourceFactory(), verdict)
    apply(source, verdict, at=NOW + timedelta(hours=1))
    item = ReviewItem.objects.get(source=source, closed_at__isnull=True)
    assert item.reason == reason
    assert item.opened_at == NOW


def test_a_question_closes_when_a_later_check_answers_it() -> None:
    source = apply(SourceFactory(), Verdict.FETCH_FAILED)
    apply(source, Verdict.VERIFIED_ACCESSIBLE, at=NOW + timedelta(hours=1))
    item = ReviewItem.objects.get(source=source)
    assert item.closed_at == NOW + timedelta(hours=1)
    assert item.closed_by_check == source.latest_check


def test_a_decision_is_never_overwritten_by_a_check_and_contrary_news_opens_a_question() -> None:
    source = apply(SourceFactory(), Verdict.THIN)
    DecisionFactory(source=source, kind=DecisionKind.ACCEPT, at=NOW)
    source.decided, source.disposition = DecisionKind.ACCEPT, Disposition.KEEP
    source.save()
    apply(source, Verdict.HARD_404, at=NOW + timedelta(days=1))
    assert source.disposition == Disposition.KEEP
    assert source.decided == DecisionKind.ACCEPT
    assert source.verdict == Verdict.HARD_404
    assert ReviewItem.objects.get(source=source, closed_at__isnull=True).reason == ReviewReason.NEW_EVIDENCE


@pytest.mark.parametrize("number", [10, 20])
def test_a_batch_of_findings_costs_the_same_queries_whatever_its_size(
    number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    workspace: Workspace = WorkspaceFactory()
    found = registry.register_many(
        workspace_id=workspace.pk, sources=new(*(f"https://harbour.org/{n}" for n in range(number))), at=NOW
    )
    told = [
        SourceFinding(source_id=source.pk, finding=finding(Verdict.THIN, sha256=f"{place:064x}"))
        for place, source in enumerate(found.by_key.values())
    ]
    # Where rows can be held, the nodes that the new ones lead to are, in one more query.
    with django_assert_num_queries(18 + connection.features.has_select_for_update):
        registry.apply_findings(findings=told, at=NOW)


@pytest.mark.parametrize("number", [10, 20])
@pytest.mark.parametrize(("verdict", "queries"), [(Verdict.THIN, 8), (Verdict.HARD_404, 9), (Verdict.FETCH_FAILED, 9)])
def test_dead_and_failed_ones_cost_one_query_more_for_their_earlier_checks(
    verdict: Verdict, queries: int, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    workspace: Workspace = WorkspaceFactory()
    found = registry.register_many(
        workspace_id=workspace.pk, sources=new(*(f"https://harbour.org/{n}" for n in range(number))), at=NOW
    )
    told = [SourceFinding(source_id=source.pk, finding=finding(verdict)) for source in found.by_key.values()]
    registry.apply_findings(findings=told, at=NOW)
    with django_assert_num_queries(queries):
        registry.apply_findings(findings=told, at=NOW)


def test_what_changed_after_a_finding_was_made_ready_counts() -> None:
    source = registered("https://harbour.org/a")
    told = SourceFinding(source_id=source.pk, finding=finding(Verdict.THIN, sha256="c" * 64))
    ready = made_ready(weigh([told]), at=NOW)
    DecisionFactory(source=source, kind=DecisionKind.ACCEPT, at=NOW)
    source.decided, source.disposition = DecisionKind.ACCEPT, Disposition.KEEP
    source.save()
    assert source.entity_id is not None
    labels.declare(workspace_id=source.workspace_id, declared={source.entity_id: Declared(Label.RESTRICTED)})
    registry.apply_ready(ready=ready, at=NOW)
    source.refresh_from_db()
    assert (source.verdict, source.disposition) == (Verdict.THIN, Disposition.KEEP)
    version = Entity.objects.get(content_hash="c" * 64)
    assert (version.classification, version.label) == (Label.PUBLIC, Label.RESTRICTED)


def test_a_source_that_is_gone_by_then_is_left_out() -> None:
    going, staying = registered("https://harbour.org/a"), registered("https://harbour.org/b")
    told = [SourceFinding(source_id=one.pk, finding=finding(Verdict.THIN)) for one in (going, staying)]
    ready = made_ready(weigh(told), at=NOW)
    going.delete()
    registry.apply_ready(ready=ready, at=NOW)
    assert list(Check.objects.values_list("source_id", flat=True)) == [staying.pk]


def test_two_findings_of_one_source_at_once_are_both_written_and_the_last_one_holds() -> None:
    source = registered("https://harbour.org/a")
    told = [
        SourceFinding(
            source_id=source.pk,
            finding=finding(verdict, at=NOW + timedelta(seconds=place), sha256="d" * 64, reading=f"[{place}]"),
            run_id=f"run/{place}",
        )
        for place, verdict in enumerate([Verdict.THIN, Verdict.VERIFIED_ACCESSIBLE])
    ]
    registry.apply_findings(findings=told, at=NOW)
    source.refresh_from_db()
    newest = Check.objects.latest("pk")
    assert (source.verdict, source.latest_check) == (Verdict.VERIFIED_ACCESSIBLE, newest)
    assert Check.objects.count() == Edge.objects.count() == 2
    assert SourceVersion.objects.get().checks.count() == 2
    assert Reading.objects.get().content == [1]
    assert list(StatusChange.objects.order_by("pk").values_list("to_verdict", flat=True)) == ["thin", newest.verdict]
