"""What an edit of sources would do, computed before anything is written: for the page that shows it, and to write it.

One and many sources are edited by the same rules; `services.bulk_edit` writes what is planned here.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sources.core.authors import first_author
from sources.core.fingerprint import fingerprint
from sources.models import Citation, Section, Source, Tag
from sources.queries.readable import readable

# SQLite takes 32,766 parameters in a statement; five hundred rows of five values stay far below.
BATCH = 500
# What one selection may hold; more than a person can answer for.
MOST_AT_ONCE = 250_000
SHOWN = 20
# What the fingerprint is made of.
_IDENTIFYING = frozenset({"title", "published_date", "authors", "author_list"})


@dataclass(frozen=True, slots=True)
class Edit:
    """What is to change: columns by name, parts of the bibliography ('' takes one away), tags, a section.

    With a section the places where the section's project cites the sources go into it.
    """

    columns: Mapping[str, object] = field(default_factory=dict)
    bibliography: Mapping[str, str] = field(default_factory=dict)
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    section: Section | None = None

    @property
    def is_empty(self) -> bool:
        """True where nothing is to change."""
        return not (self.columns or self.bibliography or self.add_tags or self.remove_tags or self.section)


@dataclass(frozen=True, slots=True)
class RowPlan:
    """One source before and after, only what changes: columns, `tags` as sorted names, `section` as words.

    `citations` are the places to move, by key, with the section each is in.
    """

    source: Source
    before: Mapping[str, object]
    after: Mapping[str, object]
    citations: Mapping[int, int | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Left:
    """Sources of which something is left alone: why, how many, and some of them by name."""

    why: str
    number: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """What an edit would do to a selection. `digest` names the selection as it is now, see `digest_of`."""

    total: int
    changing: int
    rows: tuple[RowPlan, ...]
    left: tuple[Left, ...]
    digest: str


def parts(source_ids: Iterable[int]) -> Iterator[list[int]]:
    """The keys in their order, so that two edits cannot wait for each other, in parts that fit a statement."""
    ordered = sorted(set(source_ids))
    for start in range(0, len(ordered), BATCH):
        yield ordered[start : start + BATCH]


def digest_of(versions: Iterable[tuple[int, int]]) -> str:
    """Names a selection and the state of its rows: (key, row_version) of each. Another edit gives another digest."""
    text = ",".join(f"{key}:{version}" for key, version in sorted(versions))
    return hashlib.sha256(text.encode()).hexdigest()


def versions_of(*, workspace_id: int, source_ids: Iterable[int]) -> list[tuple[int, int]]:
    """Key and row_version of the standing sources among these. One query per 500."""
    found: list[tuple[int, int]] = []
    for part in parts(source_ids):
        rows = readable(Source.objects.all()).filter(workspace_id=workspace_id, pk__in=part).standing()
        found += rows.values_list("pk", "row_version")
    return found


class Leaving:
    """Gathers what is left alone, by reason, with the first names of each."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = defaultdict(int)
        self._examples: dict[str, list[str]] = defaultdict(list)

    def leave(self, why: str, source: Source, *, because: str = "") -> None:
        """Notes one source; `because` is told behind its name."""
        self._numbers[why] += 1
        if len(self._examples[why]) < 5:
            self._examples[why].append(f"{str(source)[:120]}: {because[:120]}" if because else str(source)[:120])

    def leave_unknown(self, why: str, number: int) -> None:
        """Notes that so many have no row that could be named."""
        if number:
            self._numbers[why] += number

    @property
    def all(self) -> tuple[Left, ...]:
        """What was noted, in the order in which the reasons came up."""
        return tuple(Left(why, number, tuple(self._examples[why])) for why, number in self._numbers.items())


def look(*, workspace_id: int, source_ids: Sequence[int], edit: Edit) -> Look:
    """What `edit` would do to these sources; writes nothing. Up to three queries per 500."""
    leaving = Leaving()
    shown: list[RowPlan] = []
    changing = total = 0
    versions: list[tuple[int, int]] = []
    needed = _needed(edit)
    for part in parts(source_ids):
        rows = readable(Source.objects.all()).filter(workspace_id=workspace_id, pk__in=part).standing().order_by("pk")
        sources = list(rows.only(*needed))
        versions += [(source.pk, source.row_version) for source in sources]
        total += len(sources)
        plans = plan(sources=sources, edit=edit, leaving=leaving)
        changing += len(plans)
        shown += plans[: SHOWN - len(shown)]
    return Look(total, changing, tuple(shown), leaving.all, digest_of(versions))


def plan(*, sources: Sequence[Source], edit: Edit, leaving: Leaving) -> list[RowPlan]:
    """The sources that `edit` changes, each with what changes. One query for tags, one for places, where asked for."""
    tags = _tags_of(sources) if edit.add_tags or edit.remove_tags else {}
    places = _places_of(sources, edit.section) if edit.section else {}
    plans: list[RowPlan] = []
    for source in sources:
        before, after = _columns(source, edit)
        _plan_tags(source, edit, tags.get(source.pk, set()), before, after)
        moved: dict[int, int | None] = {}
        if edit.section:
            moved = _plan_section(source, edit.section, places.get(source.pk), before, after, leaving)
        if after:
            plans.append(RowPlan(source, before, after, moved))
        else:
            leaving.leave("Nothing to change: as wanted already", source)
    return plans


def _needed(edit: Edit) -> set[str]:
    """The columns that a look at `edit` reads: of 100,000 sources the rest would cost more than the look itself."""
    needed = {"uuid", "title", "identifier_type", "identifier_value", "row_version", *edit.columns}
    if edit.bibliography:
        needed.add("bibliography")
    return needed | _IDENTIFYING | {"fingerprint"} if _IDENTIFYING & edit.columns.keys() else needed


def _columns(source: Source, edit: Edit) -> tuple[dict[str, object], dict[str, object]]:
    wanted = dict(edit.columns)
    if edit.bibliography:
        merged = {**source.bibliography, **edit.bibliography}
        wanted["bibliography"] = {name: value for name, value in merged.items() if value not in ("", None, [], {})}
    after = {name: value for name, value in wanted.items() if getattr(source, name) != value}
    if _IDENTIFYING & after.keys():
        new: dict[str, Any] = {name: after.get(name, getattr(source, name)) for name in _IDENTIFYING}
        author = first_author(new["author_list"], new["authors"])
        mark = fingerprint(title=new["title"], published_date=new["published_date"], first_author=author)
        if mark != source.fingerprint:
            after["fingerprint"] = mark
    return {name: getattr(source, name) for name in after}, after


def _plan_tags(source: Source, edit: Edit, has: set[str], before: dict[str, object], after: dict[str, object]) -> None:
    lowered = {name.lower() for name in edit.remove_tags}
    present = {name.lower() for name in has}
    kept = {name for name in has if name.lower() not in lowered}
    kept |= {name for name in edit.add_tags if name.lower() not in present}
    if kept != has:
        before["tags"], after["tags"] = sorted(has), sorted(kept)


def _plan_section(
    source: Source,
    section: Section,
    places: list[tuple[int, int | None, str]] | None,
    before: dict[str, object],
    after: dict[str, object],
    leaving: Leaving,
) -> dict[int, int | None]:
    if not places:
        leaving.leave(f"Not cited in “{section.project.name}”: a section is where its text cites a source", source)
        return {}
    moved = {key: now for key, now, _ in places if now != section.pk}
    if moved:
        before["section"] = ", ".join(sorted({title or "no section" for _, _, title in places}))
        after["section"] = section.title
    return moved


def _tags_of(sources: Sequence[Source]) -> dict[int, set[str]]:
    found: dict[int, set[str]] = defaultdict(set)
    rows = Tag.sources.through.objects.filter(source_id__in=[source.pk for source in sources])
    for key, name in rows.values_list("source_id", "tag__name"):
        found[key].add(name)
    return found


def _places_of(sources: Sequence[Source], section: Section) -> dict[int, list[tuple[int, int | None, str]]]:
    found: dict[int, list[tuple[int, int | None, str]]] = defaultdict(list)
    rows = Citation.objects.filter(
        entry__project_id=section.project_id, entry__source_id__in=[source.pk for source in sources]
    ).order_by("pk")
    for key, pk, now, title in rows.values_list("entry__source_id", "pk", "section_id", "section__title"):
        found[key].append((pk, now, title or ""))
    return found
