"""Works that may be one over JSON: the groups, a merge looked at or done, and what is told apart."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from ninja import Field, Query, Router, Schema, Status

from provenance_site.accounts.models import ApiToken
from provenance_site.accounts.token_requests import Problem, token_of
from provenance_site.changes.models import Channel
from sources.core.kinds import FieldRule, PairReason
from sources.core.retraction import RetractionStatus
from sources.models import Source
from sources.queries.duplicates import board_of
from sources.queries.readable import readable
from sources.queries.retraction_evidence import tell
from sources.services import merging, telling_apart
from sources.services.merge_cases import MergeRefused, Wanted

router = Router(tags=["duplicates"])


class RecordOut(Schema):
    """One record of a group."""

    source: UUID
    title: str
    authors: str
    published_date: str
    publisher: str
    identifier_type: str
    identifier_value: str
    retracted: bool
    retraction_status: RetractionStatus


class GroupOut(Schema):
    """Records that may be one work, and why."""

    reasons: list[PairReason]
    sources: list[RecordOut]


class GroupsOut(Schema):
    """One page of groups, the one with the oldest source first; `next_offset` is null on the last one."""

    total: int
    groups: list[GroupOut]
    next_offset: int | None


class GroupsIn(Schema):
    """Which groups."""

    reason: PairReason | None = None
    offset: int = Field(0, ge=0, le=1_000_000)
    limit: int = Field(50, ge=1, le=200)


class MergeIn(Schema):
    """One merge: which source stays, and which lead to it."""

    keep: UUID
    lose: list[UUID] = Field(min_length=1, max_length=100)
    fields: FieldRule = FieldRule.OWN
    also_retracted: bool = Field(False, description="What stays is retracted where one that goes is.")
    dry_run: bool = Field(False, description="Only say what would happen.")


class MergeOut(Schema):
    """What a merge does: the fields of the source that stays, and how many rows move to it."""

    kept: UUID
    values: dict[str, str]
    moving: list[str]
    former_ids: list[str]
    dissent: bool
    is_done: bool
    change_set: UUID | None


class ApartIn(Schema):
    """Sources that are different works."""

    sources: list[UUID] = Field(min_length=2, max_length=100)


class ApartOut(Schema):
    """`is_new` is false where that was known already."""

    is_new: bool


@router.get("/duplicates", response=GroupsOut, summary="List groups that may be one work", url_name="duplicates")
def groups(request: HttpRequest, page: Query[GroupsIn]) -> Any:
    """Groups of sources that open proposals connect."""
    every = board_of(workspace_id=token_of(request).workspace_id).groups(page.reason)
    shown = every[page.offset : page.offset + page.limit]
    sources = readable(Source.objects.all()).standing().in_bulk([pk for group in shown for pk in group.source_ids])
    tell(sources.values())
    after = page.offset + page.limit
    return {
        "total": len(every),
        "groups": [
            {
                "reasons": list(group.reasons),
                "sources": [_told(sources[pk]) for pk in group.source_ids if pk in sources],
            }
            for group in shown
        ],
        "next_offset": after if after < len(every) else None,
    }


@router.post(
    "/duplicates/merge",
    response={200: MergeOut, 403: Problem, 404: Problem, 409: Problem},
    summary="Merge sources that are one work",
    url_name="duplicate-merge",
)
def merge(request: HttpRequest, given: MergeIn) -> Any:
    """Merges, or with `dry_run` says what merging would do. Needs the role curator; History can take it back.

    409 says what stands in the way: told apart before, merged meanwhile, a retraction that was not confirmed.
    """
    token, at = token_of(request), datetime.now(UTC)
    found = _named(token, [given.keep, *given.lose])
    if isinstance(found, str):
        return Status(404, {"detail": found})
    wanted = Wanted(keep=found[0], lose=tuple(found[1:]), fields=given.fields)
    deed = None
    try:
        (look,) = merging.preview(workspace_id=token.workspace_id, wanted=[wanted], by=token.user, at=at)
        if not given.dry_run:
            deed = merging.merge(
                workspace_id=token.workspace_id,
                wanted=[wanted],
                carry_retractions=given.also_retracted,
                by=token.user,
                channel=Channel.API,
                at=at,
            )
    except MergeRefused as refused:
        return Status(409, {"detail": str(refused)})
    except PermissionDenied as refused:
        return Status(403, {"detail": str(refused)})
    return {
        "kept": look.kept.uuid,
        "values": dict(look.joined.values),
        "moving": list(look.moving_words),
        "former_ids": list(look.former_ids),
        "dissent": look.dissent,
        "is_done": deed is not None,
        "change_set": deed.uuid if deed else None,
    }


@router.post(
    "/duplicates/apart",
    response={200: ApartOut, 403: Problem, 404: Problem},
    summary="Remember that sources are different works",
    url_name="duplicate-apart",
)
def apart(request: HttpRequest, given: ApartIn) -> Any:
    """They are not proposed again. Needs the role curator."""
    token = token_of(request)
    found = _named(token, given.sources)
    if isinstance(found, str):
        return Status(404, {"detail": found})
    try:
        made = telling_apart.tell_apart(
            workspace_id=token.workspace_id, source_ids=found, by=token.user, channel=Channel.API, at=datetime.now(UTC)
        )
    except telling_apart.NothingToTellApart as refused:
        return Status(404, {"detail": str(refused)})
    except PermissionDenied as refused:
        return Status(403, {"detail": str(refused)})
    return {"is_new": made is not None}


def _named(token: ApiToken, uuids: list[UUID]) -> list[int] | str:
    """The keys of the token's sources with these uuids, in their order; a sentence where one is not there."""
    rows = readable(Source.objects.all()).standing().filter(workspace_id=token.workspace_id, uuid__in=uuids)
    keys = dict(rows.values_list("uuid", "pk"))
    missing = [uuid for uuid in uuids if uuid not in keys]
    return f"There is no source {missing[0]} here." if missing else [keys[uuid] for uuid in uuids]


def _told(source: Source) -> dict[str, Any]:
    columns = ("title", "authors", "published_date", "publisher", "identifier_type", "identifier_value", "retracted")
    told = source.told or RetractionStatus.UNKNOWN
    return {name: getattr(source, name) for name in columns} | {"source": source.uuid, "retraction_status": told}
