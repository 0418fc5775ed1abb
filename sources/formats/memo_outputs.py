"""A ZIP of a memo pipeline's `outputs/` folder, or of one run in it: source lists, sections, research, logs."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from sources.core.decoding import NotText, decode
from sources.core.entries import Item, ProjectRecord, SourceRecord
from sources.core.extraction.gathering import row_error
from sources.core.records import RowError
from sources.formats import master_sources, recovery_log, source_list, sourced_corpus, sources_md
from sources.formats.archives import Archive, names_in
from sources.formats.format import Format, Head, Unreadable
from sources.formats.memo import research, section, validation_log

_RUN = re.compile(r"(.{1,200}?)-v(\d{1,6}(?:\.\d{1,6}){0,3})")
_SECTION = re.compile(r"(\d{1,3}-.{1,200}?|.{1,200}?)-Complete-Source-List", re.IGNORECASE)
_OFFICE = ("[Content_Types].xml", "mimetype", "word/", "xl/", "ppt/", "META-INF/")
_FOLDERS = ("1-research/", "2-sections/", "3-source-catalog/")
_NESTED = (".zip", ".docx", ".xlsx", ".pptx", ".7z", ".gz", ".tar", ".rar")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a member stands: deal and run by its folders, both '' where no folder names them."""

    name: str
    firm: str
    deal: str
    version: str

    @property
    def folder(self) -> str:
        return PurePosixPath(self.name).parent.name

    @property
    def stem(self) -> str:
        return PurePosixPath(self.name).stem


def _recognises(head: Head) -> bool:
    names = names_in(head)
    if not names or any(name.startswith(_OFFICE) for name in names):
        return False
    return any(
        any(folder in name for folder in _FOLDERS)
        or any(_RUN.fullmatch(part) for part in name.split("/")[:-1])
        or name.endswith(("-Complete-Source-List.md", "Master-Sources.md", "sourced_corpus.json"))
        for name in names
    )


def _read(path: Path) -> Iterator[Item]:
    """The deals first, then runs in the order of their versions, in each its lists, sections, research and logs.

    Records name their file in `details`, and `line` counts in it. What a run left out is a `RowError` of that run and
    stands against nothing. A file that cannot be read is a `RowError` for its line 1; others go on.
    """
    with Archive(path) as archive:
        places = sorted((_place(name) for name in archive.names if not _is_litter(name)), key=_order)
        read = [(place, reader) for place in places if (reader := _reader(place)) is not None]
        if not read:
            raise Unreadable(
                "The archive holds no source list, no section and no research of a memo run "
                "(3-source-catalog/…-Complete-Source-List.md, 2-sections/*.md, 1-research/*.md)."
            )
        texts = _Texts(archive)
        yield from _deals(texts, read)
        several = len({place.deal for place, _ in read if place.deal}) > 1
        for place, reader in read:
            try:
                for item in reader(texts.text(place.name), place):
                    yield _told(item, place, several=several)
            except Unreadable as refused:
                yield row_error(1, place.name, f"{place.name}: {refused}")
        for place in places:
            if place.name.lower().endswith(_NESTED):
                yield row_error(1, place.name, f"“{place.name}” is an archive or document inside; import it by itself.")


class _Texts:
    """The texts of members, decoded; each is read when it is asked for and not kept."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive

    def text(self, name: str) -> str:
        """The text of a member; raises `Unreadable` where it is none."""
        try:
            return decode(self.archive.read(name))
        except NotText as refused:
            raise Unreadable(str(refused)) from refused


def _place(name: str) -> _Place:
    parts = name.split("/")[:-1]
    for at, part in enumerate(parts):
        found = _RUN.fullmatch(part)
        if found:
            above = parts[:at]
            firm = above[above.index("deals") - 1] if "deals" in above and above.index("deals") else ""
            return _Place(name, firm, found[1], part)
    return _Place(name, "", "", "")


def _is_litter(name: str) -> bool:
    return name.startswith("__MACOSX/") or PurePosixPath(name).name.startswith(".")


def _order(place: _Place) -> tuple[str, list[int], int, str]:
    ranks = {"3-source-catalog": 0, "2-sections": 1, "1-research": 2}
    return place.deal, [int(part) for part in _NUMBER.findall(place.version)], ranks.get(place.folder, 3), place.name


_Reader = Callable[[str, _Place], Iterator[Item]]


def _reader(place: _Place) -> _Reader | None:
    name = PurePosixPath(place.name).name.lower()
    if name.endswith("complete-source-list.md"):
        return lambda text, at: source_list.read_text(
            text, section=_section_of(at.stem), version=at.version, file=at.name
        )
    if name == "master-sources.md":
        return lambda text, at: _records(master_sources.read_text(text, file=at.name))
    if name == "sources.md":
        return lambda text, at: _records(sources_md.read_text(text, file=at.name))
    if name.startswith("source-validation-log") and name.endswith(".json"):
        return lambda text, at: validation_log.read_text(text, version=at.version, file=at.name)
    if name.startswith("sourced_corpus") and name.endswith(".json"):
        return lambda text, at: sourced_corpus.read_text(
            text, section=_slug(at.folder), version=at.version, file=at.name
        )
    if name.startswith("recovery-log") and name.endswith(".json"):
        return lambda text, at: recovery_log.read_text(text, version=at.version, file=at.name)
    if name.endswith(".md") and place.folder == "2-sections":
        return lambda text, at: section.read_text(text, section=_slug(at.stem), version=at.version, file=at.name)
    if name.endswith(".md") and place.folder == "1-research":
        return lambda text, at: research.read_text(text, section=_slug(at.stem), version=at.version, file=at.name)
    return None


def _section_of(stem: str) -> str:
    found = _SECTION.fullmatch(stem)
    return _slug(found[1] if found else stem)


def _slug(name: str) -> str:
    """`02-Market-Context` as `02-market-context`, as lists over several sections write it; '' for a run's folder."""
    return "" if _RUN.fullmatch(name) or name in ("outputs", "") else name.lower()[:300]


def _records(items: Iterator[Item]) -> Iterator[Item]:
    """Without the deal: it is told once for the whole archive."""
    return (item for item in items if not isinstance(item, ProjectRecord))


def _told(item: Item, place: _Place, *, several: bool) -> Item:
    if isinstance(item, RowError):
        return row_error(item.line, item.spelling, f"{place.name}, line {item.line}: {item.message}")
    if isinstance(item, SourceRecord) and several:
        return replace(item, details=(*item.details, ("deal", place.deal)))
    return item


def _deals(texts: _Texts, read: list[tuple[_Place, _Reader]]) -> Iterator[ProjectRecord]:
    deals: dict[str, list[_Place]] = {}
    for place, _ in read:
        deals.setdefault(place.deal, []).append(place)
    named = {deal: places for deal, places in deals.items() if deal}
    for deal, places in (named or deals).items():
        internal = sorted({label for place in places for label in _internal(texts, place)})
        yield ProjectRecord(
            line=1,
            name=deal or _company(texts, places) or "Unnamed",
            ref=deal,
            firm=next((place.firm for place in places if place.firm), ""),
            description=f"Internal documents cited, left as they are: {', '.join(internal)}"[:2_000]
            if internal
            else "",
            versions=tuple(dict.fromkeys(place.version for place in places if place.version)),
        )


def _internal(texts: _Texts, place: _Place) -> list[str]:
    if place.folder != "2-sections" or not place.name.lower().endswith(".md"):
        return []
    try:
        return section.internal_labels(texts.text(place.name))
    except Unreadable:
        return []


def _company(texts: _Texts, places: list[_Place]) -> str:
    for place in places:
        if place.name.lower().endswith("complete-source-list.md"):
            try:
                company = source_list.company_in(texts.text(place.name))
            except Unreadable:
                continue
            if company:
                return company
    return ""


# Lists, prose and logs stand side by side; each has its own count where it is imported by itself.
FORMAT = Format(
    name="memo-outputs", label="outputs folder of a memo pipeline (ZIP)", recognises=_recognises, read=_read
)
