"""What one rule found: a verdict in the making, with the text that fired it."""

from dataclasses import dataclass

from sources.core.findings import Cause, Signal, Verdict

_MAX_SNIPPET = 300
_MAX_QUOTE = 80


@dataclass(frozen=True, slots=True)
class Ruling:
    """A verdict by one rule: its cause, the rule's name, and the text that decided (at most 300 characters)."""

    verdict: Verdict
    cause: Cause
    rule: str
    text: str = ""
    detail: str = ""

    @property
    def signal(self) -> Signal:
        """The rule and its text, as kept in the evidence."""
        return Signal(self.rule, clipped(self.text))


def clipped(text: str) -> str:
    """`text` on one line, cut at 300 characters with an ellipsis."""
    plain = " ".join(text.split())
    return plain if len(plain) <= _MAX_SNIPPET else plain[: _MAX_SNIPPET - 1] + "…"


def quoted(text: str) -> str:
    """The first 80 characters of `text` in quotation marks, for the line that a person reads."""
    plain = " ".join(text.split())
    return f"“{plain if len(plain) <= _MAX_QUOTE else plain[: _MAX_QUOTE - 1] + '…'}”"


def wall(cause: Cause, rule: str, text: str = "", detail: str = "") -> Ruling:
    """A wall: it proves neither that the page exists nor that it does not, so the verdict is fetch-failed."""
    return Ruling(Verdict.FETCH_FAILED, cause, rule, text, detail)
