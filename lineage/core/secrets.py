"""What must not be stored in a graph that outlives its makers: credentials, raw arguments, hidden reasoning of models;
and what no database takes into JSON.

Only refs and hashes of arguments are kept. A payload that looks like it holds more is refused with the field named,
rather than stored with a hole: its sender has to know.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

# Deeper than any event, and far below Python's own limit.
_DEEPEST = 30

_SECRET_NAMES = re.compile(
    r"(^|[_\-.])(password|passwd|pwd|secret|client_?secret|api_?key|access_?key|private_?key|auth_?token|access_?token|"
    r"refresh_?token|bearer|authorization|cookie|session_?id|credentials?)$",
    re.IGNORECASE,
)
_REASONING_NAMES = frozenset(
    {
        "chain_of_thought",
        "chainofthought",
        "cot",
        "reasoning",
        "reasoning_content",
        "thinking",
        "thoughts",
        "scratchpad",
    }
)
_ARGUMENT_NAMES = frozenset({"arguments", "args", "tool_input", "tool_arguments"})
_SECRET_VALUES = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r"|\b(AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|\b(sk|pk|rk)[-_](live|test|ant|proj)?[-_]?[A-Za-z0-9_\-]{20,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{30,}\b|\bgithub_pat_[A-Za-z0-9_]{30,}"
    r"|\bxox[abprs]-[A-Za-z0-9\-]{10,}|\bglpat-[A-Za-z0-9_\-]{20,}|\bAIza[0-9A-Za-z_\-]{35}\b"
    # A token begins where no such letter stands before it, an address is told by the end of its scheme: looked for from
    # every letter on, a long text without either would take the square of its time.
    r"|(?<![A-Za-z0-9_\-])eyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{5,}"
    r"|\bpd_[A-Za-z0-9_\-]{20,}"
    r"|\bBearer\s+[A-Za-z0-9._\-]{16,}"
    r"|[a-z0-9+.\-]://[^/\s:@]+:[^/\s@]+@"
)
# PostgreSQL takes neither into JSON.
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")
# What stands for a secret without being one.
_STANDS_FOR = re.compile(r"^(sha256:[0-9a-f]{64}|[0-9a-f]{64}|[a-z][a-z0-9\-]*://\S+|\*+|)$")


class Refusal(StrEnum):
    """Why a field is not stored."""

    CREDENTIAL = "looks_like_a_credential"
    ARGUMENTS = "raw_arguments"
    REASONING = "hidden_reasoning"
    TOO_DEEP = "nested_too_deep"
    NO_TEXT = "control_characters"
    NO_NUMBER = "not_a_number"

    @property
    def explanation(self) -> str:
        """Why, and the way out, for its sender."""
        return _EXPLANATIONS[self]


_EXPLANATIONS = {
    Refusal.CREDENTIAL: "This looks like a credential. Send a ref to it, or its SHA-256.",
    Refusal.ARGUMENTS: "Arguments are not stored. Send arguments_ref or arguments_hash.",
    Refusal.REASONING: "Hidden reasoning of a model is not stored. Leave it out.",
    Refusal.TOO_DEEP: "This is nested too deep to be stored. Send less of it.",
    Refusal.NO_TEXT: "This holds a NUL or half a surrogate pair, which no text may. Take it out.",
    Refusal.NO_NUMBER: "NaN and Infinity are no numbers of JSON. Send null or a text.",
}


@dataclass(frozen=True, slots=True)
class Found:
    """The first field of a payload that is not stored, by its path from the root."""

    why: Refusal
    field: str


def first_refused(payload: object) -> Found | None:
    """The first field that must not be stored, None where there is none. Linear in the payload."""
    return next(_refused(payload, "", 0), None)


def _refused(value: object, path: str, depth: int) -> Iterator[Found]:
    if depth > _DEEPEST:
        yield Found(Refusal.TOO_DEEP, path)
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            here = f"{path}.{name}" if path else str(name)
            if _NO_TEXT.search(str(name)):
                yield Found(Refusal.NO_TEXT, path)
            why = _by_name(str(name), inner)
            if why is not None:
                yield Found(why, here)
            yield from _refused(inner, here, depth + 1)
    elif isinstance(value, list | tuple):
        for position, inner in enumerate(value):
            yield from _refused(inner, f"{path}[{position}]", depth + 1)
    elif isinstance(value, str):
        if _NO_TEXT.search(value):
            yield Found(Refusal.NO_TEXT, path)
        if _SECRET_VALUES.search(value):
            yield Found(Refusal.CREDENTIAL, path)
    elif isinstance(value, float) and not math.isfinite(value):
        yield Found(Refusal.NO_NUMBER, path)


def _by_name(name: str, value: object) -> Refusal | None:
    plain = name.casefold()
    if plain in _REASONING_NAMES and value:
        return Refusal.REASONING
    if plain in _ARGUMENT_NAMES and value:
        return Refusal.ARGUMENTS
    if _SECRET_NAMES.search(plain) and value and not (isinstance(value, str) and _STANDS_FOR.match(value)):
        return Refusal.CREDENTIAL
    return None
