"""The inbox: what a person was told, and marking it read."""

import pytest
from django.test import Client

from lineage.core.causes import CauseKind
from lineage.services import impact
from lineage.services.impact import What
from provenance_site.notices.models import Notice
from sources.services import impact_reports
from tests import factories as make
from tests.clock import NOW
from tests.graphs import graph

pytestmark = pytest.mark.django_db


def test_an_editor_reads_what_fell_and_marks_it_read(client: Client) -> None:
    editor = make.MembershipFactory(role="editor")
    client.force_login(editor.user)
    assert b"Nothing to tell" in client.get("/notices/").content
    for number in range(2):
        nodes = graph(editor.workspace, f"claim:k{number} SUPPORTED_BY source:a{number}")
        what = What(CauseKind.RETRACTION, f"Notice {number} of the journal.", entity=nodes[f"a{number}"])
        impact.propagate(workspace_id=editor.workspace_id, what=what, by=None, at=NOW)
    impact_reports.report(at=NOW)
    page = client.get("/notices/").content.decode()
    assert "Retraction: Notice 0 of the journal." in page
    assert "1 rests on it" in page
    first = Notice.objects.earliest("pk")
    client.post(f"/notices/{first.pk}/read/")
    assert Notice.objects.filter(read_at__isnull=True).count() == 1
    client.post("/notices/read/")
    assert b"(unread)" not in client.get("/notices/").content


def test_another_persons_notice_stays_unread(client: Client) -> None:
    foreign = make.NoticeFactory()
    client.force_login(make.MembershipFactory().user)
    client.post(f"/notices/{foreign.pk}/read/")
    foreign.refresh_from_db()
    assert foreign.read_at is None
