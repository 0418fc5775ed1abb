"""A project's full download: which files it holds, under which names, and what is in each. Pure.

Gives names and bytes; whoever calls puts them into an archive. Other rooms bring their files (run report, recovery log)
as `Extra`. Names are safe on every system and unique even where capitals do not count.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from sources.core.exported import Brief, Export
from sources.core.findings import Disposition
from sources.core.holdings import Holdings, Remembered
from sources.reports import (
    best_sources,
    bibtex,
    csl_json,
    csv_table,
    kb_export,
    master_sources,
    readme_index,
    ris,
    sourced_corpus,
    sources_md,
)
from sources.reports.master_sources import Layout
from sources.reports.readme_index import FileNote

BY_VERDICT = "Master-Sources-by-verdict.md"
UNSECTIONED = "no-section"

_UNSAFE = re.compile(r"[^\w.-]+")
# Names that Windows keeps for devices, whatever stands behind the dot.
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)", re.IGNORECASE)
_LONGEST = 80
_MOST_BYTES = 200
_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class Extra:
    """A file from another room. `name` may have one folder before it; `content` is called when the file is written."""

    name: str
    about: str
    content: Callable[[], Iterable[str]]
    count: int | None = None


@dataclass(frozen=True, slots=True)
class _File:
    note: FileNote
    content: Callable[[], Iterable[str]]


def files(
    sources: Holdings,
    export: Export,
    *,
    extras: Sequence[Extra] = (),
    bom: bool = False,
    planned: Callable[[int], None] = lambda _: None,
) -> Iterator[tuple[str, Iterator[bytes]]]:
    """(name, bytes in pieces) of every file, README.md first. Same state, same names and bytes.

    `sources` are those that may leave (`for_outside` was asked), `export.left_out_internal` the rest. Each content is
    to be read before the next pair is asked for. `bom` is for the CSV alone. `planned` is told beforehand how many
    sources all files together will read, about.
    """
    known = Remembered(sources)
    told = list(_named(_contents(known, export, bom=bom), extras))
    notes = [file.note for file in told]
    planned(sum(note.count or 0 for note in notes))
    yield readme_index.FILE_NAME, encoded(readme_index.stream(known.briefs(), export, files=notes))
    for file in told:
        yield file.note.name, encoded(file.content())


def safe_name(text: str) -> str:
    """`text` as a file name: letters and digits of any script, `.`, `_` and `-`, 1 to 80 characters.

    Never a path, a hidden file, an ending in a dot, or a name that a system keeps for its devices; `unnamed` where
    nothing is left.
    """
    words = _UNSAFE.sub("-", unicodedata.normalize("NFKC", text[:1_000])).strip("-.")
    # Cut by bytes, and at a whole letter: file systems count bytes.
    name = words[:_LONGEST].encode()[:_MOST_BYTES].decode(errors="ignore").strip("-.") or "unnamed"
    return _DEVICE.sub(r"\g<0>-", name) if _DEVICE.match(name) else name


def _contents(known: Remembered, export: Export, *, bom: bool) -> Iterator[_File]:
    total, usable, named = _counts(known.briefs())
    yield _File(
        FileNote(master_sources.FILE_NAME, "Every source once, by status, as memo pipelines read it", usable),
        partial(master_sources.stream, known, export, layout=Layout.MEMO),
    )
    yield _File(
        FileNote(BY_VERDICT, "Every source once, by verdict, dropped ones included", total),
        partial(master_sources.stream, known, export, layout=Layout.VERDICT),
    )
    sections = best_sources.sections_of(known)
    for section, count in sections.items():
        yield _File(
            FileNote(f"Best-Sources/{safe_name(section)}.md", f"The best sources of section {section}", count),
            partial(best_sources.stream, known, export, section=section),
        )
    corpora = [*sections.items(), *((("", count),) if (count := _without_section(known.briefs())) else ())]
    for section, count in corpora:
        about = f"What may be cited in section {section}" if section else "What may be cited, used by no section"
        yield _File(
            FileNote(f"sourced_corpus/{safe_name(section or UNSECTIONED)}.json", about, count),
            partial(sourced_corpus.stream, known, section=section),
        )
    yield _File(
        FileNote(sources_md.FILE_NAME, "The codified list, with what was examined and rejected", named),
        partial(sources_md.stream, known, export),
    )
    yield _File(FileNote(bibtex.FILE_NAME, "BibTeX and BibLaTeX", total), partial(bibtex.stream, known, export))
    yield _File(FileNote(ris.FILE_NAME, "RIS, for reference managers", total), partial(ris.stream, known))
    yield _File(
        FileNote(csl_json.FILE_NAME, "CSL-JSON, for citation processors", total), partial(csl_json.stream, known)
    )
    yield _File(
        FileNote(csv_table.FILE_NAME, "Every field as a table", total), partial(csv_table.stream, known, bom=bom)
    )
    yield _File(
        FileNote(kb_export.FILE_NAME, "JSON Lines, for kb import", total), partial(kb_export.stream, known, export)
    )


def _counts(briefs: Iterable[Brief]) -> tuple[int, int, int]:
    """All, those that are not dropped, and those named in Sources.md's front matter."""
    total = usable = named = 0
    for brief in briefs:
        total += 1
        if brief.disposition is not Disposition.DROP:
            usable += 1
            named += bool(brief.link)
    return total, usable, named


def _without_section(briefs: Iterable[Brief]) -> int:
    return sum(not brief.sections and brief.disposition is not Disposition.DROP for brief in briefs)


def _named(own: Iterable[_File], extras: Iterable[Extra]) -> Iterator[_File]:
    """Every file under a name of its own; of two that would be one, the later gets a number."""
    taken = {readme_index.FILE_NAME.casefold()}
    brought = (
        _File(FileNote("/".join(map(safe_name, one.name.split("/")[-2:])), one.about, one.count), one.content)
        for one in extras
    )
    for file in chain(own, brought):
        stem, dot, ending = file.note.name.rpartition(".")
        if not dot:
            stem, ending = ending, ""
        name, number = file.note.name, 2
        while name.casefold() in taken:
            name, number = f"{stem}-{number}{dot}{ending}", number + 1
        taken.add(name.casefold())
        yield _File(FileNote(name, file.note.about, file.note.count), file.content)


def encoded(pieces: Iterable[str]) -> Iterator[bytes]:
    """UTF-8 in pieces of about 64 KB; what no text can carry becomes a question mark."""
    waiting: list[str] = []
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= _CHUNK:
            yield "".join(waiting).encode("utf-8", "replace")
            waiting, size = [], 0
    if waiting:
        yield "".join(waiting).encode("utf-8", "replace")
