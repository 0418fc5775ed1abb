"""Master-Sources.md in its two layouts. Pure: same sources, same bytes.

Over all sections and versions, every work once. The briefs say what stands where; the sources themselves pass by one at
a time, so that a long list needs no more memory than a short one.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import assert_never

from sources.core import urls
from sources.core.catalog import CitationStatus
from sources.core.exported import Export, ExportedSource
from sources.core.findings import Disposition, Verdict
from sources.core.gate import gate_of
from sources.core.holdings import Holdings
from sources.core.listing import Shelf
from sources.reports import memo_lines
from sources.reports.markdown import link, moment, plain


class Layout(StrEnum):
    """How the list is laid out."""

    VERDICT = "verdict"
    MEMO = "memo"


FILE_NAME = "Master-Sources.md"


def stream(sources: Holdings, export: Export, *, layout: Layout) -> Iterator[str]:
    """The file, a few lines a piece, ending in one newline.

    `verdict` groups by what was found, dropped sources included; `memo` by status, best first, as memo pipelines do,
    without dropped ones.
    """
    match layout:
        case Layout.VERDICT:
            return _verdict_layout(sources, export)
        case Layout.MEMO:
            return _memo_layout(sources, export)
        case _:
            assert_never(layout)


def _verdict_layout(sources: Holdings, export: Export) -> Iterator[str]:
    counts: Counter[Verdict | None] = Counter()
    shelves: dict[Shelf, list[int]] = {shelf: [] for shelf in Shelf}
    for position, brief in enumerate(sources.briefs()):
        counts[brief.verdict] += 1
        shelves[brief.shelf].append(position)
    gate = gate_of(counts)
    yield memo_lines.text(
        (
            f"# Master Sources — {plain(export.project)}",
            "",
            f"**Generated**: {moment(export.as_of)}",
            memo_lines.versions(export.versions),
            f"**Unique sources**: {gate.total}",
            f"**Verified**: {gate.verified} of {gate.total} ({gate.percent} %): {gate.decision}",
            *memo_lines.left_out(export),
        )
    )
    own = _own_addresses(sources, shelves[Shelf.RECOVERED])
    for shelf, positions in shelves.items():
        if shelf is Shelf.UNCHECKED and not positions:
            continue
        yield f"\n## {shelf} ({len(positions)})\n\n"
        if not positions:
            yield "None.\n"
        for source in sources.read(positions):
            yield memo_lines.text(_verdict_entry(source, own))


def _own_addresses(sources: Holdings, recovered: Iterable[int]) -> Mapping[str, str]:
    """The stable ids of entries that stand at an address at which others of the list were found again, by that address
    in its canonical form: every address stands in the list once."""
    found = {
        urls.identity_form(source.recovery.recovered_url) for source in sources.read(recovered) if source.recovery
    } - {""}
    if not found:
        return {}
    forms = ((urls.identity_form(brief.link), brief.stable_id) for brief in sources.briefs() if brief.link)
    return {form: stable_id for form, stable_id in forms if form in found}


def _verdict_entry(source: ExportedSource, own: Mapping[str, str]) -> Iterator[str]:
    title, recovery = source.record.title or source.link, source.recovery if source.is_recovered else None
    twin = own.get(urls.identity_form(recovery.recovered_url)) if recovery else None
    if twin:
        yield f"- **{plain(title)}** (found again as {twin} of this list)"
    else:
        yield f"- **{link(title, source.address)}**" + ("" if source.address else " (no URL)")
    if source.retraction.label:
        yield f"  - {source.retraction.label}: {plain(source.retraction_note) or 'no note given'}"
    if recovery:
        yield f"  - Original: {plain(source.link)}"
        yield (
            f"  - Found by: {plain(recovery.matched_via)}, {plain(recovery.provider)}, query {plain(recovery.query)}, "
            f"similarity {recovery.similarity:.2f}"
        )
    if source.verdict is not None:
        yield f"  - Verdict: {source.verdict}, {plain(source.reason)}"
    if source.http_status is not None:
        yield f"  - HTTP: {source.http_status}"
    if source.access_note:
        yield f"  - Access: {plain(source.access_note)}"
    if source.checked_at is not None:
        yield f"  - Checked: {moment(source.checked_at)}"
    if source.decision is not None:
        reason = f": {plain(source.decision.reason)}" if source.decision.reason else ""
        yield f"  - {source.decision.label} by {plain(source.decision.by)} on {moment(source.decision.at)}{reason}"
    yield f"  - Id: {source.stable_id}"
    yield from memo_lines.places(source)


def _memo_layout(sources: Holdings, export: Export) -> Iterator[str]:
    ranks: dict[CitationStatus, list[int]] = defaultdict(list)
    for position, brief in enumerate(sources.briefs()):
        if brief.disposition is not Disposition.DROP:
            ranks[brief.status].append(position)
    title = f"Master Source List — {plain(export.project)}"
    yield memo_lines.text(memo_lines.head(export, title=title, count=sum(map(len, ranks.values()))))
    for status in CitationStatus:
        if positions := ranks[status]:
            yield f"\n## {status.heading} ({len(positions)})\n\n"
            for source in sources.read(positions):
                yield memo_lines.text((*memo_lines.entry(source), *memo_lines.places(source)))
