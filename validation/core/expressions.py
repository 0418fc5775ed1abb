"""Regular expressions in linear time: RE2 (google-re2), which backtracks on no text and therefore knows fewer things.

What it does not know: look-around, back references, possessive and atomic groups, repetition over 1,000. `\\d`,
`\\s` and `\\w` mean ASCII, `$` is the very end of the text. Syntax: https://github.com/google/re2/wiki/Syntax
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import re2  # type: ignore[import-untyped]  # a C extension without stubs

LONGEST = 500
# Bytes for the compiled program and its states. Measured on an address of 8,000 characters: the slowest program that
# fits takes 70 ms, one of 8 MiB (the engine's default) 150 ms; addresses have 80 characters, so under a millisecond.
_MEMORY = 64 * 1024
_SIEVE_MEMORY = 4 * 1024 * 1024


class UnknownExpression(ValueError):
    """The engine cannot read the expression; the message is for a person and names the part."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression."""

    pattern: str
    _compiled: Any = field(repr=False, compare=False)

    def search(self, text: str) -> str | None:
        """The first part of `text` that matches ('' where the expression matches nothing at all), else None.

        Linear in the length of `text`, whatever the expression. Halves of surrogate pairs count as a question mark.
        """
        found = self._compiled.search(text.encode("utf-8", "replace"))
        return None if found is None else str(found.group(), "utf-8", "replace")


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> Expression:
    """The expression of `pattern`. Raises UnknownExpression where it is too long, too large or of another kind."""
    if len(pattern) > LONGEST:
        raise UnknownExpression(f"The pattern is {len(pattern):,} characters long; at most {LONGEST} are taken.")
    try:
        return Expression(pattern, re2.compile(pattern.encode("utf-8"), _options()))
    except UnicodeEncodeError:
        raise UnknownExpression("The pattern holds half a character. Type it again instead of pasting it.") from None
    except re2.error as error:
        raise UnknownExpression(f"The pattern cannot be read: {_reason(error)}. Change that part.") from None


def any_of(patterns: Iterable[str]) -> Expression:
    """One expression that matches wherever one of `patterns` does: a sieve before asking each, for our own data."""
    joined = "|".join(f"(?:{pattern})" for pattern in patterns)
    return Expression(joined, re2.compile(joined.encode("utf-8"), _options(memory=_SIEVE_MEMORY)))


def _options(memory: int = _MEMORY) -> Any:
    options = re2.Options()
    options.max_mem = memory
    options.log_errors = False
    return options


def _reason(error: Exception) -> str:
    said = error.args[0] if error.args else ""
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    return _WORDS.get(text, text)


_WORDS = {"pattern too large - compile failed": "it repeats too much and would be slow on long addresses"}
