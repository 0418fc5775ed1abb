"""The ship gate in words and in bars: what it says, why, and what would change it."""

from dataclasses import dataclass
from typing import assert_never

from sources.core.findings import Tone, Verdict
from sources.core.gate import ACCEPT_PERCENT, BLOCK_PERCENT, Gate, GateDecision
from validation.core.report import Head, Section


@dataclass(frozen=True, slots=True)
class GateSign:
    """How a decision of the gate is shown."""

    label: str
    tone: Tone
    icon: str
    explanation: str


_SIGNS = {
    GateDecision.ACCEPT: GateSign(
        "Accept", Tone.GOOD, "check", f"{ACCEPT_PERCENT} % or more are verified: the text may go out."
    ),
    GateDecision.INVESTIGATE: GateSign(
        "Investigate",
        Tone.WARN,
        "search",
        f"Between {BLOCK_PERCENT} and {ACCEPT_PERCENT} % are verified: look at the rest before the text goes out.",
    ),
    GateDecision.BLOCK: GateSign("Block", Tone.BAD, "ban", "The text should not go out like this."),
}


def sign_of(gate: Gate) -> GateSign:
    """The decision as a word, a tone and an icon."""
    return _SIGNS[gate.decision]


def sign_for(decision: GateDecision) -> GateSign:
    """The same of a decision that rests on more than the share."""
    return _SIGNS[decision]


def headline(gate: Gate) -> str:
    """The decision and what it rests on in one line: `19 of 37 verified; 3 fabricated patterns block`."""
    share = f"{gate.verified:,} of {gate.total:,} verified"
    if gate.total == 0:
        return "No source is cited; an empty list blocks"
    if gate.fabricated:
        return f"{share}; {_counted(gate.fabricated, 'fabricated pattern')} {_verb(gate.fabricated, 'block')}"
    match gate.decision:
        case GateDecision.BLOCK:
            return f"{share}; less than {BLOCK_PERCENT} % blocks"
        case GateDecision.INVESTIGATE:
            return f"{share}; less than {ACCEPT_PERCENT} % asks for a look"
        case GateDecision.ACCEPT:
            return f"{share}; {ACCEPT_PERCENT} % or more is accepted"
        case _:
            assert_never(gate.decision)


def reasons(head: Head) -> list[str]:
    """Sentences under the headline: the exact share, what counts as not verified, what would change the decision."""
    gate = head.gate
    if gate.total == 0:
        return ["Import a list of sources, then check it.", *_elsewhere(head)]
    said = [f"The share is {gate.percent} %, cut after one decimal and never rounded up."]
    if gate.fabricated:
        said.append("A fabricated pattern blocks whatever the share is: take the address out of the text.")
    for mark in (BLOCK_PERCENT, ACCEPT_PERCENT):
        missing = -(-mark * gate.total // 100) - gate.verified
        if missing > 0:
            said.append(f"{_counted(missing, 'more verified source')} would reach {mark} %.")
    failed, unchecked = head.counts.get(Verdict.FETCH_FAILED, 0), head.counts.get(None, 0)
    if failed or unchecked:
        parts = [f"{failed:,} that could not be fetched"] if failed else []
        parts += [f"{unchecked:,} without a verdict"] if unchecked else []
        said.append(f"Counted as not verified: {' and '.join(parts)}.")
    return [*said, *_people(head), *_elsewhere(head)]


def _people(head: Head) -> list[str]:
    """Where the lists and the share differ because a person decided."""
    said = []
    if kept := head.sizes[Section.KEPT]:
        said.append(
            f"{_counted(kept, 'source')} {_was(kept)} kept by a person and {_does(kept)} not count as verified."
        )
    if dropped := head.dropped_though_verified:
        said.append(
            f"{_counted(dropped, 'verified source')} {_was(dropped)} dropped by a person; the share counts verdicts."
        )
    return said


def _elsewhere(head: Head) -> list[str]:
    """What the report does not tell of, by number: a share of fewer sources than one thinks is no share."""
    said = []
    if gone := head.removed:
        said.append(f"Not counted: {_counted(gone, 'source')} of this run that left the registry since.")
    if left_out := head.left_out:
        said.append(f"Left out and not counted: {_counted(left_out, 'internal source')}, not for others to see.")
    return said


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of the chart: `width` in per cent of the whole as an SVG length, `y` the top of its line in pixels."""

    label: str
    tone: Tone
    count: int
    share: str
    width: str
    y: int

    @property
    def text_y(self) -> int:
        """The baseline of its words."""
        return self.y + 14

    @property
    def bar_y(self) -> int:
        """The top of the bar itself."""
        return self.y + 20


BAR_STEP = 38


@dataclass(frozen=True, slots=True)
class Chart:
    """A bar for each verdict, in pixels from top to bottom and per cent from left to right, so that words keep their
    size at any width."""

    bars: tuple[Bar, ...]
    summary: str
    verified_width: str
    marks: tuple[tuple[int, str, str], ...]

    @property
    def height(self) -> int:
        """Of the whole drawing, in pixels."""
        return BAR_STEP * len(self.bars)


def chart_of(head: Head) -> Chart:
    """The chart of a report. Verdicts that nothing has are drawn too: a missing bar is news."""
    total = head.gate.total
    rows: list[tuple[str, Tone, int]] = [
        (verdict.label, verdict.tone, head.counts.get(verdict, 0)) for verdict in Verdict
    ]
    if head.counts.get(None):
        rows.append(("Not checked yet", Tone.IDLE, head.counts[None]))
    bars = tuple(
        Bar(label, tone, count, share=percent(count, total), width=_width(count, total), y=BAR_STEP * place)
        for place, (label, tone, count) in enumerate(rows)
    )
    summary = "; ".join(f"{bar.label}: {bar.count:,}" for bar in bars if bar.count) or "no sources"
    return Chart(
        bars=bars,
        summary=f"{total:,} sources. {summary}.",
        verified_width=_width(head.gate.verified, total),
        marks=((BLOCK_PERCENT, f"{BLOCK_PERCENT}%", "end"), (ACCEPT_PERCENT, f"{ACCEPT_PERCENT}%", "start")),
    )


def percent(count: int, total: int) -> str:
    """The share with one decimal, cut and not rounded: `51.3`. `0.0` of nothing."""
    tenths = count * 1000 // total if total else 0
    return f"{tenths // 10}.{tenths % 10}"


def _width(count: int, total: int) -> str:
    return f"{100 * count / total:.2f}%" if total else "0%"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _verb(number: int, verb: str) -> str:
    return f"{verb}s" if number == 1 else verb


def _was(number: int) -> str:
    return "was" if number == 1 else "were"


def _does(number: int) -> str:
    return "does" if number == 1 else "do"
