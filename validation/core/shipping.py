"""What the ship gate says of a finished document: its links, what is remarked about it, and what follows. Pure.

The share is counted by `sources.core.gate`, as everywhere. Beside it stand conditions that no share makes up for: no
fabricated address, every link in the project's corpus, no open marker, nothing that the policy refuses.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial

from sources.core.findings import Verdict
from sources.core.gate import ACCEPT_PERCENT, BLOCK_PERCENT, Gate, GateDecision, gate_of

SPOT_CHECKS = 10


class Level(StrEnum):
    """How much a remark weighs; the value is SARIF's word for it."""

    BLOCKS = "error"
    WARNS = "warning"
    TELLS = "note"


class Rule(StrEnum):
    """What is asked of a document that is to go out; the value is stable, pipelines may filter by it."""

    SHARE = "share-verified"
    FABRICATED = "fabricated-address"
    NOT_VERIFIED = "link-not-verified"
    OUTSIDE = "link-outside-corpus"
    UNRESOLVED = "citation-unresolved"
    MARKER = "open-marker"
    RETRACTED = "retracted-source"
    ACKNOWLEDGED = "acknowledged-retraction"
    DROPPED = "dropped-source"
    INTERNAL_ONLY = "internal-source"
    SPOT_CHECK = "spot-check"
    UNREADABLE = "unreadable-line"
    WRITING = "citation-style"

    @property
    def asks(self) -> str:
        """What the rule asks for, in one line."""
        return _RULES[self][0]

    @property
    def way_out(self) -> str:
        """What to do where it is broken."""
        return _RULES[self][1]


_RULES = {
    Rule.SHARE: (
        f"{ACCEPT_PERCENT} % of the sources cited are verified when they are fetched anew",
        "Replace sources that are dead or were never there, then check again.",
    ),
    Rule.FABRICATED: (
        "No address has the pattern of an invented one",
        "Take the address out of the text, or cite a source of the corpus.",
    ),
    Rule.NOT_VERIFIED: (
        "The source is verified when it is fetched anew",
        "Open the link: replace it where it is dead, or check again later where it could not be reached.",
    ),
    Rule.OUTSIDE: (
        "Every link is in the project's corpus",
        "Have it harvested and checked, then cite its id; or take the link out.",
    ),
    Rule.UNRESOLVED: (
        "Every citation leads to a source of the corpus",
        "Cite an id of the corpus pack, `[src-007]`; an id or note that is defined nowhere names nothing.",
    ),
    Rule.MARKER: (
        "No marker for a missing source is left",
        "Choose a source for it on the draft's page, or take the claim out.",
    ),
    Rule.RETRACTED: (
        "No source is retracted, but for uses that a person acknowledged",
        "Replace the source, or acknowledge the use with a reason on the source's page.",
    ),
    Rule.ACKNOWLEDGED: (
        "A retracted source is cited on purpose",
        "Nothing: a person acknowledged the use. The text should say that the source is retracted.",
    ),
    Rule.DROPPED: ("No source was dropped by a person", "Cite another source, or undo the decision on its page."),
    Rule.INTERNAL_ONLY: (
        "No source is for internal use only",
        "Cite a source that others may see, or take the mark “internal” off its page.",
    ),
    Rule.SPOT_CHECK: (
        "No link that a person looked at was found wrong",
        "Replace the link that the person found wrong, then check again.",
    ),
    Rule.UNREADABLE: ("Every line can be read", "Correct the line, or take the broken address out."),
    Rule.WRITING: ("Citations are written as the gate writes them", "Let the draft pass through the writer gate."),
}

# In the order in which reports tell them; what else there is hangs on one link or line.
CONDITIONS = (
    Rule.SHARE,
    Rule.FABRICATED,
    Rule.OUTSIDE,
    Rule.UNRESOLVED,
    Rule.MARKER,
    Rule.RETRACTED,
    Rule.DROPPED,
    Rule.INTERNAL_ONLY,
    Rule.SPOT_CHECK,
)


class SpotResult(StrEnum):
    """What a person said of one drawn link; the value '' in the row is “not looked at yet”."""

    GOOD = "good"
    WRONG = "wrong"

    @property
    def label(self) -> str:
        """The word on screens."""
        return {"good": "Supports the text", "wrong": "Wrong"}[self.value]


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing to be told of a place. `line` and `column` count from 1 in the document as it was given; 0 and 0 where
    it is of the whole document. `address` is the link's or the id, '' for none."""

    rule: Rule
    level: Level
    message: str
    line: int = 0
    column: int = 0
    address: str = ""


@dataclass(frozen=True, slots=True)
class ShippedLink:
    """One distinct work that the document cites, at its first place, as it was found when fetched for this check.

    `verdict` is the machine's, None before it is there. `override` is a person's that holds in its place. `stable_id`
    is '' for what is not in the project. `is_drawn` says that a person is to look at it, `spot` what they said.
    """

    key: str
    address: str
    line: int
    column: int
    title: str = ""
    stable_id: str = ""
    verdict: Verdict | None = None
    reason: str = ""
    override: Verdict | None = None
    is_drawn: bool = False
    spot: SpotResult | None = None
    spot_note: str = ""

    @property
    def counted(self) -> Verdict | None:
        """The verdict that counts: a person's override before the machine's, none for what a spot check found wrong."""
        return None if self.spot is SpotResult.WRONG else self.override or self.verdict

    @property
    def is_verified(self) -> bool:
        """True where it counts as verified."""
        return self.counted is not None and self.counted.is_verified


@dataclass(frozen=True, slots=True)
class ShipReport:
    """A check as it is told. `path` names the document in annotations."""

    project: str
    document: str
    path: str
    at: datetime
    links: tuple[ShippedLink, ...]
    remarks: tuple[Remark, ...]
    gate: Gate
    decision: GateDecision
    is_running: bool = False

    @property
    def drawn(self) -> int:
        """How many links were drawn for the spot check."""
        return sum(link.is_drawn for link in self.links)

    @property
    def looked_at(self) -> int:
        """How many of them a person has looked at."""
        return sum(link.spot is not None for link in self.links)

    @property
    def headline(self) -> str:
        """The decision and the share in one line."""
        if self.is_running:
            return f"{self.document}: being checked."
        share = f"{self.gate.verified} of {self.gate.total} verified ({self.gate.percent} %)"
        return f"{self.document}: {self.decision}. {share}."


def draw(keys: Iterable[str], *, seed: str, number: int = SPOT_CHECKS) -> tuple[str, ...]:
    """`number` of the keys, or all where there are fewer, in the order to look at them.

    The same for the same seed and the same keys, in whatever order they come and on whatever machine: they are ordered
    by the SHA-256 of seed and key, which nobody who wrote the text can steer without knowing the seed.
    """
    return tuple(sorted(set(keys), key=lambda key: hashlib.sha256(f"{seed}/{key}".encode()).digest())[:number])


def gate_over(links: Sequence[ShippedLink]) -> Gate:
    """The gate over the distinct works of a document. A link that a spot check found wrong is not verified."""
    return gate_of(Counter(link.counted for link in links))


def decide(gate: Gate, remarks: Iterable[Remark], *, links: Sequence[ShippedLink]) -> GateDecision:
    """What follows: a remark that blocks blocks, whatever the share.

    A failed spot check says that the machine's word was not good enough here: the text is at best one to look into.
    """
    if any(remark.level is Level.BLOCKS for remark in remarks):
        return GateDecision.BLOCK
    failed = any(link.spot is SpotResult.WRONG for link in links)
    return GateDecision.INVESTIGATE if failed and gate.decision is GateDecision.ACCEPT else gate.decision


def report(
    *,
    project: str,
    document: str,
    path: str,
    at: datetime,
    links: Sequence[ShippedLink],
    standing: Sequence[Remark],
    is_running: bool = False,
) -> ShipReport:
    """The whole report: `standing` are the remarks of the corpus and the text, those of the verdicts are added here.

    Remarks come in the order of their places, those of the whole document first.
    """
    gate = gate_over(links)
    found = [] if is_running else [*_of_share(gate), *(one for link in links for one in _of_link(link, gate))]
    remarks = tuple(sorted([*standing, *found], key=lambda one: (one.line, one.column, one.rule, one.address)))
    return ShipReport(
        project=project,
        document=document,
        path=path,
        at=at,
        links=tuple(links),
        remarks=remarks,
        gate=gate,
        decision=decide(gate, remarks, links=links),
        is_running=is_running,
    )


def _of_share(gate: Gate) -> list[Remark]:
    if gate.total == 0:
        message = "No source is cited, so nothing vouches for the text. Cite sources of the corpus by their ids."
        return [Remark(Rule.SHARE, Level.BLOCKS, message)]
    share = f"{gate.verified} of {gate.total} sources are verified ({gate.percent} %)"
    # Fabricated addresses block by a rule of their own.
    if gate.verified * 100 < BLOCK_PERCENT * gate.total:
        return [Remark(Rule.SHARE, Level.BLOCKS, f"{share}; less than {BLOCK_PERCENT} % blocks.")]
    if gate.verified * 100 < ACCEPT_PERCENT * gate.total:
        return [Remark(Rule.SHARE, Level.WARNS, f"{share}; less than {ACCEPT_PERCENT} % asks for a look.")]
    return []


def _of_link(link: ShippedLink, gate: Gate) -> list[Remark]:
    at_link = partial(Remark, line=link.line, column=link.column, address=link.address)
    if link.spot is SpotResult.WRONG:
        said = f": {link.spot_note.rstrip('.')}" if link.spot_note else ""
        message = f"A person looked at {link.address} and found it wrong{said}. It counts as not verified."
        return [at_link(Rule.SPOT_CHECK, Level.WARNS, message)]
    if link.is_verified:
        return []
    if link.counted is Verdict.HALLUCINATED_PATTERN:
        message = f"{link.address} has the pattern of an invented address ({link.reason}). {Rule.FABRICATED.way_out}"
        return [at_link(Rule.FABRICATED, Level.BLOCKS, message)]
    found = f"{link.verdict.label}, {link.reason}" if link.verdict else "no verdict"
    message = f"{link.address} is not verified: {found}. {Rule.NOT_VERIFIED.way_out}"
    # Where the share accepts although one link is not verified, that link must not fail a pipeline.
    level = Level.BLOCKS if gate.verified * 100 < BLOCK_PERCENT * gate.total else Level.WARNS
    return [at_link(Rule.NOT_VERIFIED, level, message)]
