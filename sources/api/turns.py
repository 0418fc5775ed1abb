"""Turns over JSON: what was retrieved when, as notes for a session's file."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema

from provenance_site.accounts.token_requests import token_of
from sources.formats import fountain_notes
from sources.models import Turn
from sources.queries.turns import record_of

router = Router(tags=["turns"])


class TurnOut(Schema):
    """A turn with its notes: `[[rag: …]]` and one `[[rag-source: …]]` a source, best score first."""

    session: str
    project: str
    number: int
    user: str
    started_at: datetime | None
    notes: list[str]


class TurnsOut(Schema):
    """One page of turns, newest session first; `next_offset` is null on the last one."""

    turns: list[TurnOut]
    next_offset: int | None


class TurnsIn(Schema):
    """Which turns."""

    project: UUID | None = None
    session: str = Field("", max_length=500, description="Name of the session.")
    offset: int = Field(0, ge=0, le=1_000_000)
    limit: int = Field(50, ge=1, le=200)


@router.get("/turns", response=TurnsOut, summary="List turns with their Fountain notes", url_name="turns")
def turns(request: HttpRequest, wanted: Query[TurnsIn]) -> Any:
    """The turns of imported sessions, in their order within a session."""
    found = Turn.objects.filter(session__project__workspace_id=token_of(request).workspace_id)
    if wanted.project is not None:
        found = found.filter(session__project__uuid=wanted.project)
    if wanted.session:
        found = found.filter(session__name=wanted.session)
    rows = list(
        found.select_related("session__project").order_by("-session_id", "number")[
            wanted.offset : wanted.offset + wanted.limit + 1
        ]
    )
    return {
        "turns": [
            {
                "session": turn.session.name,
                "project": turn.session.project.name,
                "number": turn.number,
                "user": turn.user,
                "started_at": turn.started_at,
                "notes": fountain_notes.notes(record_of(turn)),
            }
            for turn in rows[: wanted.limit]
        ],
        "next_offset": wanted.offset + wanted.limit if len(rows) > wanted.limit else None,
    }
