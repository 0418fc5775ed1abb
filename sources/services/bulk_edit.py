"""Edits sources, one or thousands: one transaction, one ChangeSet, one undo. `source_edits` plans what is written."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.changes.registry import ChangeFacts
from provenance_site.kit.rows import insert_rows, update_rows
from sources import permissions
from sources.core.credentials import without_credentials
from sources.core.lines import one_line
from sources.models import Citation, Source, Tag
from sources.queries.readable import readable
from sources.services import retraction_parts, source_lineage
from sources.services.source_edits import MOST_AT_ONCE, Edit, Leaving, RowPlan, digest_of, parts, plan

CHANGE_KIND = "sources.edit"
SOURCE = "sources.source"
CITATION = "sources.citation"
MAX_TAG = 100
# What of a plan is no column of the source.
_BESIDE = frozenset({"tags", "section"})
# By what it says here a work is a part of a book.
_OF_A_BOOK = frozenset({"bibliography"})


class EditRefused(ValueError):
    """The edit cannot be made so; the message says why and the way out."""


class ListChanged(Exception):
    """Since the person looked, sources came into the selection, left it, or were edited; nothing was written."""

    def __init__(self) -> None:
        super().__init__("The list changed since you looked at it. Nothing was written; look again.")


def edit(
    *, workspace_id: int, source_ids: Sequence[int], change: Edit, seen: str, by: User, channel: Channel, at: datetime
) -> ChangeSet | None:
    """Makes `change` to all these sources, or to none; None where all are as wanted already.

    `seen` is the digest of what the person looked at (`source_edits.digest_of`). Raises `ListChanged` where it is
    another now, `EditRefused` for an empty edit, too many sources and tags that cannot be.
    """
    permissions.check_can_curate(by, workspace_id)
    change = checked(change, workspace_id=workspace_id)
    with transaction.atomic():
        hold(workspace_id=workspace_id, source_ids=source_ids, seen=seen)
        facts = write(workspace_id=workspace_id, source_ids=source_ids, change=change, at=at)
        if not facts:
            return None
        return changes.record(
            workspace_id=workspace_id,
            kind=CHANGE_KIND,
            actor=by,
            channel=channel,
            note=note_of(change),
            at=at,
            changes=facts,
        )


def write(*, workspace_id: int, source_ids: Sequence[int], change: Edit, at: datetime) -> list[ChangeFacts]:
    """Makes a `checked` change to these sources, in the caller's transaction that locked them; gives what changed."""
    facts: list[ChangeFacts] = []
    tags = _tags_named(workspace_id=workspace_id, names=change.add_tags)
    for part in parts(source_ids):
        sources = list(
            readable(Source.objects.all()).filter(workspace_id=workspace_id, pk__in=part).standing().order_by("pk")
        )
        plans = plan(sources=sources, edit=change, leaving=Leaving())
        _write_columns(plans, at=at)
        write_tags(plans=[(one.source.pk, one.before, one.after) for one in plans], tags=tags)
        facts += [fact for one in plans for fact in _facts(one)]
        if change.section:
            facts += _move_places(plans, section_id=change.section.pk)
    return facts


def hold(*, workspace_id: int, source_ids: Sequence[int], seen: str) -> list[int]:
    """Locks those of the sources that stand and may be read, in key order, for the rest of the transaction; gives their
    keys. Raises `ListChanged` unless they are as `seen`.

    Raises `EditRefused` where there are none or too many.
    """
    check_number(source_ids)
    versions: list[tuple[int, int]] = []
    for part in parts(source_ids):
        rows = (
            readable(Source.objects.all())
            .select_for_update(no_key=True)
            .filter(workspace_id=workspace_id, pk__in=part)
            .standing()
        )
        versions += rows.order_by("pk").values_list("pk", "row_version")
    if digest_of(versions) != seen:
        raise ListChanged
    return [key for key, _ in versions]


def check_number(source_ids: Sequence[int]) -> None:
    """Raises `EditRefused` where no source is chosen, or more than one selection may hold."""
    if not source_ids:
        raise EditRefused("No source is chosen. Tick some, or choose all that match.")
    if len(source_ids) > MOST_AT_ONCE:
        raise EditRefused(
            f"{len(source_ids):,} sources are chosen; {MOST_AT_ONCE:,} are edited at once. Narrow the list first."
        )


def write_tags(
    *,
    plans: Sequence[tuple[int, Mapping[str, object], Mapping[str, object]]],
    tags: dict[str, Tag],
) -> None:
    """Gives and takes tags as (source, before, after) say; `tags` knows those to give by name."""
    through = Source.tags.through
    given: list[object] = []
    taken: dict[str, list[int]] = {}
    for key, before, after in plans:
        had, has = _names(before), _names(after)
        given += [through(source_id=key, tag_id=tags[name].pk) for name in sorted(has - had) if name in tags]
        for name in had - has:
            taken.setdefault(name, []).append(key)
    insert_rows(given, ignore_conflicts=True)  # type: ignore[arg-type]  # an automatic model
    for name, keys in taken.items():
        for part in parts(keys):
            through.objects.filter(tag__name=name, source_id__in=part).delete()


def tags_by_name(*, workspace_id: int, names: Iterable[str]) -> dict[str, Tag]:
    """The workspace's tags of these names, made where they are missing."""
    wanted = sorted(set(names))
    Tag.objects.bulk_create([Tag(workspace_id=workspace_id, name=name) for name in wanted], ignore_conflicts=True)
    return {tag.name: tag for tag in Tag.objects.filter(workspace_id=workspace_id, name__in=wanted)}


def _tags_named(*, workspace_id: int, names: Iterable[str]) -> dict[str, Tag]:
    return tags_by_name(workspace_id=workspace_id, names=names) if names else {}


def _names(values: Mapping[str, object]) -> set[str]:
    names = values.get("tags", [])
    return {str(name) for name in names} if isinstance(names, list) else set()


def checked(change: Edit, *, workspace_id: int) -> Edit:
    """The change in order to be written: tags as the workspace spells them, no passwords. Raises `EditRefused`."""
    if change.is_empty:
        raise EditRefused("Nothing is to change. Fill in at least one field.")
    if change.section is not None and change.section.project.workspace_id != workspace_id:
        raise EditRefused("The section is of another workspace. Choose one of this workspace.")
    added, removed = tuple(map(one_line, change.add_tags)), tuple(map(one_line, change.remove_tags))
    for name in (*added, *removed):
        if not 0 < len(name) <= MAX_TAG:
            raise EditRefused(f"A tag has 1 to {MAX_TAG} characters; “{name[:40]}” has {len(name)}.")
    both = {name.lower() for name in added} & {name.lower() for name in removed}
    if both:
        raise EditRefused(f"“{min(both)}” is both to be added and to be taken away. Choose one.")
    # A tag that differs only by capitals is the same tag.
    existing = {
        name.lower(): name for name in Tag.objects.filter(workspace_id=workspace_id).values_list("name", flat=True)
    }
    added = tuple(dict.fromkeys(existing.get(name.lower(), name) for name in added))
    columns = {
        name: without_credentials(value) if isinstance(value, str) else value for name, value in change.columns.items()
    }
    return Edit(columns, change.bibliography, added, removed, change.section)


def _write_columns(plans: Sequence[RowPlan], *, at: datetime) -> None:
    written: set[str] = set()
    rows: list[Source] = []
    for one in plans:
        columns = one.after.keys() - _BESIDE
        for name in columns:
            setattr(one.source, name, one.after[name])
        if columns or "tags" in one.after:
            one.source.row_version += 1
            rows.append(one.source)
        written |= columns
    if rows:
        update_rows(rows, [*sorted(written), "row_version"])
    if written & source_lineage.DECLARED:
        source_lineage.declare(rows)
    if written & _OF_A_BOOK:
        retraction_parts.take_in(sources=rows, at=at)


def _facts(one: RowPlan) -> list[ChangeFacts]:
    before = {name: value for name, value in one.before.items() if name != "section"}
    after = {name: value for name, value in one.after.items() if name != "section"}
    if not after:
        return []
    version = one.source.row_version
    return [
        ChangeFacts(
            model=SOURCE,
            object_id=one.source.pk,
            before={**before, "row_version": version - 1},
            after={**after, "row_version": version},
        )
    ]


def _move_places(plans: Sequence[RowPlan], *, section_id: int) -> list[ChangeFacts]:
    moved = {key: now for one in plans for key, now in one.citations.items()}
    for part in parts(moved):
        Citation.objects.filter(pk__in=part).update(section_id=section_id)
    return [
        ChangeFacts(model=CITATION, object_id=key, before={"section": now}, after={"section": section_id})
        for key, now in moved.items()
    ]


def note_of(change: Edit) -> str:
    """The fields in words, for the history."""
    words = [name.replace("_", " ") for name in (*change.columns, *change.bibliography) if name != "author_list"]
    words += [f"tag +{name}" for name in change.add_tags] + [f"tag −{name}" for name in change.remove_tags]
    if change.section:
        words.append(f"section {change.section.title}")
    return ", ".join(words)
