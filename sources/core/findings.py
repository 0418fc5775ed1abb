"""The words of judgement: what a machine found at a source (verdict, cause, evidence) and what follows (disposition).

The registry stores and exports these words; `validation` produces them. The ladder is the Verdicts specification's;
the rule that a wall never proves existence nor death is measured in the link-check study (a fabricated path on a
reputable domain answers 403 too).
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from sources.core.causes import Cause

__all__ = [
    "Cause",
    "Disposition",
    "Evidence",
    "Finding",
    "Hop",
    "Recovery",
    "Signal",
    "SourceFinding",
    "Tone",
    "Verdict",
]


class Disposition(StrEnum):
    """What a verdict means for the citation."""

    KEEP = "keep"
    REVIEW = "review"
    DROP = "drop"
    UNCHECKED = "unchecked"

    @property
    def label(self) -> str:
        """The word shown to a person."""
        return _DISPOSITIONS[self][0]

    @property
    def tone(self) -> "Tone":
        """How its chip looks."""
        return _DISPOSITIONS[self][1]

    @property
    def icon(self) -> str:
        """Name of its icon."""
        return _DISPOSITIONS[self][2]


class Tone(StrEnum):
    """How a chip looks; always beside an icon and a word, never alone."""

    GOOD = "good"
    NOTE = "note"
    WARN = "warn"
    BAD = "bad"
    IDLE = "idle"


_DISPOSITIONS = {
    Disposition.KEEP: ("Keep", Tone.GOOD, "check"),
    Disposition.REVIEW: ("A person decides", Tone.WARN, "person"),
    Disposition.DROP: ("Drop", Tone.BAD, "cross"),
    Disposition.UNCHECKED: ("Not checked yet", Tone.IDLE, "clock"),
}


class Verdict(StrEnum):
    """What a check says of a source: one of ten, best first."""

    VERIFIED_ACCESSIBLE = "verified-accessible"
    VERIFIED_GATED = "verified-gated"
    VERIFIED_VIA_REPUBLISH = "verified-via-republish"
    THIN = "thin"
    TITLE_SWAPPED = "title-swapped"
    FETCH_FAILED = "fetch-failed"
    PAYWALL_STUB = "paywall-stub"
    SOFT_404_GRACEFUL = "soft-404-graceful"
    HARD_404 = "hard-404"
    HALLUCINATED_PATTERN = "hallucinated-pattern"

    @property
    def label(self) -> str:
        """The verdict in words."""
        return _VERDICTS[self].label

    @property
    def explanation(self) -> str:
        """One sentence for a person: what was seen and what it means."""
        return _VERDICTS[self].explanation

    @property
    def disposition(self) -> Disposition:
        """What follows where no person has decided."""
        return _VERDICTS[self].disposition

    @property
    def tone(self) -> Tone:
        """How its chip looks."""
        return _VERDICTS[self].tone

    @property
    def icon(self) -> str:
        """Name of its icon; shapes differ, so that colour is never the only sign."""
        return _VERDICTS[self].icon

    @property
    def is_verified(self) -> bool:
        """True for the three verdicts that count as verified in a run's share."""
        return self.disposition is Disposition.KEEP

    @property
    def wants_recovery(self) -> bool:
        """True where the same work may live at another address and a search is worth its cost."""
        return self in {Verdict.HARD_404, Verdict.SOFT_404_GRACEFUL, Verdict.FETCH_FAILED}


@dataclass(frozen=True, slots=True)
class _Words:
    label: str
    explanation: str
    disposition: Disposition
    tone: Tone
    icon: str


_VERDICTS: dict[Verdict, _Words] = {
    Verdict.VERIFIED_ACCESSIBLE: _Words(
        "Verified", "The page was fetched, has real content, and its title fits.", Disposition.KEEP, Tone.GOOD, "check"
    ),
    Verdict.VERIFIED_GATED: _Words(
        "Verified, gated",
        "A wall stands before the page, a second witness proves that it exists, and the publisher is known.",
        Disposition.KEEP,
        Tone.GOOD,
        "lock",
    ),
    Verdict.VERIFIED_VIA_REPUBLISH: _Words(
        "Verified at a new address",
        "The original is gone or moved; the same work was found alive at another address.",
        Disposition.KEEP,
        Tone.NOTE,
        "arrow",
    ),
    Verdict.THIN: _Words(
        "Too thin to judge",
        "The page answers but shows too little text to judge.",
        Disposition.REVIEW,
        Tone.WARN,
        "dots",
    ),
    Verdict.TITLE_SWAPPED: _Words(
        "Another work",
        "The page is real, but it is not the work that was cited.",
        Disposition.REVIEW,
        Tone.WARN,
        "swap",
    ),
    Verdict.FETCH_FAILED: _Words(
        "Could not be fetched",
        "Nothing can be said about the page: it did not answer in a way that proves anything.",
        Disposition.REVIEW,
        Tone.WARN,
        "plug",
    ),
    Verdict.PAYWALL_STUB: _Words(
        "Paywall stub",
        "Only a subscription offer is shown, and nothing else proves the work.",
        Disposition.DROP,
        Tone.BAD,
        "coin",
    ),
    Verdict.SOFT_404_GRACEFUL: _Words(
        "Gone, politely",
        "The page says that it is gone although its status says 200.",
        Disposition.DROP,
        Tone.BAD,
        "ghost",
    ),
    Verdict.HARD_404: _Words(
        "Gone",
        "There is no such page: its server says so, or its domain or its DOI does not exist.",
        Disposition.DROP,
        Tone.BAD,
        "cross",
    ),
    Verdict.HALLUCINATED_PATTERN: _Words(
        "Fabricated pattern",
        "The address itself has the shape of an invented one; no request was made.",
        Disposition.DROP,
        Tone.BAD,
        "wand",
    ),
}


@dataclass(frozen=True, slots=True)
class Signal:
    """One thing that was noticed: its name, and the text that fired it (at most 300 characters are kept)."""

    name: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Hop:
    """One answer on the way: the URL asked and the status it gave (301 … for redirects)."""

    url: str
    status: int


@dataclass(frozen=True, slots=True)
class Recovery:
    """How a dead or drifted address was replaced by a live one, or could be if a person agrees."""

    recovered_url: str
    recovered_title: str
    matched_via: str
    query: str
    provider: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a check saw, enough for a person to follow it and for new rules to judge it again.

    `similarity` is 0 to 1, None where no title was claimed or none found. `sha256` is the lower-case hex digest of the
    decoded body as read (up to the cap), '' where nothing was read. `word_count` counts visible words of the main text.
    `recovery` is the live address that stands in place of a dead one; `proposals` are those only a person can take.
    `archived_url` is the newest archived copy of a dead page, '' where none is known; it proves only what was there.
    `unsearched` is true where a moved work would have been looked for and no search engine is configured.
    `retry_after_s` is what the server asks for: seconds from the finding's moment, None where it asks for nothing.
    `reading` is what was read, as JSON text in the form of `validation.core.stored`, so that new rules can judge it; ''
    where nothing was. Kept apart from the rest (`sources.models.Reading`), since lists show evidence by the thousand.
    """

    requested_url: str = ""
    final_url: str = ""
    status: int | None = None
    hops: tuple[Hop, ...] = ()
    media_type: str = ""
    title_found: str = ""
    similarity: float | None = None
    snippet: str = ""
    signals: tuple[Signal, ...] = ()
    sha256: str = ""
    byte_count: int = 0
    word_count: int | None = None
    elapsed_ms: int = 0
    access_note: str = ""
    detail: str = ""
    recovery: Recovery | None = None
    proposals: tuple[Recovery, ...] = ()
    archived_url: str = ""
    unsearched: bool = False
    retry_after_s: int | None = None
    reading: str = field(default="", repr=False, compare=False)

    def as_json(self) -> dict[str, Any]:
        """A JSON-ready dict of all fields but the reading."""
        told: dict[str, Any] = _plain(self)
        del told["reading"]
        return told


def _plain(value: Any) -> Any:
    """What `dataclasses.asdict` gives, without its copy of every single value: workers tell thousands a second."""
    match value:
        case tuple():
            return [_plain(one) for one in value]
        case Evidence() | Signal() | Hop() | Recovery():
            return {
                name: _plain(told) if type(told := getattr(value, name)) in _NESTED else told
                for name in value.__slots__
            }
        case _:
            return value


_NESTED = frozenset({tuple, Recovery})


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check of one source, as handed to the registry."""

    verdict: Verdict
    cause: Cause
    at: datetime
    rules_version: str
    evidence: Evidence = field(default_factory=Evidence)

    @property
    def reason(self) -> str:
        """The finer reason in words, with the deciding detail where there is one."""
        detail = self.evidence.detail
        return f"{self.cause.explanation} ({detail})" if detail else self.cause.explanation


@dataclass(frozen=True, slots=True)
class SourceFinding:
    """A finding about one registered source, by its key.

    `item_id` is the work item it answers (None for a check outside a run); `run_id` names the run in lineage.
    `rejudged`: new rules judged what an earlier check had read; nothing was fetched.
    """

    source_id: int
    finding: Finding
    item_id: int | None = None
    run_id: str = ""
    rejudged: bool = False
