"""Short lists made by hand, and the files that come of them."""

from dataclasses import dataclass
from datetime import datetime

from sources.core.catalog import CitationStatus
from sources.core.entries import SourceRecord
from sources.core.exported import Export, ExportedSource, Use, in_order
from sources.core.findings import Disposition, Evidence, Verdict
from sources.core.holdings import Held
from sources.core.kinds import IdentifierType
from sources.core.listing import DecisionNote, Shelf, shelf_of
from sources.core.records import Identity
from sources.core.retraction import RetractionStatus
from sources.reports import master_sources
from sources.reports.master_sources import Layout


@dataclass(frozen=True, slots=True)
class Entry:
    """One source of a project. `verdict` is the one that holds: an editor's override stands in the machine's place."""

    stable_id: str
    title: str
    link: str
    verdict: Verdict | None
    reason: str
    disposition: Disposition
    checked_at: datetime | None
    added_at: datetime
    evidence: Evidence
    status: CitationStatus
    sections: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    decision: DecisionNote | None = None
    retraction_note: str | None = None

    @property
    def shelf(self) -> Shelf:
        """Where the entry stands in the list by verdict."""
        return shelf_of(self.disposition, self.verdict)


@dataclass(frozen=True, slots=True)
class Listing:
    """A project's list at one state. Same state, same listing: `as_of` comes from the rows, never from the clock."""

    project: str
    firm: str
    versions: tuple[str, ...]
    entries: tuple[Entry, ...]
    created_at: datetime

    @property
    def as_of(self) -> datetime:
        """The time of the newest check or decision included; before the first, of the newest entry or the project."""
        moments = [entry.checked_at for entry in self.entries if entry.checked_at]
        moments += [entry.decision.at for entry in self.entries if entry.decision]
        if not moments:
            moments = [entry.added_at for entry in self.entries]
        return max(moments, default=self.created_at)


def of_listing(listing: Listing) -> tuple[Export, Held]:
    """A listing as an export of sources in memory."""
    export = Export(
        project=listing.project, firm=listing.firm, versions=in_order(listing.versions), as_of=listing.as_of
    )
    return export, Held(
        [
            ExportedSource(
                record=SourceRecord(
                    line=0,
                    spelling=entry.link or entry.title,
                    title=entry.title,
                    identities=(Identity(IdentifierType.URL, entry.link, ""),) if entry.link else (),
                ),
                stable_id=entry.stable_id,
                verdict=entry.verdict,
                reason=entry.reason,
                disposition=entry.disposition,
                checked_at=entry.checked_at,
                http_status=entry.evidence.status,
                access_note=entry.evidence.access_note,
                retraction=RetractionStatus.UNKNOWN if entry.retraction_note is None else RetractionStatus.RETRACTED,
                retraction_note=entry.retraction_note or "",
                # A listing no longer knows which section belongs to which version; nothing that is written asks.
                uses=(
                    Use("", "", entry.status),
                    *(Use(section, "", entry.status) for section in entry.sections),
                    *(Use("", version, entry.status) for version in entry.versions),
                ),
                variants=entry.variants,
                recovery=entry.evidence.recovery,
                decision=entry.decision,
            )
            for entry in listing.entries
        ]
    )


def write(listing: Listing, layout: Layout) -> str:
    """The whole file of a listing that is in memory, ending in one newline."""
    export, sources = of_listing(listing)
    return "".join(master_sources.stream(sources, export, layout=layout))
