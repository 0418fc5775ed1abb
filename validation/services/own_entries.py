"""A workspace's own publishers and patterns: tried against the registry, saved, turned off, deleted, undone.

Each deed is a ChangeSet. What was checked before keeps its verdict until the next check, which goes by the new entries;
where they may change it, the stored verdict does not answer for the source any longer.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import TypeVar

from django.db import transaction

from provenance_site.accounts.models import User, Workspace
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.changes.registry import ChangeFacts
from sources import permissions
from sources.services import registry
from validation.core.own_entries import (
    EntryRefused,
    PatternEntry,
    Problem,
    PublisherEntry,
    checked_pattern,
    checked_publisher,
)
from validation.models import OwnEntry, OwnPattern, OwnPublisher
from validation.queries.own_entries import (
    TooSlow,
    Trial,
    own_patterns,
    own_publishers,
    resting_on,
    trial_of_domains,
    trial_of_pattern,
)

PUBLISHER_KIND = "validation.own-publisher"
PATTERN_KIND = "validation.own-pattern"
MOST_ENTRIES = 200

Row = TypeVar("Row", bound=OwnEntry)


class EditedMeanwhile(Exception):
    """Somebody else changed the entry since it was shown; the message says what to do."""


class HitsVerified(Exception):
    """The pattern matches verified sources, and nobody has said that it may; they are in `trial`."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        super().__init__(
            f"The pattern matches verified sources ({trial.verified:,}). Tick “Yes, these too”, or make it narrower."
        )


def try_publisher(
    *, workspace: Workspace, entry: PublisherEntry, by: User, row: OwnPublisher | None = None
) -> tuple[PublisherEntry, Trial]:
    """The entry in normal form, and what it would match. Writes nothing; `row` is the one that it would replace.

    Raises EntryRefused with a message for each field, Http404 and PermissionDenied below the role of an editor.
    """
    permissions.check_can_decide(by, workspace.pk)
    checked = checked_publisher(entry)
    _check_place(workspace, checked.name, row, OwnPublisher)
    for other in own_publishers(workspace):
        if row is not None and other.pk == row.pk:
            continue
        shared = sorted(set(checked.domains) & set(other.domains))
        if shared:
            message = f"{shared[0]} belongs to your entry “{other.name}”. Change that one, or leave it out here."
            raise EntryRefused(Problem("domains", message))
    return checked, trial_of_domains(workspace, checked.domains)


def try_pattern(
    *, workspace: Workspace, entry: PatternEntry, by: User, row: OwnPattern | None = None
) -> tuple[PatternEntry, Trial]:
    """The entry in normal form, and what it would match; as `try_publisher`."""
    permissions.check_can_decide(by, workspace.pk)
    checked = checked_pattern(entry)
    _check_place(workspace, checked.name, row, OwnPattern)
    try:
        return checked, trial_of_pattern(workspace, checked.pattern)
    except TooSlow as slow:
        message = (
            f"The pattern is too slow: after {slow.tried:,} sources the trial was given up. "
            "Let it begin with ^https?:// and the host, and repeat less."
        )
        raise EntryRefused(Problem("pattern", message)) from None


def save_publisher(
    *,
    workspace: Workspace,
    entry: PublisherEntry,
    by: User,
    channel: Channel,
    at: datetime,
    row: OwnPublisher | None = None,
    seen_version: int | None = None,
) -> OwnPublisher:
    """Adds the entry, or puts it in the place of `row`, and turns it on.

    Raises what `try_publisher` raises, and EditedMeanwhile where `row` is no longer `seen_version`.
    """
    with transaction.atomic():
        one_at_a_time(workspace)
        checked, _ = try_publisher(workspace=workspace, entry=entry, by=by, row=row)
        kept = _current(row, seen_version) if row else OwnPublisher(workspace=workspace, created_by=by, created_at=at)
        before = facts_of(kept) if row else {}
        kept.name, kept.notes, kept.access_note = checked.name, checked.notes, checked.access_note
        kept.domains, kept.path_hints = list(checked.domains), list(checked.path_hints)
        _write(kept, before=before, kind=PUBLISHER_KIND, by=by, channel=channel, at=at)
    return kept


def save_pattern(
    *,
    workspace: Workspace,
    entry: PatternEntry,
    by: User,
    channel: Channel,
    at: datetime,
    also_verified: bool = False,
    row: OwnPattern | None = None,
    seen_version: int | None = None,
) -> OwnPattern:
    """Adds the entry, or puts it in the place of `row`, and turns it on.

    Raises what `try_pattern` raises, HitsVerified unless `also_verified`, and EditedMeanwhile.
    """
    with transaction.atomic():
        one_at_a_time(workspace)
        checked, trial = try_pattern(workspace=workspace, entry=entry, by=by, row=row)
        if trial.verified and not also_verified:
            raise HitsVerified(trial)
        kept = _current(row, seen_version) if row else OwnPattern(workspace=workspace, created_by=by, created_at=at)
        before = facts_of(kept) if row else {}
        kept.name, kept.notes, kept.pattern = checked.name, checked.notes, checked.pattern
        kept.hits, kept.passes = list(checked.hits), list(checked.passes)
        _write(kept, before=before, kind=PATTERN_KIND, by=by, channel=channel, at=at)
    return kept


def turn(*, row: OwnEntry, on: bool, by: User, channel: Channel, at: datetime) -> bool:
    """Turns an entry on or off; False where it was so. Raises HitsVerified where it now hits verified sources."""
    permissions.check_can_decide(by, row.workspace_id)
    with transaction.atomic():
        current = _current(row, None)
        if current.enabled is on:
            return False
        if on and isinstance(current, OwnPattern):
            _, trial = try_pattern(workspace=row.workspace, entry=current.entry, by=by, row=current)
            if trial.verified:
                raise HitsVerified(trial)
        before = facts_of(current)
        _write(current, before=before, kind=kind_of(current), by=by, channel=channel, at=at, enabled=on)
    return True


def delete(*, row: OwnEntry, by: User, channel: Channel, at: datetime) -> ChangeSet:
    """Deletes an entry; History has the undo. Raises EditedMeanwhile where it was deleted already."""
    permissions.check_can_decide(by, row.workspace_id)
    with transaction.atomic():
        row = _current(row, None)
        facts = ChangeFacts(model=row._meta.label_lower, object_id=row.pk, before=facts_of(row), after={})
        workspace = row.workspace
        row.delete()
        put_in_force(workspace, before=facts.before, after={})
        return changes.record(
            workspace_id=workspace.pk,
            kind=kind_of(row),
            actor=by,
            channel=channel,
            note=f"{row.name}: deleted",
            at=at,
            changes=[facts],
        )


def kind_of(row: OwnEntry) -> str:
    """The kind of ChangeSet of this kind of entry."""
    return PUBLISHER_KIND if isinstance(row, OwnPublisher) else PATTERN_KIND


def facts_of(row: OwnEntry) -> dict[str, object]:
    """The row's columns, as a ChangeSet keeps them."""
    skipped = {"id", "workspace"}
    return {field.attname: getattr(row, field.attname) for field in row._meta.fields if field.name not in skipped}


def put_in_force(workspace: Workspace, *, before: Mapping[str, object], after: Mapping[str, object]) -> None:
    """Lets checks go by a changed entry: sources whose verdict may rest on it are asked about again.

    `before` and `after` are the entry's columns, empty where there is none. In the transaction of the change.
    """
    resting = {*resting_on(workspace, before, applies=False), *resting_on(workspace, after, applies=True)}
    if resting:
        registry.ask_again(source_ids=resting)


def room_left(workspace: Workspace) -> int:
    """How many more entries the workspace may have."""
    return MOST_ENTRIES - own_publishers(workspace).count() - own_patterns(workspace).count()


def one_at_a_time(workspace: Workspace) -> None:
    """Two people who save at once wait for each other: names, domains and the number of entries are counted first."""
    Workspace.objects.select_for_update(no_key=True).get(pk=workspace.pk)


def _check_place(workspace: Workspace, name: str, row: OwnEntry | None, model: type[OwnEntry]) -> None:
    if row is None and room_left(workspace) <= 0:
        raise EntryRefused(Problem("", f"There are {MOST_ENTRIES} entries of your own already. Delete one first."))
    others = model._default_manager.filter(workspace=workspace, name=name)
    if (others.exclude(pk=row.pk) if row else others).exists():
        raise EntryRefused(Problem("name", f"“{name}” is there already. Change that one, or choose another name."))


def _current(row: Row, seen_version: int | None) -> Row:
    current: Row | None = type(row)._default_manager.select_for_update(no_key=True).filter(pk=row.pk).first()
    if current is None or (seen_version is not None and current.row_version != seen_version):
        raise EditedMeanwhile("Somebody changed this entry meanwhile. Look at it as it is now, then change it again.")
    return current


def _write(
    row: OwnEntry,
    *,
    before: dict[str, object],
    kind: str,
    by: User,
    channel: Channel,
    at: datetime,
    enabled: bool = True,
) -> None:
    row.enabled = enabled
    if before:
        row.row_version += 1
    row.save()
    facts = ChangeFacts(model=row._meta.label_lower, object_id=row.pk, before=before, after=facts_of(row))
    changes.record(
        workspace_id=row.workspace_id,
        kind=kind,
        actor=by,
        channel=channel,
        note=f"{row.name}: {_deed(before, enabled=enabled)}",
        at=at,
        changes=[facts],
    )
    put_in_force(row.workspace, before=before, after=facts.after)


def _deed(before: dict[str, object], *, enabled: bool) -> str:
    if not before:
        return "added"
    if not enabled:
        return "turned off"
    return "changed" if before["enabled"] else "turned on"
