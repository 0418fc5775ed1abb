"""Best-Sources of one section: what the text may rest on there, best first. Pure: same sources, same bytes.

The layout is Master-Sources' for memos, cut to a section: a source stands under the best status that it has *in this
section* over all versions, and inside a heading what is verified comes before what waits for a person and what nobody
has checked. Dropped sources are left out.
"""

from collections import defaultdict
from collections.abc import Iterator

from sources.core.catalog import CitationStatus
from sources.core.exported import Brief, Export, ExportedSource, in_order
from sources.core.findings import Disposition
from sources.core.holdings import Holdings
from sources.reports import memo_lines
from sources.reports.markdown import plain

_ORDER = (Disposition.KEEP, Disposition.REVIEW, Disposition.UNCHECKED)


def sections_of(sources: Holdings) -> dict[str, int]:
    """The sections that have a list, sorted by name, each with the number of sources in it."""
    counts: dict[str, int] = defaultdict(int)
    for brief in sources.briefs():
        if brief.disposition in _ORDER:
            for section, _ in brief.sections:
                counts[section] += 1
    return {section: counts[section] for section in in_order(counts)}


def stream(sources: Holdings, export: Export, *, section: str) -> Iterator[str]:
    """The file, one entry a piece, ending in one newline; without an entry only its head."""
    ranks: dict[tuple[CitationStatus, Disposition], list[int]] = defaultdict(list)
    for position, brief in enumerate(sources.briefs()):
        status = _status_in(brief, section)
        if status is not None and brief.disposition in _ORDER:
            ranks[status, brief.disposition].append(position)
    title = f"Best Sources — {plain(export.project)} — {plain(section)}"
    yield memo_lines.text(memo_lines.head(export, title=title, count=sum(map(len, ranks.values()))))
    for status in CitationStatus:
        positions = [position for disposition in _ORDER for position in ranks[status, disposition]]
        if positions:
            yield f"\n## {status.heading} ({len(positions)})\n\n"
            for source in sources.read(positions):
                yield memo_lines.text(_entry(source, section))


def _status_in(brief: Brief, section: str) -> CitationStatus | None:
    return next((status for name, status in brief.sections if name == section), None)


def _entry(source: ExportedSource, section: str) -> Iterator[str]:
    yield from memo_lines.entry(source)
    yield f"  - Verdict: {source.verdict.value if source.verdict else 'not checked yet'}"
    if source.access_note:
        yield f"  - Access: {plain(source.access_note)}"
    if source.is_recovered:
        yield f"  - Found again: {plain(source.address)}"
    yield f"  - Id: {source.stable_id}"
    here = in_order({use.version for use in source.uses if use.section == section and use.version})
    yield from memo_lines.counted("Versions", here)
    yield from memo_lines.counted("Also in", tuple(name for name in source.sections if name != section))
    if source.variants:
        yield f"  - Variants: {', '.join(plain(variant) for variant in source.variants)}"
