"""What editors decide about retractions, one at a time and by lists."""

from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.test.utils import CaptureQueriesContext

from provenance_site.accounts.models import Membership
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.changes.registry import ChangeFacts
from provenance_site.notices.models import Notice
from sources.core.kinds import ReviewReason, UseKind
from sources.core.retraction_status import Nature, Status
from sources.models import (
    CatalogEntry,
    RetractionAcknowledgement,
    RetractionDecision,
    RetractionStanding,
    ReviewItem,
    Source,
)
from sources.queries.retraction_evidence import meant
from sources.queries.retraction_notices import shown
from sources.services import retraction_acknowledgements, retraction_decisions, retraction_lists
from sources.services.removal import Held, remove
from sources.services.retraction_acknowledgements import AcknowledgementRefused
from sources.services.retraction_decisions import DecisionRefused, EvidenceChanged, Ruling
from sources.services.retraction_lists import Given, ListChanged, ListLook
from sources.services.retraction_records import record
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import (
    CatalogEntryFactory,
    ChunkFactory,
    NoticeFactory,
    RetractionAssertionFactory,
    SourceFactory,
)
from tests.unit.sources.disturbance import everything, faults_until_done
from tests.unit.sources.test_retraction_records import questions, said, work

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)


def decide(desk: Desk, source: Source, status: Status, **values: object) -> ChangeSet:
    standing = RetractionStanding.objects.filter(source=source).first()
    options: dict[str, object] = {
        "ruling": Ruling(status, "Read both notices"),
        "seen": standing.evidence_fingerprint if standing else "",
        "by": desk.person(Role.EDITOR),
        "channel": Channel.PAGE,
        "at": NOW,
    }
    return retraction_decisions.decide(source=source, **(options | values))  # type: ignore[arg-type]


def numbered(desk: Desk, number: int) -> Source:
    doi = f"10.5555/list.{number}"
    key = RetractionAssertionFactory.build(identifier_value=doi).identifier_key
    return SourceFactory(workspace=desk.workspace, identifier_type="doi", identifier_value=doi, canonical_key=key)


def apply(desk: Desk, given: Given, *, role: Role = Role.ADMIN) -> ChangeSet | None:
    seen = retraction_lists.look(workspace_id=desk.workspace.pk, given=given).digest
    return retraction_lists.apply(
        workspace_id=desk.workspace.pk,
        given=given,
        seen=seen,
        by=desk.person(role),
        channel=Channel.PAGE,
        at=NOW,
    )


def test_affirming_a_stale_decision_settles_it_until_there_is_news_again(desk: Desk) -> None:
    source = work(desk)
    record(assertions=[said(Nature.RETRACTED)], at=NOW)
    decide(desk, source, Status.NONE_FOUND)
    record(assertions=[said(Nature.WITHDRAWN, "2013")], at=NOW)
    assert questions(source) == 1
    decide(desk, source, Status.NONE_FOUND, at=LATER)
    assert questions(source) == 0
    source.refresh_from_db()
    assert not source.retracted
    assert not RetractionDecision.objects.get(at=LATER).is_stale


def test_a_decision_on_evidence_that_is_no_longer_all_is_refused(desk: Desk) -> None:
    source = work(desk)
    record(assertions=[said(Nature.RETRACTED)], at=NOW)
    before = everything()
    with pytest.raises(EvidenceChanged):
        decide(desk, source, Status.NONE_FOUND, seen="")
    with pytest.raises(DecisionRefused, match="why"):
        decide(desk, source, Status.NONE_FOUND, ruling=Ruling(Status.NONE_FOUND, " "))
    with pytest.raises(PermissionDenied):
        decide(desk, source, Status.NONE_FOUND, by=desk.person(Role.CURATOR))
    assert everything() == before


def test_a_reinstatement_that_an_editor_confirms_releases_the_passages(desk: Desk) -> None:
    source = work(desk)
    passage = ChunkFactory(store__workspace=desk.workspace, source=source)
    record(assertions=[said(Nature.RETRACTED)], at=NOW)
    record(assertions=[said(Nature.REINSTATED, "2017-05-02")], at=NOW)
    decide(desk, source, Status.REINSTATED)
    passage.refresh_from_db()
    assert (passage.retracted, passage.retraction_note) == (False, "")


def test_a_decision_until_a_day_is_asked_about_again_and_holds_on(desk: Desk) -> None:
    source = work(desk)
    decide(desk, source, Status.RETRACTED, expires_at=LATER)
    assert retraction_decisions.remind(at=NOW) == 0
    assert (retraction_decisions.remind(at=LATER), retraction_decisions.remind(at=LATER)) == (1, 0)
    source.refresh_from_db()
    assert (source.retracted, questions(source)) == (True, 1)


def test_a_list_says_what_it_would_do_and_does_exactly_that(desk: Desk) -> None:
    plain, decided, same, marked = (numbered(desk, number) for number in range(4))
    decide(desk, decided, Status.NONE_FOUND)
    decide(desk, same, Status.RETRACTED)
    Source.objects.filter(pk=marked.pk).update(retracted=True, retraction_note="By a file")
    lines = ["identifier,status,note,notice,date"]
    lines += [f"10.5555/list.{number},withdrawn,Row {number},10.5555/n,2020-01" for number in (0, 1)]
    lines += [
        "10.5555/list.2,,,,",
        "10.5555/LIST.0,,,,",
        "10.5555/none,,,,",
        "rubbish,,,,",
        "10.5555/list.3,reinstated,,,",
    ]
    given = Given("\n".join(lines), Status.RETRACTED, "The lists of May")
    look = retraction_lists.look(workspace_id=desk.workspace.pk, given=given)
    assert [(plan.line, plan.source, plan.ruling.status) for plan in look.planned] == [
        (2, plain, Status.WITHDRAWN),
        (8, marked, Status.REINSTATED),
    ]
    assert [(row.line, row.why.split(" ")[0]) for row in look.skipped] == [
        (3, "An"),
        (4, "Decided"),
        (5, "The"),
        (6, "No"),
    ]
    assert [error.line for error in look.errors] == [7]
    deed = apply(desk, given)
    assert deed is not None
    assert dict(Source.objects.values_list("pk", "retraction_note")) == {
        plain.pk: "Row 0 (10.5555/n, 2020-01)",
        decided.pk: "",
        same.pk: "Read both notices",
        marked.pk: "",
    }
    assert deed.note == "The lists of May"


def test_a_list_is_undone_but_for_what_was_decided_since(desk: Desk) -> None:
    _, second = numbered(desk, 0), numbered(desk, 1)
    deed = apply(desk, Given("10.5555/list.0\n10.5555/list.1", Status.RETRACTED, "The list"))
    assert deed is not None
    decide(desk, second, Status.RETRACTED, at=LATER)
    result = changes.undo(change_set=deed, by=desk.person(Role.ADMIN), at=LATER)
    assert (result.undone, len(result.skipped)) == (1, 1)
    assert list(Source.objects.order_by("pk").values_list("retracted", flat=True)) == [False, True]


def test_a_list_that_is_not_as_it_was_seen_is_refused_whole(desk: Desk) -> None:
    source = numbered(desk, 0)
    given = Given("10.5555/list.0", Status.RETRACTED, "The list")
    seen = retraction_lists.look(workspace_id=desk.workspace.pk, given=given).digest
    Source.objects.filter(pk=source.pk).update(row_version=7)
    before = everything()
    with pytest.raises(ListChanged):
        retraction_lists.apply(
            workspace_id=desk.workspace.pk,
            given=given,
            seen=seen,
            by=desk.person(Role.ADMIN),
            channel=Channel.PAGE,
            at=NOW,
        )
    with pytest.raises(DecisionRefused):
        apply(desk, Given("10.5555/list.0", Status.RETRACTED, " "))
    with pytest.raises(PermissionDenied):
        apply(desk, given, role=Role.EDITOR)
    assert everything() == before


def test_a_list_does_not_decide_over_what_somebody_decided_while_it_was_read_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = numbered(desk, 0)
    plain = retraction_lists.look

    def look_and_be_late(*, workspace_id: int, given: Given) -> ListLook:
        looked = plain(workspace_id=workspace_id, given=given)
        decide(desk, source, Status.NONE_FOUND)
        return looked

    given = Given("10.5555/list.0", Status.RETRACTED, "The list")
    seen = plain(workspace_id=desk.workspace.pk, given=given).digest
    monkeypatch.setattr(retraction_lists, "look", look_and_be_late)
    with pytest.raises(ListChanged):
        retraction_lists.apply(
            workspace_id=desk.workspace.pk,
            given=given,
            seen=seen,
            by=desk.person(Role.ADMIN),
            channel=Channel.PAGE,
            at=NOW,
        )
    source.refresh_from_db()
    assert not source.retracted


def test_nothing_is_decided_about_a_work_that_became_part_of_another(desk: Desk) -> None:
    source = work(desk)
    Source.objects.filter(pk=source.pk).update(merged_into=SourceFactory(workspace=desk.workspace))
    before = everything()
    with pytest.raises(DecisionRefused, match="merged"):
        decide(desk, source, Status.RETRACTED)
    assert everything() == before


def test_undoing_a_decision_lets_what_providers_say_by_now_hold(desk: Desk) -> None:
    source = work(desk)
    passage = ChunkFactory(store__workspace=desk.workspace, source=source)
    first = decide(desk, source, Status.NONE_FOUND)
    second = decide(desk, source, Status.CORRECTED, at=LATER)
    record(assertions=[said(Nature.RETRACTED)], at=LATER)
    by = {"by": desk.person(Role.ADMIN), "at": LATER}

    changes.undo(change_set=second, **by)
    source.refresh_from_db()
    assert not source.retracted  # the first decision holds
    changes.undo(change_set=first, **by)
    source.refresh_from_db()
    passage.refresh_from_db()
    note = "Retracted (Retraction Watch; 2010-02-06; 10.5555/notice.retracted)"
    assert (source.retracted, source.retraction_note) == (True, note)
    assert (passage.retracted, passage.retraction_note) == (True, note)


def test_a_fault_at_any_statement_decides_nothing(desk: Desk) -> None:
    numbered(desk, 0)
    assert faults_until_done(lambda: apply(desk, Given("10.5555/list.0", Status.RETRACTED, "The list"))) > 4
    assert ChangeSet.objects.count() == 1


def test_a_use_is_acknowledged_once_and_only_where_it_is_one(desk: Desk) -> None:
    entry: CatalogEntry = CatalogEntryFactory(source=SourceFactory(workspace=desk.workspace, retracted=True))

    def acknowledge(use_id: int, reason: str) -> int:
        return retraction_acknowledgements.acknowledge(
            source=entry.source,
            use_kind=UseKind.PROJECT,
            use_id=use_id,
            reason=reason,
            by=desk.person(Role.EDITOR),
            at=NOW,
        ).pk

    first = acknowledge(entry.project_id, "As an example")
    assert acknowledge(entry.project_id, "As an example") == first
    again = acknowledge(entry.project_id, "As the example")
    told = RetractionAcknowledgement.objects.order_by("pk").values_list("pk", "reason", "withdrawn_at")
    assert list(told) == [(first, "As an example", NOW), (again, "As the example", None)]
    for use_id, reason in ((entry.project_id + 1, "As an example"), (entry.project_id, " ")):
        with pytest.raises(AcknowledgementRefused):
            acknowledge(use_id, reason)


def test_a_page_that_answers_leaves_the_question_of_retraction_open(desk: Desk) -> None:
    source = work(desk)
    record(assertions=[said(Nature.CONCERN)], at=NOW)
    assert ReviewItem.objects.get(source=source).reason == ReviewReason.RETRACTION
    source.refresh_from_db()
    assert not source.retracted


def test_a_source_about_whose_retraction_somebody_decided_is_not_removed(desk: Desk) -> None:
    source = work(desk)
    decide(desk, source, Status.NONE_FOUND)
    with pytest.raises(Held, match="not retracted"):
        remove(source=source, by=desk.person(Role.CURATOR), channel=Channel.PAGE, at=LATER)


def test_editors_are_told_once_of_news_and_only_of_sources_that_are_still_here(desk: Desk) -> None:
    source = work(desk, title="Harbour silt")
    for _ in range(2):
        record(assertions=[said(Nature.RETRACTED)], at=NOW)
    notices = list(Notice.objects.filter(user=desk.person(Role.EDITOR)))
    member = Membership.objects.get(user=desk.person(Role.EDITOR), workspace=desk.workspace)
    (told,) = shown(notices=notices, membership=member).values()
    assert (told.text, told.url) == ("“Harbour silt”: retracted", "/retractions/")
    Source.objects.filter(pk=source.pk).update(merged_into=SourceFactory(workspace=desk.workspace))
    assert shown(notices=notices, membership=member) == {}


def test_new_evidence_makes_a_use_that_is_meant_warn_again_until_that_is_said_again(desk: Desk) -> None:
    source = work(desk)
    record(assertions=[said(Nature.RETRACTED)], at=NOW)
    entry: CatalogEntry = CatalogEntryFactory(source=source, project__workspace=desk.workspace)
    use = (source.pk, entry.project_id)

    def acknowledge() -> None:
        retraction_acknowledgements.acknowledge(
            source=source,
            use_kind=UseKind.PROJECT,
            use_id=entry.project_id,
            reason="As an example",
            by=desk.person(Role.EDITOR),
            at=NOW,
        )

    def holds() -> bool:
        return use in meant(use_kind=UseKind.PROJECT, use_ids=[entry.project_id])

    acknowledge()
    record(assertions=[said(Nature.RETRACTED)], at=LATER)
    assert holds()  # the same evidence again is silence
    record(assertions=[said(Nature.REINSTATED, "2017")], at=LATER)
    assert not holds()
    acknowledge()
    assert holds()


def test_news_of_very_many_sources_are_read_in_parts(desk: Desk) -> None:
    sources = Source.objects.bulk_create(SourceFactory.build_batch(501, workspace=desk.workspace))
    facts = [ChangeFacts(Source._meta.label_lower, source.pk, {}, {}) for source in sources]
    deed = changes.record(
        workspace_id=desk.workspace.pk,
        kind="sources.retraction-news",
        actor=None,
        channel=Channel.JOB,
        note="",
        at=NOW,
        changes=facts,
    )
    member = Membership.objects.get(user=desk.person(Role.EDITOR), workspace=desk.workspace)
    notice = NoticeFactory(user=member.user, workspace=desk.workspace, subject_id=deed.pk)
    with CaptureQueriesContext(connection) as asked:
        (words,) = shown(notices=[notice], membership=member).values()
    assert words.title == "News about 501 retractions"
    assert len(asked) == 3  # which sources, and two parts of them
