"""README.md of a download: which files it holds, what they count, what is marked, what was left out. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sources.core.catalog import CitationStatus
from sources.core.exported import Brief, Export
from sources.core.findings import Disposition, Verdict
from sources.core.gate import gate_of
from sources.core.listing import Shelf
from sources.core.retraction import RetractionStatus
from sources.reports.markdown import moment, plain
from sources.reports.memo_lines import versions

FILE_NAME = "README.md"


@dataclass(frozen=True, slots=True)
class FileNote:
    """One file of the download. `count` is the number of sources (or lines) in it, None where it is no list."""

    name: str
    about: str
    count: int | None = None


def stream(briefs: Iterable[Brief], export: Export, *, files: Sequence[FileNote]) -> Iterator[str]:
    """The file in pieces, ending in one newline. Goes over the briefs once."""
    verdicts: Counter[Verdict | None] = Counter()
    shelves: Counter[Shelf] = Counter()
    statuses: Counter[CitationStatus] = Counter()
    dropped = 0
    marked: dict[RetractionStatus, list[str]] = {status: [] for status in RetractionStatus if status.label}
    for brief in briefs:
        verdicts[brief.verdict] += 1
        shelves[brief.shelf] += 1
        statuses[brief.status] += 1
        dropped += brief.disposition is Disposition.DROP
        if brief.retraction in marked:
            marked[brief.retraction].append(brief.stable_id)
    gate = gate_of(verdicts)
    yield f"# {plain(export.project)} — sources\n\n"
    yield f"**Firm**: {plain(export.firm) or '—'}\n**Generated**: {moment(export.as_of)}\n"
    yield f"{versions(export.versions)}\n**Unique sources**: {gate.total}\n"
    yield f"**Verified**: {gate.verified} of {gate.total} ({gate.percent} %): {gate.decision}\n"
    yield "\n## Files\n\n| file | sources | what it is |\n|---|---:|---|\n"
    for file in files:
        yield f"| {plain(file.name)} | {'' if file.count is None else file.count} | {plain(file.about)} |\n"
    yield "\n## Counts\n\n| by verdict | sources |\n|---|---:|\n"
    yield from (f"| {shelf} | {shelves[shelf]} |\n" for shelf in Shelf)
    yield "\n| by use | sources |\n|---|---:|\n"
    yield from (f"| {status.heading} | {statuses[status]} |\n" for status in CitationStatus)
    yield "\n## Retractions\n\n"
    told = [(status, ids) for status, ids in marked.items() if ids]
    yield "" if told else "No source of this download is marked.\n"
    for status, ids in told:
        yield f"- {status.label} ({len(ids)}): {', '.join(ids)}\n"
    yield "\n## Left out\n\n"
    yield f"- Internal sources, which do not leave the house: {export.left_out_internal}\n"
    yield f"- Dropped sources, which stand only in the lists by verdict and as rejected in Sources.md: {dropped}\n"
