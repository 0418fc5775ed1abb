"""Master-Sources.md in its two layouts. Pure: same listing, same bytes."""

from collections.abc import Iterator, Mapping
from enum import StrEnum

from sources.core import urls
from sources.core.catalog import CitationStatus
from sources.core.findings import Disposition
from sources.core.gate import gate_of
from sources.core.listing import Entry, Listing, Shelf
from sources.reports.markdown import link, moment, plain


class Layout(StrEnum):
    """How the list is laid out."""

    VERDICT = "verdict"
    MEMO = "memo"


FILE_NAME = "Master-Sources.md"


def write(listing: Listing, layout: Layout) -> str:
    """The whole file, ending in one newline."""
    match layout:
        case Layout.VERDICT:
            lines = _verdict_layout(listing)
        case Layout.MEMO:
            lines = _memo_layout(listing)
    return "\n".join(lines).rstrip("\n") + "\n"


def _verdict_layout(listing: Listing) -> Iterator[str]:
    counts = dict.fromkeys({entry.verdict for entry in listing.entries}, 0)
    for entry in listing.entries:
        counts[entry.verdict] += 1
    gate = gate_of(counts)
    yield f"# Master Sources — {plain(listing.project)}"
    yield ""
    yield f"**Generated**: {moment(listing.as_of)}"
    yield _versions_line(listing)
    yield f"**Unique sources**: {len(listing.entries)}"
    yield f"**Verified**: {gate.verified} of {gate.total} ({gate.percent} %): {gate.decision}"
    own = {urls.identity_form(entry.link): entry.stable_id for entry in listing.entries if entry.link}
    for shelf in Shelf:
        entries = [entry for entry in listing.entries if entry.shelf is shelf]
        if shelf is Shelf.UNCHECKED and not entries:
            continue
        yield ""
        yield f"## {shelf} ({len(entries)})"
        yield ""
        if not entries:
            yield "None."
        for entry in entries:
            yield from _verdict_entry(entry, own)


def _verdict_entry(entry: Entry, own: Mapping[str, str]) -> Iterator[str]:
    """`own` names the entries of the list by canonical address: one found again at such an address points to it, since
    every address stands in the list once."""
    recovery = entry.evidence.recovery if entry.shelf is Shelf.RECOVERED else None
    address = recovery.recovered_url if recovery else entry.link
    twin = own.get(urls.identity_form(recovery.recovered_url)) if recovery else None
    if twin:
        yield f"- **{plain(entry.title or entry.link)}** (found again as {twin} of this list)"
    else:
        yield f"- **{link(entry.title or entry.link, address)}**" + ("" if address else " (no URL)")
    if entry.retraction_note is not None:
        yield f"  - RETRACTED: {plain(entry.retraction_note)}"
    if recovery:
        yield f"  - Original: {plain(entry.link)}"
        yield (
            f"  - Found by: {plain(recovery.matched_via)}, {plain(recovery.provider)}, query {plain(recovery.query)}, "
            f"similarity {recovery.similarity:.2f}"
        )
    if entry.verdict is not None:
        yield f"  - Verdict: {entry.verdict}, {plain(entry.reason)}"
    if entry.evidence.status is not None:
        yield f"  - HTTP: {entry.evidence.status}"
    if entry.evidence.access_note:
        yield f"  - Access: {plain(entry.evidence.access_note)}"
    if entry.checked_at is not None:
        yield f"  - Checked: {moment(entry.checked_at)}"
    if entry.decision is not None:
        reason = f": {plain(entry.decision.reason)}" if entry.decision.reason else ""
        yield f"  - {entry.decision.label} by {plain(entry.decision.by)} on {moment(entry.decision.at)}{reason}"
    yield f"  - Id: {entry.stable_id}"
    yield from _places(entry)


def _memo_layout(listing: Listing) -> Iterator[str]:
    entries = [entry for entry in listing.entries if entry.disposition is not Disposition.DROP]
    yield f"# Master Source List — {plain(listing.project)}"
    yield ""
    yield f"**Firm**: {plain(listing.firm) or '—'}"
    yield f"**Generated**: {moment(listing.as_of)}"
    yield _versions_line(listing)
    yield f"**Unique sources**: {len(entries)}"
    for status in CitationStatus:
        here = [entry for entry in entries if entry.status is status]
        if not here:
            continue
        yield ""
        yield f"## {status.heading} ({len(here)})"
        yield ""
        for entry in here:
            yield f"- **{link(entry.title or entry.link, entry.link)}**" + ("" if entry.link else " (no URL)")
            yield f"  - HTTP: {entry.evidence.status if entry.evidence.status is not None else 'not fetched'}"
            yield from _places(entry)


def _versions_line(listing: Listing) -> str:
    names = ", ".join(plain(version) for version in listing.versions)
    return f"**Versions merged** ({len(listing.versions)}): {names}".rstrip()


def _places(entry: Entry) -> Iterator[str]:
    if entry.sections:
        yield f"  - Sections ({len(entry.sections)}): {', '.join(plain(section) for section in entry.sections)}"
    if entry.versions:
        yield f"  - Versions ({len(entry.versions)}): {', '.join(plain(version) for version in entry.versions)}"
    if entry.variants:
        yield f"  - Variants: {', '.join(plain(variant) for variant in entry.variants)}"
