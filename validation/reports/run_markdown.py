"""A report in Markdown. Pure: same report, same bytes."""

from collections.abc import Iterator

from sources.reports.markdown import link, moment, plain
from validation.core.gate_words import headline, percent, reasons, sign_of
from validation.core.report import Head, ReportEntry, Section, Told, shown_sections


def write(report: Told) -> str:
    """The whole file, ending in one newline."""
    return "".join(lines(report))


def lines(report: Told) -> Iterator[str]:
    """The same, line by line, each with its newline."""
    return (f"{line}\n" for line in _lines(report))


def _lines(report: Told) -> Iterator[str]:
    head = report.head
    yield f"# {plain(head.title)}"
    yield ""
    yield f"**Gate**: {sign_of(head.gate).label}. {headline(head.gate)}."
    yield f"**Generated**: {moment(head.as_of)}"
    yield from _run_lines(head)
    if head.firm:
        yield f"**Firm**: {plain(head.firm)}"
    yield f"**Unique sources**: {head.gate.total}"
    if head.left_out:
        yield f"**Left out (internal)**: {head.left_out}"
    if head.internal:
        yield f"**Not to be handed on**: internal sources stand in it ({head.internal})"
    yield ""
    for reason in reasons(head):
        yield f"- {reason}"
    yield ""
    yield from _table(head)
    for section in shown_sections(head):
        yield ""
        yield f"## {section.heading} ({head.sizes[section]})"
        yield ""
        if not head.sizes[section]:
            yield section.empty
        for entry in report.of(section):
            yield from _pair(entry) if section is Section.RECOVERED else _entry(entry)


def _run_lines(head: Head) -> Iterator[str]:
    if not head.run:
        return
    ended = f", ended {moment(head.finished_at)}" if head.finished_at else ""
    started = f", started {moment(head.started_at)}" if head.started_at else ""
    yield f"**Run**: {head.run}, {head.state.lower()}{started}{ended}"
    yield f"**Rules**: {plain(head.rules_version)}"


def _table(head: Head) -> Iterator[str]:
    yield "| verdict | sources | share |"
    yield "|---|---:|---:|"
    for verdict, number in head.counts.items():
        if verdict is not None:
            yield f"| {verdict} | {number} | {percent(number, head.gate.total)} % |"
        elif number:
            yield f"| not checked yet | {number} | {percent(number, head.gate.total)} % |"


def _entry(entry: ReportEntry) -> Iterator[str]:
    standing = entry.standing
    yield f"- **{link(entry.name, entry.address)}**" + ("" if entry.address else " (no URL)")
    if entry.retraction_note is not None:
        yield f"  - {entry.retraction.label or 'RETRACTED'}: {plain(entry.retraction_note)}"
    elif entry.retraction.label:
        yield f"  - {entry.retraction.label}"
    if entry.meant:
        yield f"  - Cited on purpose: {plain(entry.meant)}"
    if standing.is_recovered and entry.recovery:
        was = f", which was {plain(entry.original_was)}" if entry.original_was else ""
        yield f"  - Changed: stands in for {plain(entry.link)}{was}"
    if standing.found:
        said = "Machine" if entry.is_overridden else "Verdict"
        open_end = "; provisional, more checks have to agree" if entry.is_provisional else ""
        yield f"  - {said}: {standing.found}, {plain(entry.reason)}{open_end}"
    if standing.section is Section.GATED and entry.publisher:
        yield f"  - Publisher: {plain(entry.publisher)}"
    if entry.access_note:
        yield f"  - Access: {plain(entry.access_note)}"
    if standing.section is Section.FLAGGED:
        yield from _flag(entry)
    yield from _other_copies(entry)
    if entry.decision is not None:
        into = f" to {standing.verdict}" if entry.is_overridden else ""
        why = f": {plain(entry.decision.reason)}" if entry.decision.reason else ""
        yield f"  - {entry.decision.label}{into} by {plain(entry.decision.by)} on {moment(entry.decision.at)}{why}"
    if entry.status is not None:
        yield f"  - HTTP: {entry.status}"
    if entry.checked_at is not None:
        yield f"  - Checked: {moment(entry.checked_at)}"
    if entry.stable_id:
        yield f"  - Id: {entry.stable_id}"


def _flag(entry: ReportEntry) -> Iterator[str]:
    if entry.cites_another_title:
        alike = f" (alike by {entry.similarity:.2f})" if entry.similarity is not None else ""
        yield f"  - Title found: {plain(entry.title_found)}{alike}"
    if entry.is_failed:
        yield f"  - Next try: {moment(entry.next_try_at) if entry.next_try_at else 'none planned'}"


def _other_copies(entry: ReportEntry) -> Iterator[str]:
    for proposed in entry.proposals:
        at = plain(proposed.recovered_url)
        yield f"  - Proposed, for a person to decide: {at}, similarity {proposed.similarity:.2f}"
    if entry.archived_url:
        yield f"  - Archived copy: {plain(entry.archived_url)}"
    if entry.unsearched:
        yield "  - Not searched for: no search engine was configured then"


def _pair(entry: ReportEntry) -> Iterator[str]:
    pair = entry.recovery
    if pair is None:
        yield f"- {plain(entry.name)}"
        return
    yield f"- **{link(pair.recovered_title or entry.name, pair.recovered_url)}**"
    yield f"  - Original: {plain(entry.link)}"
    yield f"  - Query: {plain(pair.query)}"
    yield f"  - Found by: {plain(pair.matched_via)}, {plain(pair.provider)}, similarity {pair.similarity:.2f}"
    if entry.stable_id:
        yield f"  - Id: {entry.stable_id}"
