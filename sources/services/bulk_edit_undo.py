"""Takes an edit of sources back, row by row, where nobody edited the same fields since."""

from collections.abc import Sequence
from datetime import datetime

from provenance_site.accounts.models import User
from provenance_site.changes.models import Change
from provenance_site.changes.registry import ChangeFacts, Undone
from provenance_site.kit.rows import update_rows
from sources import permissions
from sources.models import Citation, Section, Source
from sources.services import source_lineage
from sources.services.bulk_edit import CITATION, SOURCE, tags_by_name, write_tags
from sources.services.source_edits import parts

_BESIDE = frozenset({"tags", "row_version"})


def undo(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Gives the edited fields their old values; tags that were added go, those taken away come back.

    Registered for `sources.edit`. A source of which one of these fields was edited since is left alone; other edits of
    it stay. Some ten queries per 500 rows.
    """
    if changes:
        permissions.check_can_curate(by, changes[0].change_set.workspace_id)
    undone: list[ChangeFacts] = []
    skipped: list[str] = []
    of_sources = {change.object_id: change for change in changes if change.model == SOURCE}
    of_places = {change.object_id: change for change in changes if change.model == CITATION}
    for part in parts(of_sources):
        _undo_sources({key: of_sources[key] for key in part}, undone, skipped)
    for part in parts(of_places):
        _undo_places({key: of_places[key] for key in part}, undone, skipped)
    return Undone(changes=tuple(undone), skipped=tuple(skipped))


def _undo_sources(wanted: dict[int, Change], undone: list[ChangeFacts], skipped: list[str]) -> None:
    rows: list[Source] = []
    retagged: list[tuple[int, dict[str, object], dict[str, object]]] = []
    written: set[str] = set()
    sources = {
        source.pk: source
        for source in Source.objects.select_for_update(no_key=True).filter(pk__in=wanted).order_by("pk")
    }
    for key, change in wanted.items():
        source = sources.get(key)
        if source is None:
            skipped.append("A source of the edit is not in the registry any more")
            continue
        columns = change.after.keys() - _BESIDE
        if any(getattr(source, name) != change.after[name] for name in columns):
            skipped.append(f"{source} was edited since")
            continue
        before = {name: getattr(source, name) for name in columns} | {"row_version": source.row_version}
        for name in columns:
            setattr(source, name, change.before[name])
        source.row_version += 1
        rows.append(source)
        written |= columns
        after = {name: change.before[name] for name in columns} | {"row_version": source.row_version}
        if "tags" in change.after:
            retagged.append((key, change.after, change.before))
            before["tags"], after["tags"] = change.after["tags"], change.before["tags"]
        undone.append(ChangeFacts(model=SOURCE, object_id=key, before=before, after=after))
    if not rows:
        return
    update_rows(rows, [*sorted(written), "row_version"])
    if written & source_lineage.DECLARED:
        source_lineage.declare(rows)
    names = {name for _, before, after in retagged for name in set(after["tags"]) - set(before["tags"])}  # type: ignore[call-overload]
    write_tags(plans=retagged, tags=tags_by_name(workspace_id=rows[0].workspace_id, names=names) if names else {})


def _undo_places(wanted: dict[int, Change], undone: list[ChangeFacts], skipped: list[str]) -> None:
    places = {place.pk: place for place in Citation.objects.filter(pk__in=wanted).select_related("entry__source")}
    sections = {change.before["section"] for change in wanted.values()}
    there = {None, *Section.objects.filter(pk__in=sections - {None}).values_list("pk", flat=True)}
    back: list[Citation] = []
    for key, change in wanted.items():
        place = places.get(key)
        if place is None:
            skipped.append("A place that was moved is not cited any more")
        elif place.section_id != change.after["section"]:
            skipped.append(f"{place.entry.source} was put into another section since")
        elif change.before["section"] not in there:
            skipped.append(f"The section that {place.entry.source} was in is there no more")
        else:
            place.section_id = change.before["section"]
            back.append(place)
            undone.append(ChangeFacts(model=CITATION, object_id=key, before=change.after, after=change.before))
    if back:
        update_rows(back, ["section"])
