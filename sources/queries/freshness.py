"""Which stored verdicts still answer for their source, which are due, and what earlier checks say."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from django.db.models import F, Q, QuerySet, Window
from django.db.models.fields.json import KT
from django.db.models.functions import RowNumber

from sources.core.findings import Cause, Verdict
from sources.core.freshness import DEAD, HISTORY, Freshness, PastCheck, Standing, needs_no_check
from sources.models import Check, Source, SourceAlias


def known_verdicts(sources: QuerySet[Source], *, rules_version: str, at: datetime) -> dict[int, str]:
    """The verdicts that answer for their sources at `at`, by key (`core.freshness.needs_no_check`). Two queries.

    A dead verdict answers for the spellings that were tried: one that was cited since makes the source due.
    """
    rows = sources.order_by().values_list(
        "pk",
        "verdict",
        "last_checked_at",
        "latest_check__rules_version",
        "fresh_until",
        "retry_at",
        "is_final",
    )
    known: dict[int, str] = {}
    for source_id, verdict, checked_at, rules, fresh_until, retry_at, is_final in rows:
        standing = Standing(
            verdict=Verdict(verdict) if verdict else None,
            checked_at=checked_at,
            rules_version=rules or "",
            carries=Freshness(fresh_until=fresh_until, retry_at=retry_at, is_final=is_final),
        )
        if needs_no_check(standing, rules_version=rules_version, at=at):
            known[source_id] = verdict
    respelled = SourceAlias.objects.filter(
        source__in=sources.order_by(), source__verdict__in=[*DEAD], first_seen_at__gt=F("source__last_checked_at")
    )
    for source_id in respelled.values_list("source_id", flat=True):
        known.pop(source_id, None)
    return known


def due_by_itself(*, at: datetime) -> Q:
    """Sources that are checked again at `at` without anyone asking: failures whose retry has come, and dead ones that
    need another agreeing check. What a person has decided is left alone.
    """
    return Q(decided="", retry_at__lte=at)


def earlier_checks(source_ids: Iterable[int]) -> dict[int, list[PastCheck]]:
    """The newest checks of each source, at most `core.freshness.HISTORY`, newest first. One query."""
    place = Window(RowNumber(), partition_by="source_id", order_by=[F("at").desc(), F("pk").desc()])
    rows = (
        Check.objects.filter(source_id__in=list(source_ids))
        .annotate(place=place, asked=KT("evidence__requested_url"), wait=KT("evidence__retry_after_s"))
        .filter(place__lte=HISTORY)
        .order_by("source_id", "place")
        .values_list("source_id", "verdict", "cause", "at", "rules_version", "asked", "wait")
    )
    found: dict[int, list[PastCheck]] = defaultdict(list)
    for source_id, verdict, cause, at, rules_version, asked, wait in rows:
        found[source_id].append(
            PastCheck(
                verdict=Verdict(verdict),
                cause=Cause(cause),
                at=at,
                rules_version=rules_version,
                requested_url=asked or "",
                # PostgreSQL gives the number as text; SQLite a number, and JSON's null as the word.
                retry_after_s=int(wait) if str(wait).isdecimal() else None,
            )
        )
    return found
