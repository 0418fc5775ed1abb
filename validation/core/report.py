"""A report on a run or a project: which list each source stands in, and what the ship gate says of the whole.

Every source stands in one list. Those that were found again stand in a second one as well, as pairs.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol, assert_never

from sources.core.findings import Cause, Disposition, Recovery, Verdict
from sources.core.gate import Gate, gate_of
from sources.core.listing import DecisionNote
from sources.core.retraction import RetractionStatus


class Section(StrEnum):
    """A list of the report, in the order in which they are written; the value is its name in addresses and files."""

    VERIFIED = "verified"
    GATED = "gated"
    FLAGGED = "flagged"
    DROPPED = "dropped"
    RECOVERED = "recovered"
    KEPT = "kept"
    UNCHECKED = "unchecked"

    @property
    def heading(self) -> str:
        """The list's heading."""
        return _SECTIONS[self][0]

    @property
    def explanation(self) -> str:
        """One sentence: what stands in the list."""
        return _SECTIONS[self][1]

    @property
    def empty(self) -> str:
        """What is said where nothing stands in it."""
        return _SECTIONS[self][2]

    @property
    def always_shown(self) -> bool:
        """True for the five lists that every report has; the others appear where something stands in them."""
        return self not in {Section.KEPT, Section.UNCHECKED}


_SECTIONS: dict[Section, tuple[str, str, str]] = {
    Section.VERIFIED: (
        "Verified",
        "Fetched, with real content and a fitting title; those found at a new address say what changed.",
        "No source was verified by its own page.",
    ),
    Section.GATED: (
        "Gated",
        "A wall stands before the page, a second witness proves that it exists: readers need access.",
        "No source stands behind a wall.",
    ),
    Section.FLAGGED: (
        "Flagged for review",
        "The machine cannot decide: too little text, another work, or no answer. A person decides.",
        "No source waits for a person.",
    ),
    Section.DROPPED: ("Dropped", "Not to be cited, each with its reason.", "No source was dropped."),
    Section.RECOVERED: (
        "Recovered",
        "Dead or moved addresses and where the same work was found again.",
        "No dead address was found again.",
    ),
    Section.KEPT: (
        "Kept by a person",
        "Accepted by a person although no machine verified them; they do not count as verified.",
        "No source was kept against its verdict.",
    ),
    Section.UNCHECKED: (
        "Not checked yet",
        "No verdict so far; they count as not verified.",
        "Every source was checked.",
    ),
}


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one source stands: the verdict that holds (an editor's override in the machine's place), the machine's own
    (`found`, None before a check), and what follows. `number` is that of its stable id, None outside the project.
    `is_taken`: a person took a proposed address in the place of a dead one. `is_internal`: it must not leave the
    house."""

    source_id: int
    number: int | None
    check_id: int | None
    verdict: Verdict | None
    found: Verdict | None
    disposition: Disposition
    is_decided: bool = False
    is_taken: bool = False
    is_internal: bool = False

    @property
    def section(self) -> Section:
        """The one list that the source stands in."""
        match self.disposition:
            case Disposition.UNCHECKED:
                return Section.UNCHECKED
            case Disposition.REVIEW:
                return Section.FLAGGED
            case Disposition.DROP:
                return Section.DROPPED
            case Disposition.KEEP:
                if self.verdict is None or not self.verdict.is_verified:
                    return Section.KEPT
                return Section.GATED if self.verdict is Verdict.VERIFIED_GATED else Section.VERIFIED
            case _:
                assert_never(self.disposition)

    @property
    def is_recovered(self) -> bool:
        """True where it stands among the pairs too: found again by the machine or a person, and refused by nobody."""
        found_again = self.found is Verdict.VERIFIED_VIA_REPUBLISH or self.is_taken
        return found_again and self.disposition is Disposition.KEEP

    def stands_in(self, section: Section) -> bool:
        """True where the source is written in `section`."""
        return self.is_recovered if section is Section.RECOVERED else self.section is section


@dataclass(frozen=True, slots=True)
class ReportEntry:
    """One source as the report tells it.

    `reason` is the machine's, in words. `publisher` and `access_note` say who keeps a gated page and what reading it
    takes. `original_was` is the verdict and cause of the address that `recovery` replaces. `next_try_at` is the moment
    at which a failed fetch is tried again by itself, None where nothing is planned. `is_provisional`: more checks have
    to agree before the page counts as gone for good. `proposals` are addresses that only a person can take,
    `archived_url` is an archived copy of a dead page, `unsearched` says that no search engine was there to look.
    """

    standing: Standing
    stable_id: str
    uuid: str
    title: str
    link: str
    identifier: str
    cause: Cause | None = None
    reason: str = ""
    status: int | None = None
    title_found: str = ""
    similarity: float | None = None
    publisher: str = ""
    access_note: str = ""
    recovery: Recovery | None = None
    original_was: str = ""
    proposals: tuple[Recovery, ...] = ()
    archived_url: str = ""
    unsearched: bool = False
    decision: DecisionNote | None = None
    checked_at: datetime | None = None
    next_try_at: datetime | None = None
    is_provisional: bool = False
    retraction_note: str | None = None
    retraction: RetractionStatus = RetractionStatus.UNKNOWN
    meant: str = ""

    @property
    def name(self) -> str:
        """Its title, else its address, else its identifier."""
        return self.title or self.link or self.identifier or self.uuid

    @property
    def address(self) -> str:
        """Where the work is to be read: the new address of one that was found again."""
        return self.recovery.recovered_url if self.recovery and self.standing.is_recovered else self.link

    @property
    def opens(self) -> str:
        """The address as a person may follow it, '' where it is none of the web."""
        return self.address if self.address.startswith(("https://", "http://")) else ""

    @property
    def is_failed(self) -> bool:
        """True where the machine could say nothing and no person has."""
        return self.standing.verdict is Verdict.FETCH_FAILED

    @property
    def cites_another_title(self) -> bool:
        """True where the page shows a title of its own that is not the cited one, and the reason does not name it."""
        swapped = self.standing.verdict is Verdict.TITLE_SWAPPED and bool(self.title_found)
        return swapped and self.title_found not in self.reason

    @property
    def is_overridden(self) -> bool:
        """True where a person's verdict stands in the place of another one of the machine's."""
        return self.standing.verdict is not self.standing.found


@dataclass(frozen=True, slots=True)
class Head:
    """What stands above the lists. `run` and the fields after it are empty in the report of a project.

    `removed` counts sources of the run that have left the registry since. `left_out` counts those that must not leave
    the house and stand in none of the report, 0 in one for us; `internal` counts those that do stand in one for us.
    Same state, same head: `as_of` is the moment of the newest check or decision in the report, before the first that of
    the newest entry.
    """

    project: str
    firm: str
    as_of: datetime
    counts: Mapping[Verdict | None, int]
    sizes: Mapping[Section, int]
    run: str = ""
    state: str = ""
    started_at: datetime | None = None
    finished_at: datetime | None = None
    rules_version: str = ""
    removed: int = 0
    decided: int = 0
    dropped_though_verified: int = 0
    left_out: int = 0
    internal: int = 0

    @property
    def gate(self) -> Gate:
        """The ship gate over all sources of the report."""
        return gate_of(self.counts)

    @property
    def title(self) -> str:
        """The heading of the whole report."""
        return f"{'Run' if self.run else 'Project'} report — {self.project}"


class Told(Protocol):
    """A report as writers see it: a head, and each list in the order of the stable ids, held whole or read as it is
    written."""

    @property
    def head(self) -> Head:
        """What stands above the lists."""
        ...

    def of(self, section: Section) -> Iterable[ReportEntry]:
        """The entries of one list."""
        ...


@dataclass(frozen=True, slots=True)
class Report:
    """A report that is held whole."""

    head: Head
    entries: tuple[ReportEntry, ...]

    def of(self, section: Section) -> tuple[ReportEntry, ...]:
        """The entries of one list."""
        return tuple(entry for entry in self.entries if entry.standing.stands_in(section))


def counts_of(standings: Sequence[Standing]) -> dict[Verdict | None, int]:
    """Sources by the verdict that holds, every verdict named, best first, None (no verdict) last."""
    counts: dict[Verdict | None, int] = dict.fromkeys((*Verdict, None), 0)
    for standing in standings:
        counts[standing.verdict] += 1
    return counts


def sizes_of(standings: Sequence[Standing]) -> dict[Section, int]:
    """How many sources stand in each list; those that were found again count in two."""
    sizes = dict.fromkeys(Section, 0)
    for standing in standings:
        sizes[standing.section] += 1
        sizes[Section.RECOVERED] += standing.is_recovered
    return sizes


def shown_sections(head: Head) -> list[Section]:
    """The lists that the report writes, in order."""
    return [section for section in Section if section.always_shown or head.sizes[section]]
