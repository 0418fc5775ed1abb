"""The notes of a turn as a file: what a session says of a retrieval, and what has become known of it since."""

import io

import pytest
from django.core.management import CommandError, call_command

from provenance_site.accounts.roles import Role
from tests.api.test_duplicates import client as token_client
from tests.desk import Desk
from tests.factories import SessionFactory, SourceFactory, TurnFactory, TurnSourceFactory

pytestmark = pytest.mark.django_db


def test_the_notes_are_those_of_the_session_with_retracted_sources_marked(desk: Desk) -> None:
    turn = TurnFactory(session=SessionFactory(project__workspace=desk.workspace, name="talk"), number=3)
    source = SourceFactory(workspace=desk.workspace, title="The tides", retracted=True, retraction_note="Notice of May")
    common = {"turn": turn, "store": "harbour", "chunk_count": 3, "top_score": 0.87}
    TurnSourceFactory(**common, position=1, path="tides.md", lines="45–72", source=source, locator="10.5555/harbour.7")
    TurnSourceFactory(**common, position=2, path="README.md")
    TurnSourceFactory(turn=turn, store="empty", chunk_count=0, top_score=None, position=3, path="")
    answer = desk.client(Role.READER).get(f"/turns/{turn.pk}/notes.fountain")
    assert answer.content.decode().splitlines() == [
        "[[rag: 3 chunks from harbour, top score 0.87]]",
        "[[rag-source: tides.md:45–72 (RETRACTED: The tides, doi:10.5555/harbour.7)]]",
        "[[rag-source: README.md]]",
        "[[rag: 0 chunks from empty, top score 0.00]]",
    ]
    assert answer.headers["Content-Disposition"] == 'attachment; filename="talk-turn-3.fountain"'
    (over_json,) = token_client(desk).get("/api/v1/turns", {"session": "talk"}).json()["turns"]
    out = io.StringIO()
    call_command("turn_notes", "--project", turn.session.project.name, "--session", "talk", stdout=out)
    assert over_json["notes"] == out.getvalue().splitlines() == answer.content.decode().splitlines()


def test_a_foreign_turn_does_not_exist(desk: Desk, other_desk: Desk) -> None:
    turn = TurnFactory(session=SessionFactory(project__workspace=desk.workspace))
    assert other_desk.client().get(f"/turns/{turn.pk}/notes.fountain").status_code == 404
    assert token_client(other_desk).get("/api/v1/turns").json() == {"turns": [], "next_offset": None}
    with pytest.raises(CommandError, match="no such turn"):
        call_command("turn_notes", "--project", turn.session.project.name, "--session", "other")
