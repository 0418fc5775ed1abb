"""Sources of a group side by side: one row a field, differences marked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from provenance_site.kit.text import DiffKind, word_diff
from sources.core.kinds import DecisionKind, PairReason, Survivor
from sources.core.merging import FIELDS, survivor
from sources.models import Source
from sources.queries.duplicates import Group, Uses
from sources.queries.listings import link_of
from sources.services.merge_cases import facts_of
from sources.services.merging import Look

LABELS = {
    "title": "Title",
    "authors": "Authors",
    "published_date": "Date",
    "publisher": "Publisher",
    "rights": "Rights",
    "version": "Version",
}


# Of a group so many sources stand side by side: more make a page that nobody reads, and a megabyte of it.
MOST_COLUMNS = 20


@dataclass(frozen=True, slots=True)
class Cell:
    """What one source says in one field, as pieces; those that the source that stays lacks are `ins`."""

    pieces: Sequence[tuple[DiffKind, str]]
    is_empty: bool


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field of all sources of a group."""

    label: str
    cells: Sequence[Cell]
    differs: bool


@dataclass(frozen=True, slots=True)
class Column:
    """One source of a group, with what holds it."""

    source: Source
    link: str
    uses: Uses
    decided: DecisionKind | None
    stays: bool


@dataclass(frozen=True, slots=True)
class SideBySide:
    """A group as the screen shows it; `more` of its sources come up when these are settled."""

    reasons: Sequence[PairReason]
    columns: Sequence[Column]
    rows: Sequence[FieldRow]
    has_told_apart: bool
    more: int


@dataclass(frozen=True, slots=True)
class Choice:
    """One value that a field may have after a merge."""

    source: Source
    value: str
    is_taken: bool


@dataclass(frozen=True, slots=True)
class FieldChoice:
    """A field after a merge: what the source that stays said, what it will say, and what else it could."""

    name: str
    label: str
    before: str
    after: str
    choices: Sequence[Choice]

    @property
    def changes(self) -> bool:
        """True where the merge gives the field another value."""
        return self.before != self.after


def shown_of(group: Group) -> Sequence[int]:
    """The keys of the sources of a group that stand side by side."""
    return group.source_ids[:MOST_COLUMNS]


def side_by_side(group: Group, *, sources: Mapping[int, Source], uses: Mapping[int, Uses]) -> SideBySide:
    """The group with the source that tells the most as the one that stays; the others are compared with it."""
    members = [sources[pk] for pk in shown_of(group) if pk in sources]
    here = {source.pk for source in members}
    stays = survivor([facts_of(source) for source in members], Survivor.ACCEPTED).source_id
    kept = sources[stays]
    return SideBySide(
        reasons=group.reasons,
        columns=[
            Column(
                source=source,
                link=link_of(source),
                uses=uses[source.pk],
                decided=DecisionKind(source.decided) if source.decided else None,
                stays=source.pk == stays,
            )
            for source in members
        ],
        rows=[row for name in FIELDS if (row := _row(name, members, kept)) is not None],
        has_told_apart=any(here.issuperset(pair) for pair in group.told_apart),
        more=len(group.source_ids) - len(shown_of(group)),
    )


def field_choices(look: Look) -> list[FieldChoice]:
    """The fields that any of the sources fills, with a choice where they say different things."""
    found = []
    everyone = (look.kept, *look.going)
    for name in FIELDS:
        told: dict[str, Source] = {}
        for source in everyone:
            value = getattr(source, name)
            if value:
                told.setdefault(value, source)
        after = look.joined.values[name]
        if told:
            choices = [Choice(source=one, value=value, is_taken=value == after) for value, one in told.items()]
            found.append(
                FieldChoice(
                    name=name,
                    label=LABELS[name],
                    before=getattr(look.kept, name),
                    after=after,
                    choices=choices if len(choices) > 1 else [],
                )
            )
    return found


def label_notes(look: Look) -> list[str]:
    """What else the source that stays takes over, a sentence each: stricter labels, and what has no row of its own."""
    kept, joined = look.kept, look.joined
    notes = []
    if joined.classification != kept.classification:
        notes.append(f"It becomes {joined.classification}, as one of the others is.")
    if joined.sensitivity != kept.sensitivity:
        notes.append("It becomes internal only, as one of the others is: external documents will not cite it.")
    filled = sorted(set(joined.bibliography) - set(kept.bibliography))
    if filled:
        notes.append(f"Filled from the others too: {', '.join(name.replace('_', ' ') for name in filled)}.")
    return notes


def _row(name: str, members: Sequence[Source], kept: Source) -> FieldRow | None:
    values = [str(getattr(source, name)) for source in members]
    if not any(values):
        return None
    reference = str(getattr(kept, name))
    cells = [
        Cell(
            pieces=[("same", value)]
            if value == reference or not reference
            else [(kind, text) for kind, text in word_diff(reference, value) if kind != "del"],
            is_empty=not value,
        )
        for value in values
    ]
    return FieldRow(label=LABELS[name], cells=cells, differs=len(set(values)) > 1)
