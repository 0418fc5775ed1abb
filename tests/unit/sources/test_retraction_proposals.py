"""Two persons for bulk edits: proposed with a preview, approved by another, and skipped where something changed."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404

from provenance_site.accounts.models import User
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.notices.models import Notice
from sources import dispatch
from sources.core.retraction_status import Nature, Status
from sources.models import RetractionDecision, RetractionProposal, Source
from sources.services import (
    bulk_deeds,
    long_deed_work,
    long_deeds,
    retraction_decisions,
    retraction_lists,
    retraction_policy,
    retraction_proposals,
    retractions,
)
from sources.services.bulk_deeds import Deed
from sources.services.retraction_lists import Given, ListChanged
from sources.services.retraction_policy import PolicyRefused, SecondPersonNeeded
from sources.services.retraction_proposals import OwnProposal, ProposalRefused
from sources.services.retraction_records import record
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import MembershipFactory, RetractionPolicyFactory, SourceFactory
from tests.unit.sources.test_retraction_decisions import numbered
from tests.unit.sources.test_retraction_records import said, work

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)
NOTE = "The list of May"


@pytest.fixture
def second(desk: Desk) -> User:
    """Another administrator, in a workspace that wants two persons."""
    RetractionPolicyFactory(workspace=desk.workspace)
    other: User = MembershipFactory(workspace=desk.workspace, role=Role.ADMIN).user
    return other


def given(*numbers: int) -> Given:
    return Given("\n".join(f"10.5555/list.{number}" for number in numbers), Status.RETRACTED, NOTE)


def propose(desk: Desk, what: Given, **values: Any) -> RetractionProposal:
    seen = retraction_lists.look(workspace_id=desk.workspace.pk, given=what).digest
    options: dict[str, Any] = {"seen": seen, "by": desk.person(Role.ADMIN), "channel": Channel.PAGE, "at": NOW}
    filed = dispatch.decide_about_list(workspace_id=desk.workspace.pk, given=what, **(options | values))
    assert isinstance(filed, RetractionProposal)
    return filed


def approve(proposal: RetractionProposal, by: User) -> retraction_proposals.Approved:
    return dispatch.approve(proposal=proposal, by=by, channel=Channel.PAGE, at=LATER)


def marked() -> int:
    return Source.objects.filter(retracted=True).count()


def test_a_list_waits_for_another_and_is_one_deed_that_names_both(desk: Desk, second: User) -> None:
    for number in range(3):
        numbered(desk, number)
    filed = propose(desk, given(0, 1, 2, 77))
    assert (marked(), filed.planned, filed.left, ChangeSet.objects.count()) == (0, 3, 1, 0)
    left = filed.rows.exclude(why="").get()
    assert (left.spelling, left.why) == ("10.5555/list.77", "No source here has this identifier")
    assert set(filed.rows.filter(why="").values_list("before", "after")) == {("Not marked", "Retracted")}
    done = approve(filed, second)
    assert (marked(), done.changed, done.skipped) == (3, 3, ())
    deed = ChangeSet.objects.get()
    proposer = desk.person(Role.ADMIN)
    assert deed.note == f"{NOTE} (proposed by {proposer}, approved by {second})"
    assert set(Source.objects.values_list("retraction_note", flat=True)) == {NOTE}
    changes.undo(change_set=deed, by=second, at=LATER)
    assert marked() == 0


def test_what_changed_since_the_preview_is_told_and_skipped(desk: Desk, second: User) -> None:
    sources = [numbered(desk, number) for number in range(5)]
    filed = propose(desk, given(0, 1, 2, 3, 4))
    Source.objects.filter(pk=sources[0].pk).update(row_version=9)
    sources[1].delete()
    editor = {"by": desk.person(Role.EDITOR), "channel": Channel.PAGE, "at": NOW}
    ruling = retraction_decisions.Ruling(Status.CORRECTED, "A small slip")
    retraction_decisions.decide(source=sources[2], ruling=ruling, seen="", **editor)
    # A concern moves no mark and no version; it is evidence that the proposer did not see.
    record(assertions=[replace(said(Nature.CONCERN), identifier_value="10.5555/list.3")], at=NOW)
    done = approve(filed, second)
    told = "\n".join(done.skipped)
    assert (done.changed, len(done.skipped)) == (1, 3)
    for why in ("It was edited since", "Somebody decided about it since", "Providers said more since"):
        assert why in told
    assert filed.rows.filter(why="Providers said more since").exists()
    assert list(Source.objects.filter(retracted=True)) == [sources[4]]


def test_nobody_approves_or_refuses_their_own_by_any_name(desk: Desk, second: User) -> None:
    numbered(desk, 0)
    filed = propose(desk, given(0))
    own = desk.person(Role.ADMIN)
    with pytest.raises(OwnProposal):
        approve(filed, own)
    with pytest.raises(OwnProposal):
        retraction_proposals.refuse(proposal=filed, reason="No", by=own, at=LATER)
    with pytest.raises(PermissionDenied):
        approve(filed, desk.person(Role.EDITOR))
    with pytest.raises(ProposalRefused):
        retraction_proposals.withdraw(proposal=filed, by=second, at=LATER)
    assert (marked(), RetractionProposal.objects.get().state) == (0, "waiting")


def test_an_administrator_of_another_workspace_finds_no_proposal(desk: Desk, other_desk: Desk, second: User) -> None:
    numbered(desk, 0)
    filed = propose(desk, given(0))
    with pytest.raises(Http404):
        approve(filed, other_desk.person(Role.ADMIN))


def test_a_proposal_ends_once(desk: Desk, second: User) -> None:
    numbered(desk, 0)
    filed = propose(desk, given(0))
    with pytest.raises(ProposalRefused, match="Say why"):
        retraction_proposals.refuse(proposal=filed, reason=" ", by=second, at=LATER)
    retraction_proposals.refuse(proposal=filed, reason="Another journal", by=second, at=LATER)
    with pytest.raises(ProposalRefused, match="refused already"):
        approve(filed, second)
    again = propose(desk, given(0))
    retraction_proposals.withdraw(proposal=again, by=desk.person(Role.ADMIN), at=LATER)
    with pytest.raises(ProposalRefused, match="withdrawn already"):
        approve(again, second)
    assert marked() == 0


def test_those_who_may_approve_are_told_and_the_proposer_of_the_outcome(desk: Desk, second: User) -> None:
    numbered(desk, 0)
    filed = propose(desk, given(0))
    assert [notice.user for notice in Notice.objects.filter(kind="sources.retraction-proposal")] == [second]
    retraction_proposals.refuse(proposal=filed, reason="Another journal", by=second, at=LATER)
    assert Notice.objects.latest("pk").user == desk.person(Role.ADMIN)


def test_whose_right_is_gone_proposes_nothing_any_more(desk: Desk, second: User) -> None:
    numbered(desk, 0)
    filed = propose(desk, given(0))
    desk.person(Role.ADMIN).memberships.update(role=Role.EDITOR)
    with pytest.raises(ProposalRefused, match="no administrator here any more"):
        approve(filed, second)


def test_no_service_does_it_for_one_person(desk: Desk, second: User) -> None:
    source = numbered(desk, 0)
    seen = retraction_lists.look(workspace_id=desk.workspace.pk, given=given(0)).digest
    who: dict[str, Any] = {"by": second, "channel": Channel.API, "at": NOW, "workspace_id": desk.workspace.pk}
    with pytest.raises(SecondPersonNeeded):
        retraction_lists.apply(given=given(0), seen=seen, **who)
    for deed in (Deed.RETRACT, Deed.UNRETRACT):
        look = bulk_deeds.look(workspace_id=desk.workspace.pk, source_ids=[source.pk], deed=deed, note=NOTE)
        chosen: dict[str, Any] = {"source_ids": [source.pk], "deed": deed, "note": NOTE, "seen": look.digest}
        with pytest.raises(SecondPersonNeeded):
            bulk_deeds.do(**chosen, **who)
        with pytest.raises(SecondPersonNeeded):
            long_deeds.begin_deed(**chosen, query="", **who)
    with pytest.raises(ListChanged):
        propose(desk, given(0), seen="0" * 64)
    assert (marked(), ChangeSet.objects.count(), RetractionDecision.objects.count()) == (0, 0, 0)


@pytest.mark.parametrize("at_once", [2_000, 1], ids=["at once", "by a worker"])
@pytest.mark.parametrize("deed", [Deed.RETRACT, Deed.UNRETRACT])
def test_a_selection_is_marked_as_it_was_approved(
    desk: Desk, second: User, monkeypatch: pytest.MonkeyPatch, deed: Deed, at_once: int
) -> None:
    monkeypatch.setattr(retraction_proposals, "AT_ONCE", at_once)
    lifts = deed is Deed.UNRETRACT
    sources = SourceFactory.create_batch(3, workspace=desk.workspace, retracted=lifts)
    SourceFactory(workspace=desk.workspace, retracted=not lifts)
    keys = list(Source.objects.values_list("pk", flat=True))
    look = bulk_deeds.look(workspace_id=desk.workspace.pk, source_ids=keys, deed=deed, note=NOTE)
    filed = dispatch.do(
        source_ids=keys,
        query="",
        deed=deed,
        workspace_id=desk.workspace.pk,
        note=NOTE,
        seen=look.digest,
        by=desk.person(Role.ADMIN),
        channel=Channel.ADMIN,
        at=NOW,
    )
    assert isinstance(filed, RetractionProposal)
    assert (filed.planned, filed.left) == (3, 1)
    done = approve(filed, second)
    long_deed_work.work(clock=lambda: LATER)
    assert done.is_a_workers == (at_once == 1)
    assert set(Source.objects.filter(pk__in=[source.pk for source in sources]).values_list("retracted", flat=True)) == {
        not lifts
    }
    deed_done = ChangeSet.objects.get()
    assert deed_done.kind == (retractions.LIFT_KIND if lifts else retractions.CHANGE_KIND)
    assert deed_done.note.endswith(f"approved by {second})")
    assert deed_done.changes.count() == 3


def test_the_setting_is_an_administrators_and_stands_in_history(desk: Desk) -> None:
    def turn(role: Role, wanted: bool) -> ChangeSet | None:
        return retraction_policy.set_second_person(
            workspace_id=desk.workspace.pk, wanted=wanted, by=desk.person(role), channel=Channel.PAGE, at=NOW
        )

    with pytest.raises(PolicyRefused, match="only administrator"):
        turn(Role.ADMIN, True)
    MembershipFactory(workspace=desk.workspace, role=Role.ADMIN)
    with pytest.raises(PermissionDenied):
        turn(Role.EDITOR, True)
    deed = turn(Role.ADMIN, True)
    assert deed is not None
    assert (deed.actor, deed.note) == (desk.person(Role.ADMIN), "needed from now on")
    assert turn(Role.ADMIN, True) is None
    assert turn(Role.ADMIN, False)
    assert not retraction_policy.needs_second_person(workspace_id=desk.workspace.pk)


def test_a_lookalike_of_another_workspace_stays_as_it_is(desk: Desk, other_desk: Desk, second: User) -> None:
    work(desk)
    foreign = work(other_desk)
    filed = propose(desk, Given(foreign.identifier_value, Status.RETRACTED, NOTE))
    approve(filed, second)
    foreign.refresh_from_db()
    assert not foreign.retracted


@pytest.mark.parametrize("at_once", [1, 2_000])
def test_what_editors_decided_is_decided_anew_where_that_was_proposed_and_approved(
    desk: Desk, second: User, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(retraction_proposals, "AT_ONCE", at_once)
    sources = [numbered(desk, number) for number in range(2)]
    retraction_decisions.decide(
        source=sources[0],
        ruling=retraction_decisions.Ruling(Status.CORRECTED, "A small slip"),
        seen="",
        by=desk.person(Role.EDITOR),
        channel=Channel.PAGE,
        at=NOW,
    )
    keys = [source.pk for source in sources]
    options = {"workspace_id": desk.workspace.pk, "source_ids": keys, "deed": Deed.RETRACT, "note": NOTE}
    seen = bulk_deeds.look(**options, over_decisions=True).digest  # type: ignore[arg-type]
    by = {"by": desk.person(Role.ADMIN), "channel": Channel.PAGE, "at": NOW, "query": ""}
    filed = dispatch.do(**options, seen=seen, over_decisions=True, **by)  # type: ignore[arg-type]
    assert isinstance(filed, RetractionProposal)
    approve(filed, second)
    long_deed_work.work(clock=lambda: LATER)
    assert marked() == 2
