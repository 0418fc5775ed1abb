"""People are told of what fell, each once and of what they may see."""

import pytest

from lineage.core.asking import Asker
from lineage.core.causes import CauseKind
from lineage.ingest import taking_in
from lineage.models import Cause, Entity, Impact
from lineage.services import impact
from lineage.services.impact import What
from provenance_site.accounts.models import Membership
from provenance_site.changes.models import Channel
from provenance_site.notices import queries, services
from provenance_site.notices.models import Notice
from sources.models import ReviewItem
from sources.services import impact_reports
from tests import factories as make
from tests.clock import NOW
from tests.graphs import graph

pytestmark = pytest.mark.django_db


@pytest.fixture
def editor() -> Membership:
    return make.MembershipFactory(role="editor")


def retract(entity: Entity) -> Cause:
    what = What(CauseKind.RETRACTION, "Retracted by the journal.", entity=entity)
    return impact.propagate(workspace_id=entity.workspace_id, what=what, by=None, at=NOW)


def titles(member: Membership) -> list[str]:
    return [line.shown.title for line in queries.inbox(membership=member)]


def test_owners_get_one_notice_for_all_that_fell(editor: Membership) -> None:
    owner = make.MembershipFactory(workspace=editor.workspace, role="curator")
    nodes = graph(editor.workspace, *(f"claim:k{n} SUPPORTED_BY source:a" for n in range(3)))
    Entity.objects.filter(type="claim").update(owner=owner.user)
    retract(nodes["a"])
    assert impact_reports.report(at=NOW) == 3
    assert impact_reports.report(at=NOW) == 0
    (line,) = queries.inbox(membership=owner)
    assert line.shown.title == "Retraction: Retracted by the journal."
    assert line.shown.text == "3 rest on it, 3 of them yours"
    assert titles(editor) == []


def test_editors_are_told_where_nothing_has_an_owner(editor: Membership) -> None:
    reader = make.MembershipFactory(workspace=editor.workspace, role="reader")
    stranger = make.MembershipFactory(role="editor")
    nodes = graph(editor.workspace, "claim:k SUPPORTED_BY source:a")
    retract(nodes["a"])
    impact_reports.report(at=NOW)
    assert titles(editor) == ["Retraction: Retracted by the journal."]
    assert titles(reader) == titles(stranger) == []


def test_late_rows_of_a_cause_tell_nobody_again(editor: Membership) -> None:
    nodes = graph(editor.workspace, "claim:k SUPPORTED_BY source:a")
    retract(nodes["a"])
    impact_reports.report(at=NOW)
    graph(editor.workspace, "report:r CONTAINS claim:k")
    assert impact_reports.report(at=NOW) == 1
    assert Notice.objects.count() == 1


def test_an_event_of_another_system_that_comes_to_rest_on_what_fell_wakes_its_sender(editor: Membership) -> None:
    sender = make.MembershipFactory(workspace=editor.workspace, role="curator")
    nodes = graph(editor.workspace, "claim:k SUPPORTED_BY source:a")
    retract(nodes["a"])
    impact_reports.report(at=NOW)
    event = {"relation": "GENERATED_FROM", "output": "answer://late/v1", "inputs": ["claim://k/v1"]}
    asker = Asker(editor.workspace_id, level=3, user_id=sender.user_id)
    taking_in.take_in(payload=event, asker=asker, by=sender.user, channel=Channel.API, at=NOW)
    assert Entity.objects.get(ref="answer://late/v1").state == "stale"
    assert titles(sender) == []
    assert impact_reports.report(at=NOW) == 1
    assert titles(sender) == ["Retraction: Retracted by the journal."]


def test_a_notice_is_shown_as_far_as_its_reader_may_see_now(editor: Membership) -> None:
    nodes = graph(editor.workspace, "claim:k SUPPORTED_BY source:a")
    retract(nodes["a"])
    impact_reports.report(at=NOW)
    Entity.objects.filter(workspace=editor.workspace).update(level=3)
    editor.clearance = "internal"
    assert titles(editor) == []
    Entity.objects.filter(pk=nodes["k"].pk).update(level=0)
    assert titles(editor) == ["Something it rests on fell"]


def test_the_source_that_fell_waits_in_the_queue_once(editor: Membership) -> None:
    nodes = graph(editor.workspace, "claim:k SUPPORTED_BY source:a", "claim:l SUPPORTED_BY source:b")
    source = make.SourceFactory(workspace=editor.workspace, entity=nodes["a"])
    retract(nodes["a"])
    impact_reports.report(at=NOW)
    Impact.objects.update(reported_at=None)
    impact_reports.report(at=NOW)
    assert [(item.source_id, item.reason) for item in ReviewItem.objects.all()] == [(source.pk, "impact")]


def test_reading_marks_only_ones_own(editor: Membership) -> None:
    other = make.MembershipFactory(workspace=editor.workspace)
    for member in (editor, other):
        for key in ("one", "two"):
            services.tell(
                workspace_id=editor.workspace_id, user_ids=[member.user_id], kind="x", key=key, subject_id=1, at=NOW
            )
    foreign = Notice.objects.filter(user=other.user).first()
    assert foreign is not None
    assert services.mark_read(membership=editor, notice_id=foreign.pk, at=NOW) == 0
    assert services.mark_read(membership=editor, notice_id=None, at=NOW) == 2
    assert Notice.objects.filter(read_at__isnull=True).count() == 2
