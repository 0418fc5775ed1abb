"""The words of judgement: what a machine found at a source (verdict, cause, evidence) and what follows (disposition).

The registry stores and exports these words; `validation` produces them. The ladder is the Verdicts specification's;
the rule that a wall never proves existence nor death is measured in the link-check study (a fabricated path on a
reputable domain answers 403 too).
"""

from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


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
        "Nothing can be said about the page: it did not answer in a way that proves anything. It is tried again later.",
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
        "Gone", "The server says that there is no such page.", Disposition.DROP, Tone.BAD, "cross"
    ),
    Verdict.HALLUCINATED_PATTERN: _Words(
        "Fabricated pattern",
        "The address itself has the shape of an invented one; no request was made.",
        Disposition.DROP,
        Tone.BAD,
        "wand",
    ),
}


class Cause(StrEnum):
    """The finer reason under a verdict. Causes of walls end in `-wall`."""

    CONTENT = "content"
    CONTENT_UNTITLED = "content-untitled"
    TITLE_DIFFERS = "title-differs"
    REDIRECT_TO_ROOT = "redirect-to-root"
    REDIRECT_TO_ERROR = "redirect-to-error"
    SAYS_GONE = "says-gone"
    NOT_FOUND = "not-found"
    GONE = "gone"
    DOMAIN_GONE = "domain-gone"
    DOI_NOT_REGISTERED = "doi-not-registered"
    PATTERN = "pattern"
    PLACEHOLDER_HOST = "placeholder-host"
    IMPOSSIBLE_IDENTIFIER = "impossible-identifier"
    LITTLE_TEXT = "little-text"
    EMPTY = "empty"
    JS_SHELL = "js-shell"
    OTHER_TITLE = "other-title"
    PARKED = "parked"
    PAY_WALL = "pay-wall"
    BOT_WALL = "bot-wall"
    LOGIN_WALL = "login-wall"
    CONSENT_WALL = "consent-wall"
    BLOCK_WALL = "block-wall"
    LEGAL_WALL = "legal-wall"
    RECOVERED_BY_SEARCH = "recovered-by-search"
    RATE_LIMITED = "rate-limited"
    SERVER_ERROR = "server-error"
    UNEXPECTED_STATUS = "unexpected-status"
    NEGOTIATION = "negotiation"
    DEADLINE = "deadline"
    CONNECTION = "connection"
    HANG_UP = "hang-up"
    TLS = "tls"
    DNS = "dns"
    REDIRECT_LOOP = "redirect-loop"
    BLOCKED_ADDRESS = "blocked-address"
    UNUSABLE_URL = "unusable-url"
    UNDECODABLE = "undecodable"
    NO_ADDRESS = "no-address"
    GIVEN_UP = "given-up"

    @property
    def is_wall(self) -> bool:
        """True for walls: they prove neither that the page exists nor that it does not."""
        return self.value.endswith("-wall")

    @property
    def explanation(self) -> str:
        """The reason in words, without a final stop; follows `<url>  <verdict>` on a terminal line."""
        return _CAUSES[self]


_CAUSES: dict[Cause, str] = {
    Cause.CONTENT: "real content and a fitting title",
    Cause.CONTENT_UNTITLED: "real content; no title was claimed, so none was compared",
    Cause.TITLE_DIFFERS: "real content; the title differs a little from the claimed one",
    Cause.REDIRECT_TO_ROOT: "sent on to the site's front page",
    Cause.REDIRECT_TO_ERROR: "sent on to an error page",
    Cause.SAYS_GONE: "the page says that it is not there",
    Cause.NOT_FOUND: "the server answers 404",
    Cause.GONE: "the server answers 410, gone for good",
    Cause.DOMAIN_GONE: "the domain does not exist",
    Cause.DOI_NOT_REGISTERED: "the DOI is not registered",
    Cause.PATTERN: "the address matches the shape of invented ones",
    Cause.PLACEHOLDER_HOST: "the host is reserved for examples",
    Cause.IMPOSSIBLE_IDENTIFIER: "the identifier cannot exist",
    Cause.LITTLE_TEXT: "too little text to judge",
    Cause.EMPTY: "an empty page",
    Cause.JS_SHELL: "an empty shell that only a script would fill",
    Cause.OTHER_TITLE: "the title is another work's",
    Cause.PARKED: "a parked domain",
    Cause.PAY_WALL: "a subscription is asked for",
    Cause.BOT_WALL: "a bot check stands before the page",
    Cause.LOGIN_WALL: "a login stands before the page",
    Cause.CONSENT_WALL: "a consent form stands before the page",
    Cause.BLOCK_WALL: "access is refused",
    Cause.LEGAL_WALL: "withheld for legal reasons",
    Cause.RECOVERED_BY_SEARCH: "the same title was found alive by search",
    Cause.RATE_LIMITED: "the server asks to come back later",
    Cause.SERVER_ERROR: "the server reports an error of its own",
    Cause.UNEXPECTED_STATUS: "the status proves nothing",
    Cause.NEGOTIATION: "the server refuses every form of the request",
    Cause.DEADLINE: "no whole answer within the time allowed",
    Cause.CONNECTION: "no connection could be made",
    Cause.HANG_UP: "the server hung up in the middle",
    Cause.TLS: "the certificate cannot be trusted",
    Cause.DNS: "the host's name could not be looked up",
    Cause.REDIRECT_LOOP: "the redirects never end",
    Cause.BLOCKED_ADDRESS: "the address is private; it was not contacted",
    Cause.UNUSABLE_URL: "the address cannot be requested",
    Cause.UNDECODABLE: "the answer cannot be decoded",
    Cause.NO_ADDRESS: "the source has no address to fetch",
    Cause.GIVEN_UP: "the worker died on this source three times",
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
    """How a dead or drifted address was replaced by a live one."""

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

    def as_json(self) -> dict[str, Any]:
        """A JSON-ready dict of all fields."""
        return asdict(self)


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
    """

    source_id: int
    finding: Finding
    item_id: int | None = None
    run_id: str = ""
