"""A source as exports tell it, in full and in brief, and what an export is of."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sources.core.catalog import RANKS, CitationStatus
from sources.core.entries import SourceRecord, first_identity
from sources.core.findings import Disposition, Recovery, Verdict
from sources.core.kinds import IdentifierType, Sensitivity
from sources.core.listing import DecisionNote, Shelf, shelf_of
from sources.core.retraction import RetractionStatus


@dataclass(frozen=True, slots=True)
class Use:
    """One place where a version of the text uses the source; '' where the section or the version has no name."""

    section: str
    version: str
    status: CitationStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """What a search brought for one section, as the corpus of that section keeps it; '' where unknown."""

    section: str
    fetched_at: datetime | None = None
    body_excerpt: str = ""
    summary: str = ""
    query: str = ""
    tool: str = ""
    access_note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedSource:
    """One source of a project with all that exports say of it.

    `record` is the work itself, its identities best first; its own `retracted`, `status` and `section` are not looked
    at here. `verdict` is the one that holds (an override stands in the machine's place), `reason` its cause in words.
    `recovery` is where the work was found again. `variants` are other addresses of it. `rank` is a person's own order
    in Sources.md, None where nobody gave one. `body_excerpt` and the fields after it are what a search brought,
    '' where unknown; `retrievals` what was kept for single sections.
    """

    record: SourceRecord
    stable_id: str
    verdict: Verdict | None = None
    reason: str = ""
    disposition: Disposition = Disposition.UNCHECKED
    checked_at: datetime | None = None
    http_status: int | None = None
    access_note: str = ""
    retraction: RetractionStatus = RetractionStatus.UNKNOWN
    retraction_note: str = ""
    uses: tuple[Use, ...] = ()
    variants: tuple[str, ...] = ()
    recovery: Recovery | None = None
    decision: DecisionNote | None = None
    rank: int | None = None
    fetched_at: datetime | None = None
    body_excerpt: str = ""
    summary: str = ""
    retrieval_query: str = ""
    retrieval_tool: str = ""
    retrievals: tuple[Retrieval, ...] = ()

    def retrieval_for(self, section: str) -> Retrieval:
        """What was brought for a section: what its corpus keeps, else what is known of the source at all."""
        kept = next((one for one in self.retrievals if one.section == section), None)
        return kept or Retrieval(
            section=section,
            fetched_at=self.fetched_at,
            body_excerpt=self.body_excerpt,
            summary=self.summary,
            query=self.retrieval_query,
            tool=self.retrieval_tool,
        )

    @property
    def link(self) -> str:
        """The address of the work as it was cited, '' where it has none."""
        return first_identity(self.record).link or next((one.link for one in self.record.identities if one.link), "")

    @property
    def is_recovered(self) -> bool:
        """True where it is kept because it was found at another address."""
        return self.shelf is Shelf.RECOVERED and self.recovery is not None

    @property
    def address(self) -> str:
        """Where a reader finds the work today: the recovered address, else `link`."""
        return self.recovery.recovered_url if self.recovery and self.is_recovered else self.link

    @property
    def recovered_from(self) -> str:
        """The address that `address` replaces, '' where nothing was replaced."""
        return self.link if self.is_recovered else ""

    @property
    def shelf(self) -> Shelf:
        """Where it stands in a list by verdict."""
        return shelf_of(self.disposition, self.verdict)

    @property
    def status(self) -> CitationStatus:
        """Its best status over all sections and versions; found in research where no text uses it."""
        return best_status(use.status for use in self.uses)

    @property
    def sections(self) -> tuple[str, ...]:
        """The names of the sections that use it, sorted."""
        return tuple(sorted({use.section for use in self.uses if use.section}))

    @property
    def versions(self) -> tuple[str, ...]:
        """The labels of the versions that use it, in counting order."""
        return in_order({use.version for use in self.uses if use.version})

    @property
    def is_internal(self) -> bool:
        """True where it must not leave the house."""
        return self.record.sensitivity is Sensitivity.INTERNAL_ONLY

    def value_of(self, kind: IdentifierType) -> str:
        """Its identifier of `kind`, '' where it has none. ISBN and ISSN come from the record's fields too, several
        joined by `; `."""
        found = next((one.value for one in self.record.identities if one.type is kind), "")
        match kind:
            case IdentifierType.ISBN:
                return self.record.isbn or found
            case IdentifierType.ISSN:
                return self.record.issn or found
            case _:
                return found

    @property
    def brief(self) -> "Brief":
        """What a writer has to know of it before it reads it."""
        places: dict[str, CitationStatus] = {}
        for use in self.uses:
            if use.section:
                places[use.section] = best_status((use.status, places.get(use.section, use.status)))
        return Brief(
            stable_id=self.stable_id,
            verdict=self.verdict,
            disposition=self.disposition,
            status=self.status,
            link=self.link,
            sections=tuple(sorted(places.items())),
            is_internal=self.is_internal,
            retraction=self.retraction,
        )


@dataclass(frozen=True, slots=True)
class Brief:
    """One source in few bytes: what decides where it stands. `sections` hold the best status in each."""

    stable_id: str
    verdict: Verdict | None
    disposition: Disposition
    status: CitationStatus
    link: str
    sections: tuple[tuple[str, CitationStatus], ...] = ()
    is_internal: bool = False
    retraction: RetractionStatus = RetractionStatus.UNKNOWN

    @property
    def shelf(self) -> Shelf:
        """Where it stands in a list by verdict."""
        return shelf_of(self.disposition, self.verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """What an export is of. `as_of` comes from the rows, never from the clock: same state, same bytes.

    `left_out_internal` counts the sources that `for_outside` kept back. `curated_by` is for Sources.md.
    """

    project: str
    as_of: datetime
    firm: str = ""
    versions: tuple[str, ...] = ()
    left_out_internal: int = 0
    curated_by: str = ""


def best_status(statuses: Iterable[CitationStatus]) -> CitationStatus:
    """The best of them: when versions disagree, the best standing wins. Found in research where there are none."""
    return min(statuses, key=RANKS.__getitem__, default=CitationStatus.FOUND_IN_RESEARCH)


def in_order(labels: Iterable[str]) -> tuple[str, ...]:
    """Labels sorted as people count: `v0.0.9` stands before `v0.0.10`."""
    return tuple(sorted(labels, key=_counted))


def _counted(label: str) -> tuple[list[tuple[int, int, str]], str]:
    # Digits by value and before words; at most 18 of them, longer runs are no counts.
    parts = re.findall(r"[0-9]{1,18}|[^0-9]+", label)
    return [(0, int(part), "") if part[0] in "0123456789" else (1, 0, part) for part in parts], label
