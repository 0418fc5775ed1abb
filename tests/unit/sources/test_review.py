"""Decisions of people: what they need, what they move, who may make them, and how two at once end."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404

from provenance_site.accounts.models import User
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.changes.services import NotUndoable
from sources.core.findings import Disposition, Verdict
from sources.core.kinds import DecisionKind, ReviewReason
from sources.models import Decision, ReviewItem, Source, StatusChange
from sources.queries import decisions
from sources.services import review
from sources.services.review import DecisionRefused, Seen, Stale, Verdicted
from tests.clock import NOW
from tests.desk import Desk, furnish
from tests.factories import MembershipFactory, SourceFactory
from tests.unit.sources.disturbance import everything, faults_until_done, together
from tests.unit.sources.findings import apply

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)
ACCEPT = Verdicted(DecisionKind.ACCEPT)
DROP = Verdicted(DecisionKind.DROP, "It is another report.")
OVERRIDE = Verdicted(DecisionKind.OVERRIDE, "I read it on paper.", Verdict.VERIFIED_GATED)


def waiting(desk: Desk, verdict: Verdict = Verdict.THIN) -> Source:
    """A source that waits for a person."""
    return apply(SourceFactory(workspace=desk.workspace), verdict)


def decide(source: Source, given: Verdicted, *, by: User, seen: Seen | None = None) -> Decision:
    """Decides on what `by` saw, by default the present state; `source` is then as the decision left it."""
    shown = seen or Seen.of(source)
    decision = review.decide(source=source, given=given, seen=shown, by=by, channel=Channel.PAGE, at=LATER)
    source.refresh_from_db()
    return decision


def take_back(source: Source, *, by: User, deed: ChangeSet | None = None) -> changes.UndoResult:
    """Takes a deed back, by default the newest."""
    result = changes.undo(change_set=deed or ChangeSet.objects.latest("pk"), by=by, at=LATER)
    source.refresh_from_db()
    return result


def open_reasons(source: Source) -> list[str]:
    return list(source.review_items.filter(closed_at__isnull=True).values_list("reason", flat=True))


@pytest.mark.parametrize(
    ("given", "disposition"),
    [(ACCEPT, Disposition.KEEP), (DROP, Disposition.DROP), (OVERRIDE, Disposition.KEEP)],
    ids=["accept", "drop", "override"],
)
def test_a_decision_moves_the_standing_closes_the_question_and_says_who(
    desk: Desk, given: Verdicted, disposition: Disposition
) -> None:
    source, editor = waiting(desk), desk.person(Role.EDITOR)
    decision = decide(source, given, by=editor)
    assert (source.decided, source.disposition, source.verdict) == (given.kind, disposition, Verdict.THIN)
    assert source.row_version == 2
    assert (decision.by, decision.at, decision.reason) == (editor, LATER, given.reason)
    assert decision.override_verdict == (given.override_verdict or "")
    assert decision.check_seen == source.latest_check
    assert decision.evidence_fingerprint
    item = ReviewItem.objects.get()
    assert (item.closed_at, item.closed_by_decision) == (LATER, decision)
    moved = StatusChange.objects.latest("pk")
    assert (moved.from_disposition, moved.to_disposition, moved.by) == (Disposition.REVIEW, disposition, editor)
    deed = ChangeSet.objects.get()
    assert (deed.kind, deed.actor, deed.note) == (review.CHANGE_KIND, editor, given.reason)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Verdicted(DecisionKind.DROP), "Say why"),
        (Verdicted(DecisionKind.DROP, " \n\t"), "Say why"),
        (Verdicted(DecisionKind.OVERRIDE, "", Verdict.VERIFIED_GATED), "Say why"),
        (Verdicted(DecisionKind.OVERRIDE, "I read it on paper."), "Choose the verdict"),
    ],
    ids=["drop without a reason", "drop with blanks", "override without a reason", "override without a verdict"],
)
def test_what_lacks_something_is_refused_and_changes_nothing(desk: Desk, given: Verdicted, said: str) -> None:
    source = waiting(desk)
    before = everything()
    with pytest.raises(DecisionRefused, match=said):
        decide(source, given, by=desk.person(Role.EDITOR))
    assert everything() == before


@pytest.mark.parametrize("kind", [DecisionKind.ACCEPT, DecisionKind.DROP])
def test_a_verdict_beside_another_kind_is_left_out(desk: Desk, kind: DecisionKind) -> None:
    decision = decide(waiting(desk), Verdicted(kind, "why", Verdict.HARD_404), by=desk.person(Role.EDITOR))
    assert decision.override_verdict == ""


def test_a_source_that_was_never_checked_can_be_decided(desk: Desk) -> None:
    source = SourceFactory(workspace=desk.workspace)
    decision = decide(source, ACCEPT, by=desk.person(Role.EDITOR))
    assert (source.disposition, decision.check_seen) == (Disposition.KEEP, None)
    take_back(source, by=desk.person(Role.EDITOR))
    assert (source.disposition, source.decided) == (Disposition.UNCHECKED, "")


def test_a_password_in_a_reason_is_masked(desk: Desk) -> None:
    given = Verdicted(DecisionKind.DROP, "Moved to https://anna:hunter2@harbour.org/new")
    decide(waiting(desk), given, by=desk.person(Role.EDITOR))
    assert "hunter2" not in str(everything())


def test_a_stale_decision_is_refused_with_the_one_that_came_between(desk: Desk) -> None:
    source = waiting(desk)
    shown = Seen.of(source)
    first = decide(source, DROP, by=desk.person(Role.EDITOR))
    before = everything()
    with pytest.raises(Stale) as refused:
        decide(source, ACCEPT, by=desk.person(Role.ADMIN), seen=shown)
    assert refused.value.newest == first
    assert refused.value.newest is not None
    assert refused.value.newest.by == desk.person(Role.EDITOR)
    assert everything() == before


def test_evidence_that_came_while_a_person_looked_is_shown_before_it_is_judged(desk: Desk) -> None:
    source = waiting(desk)
    shown = Seen.of(source)
    apply(source, Verdict.HARD_404, at=LATER)
    with pytest.raises(Stale) as refused:
        decide(source, ACCEPT, by=desk.person(Role.EDITOR), seen=shown)
    assert refused.value.newest is None
    assert not Decision.objects.exists()


def test_a_check_that_found_the_same_meanwhile_stops_nobody(desk: Desk) -> None:
    source = waiting(desk)
    shown = Seen.of(source)
    apply(source, Verdict.THIN, at=LATER)
    decide(source, ACCEPT, by=desk.person(Role.EDITOR), seen=shown)
    assert source.decided == DecisionKind.ACCEPT


def test_a_change_without_a_decision_names_no_colleague(desk: Desk) -> None:
    source = waiting(desk)
    decide(source, ACCEPT, by=desk.person(Role.EDITOR))
    shown = Seen.of(source)
    Source.objects.filter(pk=source.pk).update(retracted=True, row_version=source.row_version + 1)
    with pytest.raises(Stale) as refused:
        decide(source, DROP, by=desk.person(Role.ADMIN), seen=shown)
    assert refused.value.newest is None


@pytest.mark.django_db(transaction=True)
def test_of_two_editors_at_once_one_wins_and_the_other_is_told() -> None:
    desk = furnish("Harbour desk")
    source = waiting(desk)
    people = [desk.person(Role.EDITOR), desk.person(Role.ADMIN)]
    shown = Seen.of(source)

    def decide_as(person: User) -> Decision:
        mine = Source.objects.get(pk=source.pk)
        return review.decide(source=mine, given=DROP, seen=shown, by=person, channel=Channel.PAGE, at=LATER)

    deeds = [lambda person=person: decide_as(person) for person in people]
    results = together(*deeds, meet_before='INSERT INTO "sources_decision"')
    won = Decision.objects.get()
    told = [result for result in results if isinstance(result, Stale)]
    assert won in results
    assert [refused.newest for refused in told] == [won]
    assert ChangeSet.objects.count() == 1


def orders(left: tuple[str, ...], right: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Every order in which two people's steps can come, each person's own steps in their order."""
    if not left or not right:
        yield left + right
        return
    yield from ((left[0], *rest) for rest in orders(left[1:], right))
    yield from ((right[0], *rest) for rest in orders(left, right[1:]))


ANNA = ("anna looks", "anna decides", "anna takes back", "anna decides")
BERT = ("bert looks", "bert decides", "bert takes back")


def test_no_decision_is_lost_in_any_order_of_two_peoples_steps(desk: Desk) -> None:
    for steps in orders(ANNA, BERT):
        walk(desk, steps)


def walk(desk: Desk, steps: tuple[str, ...]) -> None:
    """The rule told anew: who saw the newest state decides, whoever did not is refused, and only the decision that
    holds is taken back."""
    source = waiting(desk)
    people = {"anna": desk.person(Role.EDITOR), "bert": desk.person(Role.ADMIN)}
    seen: dict[str, int] = {}
    shown: dict[str, Seen] = {}
    deeds: dict[str, ChangeSet] = {}
    edits, standing = 1, list[str]()
    for step in steps:
        name, _, act = step.partition(" ")
        if act == "looks":
            seen[name], shown[name] = edits, Seen.of(source)
        elif act == "decides" and seen[name] != edits:
            with pytest.raises(Stale):
                decide(source, Verdicted(DecisionKind.DROP, name), by=people[name], seen=shown[name])
        elif act == "decides":
            decide(source, Verdicted(DecisionKind.DROP, name), by=people[name], seen=shown[name])
            deeds[name] = ChangeSet.objects.latest("pk")
            edits, standing = edits + 1, [*standing, name]
        elif name in standing:
            undone = take_back(source, by=people[name], deed=deeds[name]).undone
            assert undone == (standing[-1] == name), steps
            edits, standing = (edits + 1, standing[:-1]) if undone else (edits, standing)
            seen[name], shown[name] = edits, Seen.of(source)
        holds = decisions.holding([source.pk]).get(source.pk)
        assert (holds.reason if holds else None) == (standing[-1] if standing else None), steps
        assert source.row_version == edits, steps
        assert source.disposition == (Disposition.DROP if standing else Disposition.REVIEW), steps


def test_taking_back_restores_the_standing_and_reopens_the_question(desk: Desk) -> None:
    source, editor = waiting(desk), desk.person(Role.EDITOR)
    decision = decide(source, DROP, by=editor)
    assert take_back(source, by=editor).undone == 1
    assert (source.decided, source.disposition, source.verdict) == ("", Disposition.REVIEW, Verdict.THIN)
    assert open_reasons(source) == [ReviewReason.THIN]
    assert ReviewItem.objects.get().opened_at == NOW
    decision.refresh_from_db()
    assert decision.undone_at == LATER
    with pytest.raises(NotUndoable, match="already"):
        take_back(source, by=editor, deed=ChangeSet.objects.earliest("pk"))


def test_taking_back_the_second_decision_lets_the_first_hold_again(desk: Desk) -> None:
    source, editor = waiting(desk), desk.person(Role.EDITOR)
    decide(source, ACCEPT, by=editor)
    decide(source, DROP, by=editor)
    take_back(source, by=editor)
    assert (source.decided, source.disposition) == (DecisionKind.ACCEPT, Disposition.KEEP)
    assert open_reasons(source) == []
    take_back(source, by=editor, deed=ChangeSet.objects.earliest("pk"))
    assert (source.decided, source.disposition) == ("", Disposition.REVIEW)
    assert open_reasons(source) == [ReviewReason.THIN]


def test_a_decision_that_another_followed_is_left_alone(desk: Desk) -> None:
    source, editor = waiting(desk), desk.person(Role.EDITOR)
    decide(source, ACCEPT, by=editor)
    decide(source, DROP, by=desk.person(Role.ADMIN))
    result = take_back(source, by=editor, deed=ChangeSet.objects.earliest("pk"))
    assert (result.undone, len(result.skipped)) == (0, 1)
    assert source.decided == DecisionKind.DROP


def test_a_retraction_marked_since_does_not_keep_a_decision_from_being_taken_back(desk: Desk) -> None:
    source, editor = waiting(desk), desk.person(Role.EDITOR)
    decide(source, DROP, by=editor)
    Source.objects.filter(pk=source.pk).update(retracted=True, row_version=source.row_version + 1)
    assert take_back(source, by=editor).undone == 1


def test_a_later_check_keeps_the_decision_and_contrary_news_opens_a_question(desk: Desk) -> None:
    source = waiting(desk)
    decide(source, ACCEPT, by=desk.person(Role.EDITOR))
    apply(source, Verdict.THIN, at=LATER)
    assert open_reasons(source) == []
    apply(source, Verdict.HARD_404, at=LATER + timedelta(days=1))
    assert (source.decided, source.disposition, source.verdict) == (
        DecisionKind.ACCEPT,
        Disposition.KEEP,
        Verdict.HARD_404,
    )
    assert open_reasons(source) == [ReviewReason.NEW_EVIDENCE]


@pytest.mark.parametrize(
    ("verdict", "disposition", "reasons"),
    [
        (Verdict.HARD_404, Disposition.DROP, []),
        (Verdict.TITLE_SWAPPED, Disposition.REVIEW, [ReviewReason.TITLE_SWAPPED]),
        (Verdict.VERIFIED_ACCESSIBLE, Disposition.KEEP, []),
    ],
)
def test_taking_back_leaves_the_question_that_the_newest_check_asks(
    desk: Desk, verdict: Verdict, disposition: Disposition, reasons: list[ReviewReason]
) -> None:
    source, editor = waiting(desk), desk.person(Role.EDITOR)
    decide(source, Verdicted(DecisionKind.OVERRIDE, "I saw it.", Verdict.THIN), by=editor)
    apply(source, verdict, at=LATER)
    take_back(source, by=editor)
    assert (source.decided, source.disposition) == ("", disposition)
    assert open_reasons(source) == reasons


def test_a_fault_at_any_statement_leaves_source_and_question_as_they_were(desk: Desk) -> None:
    source, editor = waiting(desk), desk.person(Role.EDITOR)

    shown = Seen.of(source)

    def drop() -> None:
        review.decide(source=source, given=DROP, seen=shown, by=editor, channel=Channel.PAGE, at=LATER)

    def undo() -> None:
        changes.undo(change_set=ChangeSet.objects.get(kind=review.CHANGE_KIND), by=editor, at=LATER)

    assert faults_until_done(drop) > 8
    assert faults_until_done(undo) > 8
    assert open_reasons(source) == [ReviewReason.THIN]


@pytest.mark.parametrize("role", [Role.READER, Role.CURATOR])
def test_less_than_an_editor_may_not_decide(desk: Desk, role: Role) -> None:
    source = waiting(desk)
    with pytest.raises(PermissionDenied, match="editor"):
        decide(source, ACCEPT, by=desk.person(role))
    assert not Decision.objects.exists()


def test_less_than_an_editor_may_not_take_a_decision_back(desk: Desk) -> None:
    source = waiting(desk)
    decide(source, ACCEPT, by=desk.person(Role.EDITOR))
    with pytest.raises(PermissionDenied, match="editor"):
        take_back(source, by=desk.person(Role.CURATOR))
    source.refresh_from_db()
    assert source.decided == DecisionKind.ACCEPT


def test_to_a_stranger_the_source_does_not_exist(desk: Desk, other_desk: Desk) -> None:
    source = waiting(desk)
    with pytest.raises(Http404):
        decide(source, ACCEPT, by=other_desk.person(Role.ADMIN))
    decide(source, ACCEPT, by=desk.person(Role.EDITOR))
    with pytest.raises(Http404):
        take_back(source, by=other_desk.person(Role.ADMIN))


def test_an_editor_elsewhere_is_a_reader_here(desk: Desk, other_desk: Desk) -> None:
    editor = other_desk.person(Role.EDITOR)
    MembershipFactory(user=editor, workspace=desk.workspace, role=Role.READER)
    with pytest.raises(PermissionDenied):
        decide(waiting(desk), ACCEPT, by=User.objects.get(pk=editor.pk))
