"""Retractions over JSON: which sources wait for a person and what is said of them, and deciding about a list."""

from datetime import UTC, datetime
from typing import Any, Literal
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from ninja import Field, Query, Router, Schema, Status

from provenance_site.accounts.token_requests import Problem, token_of
from provenance_site.changes.models import ChangeSet, Channel
from sources import dispatch, permissions
from sources.core.kinds import IdentifierType
from sources.core.retraction import RetractionStatus
from sources.core.retraction_terms import Nature, Provider
from sources.core.retraction_terms import Status as Standing
from sources.models import RetractionProposal
from sources.queries.retraction_board import Tab, sources_on
from sources.queries.retraction_evidence import evidence_of, tell
from sources.queries.work_versions import OtherVersion, other_versions
from sources.services import retraction_lists
from sources.services.retraction_decisions import DecisionRefused
from sources.services.retraction_lists import LONGEST, Given, ListChanged
from sources.services.retraction_policy import SecondPersonNeeded

router = Router(tags=["retractions"])


class AssertionOut(Schema):
    """What one provider's record says."""

    provider: Provider
    nature: Nature
    raw_nature: str
    notice: str
    notice_date: str
    reasons: list[str]
    url: str


class SourceVersionOut(Schema):
    """The other version of a work: `relation` says what it is to it. It is judged alone; `source` and
    `retraction_status` are null where no source of it is here."""

    relation: Literal["published", "preprint"]
    identifier_type: IdentifierType
    identifier_value: str
    source: UUID | None
    retraction_status: RetractionStatus | None
    told_by: list[str]


class RetractionOut(Schema):
    """One source: whether it is marked, what is told of it in exports, and what providers say. `affected_by` are the
    retracted works that it is a part of."""

    source: UUID
    title: str
    identifier_type: str
    identifier_value: str
    retracted: bool
    retraction_note: str
    retraction_status: str
    affected_by: list[UUID]
    versions: list[SourceVersionOut]
    assertions: list[AssertionOut]


class RetractionsOut(Schema):
    """One page of a tab; `next_offset` is null on the last one."""

    total: int
    sources: list[RetractionOut]
    next_offset: int | None


class RetractionsIn(Schema):
    """Which tab of the Retractions screen, and which page of it."""

    tab: Tab = Tab.RETRACTED
    offset: int = Field(0, ge=0, le=1_000_000)
    limit: int = Field(100, ge=1, le=500)


class ListIn(Schema):
    """A list of works. Without `seen` it is only looked at; with the look's digest it is done."""

    text: str = Field(max_length=LONGEST, description="One identifier a line, or CSV as on the page.")
    status: Standing = Field(Standing.RETRACTED, description="For lines that name none.")
    note: str = Field("", max_length=5_000, description="Why; needed to do it.")
    over_decisions: bool = Field(False, description="Also what an editor decided otherwise.")
    seen: str = Field("", max_length=64)


class LineOut(Schema):
    """What becomes of one line. `source` is null where none is changed."""

    line: int
    source: UUID | None
    before: str
    after: str
    why: str


class ListOut(Schema):
    """What the list would do, or did: `change_set` is its deed in History, null for a look. `proposal` is set instead
    where the workspace wants two persons: nothing is changed until another administrator approves it."""

    planned: list[LineOut]
    left: list[LineOut]
    digest: str
    change_set: UUID | None
    proposal: UUID | None


@router.get("/retractions", response=RetractionsOut, summary="List sources by their retraction", url_name="retractions")
def list_retractions(request: HttpRequest, wanted: Query[RetractionsIn]) -> dict[str, Any]:
    """The sources of one tab of the Retractions screen, those with the newest news first."""
    rows = sources_on(wanted.tab, workspace_id=token_of(request).workspace_id)
    total, end = rows.count(), wanted.offset + wanted.limit
    found = list(rows[wanted.offset : end])
    tell(found)
    evidence = evidence_of(found)
    versions = other_versions(
        workspace_id=token_of(request).workspace_id, keys={pk: own for pk, (own, _) in evidence.items()}
    )
    return {
        "total": total,
        "sources": [
            {
                "source": source.uuid,
                "title": source.title,
                "identifier_type": source.identifier_type,
                "identifier_value": source.identifier_value,
                "retracted": source.retracted,
                "retraction_note": source.retraction_note,
                "retraction_status": (source.told or RetractionStatus.UNKNOWN).value,
                "affected_by": [whole.uuid for whole in source.fallen_wholes],
                "versions": [_version(one) for one in versions.get(source.pk, ())],
                "assertions": [
                    {
                        "provider": row.provider,
                        "nature": row.nature,
                        "raw_nature": row.raw_nature,
                        "notice": row.notice_identifier,
                        "notice_date": row.notice_date,
                        "reasons": row.reasons,
                        "url": row.url,
                    }
                    for row in evidence[source.pk][1]
                ],
            }
            for source in found
        ],
        "next_offset": end if end < total else None,
    }


def _version(one: OtherVersion) -> dict[str, Any]:
    return {
        "relation": "published" if one.is_published else "preprint",
        "identifier_type": one.identifier_type,
        "identifier_value": one.identifier_value,
        "source": one.source.uuid if one.source else None,
        "retraction_status": one.status,
        "told_by": list(one.told_by),
    }


@router.post(
    "/retractions/list",
    response={200: ListOut, 403: Problem, 409: Problem, 422: Problem},
    summary="Decide about a list of works",
    url_name="retraction-list",
)
def decide_about_list(request: HttpRequest, given: ListIn) -> Status[Any] | dict[str, Any]:
    """Looks at a list, or decides as a look said: one deed, all or nothing. 409 where sources changed since the look.

    Needs the role admin.
    """
    token = token_of(request)
    about = Given(given.text, given.status, given.note, given.over_decisions)
    try:
        permissions.check_can_retract(token.user, token.workspace_id)
        look = retraction_lists.look(workspace_id=token.workspace_id, given=about)
        deed = None
        if given.seen:
            deed = dispatch.decide_about_list(
                workspace_id=token.workspace_id,
                given=about,
                seen=given.seen,
                by=token.user,
                channel=Channel.API,
                at=datetime.now(UTC),
            )
    except SecondPersonNeeded as refused:
        return Status(409, {"detail": str(refused)})
    except PermissionDenied:
        return Status(403, {"detail": "Only an administrator decides about lists of works."})
    except ListChanged as news:
        return Status(409, {"detail": str(news)})
    except DecisionRefused as refused:
        return Status(422, {"detail": str(refused)})
    left = [(row.line, row.why) for row in look.skipped] + [(row.line, row.message) for row in look.errors]
    return {
        "planned": [
            {"line": one.line, "source": one.source.uuid, "before": one.before, "after": one.after, "why": ""}
            for one in look.planned
        ],
        "left": [{"line": line, "source": None, "before": "", "after": "", "why": why} for line, why in sorted(left)],
        "digest": look.digest,
        "change_set": deed.uuid if isinstance(deed, ChangeSet) else None,
        "proposal": deed.uuid if isinstance(deed, RetractionProposal) else None,
    }
