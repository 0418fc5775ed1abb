"""Takes a merge back: the sources stand apart again, each with the rows that were its own."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from lineage import capture
from provenance_site.accounts.models import User
from provenance_site.changes.models import Change
from provenance_site.changes.registry import ChangeFacts, Undone
from provenance_site.kit.rows import in_parts, update_rows
from sources import permissions
from sources.models import Source
from sources.services import merge_retractions, merge_rows, retraction_impact, retraction_parts, source_lineage
from sources.services.merge_rows import MERGED
from sources.services.merging import follow_decisions
from sources.services.metadata import fingerprint_of

_SOURCE = Source._meta.label_lower
_FIELD_WORDS = {
    "author_list": "authors",
    "published_date": "date",
    "retraction_note": "retraction",
    "retracted": "retraction",
}


def undo(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Puts back what a merge moved, made and removed. Registered for `sources.merge`.

    A group whose remaining source was merged on since is left whole; of the others every row and field that somebody
    changed since is left and named. What came to the remaining source after the merge stays there.
    """
    told = [change for change in changes if change.model == _SOURCE]
    kept_of = {change.object_id: change.after["merged_into_id"] for change in told if MERGED in change.after}
    joined = {change.object_id: change for change in told if MERGED not in change.after}
    sources = _locked([*kept_of, *joined])
    for workspace_id in {source.workspace_id for source in sources.values()}:
        permissions.check_can_curate(by, workspace_id)
    skipped: list[str] = []
    stuck = _stuck(joined, kept_of, sources)
    for pk in stuck:
        name = sources.get(pk) or "A source"
        skipped.append(f"“{name}” was merged on or removed since; take that back first")
    free = {merged for merged, pk in kept_of.items() if pk not in stuck}
    rows = [change for change in changes if change.model != _SOURCE and _merged(change) in free]
    marks = merge_retractions.marks_of([sources[pk] for pk in sorted(joined.keys() - stuck)])
    done = merge_rows.put_back(rows)
    facts: list[ChangeFacts] = []
    apart = [sources[pk] for pk in sorted(free)]
    for source in apart:
        before = {"merged_into_id": source.merged_into_id}
        source.merged_into = None
        source.row_version += 1
        facts.append(ChangeFacts(model=_SOURCE, object_id=source.pk, before=before, after={"merged_into_id": None}))
    update_rows(apart, ["merged_into", "row_version"])
    kept = [sources[pk] for pk in sorted(joined.keys() - stuck)]
    for source in kept:
        change = joined[source.pk]
        left = _restore(source, change)
        skipped += [f"the {_FIELD_WORDS.get(name, name)} of “{source}” was edited since" for name in left]
        restored = [name for name in change.before if name not in left]
        facts.append(
            ChangeFacts(
                model=_SOURCE,
                object_id=source.pk,
                before={name: change.after[name] for name in restored},
                after={name: change.before[name] for name in restored},
            )
        )
    columns = sorted({name for change in joined.values() for name in change.before} | {"fingerprint", "row_version"})
    update_rows(kept, columns)
    source_lineage.declare([*kept, *apart])
    follow_decisions(kept, by=by, at=at, reason="Merge taken back")
    _stand_again(apart, at=at)
    if changes:
        retraction_parts.part_again(sources=kept, run_id=str(changes[0].change_set.uuid), at=at)
    for workspace_id in {source.workspace_id for source in apart}:
        both = [source.pk for source in (*kept, *apart) if source.workspace_id == workspace_id]
        retraction_impact.follow(workspace_id=workspace_id, source_ids=both, by=by, at=at)
    merge_retractions.part({merged: kept_of[merged] for merged in free}, before=marks, at=at)
    return Undone(changes=(*facts, *done.facts), skipped=(*skipped, *done.left))


def _locked(ids: Sequence[int]) -> dict[int, Source]:
    found: dict[int, Source] = {}
    for part in in_parts(sorted(ids)):
        rows = Source.objects.select_for_update(of=("self",), no_key=True).filter(pk__in=part).order_by("pk")
        found.update({source.pk: source for source in rows})
    return found


def _stuck(joined: Mapping[int, Change], kept_of: Mapping[int, int], sources: Mapping[int, Source]) -> set[int]:
    """Those that stayed and cannot be parted: they, or one that went into them, were merged on or removed."""
    stuck = {pk for pk in joined if pk not in sources or sources[pk].merged_into_id is not None}
    for merged, kept in kept_of.items():
        source = sources.get(merged)
        if source is None or source.merged_into_id != kept:
            stuck.add(kept)
    return stuck


def _restore(source: Source, change: Change) -> list[str]:
    """Sets the fields back that still say what the merge wrote; gives the names of the others."""
    left: list[str] = []
    before: Mapping[str, Any] = change.before
    for name, value in before.items():
        if name == "fingerprint":
            continue
        if getattr(source, name) != change.after[name]:
            left.append(name)
        else:
            setattr(source, name, value)
    source.fingerprint = fingerprint_of(source) if left else before.get("fingerprint", source.fingerprint)
    source.row_version += 1
    return left


def _merged(change: Change) -> int:
    told: Mapping[str, Any] = change.before or change.after
    return int(told[MERGED])


def _stand_again(sources: Sequence[Source], *, at: datetime) -> None:
    by_workspace: dict[int, list[int]] = {}
    for source in sources:
        if source.entity_id is not None:
            by_workspace.setdefault(source.workspace_id, []).append(source.entity_id)
    for workspace_id, entity_ids in by_workspace.items():
        for part in in_parts(entity_ids):
            capture.take_back_superseding(workspace_id=workspace_id, entity_ids=part, at=at)
