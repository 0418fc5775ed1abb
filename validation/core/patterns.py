"""Addresses that show by themselves that they are invented; no request is made for them.

The shapes are data (`validation/data/fabricated_patterns.yaml`, schema there). Only positive evidence in the string
counts: an unknown host, a strange path or an unused DOI prefix proves nothing and needs the fetch. A workspace may have
shapes of its own (`validation.core.own_entries`). All are matched by an engine that is linear in the address.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from urllib.parse import unquote, urlsplit

from sources.core.findings import Cause
from sources.core.kinds import IdentifierType
from validation.core.datafiles import read_data
from validation.core.expressions import Expression, any_of, compiled
from validation.core.rulings import clipped

MAX_URL = 8_000
_DOI_HOSTS = frozenset({"doi.org", "dx.doi.org", "www.doi.org"})
_DOI = re.compile(r"^(?:doi:\s*)?(10\..*)$", re.IGNORECASE | re.DOTALL)
_ARXIV = re.compile(r"^arxiv:\s*(.+)$", re.IGNORECASE | re.DOTALL)
_ARXIV_MONTH = re.compile(r"^(\d\d)(0[1-9]|1[0-2])\.\d{4}")
_ARXIV_PATH = re.compile(r"^/(?:abs|pdf|html|format|ps|src|e-print)/(.+)$")


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """A fabricated shape: the entry's name, its cause, and the part of the address that matched."""

    name: str
    cause: Cause
    text: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """One entry of the data file or of a workspace's own, compiled."""

    name: str
    cause: Cause
    target: str
    expression: Expression
    hits: tuple[str, ...] = ()
    passes: tuple[str, ...] = ()


def match(
    url: str, identity_type: IdentifierType, extra: Iterable[Pattern] = (), *, at: datetime | None = None
) -> PatternMatch | None:
    """The first fabricated shape that `url` has, None where it has none. `extra` entries are asked last. Never raises.

    `url` is an address, or the value of an identifier («10.12/abc», «2613.99999») with its type; at most 8,000
    characters are looked at. Linear in the length of `url`. `at` is the moment of the citation's check: an arXiv id
    names the month of its paper, so one of a month to come is invented; without it that is not asked.
    """
    text = url.strip()[:MAX_URL]
    targets = _targets(text, identity_type)
    # Nearly every address has none of the shapes: one look for all of them, instead of one for each.
    ours = any(sieve.search(targets[name]) is not None for name, sieve in _sieves() if targets.get(name))
    for pattern in (*(patterns() if ours else ()), *extra):
        target = targets.get(pattern.target)
        found = pattern.expression.search(target) if target else None
        if found is not None:
            return PatternMatch(pattern.name, pattern.cause, clipped(found.strip() or text))
    return _of_a_month_to_come(targets.get("arxiv", ""), at) if at else None


def _of_a_month_to_come(arxiv_id: str, at: datetime) -> PatternMatch | None:
    """The next month passes: somewhere it has begun, and clocks differ."""
    found = _ARXIV_MONTH.match(arxiv_id)
    if found is None or (2000 + int(found[1])) * 12 + int(found[2]) <= at.year * 12 + at.month + 1:
        return None
    return PatternMatch("arxiv-month-to-come", Cause.IMPOSSIBLE_IDENTIFIER, clipped(arxiv_id))


@cache
def patterns() -> tuple[Pattern, ...]:
    """The entries of the data file in order, read once a process. Raises ValueError or KeyError on a broken file."""
    return tuple(
        Pattern(
            name=entry["name"],
            cause=Cause(entry["cause"]),
            target=entry["target"],
            expression=compiled(entry["pattern"]),
            hits=tuple(entry["hits"]),
            passes=tuple(entry["passes"]),
        )
        for entry in read_data("fabricated_patterns.yaml")["patterns"]
    )


@cache
def _sieves() -> tuple[tuple[str, Expression], ...]:
    """For each kind of target the expression that matches where one of the data file's entries does."""
    targets = dict.fromkeys(pattern.target for pattern in patterns())
    return tuple(
        (target, any_of(pattern.expression.pattern for pattern in patterns() if pattern.target == target))
        for target in targets
    )


def _targets(text: str, identity_type: IdentifierType) -> dict[str, str]:
    """What each kind of pattern is searched in; a kind that does not apply is absent."""
    targets = {"url": text}
    try:
        parts = urlsplit(text)
        host = (parts.hostname or "").rstrip(".")
    except ValueError:
        return targets
    if parts.scheme in {"http", "https"} and host:
        targets["host"] = host
        if host in _DOI_HOSTS:
            targets["doi"] = unquote(parts.path.lstrip("/"))
        elif (host == "arxiv.org" or host.endswith(".arxiv.org")) and (found := _ARXIV_PATH.match(parts.path)):
            targets["arxiv"] = unquote(found.group(1))
        return targets
    if found := _DOI.match(text):
        targets["doi"] = found.group(1)
    if found := _ARXIV.match(text):
        targets["arxiv"] = found.group(1)
    elif identity_type is IdentifierType.ARXIV:
        targets["arxiv"] = text
    return targets
