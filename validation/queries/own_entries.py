"""A workspace's own publishers and patterns: its lists, the rules they make, and what they would match."""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.text import slugify

from provenance_site.accounts.models import Workspace
from sources.core.findings import Disposition, Verdict
from sources.models import Source
from sources.queries.readable import readable
from validation.core.expressions import Expression, compiled
from validation.core.own_entries import OwnRules, pattern_from, publisher_from
from validation.core.patterns import MAX_URL, Pattern, patterns
from validation.core.publishers import Publisher, publishers
from validation.models import OwnPattern, OwnPublisher

SHOWN = 20
# 50,000 addresses take an ordinary pattern 0.1 s; this is for one that crawls, so that nobody waits for a dead page.
TRIAL_BUDGET_S = 5.0
_CHUNK = 2_000
_VERIFIED = [verdict.value for verdict in Verdict if verdict.is_verified]
_DECIDED_BY_PUBLISHERS = [Verdict.VERIFIED_GATED.value, Verdict.PAYWALL_STUB.value]
_IS_VERIFIED = Q(disposition=Disposition.KEEP.value) | Q(verdict__in=_VERIFIED)


class TooSlow(Exception):
    """A trial was given up; `tried` sources of the workspace were looked at."""

    def __init__(self, tried: int) -> None:
        self.tried = tried
        super().__init__(f"given up after {tried} sources")


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """Built-in publishers and patterns, as many as a search found."""

    publishers: tuple[Publisher, ...]
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """What an entry would match in the registry: how many sources, how many of them verified, the first of them.

    Verified are those that a check or a person's decision keeps; `shown` has these first, at most 20.
    """

    matching: int
    verified: int
    shown: tuple[Source, ...]


def built_in(wanted: str) -> BuiltIn:
    """The built-in entries whose names, domains or expressions hold `wanted`, in any case; all for ''.

    Without the sample publisher, which is no publisher of the world.
    """
    sought = wanted.casefold()
    return BuiltIn(
        publishers=tuple(
            one
            for one in publishers()
            if not one.sample and sought in " ".join((one.name, *one.domains, one.access_note)).casefold()
        ),
        patterns=tuple(one for one in patterns() if sought in f"{one.name} {one.expression.pattern}".casefold()),
    )


def own_publishers(workspace: Workspace) -> QuerySet[OwnPublisher]:
    """The workspace's own publishers by name."""
    return OwnPublisher.objects.filter(workspace=workspace).order_by("name", "pk")


def own_patterns(workspace: Workspace) -> QuerySet[OwnPattern]:
    """The workspace's own patterns by name."""
    return OwnPattern.objects.filter(workspace=workspace).order_by("name", "pk")


def rules_of(workspace: Workspace) -> OwnRules:
    """What is turned on in the workspace; as `rules_by_workspace`."""
    return rules_by_workspace([workspace.pk])[workspace.pk]


def rules_by_workspace(workspace_ids: Iterable[int]) -> dict[int, OwnRules]:
    """What is turned on in each of the workspaces, ready for the validator. Two queries; expressions stay compiled.

    Not kept between calls: a check that went by old rules would hold for a month.
    """
    wanted = set(workspace_ids)
    publishers_in: dict[int, list[Publisher]] = defaultdict(list)
    patterns_in: dict[int, list[Pattern]] = defaultdict(list)
    for publisher in OwnPublisher.objects.filter(workspace_id__in=wanted, enabled=True).order_by("name", "pk"):
        publishers_in[publisher.workspace_id].append(publisher_from(publisher.entry))
    for pattern in OwnPattern.objects.filter(workspace_id__in=wanted, enabled=True).order_by("name", "pk"):
        patterns_in[pattern.workspace_id].append(pattern_from(pattern.entry, key=key_of(pattern)))
    return {one: OwnRules(tuple(publishers_in[one]), tuple(patterns_in[one])) for one in wanted}


def key_of(row: OwnPattern) -> str:
    """The pattern's name in evidence and exports: never the same as a built-in one's."""
    return f"own-{slugify(row.name) or row.pk}"


def trial_of_domains(workspace: Workspace, domains: Iterable[str]) -> Trial:
    """Which sources lie on one of `domains` or below it. A DOI lies with its resolver until a check has followed it."""
    found = readable(Source.objects.all()).standing().filter(_below(domains), workspace=workspace)
    verified = found.filter(_IS_VERIFIED)
    number, good = found.count(), verified.count()
    shown = [*verified.order_by("pk")[:SHOWN], *found.exclude(_IS_VERIFIED).order_by("pk")[:SHOWN]]
    return Trial(matching=number, verified=good, shown=tuple(shown[:SHOWN]))


def trial_of_pattern(workspace: Workspace, pattern: str) -> Trial:
    """Which sources' addresses have the pattern. Reads them all; raises `TooSlow` after 5 s, UnknownExpression."""
    expression = compiled(pattern)
    verified: list[int] = []
    others: list[int] = []
    found = readable(Source.objects.all()).standing().filter(workspace=workspace)
    for key, keeps in _matching(found, expression, until=time.monotonic() + TRIAL_BUDGET_S):
        (verified if keeps else others).append(key)
    wanted = [*verified[:SHOWN], *others[:SHOWN]][:SHOWN]
    rows = readable(Source.objects.all()).in_bulk(wanted)
    shown = tuple(rows[key] for key in wanted if key in rows)
    return Trial(matching=len(verified) + len(others), verified=len(verified), shown=shown)


def resting_on(workspace: Workspace, facts: Mapping[str, Any], *, applies: bool) -> list[int]:
    """Keys of sources whose verdict may be another with an entry than without it; empty for one that is turned off.

    `facts` are the columns of an own publisher or pattern, empty for none. `applies` is True where the entry comes to
    count, False where it ceases to: then only what it may have decided is looked at.
    """
    if not facts or not facts["enabled"]:
        return []
    found = Source.objects.standing().filter(workspace=workspace)
    if "domains" in facts:
        walled = found.filter(_below(facts["domains"]), verdict__in=_DECIDED_BY_PUBLISHERS)
        return list(walled.values_list("pk", flat=True))
    if not applies:
        found = found.filter(verdict=Verdict.HALLUCINATED_PATTERN)
    return [key for key, _ in _matching(found, compiled(facts["pattern"]))]


def _below(domains: Iterable[str]) -> Q:
    return reduce(or_, (Q(host=domain) | Q(host__endswith=f".{domain}") for domain in domains), Q(pk__in=()))


def _matching(
    sources: QuerySet[Source], expression: Expression, *, until: float = float("inf")
) -> Iterator[tuple[int, bool]]:
    """Keys of those whose address matches, and whether they are verified. Raises `TooSlow` at `until` (monotonic)."""
    columns = sources.exclude(request_url="").order_by("pk").values_list("pk", "request_url", "verdict", "disposition")
    for tried, (key, url, verdict, disposition) in enumerate(columns.iterator(chunk_size=_CHUNK)):
        if tried % 100 == 0 and time.monotonic() > until:
            raise TooSlow(tried)
        if expression.search(url[:MAX_URL]) is not None:
            yield key, disposition == Disposition.KEEP or verdict in _VERIFIED
