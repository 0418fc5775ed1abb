"""How strict a gate is: what happens to links from outside, and to sources with something against them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sources.core.citations.corpus import Standing


class Mode(StrEnum):
    """What happens to a link or bare address that is not in the corpus."""

    STRICT = "strict"
    HYBRID = "hybrid"

    @property
    def explanation(self) -> str:
        """What it does, in a sentence."""
        return _MODES[self]


_MODES = {
    Mode.STRICT: "Links and addresses outside the corpus lose the link, keep their words and get a marker.",
    Mode.HYBRID: "Links and addresses outside the corpus stay and are listed as warnings.",
}


class Action(StrEnum):
    """What happens to a citation of a source with something against it."""

    REFUSE = "refuse"
    WARN = "warn"


@dataclass(frozen=True, slots=True)
class Policy:
    """A standing that `by_standing` does not name is let through in silence."""

    mode: Mode = Mode.STRICT
    by_standing: Mapping[Standing, Action] = field(
        default_factory=lambda: {
            Standing.RETRACTED: Action.REFUSE,
            Standing.DROPPED: Action.REFUSE,
            Standing.INTERNAL_ONLY: Action.REFUSE,
            Standing.STALE: Action.WARN,
        }
    )


DEFAULT_POLICY = Policy()
"""Strict; retracted, dropped and internal sources are refused, stale ones warned of."""
