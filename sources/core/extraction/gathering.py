"""From spans to references and row errors: identities read, companions and repetitions of one line left out."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from sources.core.extraction.spans import Span, SpanKind
from sources.core.identifiers import BadIdentifier, UnusableUrl, identify
from sources.core.kinds import IdentifierType
from sources.core.records import Identity, Reference, RowError

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:", re.ASCII)
_NOT_A_SOURCE = re.compile(r"(?:mailto|tel|sms):", re.IGNORECASE)
_IDENTIFIER = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)*/|www\.|//", re.IGNORECASE)
_COMPANION = frozenset({IdentifierType.PMID, IdentifierType.ISBN, IdentifierType.ISSN})
# A bibliography entry gives the DOI and then its PMID, or the journal's ISSN: one work, so only the first is a source.
_COMPANION_WITHIN = 200
_MAX_SPELLING = 200


@dataclass(frozen=True, slots=True)
class Found:
    """A span that names a work, with its line (from 1)."""

    line: int
    span: Span
    identity: Identity


def row_error(line: int, spelling: str, message: str) -> RowError:
    """A row error whose spelling is one line of at most 200 characters."""
    shown = " ".join(spelling.split())
    return RowError(line, shown if len(shown) <= _MAX_SPELLING else shown[: _MAX_SPELLING - 1] + "…", message)


def read_spans(spans: Iterable[tuple[int, Span]]) -> tuple[list[Found], list[RowError]]:
    """Reads what each span (with its line) names. Addresses inside a document (`#part`, `../file.md`) and e-mail
    addresses are neither found nor errors; companions of an identifier in the same line are left out."""
    found: list[Found] = []
    errors: list[RowError] = []
    named: dict[tuple[int, str, str], bool] = {}
    for line, span in spans:
        if span.kind is SpanKind.BROKEN:
            message = "The link's address has a blank inside. Write %20 for it, or put the address between < and >."
            errors.append(row_error(line, span.spelling, message))
        elif span.kind is not SpanKind.LINK or _names_something_outside(span.target):
            try:
                identity = identify(span.target)
            except (UnusableUrl, BadIdentifier) as error:
                errors.append(row_error(line, span.spelling, str(error)))
                continue
            key = (line, identity.type, identity.value)
            # A repetition in the same line can only add a title; a line of 100,000 repetitions should cost nothing.
            if key not in named or (span.text and not named[key]):
                named[key] = bool(span.text)
                found.append(Found(line, span, identity))
    found.sort(key=lambda each: (each.line, each.span.at))
    return list(_without_companions(found)), errors


def once_per_line(references: Iterable[Reference]) -> Iterator[Reference]:
    """References in order, each source once per line; of two spellings in one line the first stays, with the title of
    the second where it has none itself."""
    seen: dict[tuple[int, str, str], Reference] = {}
    for reference in references:
        key = (reference.line, reference.identity.type, reference.identity.value)
        first = seen.get(key)
        if first is None:
            seen[key] = reference
        elif reference.title and not first.title:
            seen[key] = replace(first, title=reference.title)
    return iter(seen.values())


def _names_something_outside(target: str) -> bool:
    if _NOT_A_SOURCE.match(target):
        return False
    return bool(_SCHEME.match(target) or _IDENTIFIER.match(target))


def _without_companions(found: list[Found]) -> Iterator[Found]:
    for index, each in enumerate(found):
        if each.identity.type in _COMPANION and any(
            other.line == each.line
            and other.identity.type not in _COMPANION
            and abs(other.span.at - each.span.at) <= _COMPANION_WITHIN
            for other in found[max(0, index - 3) : index + 4]
        ):
            continue
        yield each
