"""The statements of durable work that the ORM cannot say, for SQLite (3.35 or newer) and PostgreSQL alike.

States stand in the text as literals: SQLite uses a partial index only where the query repeats its condition word for
word. What comes from outside is always a parameter. On PostgreSQL rows are locked in the order of their keys before
they are changed; SQLite has one writer at a time and needs no row locks.
"""

import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection

from provenance_site.jobs.models import Job, JobItem
from provenance_site.jobs.states import ItemState, JobState

_ITEMS = JobItem._meta.db_table
_JOBS = Job._meta.db_table
_PENDING, _LEASED, _DONE = f"'{ItemState.PENDING}'", f"'{ItemState.LEASED}'", f"'{ItemState.DONE}'"
_GIVEN_UP, _SKIPPED = f"'{ItemState.GIVEN_UP}'", f"'{ItemState.SKIPPED}'"
_OPEN = f"state IN ({_PENDING}, {_LEASED})"
_SPENT = f"state = {_LEASED} AND attempts >= %(attempts)s"

# MATERIALIZED: PostgreSQL may otherwise run the inner query more than once, and lock more rows than its LIMIT. CROSS
# JOIN: SQLite keeps its order, reads the items by their index and stops at the LIMIT; with JOIN it begins with the
# jobs and sorts all open items each time (9 ms against 0.2 at 70,000).
_FREE = f"""
    j.id = i.job_id AND i.{_OPEN} AND (i.state = {_PENDING} OR i.lease_until <= %(at)s)
      AND j.kind = %(kind)s AND j.state = '{JobState.RUNNING}'
"""
_TAKE = f"""
UPDATE {_ITEMS} SET
    state = CASE WHEN {_SPENT} THEN {_GIVEN_UP} ELSE {_LEASED} END,
    outcome = CASE WHEN {_SPENT} THEN %(lost)s ELSE '' END,
    finished_at = CASE WHEN {_SPENT} THEN %(at)s END,
    lease = CASE WHEN {_SPENT} THEN NULL ELSE %(lease)s END,
    lease_until = CASE WHEN {_SPENT} THEN NULL ELSE %(until)s END,
    attempts = CASE WHEN {_SPENT} THEN attempts ELSE attempts + 1 END
WHERE id IN (/*chosen*/)
RETURNING id, job_id, subject_id, position, attempts, state
"""  # noqa: S608  # the text holds our own constants only

_CLAIM = f"""
WITH next AS MATERIALIZED (
    SELECT i.id FROM {_ITEMS} i CROSS JOIN {_JOBS} j WHERE {_FREE} /*job*/
    ORDER BY i.position, i.job_id LIMIT %(limit)s /*lock*/
)
{_TAKE.replace("/*chosen*/", "SELECT id FROM next")}
"""  # noqa: S608

# The same over several jobs: what goes with an item in other hands is left to these hands, and what goes with an item
# of this claim, or of the claimer's other leases, is taken along. An index look-up for each item.
_CLAIM_TOGETHER = f"""
WITH next AS MATERIALIZED (
    SELECT i.id, i.alike FROM {_ITEMS} i CROSS JOIN {_JOBS} j WHERE {_FREE}
      AND NOT EXISTS (
        SELECT 1 FROM {_ITEMS} k WHERE k.alike = i.alike AND k.{_OPEN} AND k.state = {_LEASED}
          AND k.lease_until > %(at)s AND k.lease NOT IN (/*mine*/)
      )
    ORDER BY i.position, i.job_id LIMIT %(limit)s /*lock*/
),
along AS MATERIALIZED (
    SELECT i.id FROM {_ITEMS} i CROSS JOIN {_JOBS} j WHERE i.alike IN (
        SELECT alike FROM next UNION
        SELECT h.alike FROM {_ITEMS} h WHERE h.state = {_LEASED} AND h.lease IN (/*mine*/)
      ) AND {_FREE} AND i.id NOT IN (SELECT id FROM next)
    ORDER BY i.id LIMIT %(limit)s /*lock*/
)
{_TAKE.replace("/*chosen*/", "SELECT id FROM next UNION ALL SELECT id FROM along")}
"""  # noqa: S608

_RUNNING_JOBS = f"SELECT 1 FROM {_JOBS} j WHERE j.kind = %(kind)s AND j.state = '{JobState.RUNNING}' LIMIT 2"  # noqa: S608
# Any number that nothing else of this database uses: claims that look at each other's leases go one after the other.
_ONE_CLAIM_AT_A_TIME = "SELECT pg_advisory_xact_lock(7231904)"

_COMPLETE = f"""
WITH given(item_id, lease_id, word) AS (VALUES /*rows*/),
held AS MATERIALIZED (
    SELECT i.id FROM {_ITEMS} i JOIN given ON given.item_id = i.id AND given.lease_id = i.lease
    WHERE i.state = {_LEASED} ORDER BY i.id /*lock*/
)
UPDATE {_ITEMS} SET state = {_DONE}, outcome = given.word, finished_at = %(at)s, lease = NULL, lease_until = NULL
FROM given
WHERE id = given.item_id AND lease = given.lease_id AND state = {_LEASED} AND id IN (SELECT id FROM held)
RETURNING id
"""  # noqa: S608

_SKIP = f"""
WITH unfinished AS MATERIALIZED (
    SELECT i.id FROM {_ITEMS} i WHERE i.job_id = %(job)s AND i.{_OPEN} ORDER BY i.id /*lock*/
)
UPDATE {_ITEMS} SET state = {_SKIPPED}, finished_at = %(at)s, lease = NULL, lease_until = NULL
WHERE id IN (SELECT id FROM unfinished) AND {_OPEN}
"""  # noqa: S608


_OF_A_LEASE = f"""
WITH held AS MATERIALIZED (
    SELECT i.id FROM {_ITEMS} i WHERE i.state = {_LEASED} AND i.lease = %(lease)s ORDER BY i.id /*lock*/
)
UPDATE {_ITEMS} SET /*change*/ WHERE id IN (SELECT id FROM held) AND lease = %(lease)s
RETURNING id
"""  # noqa: S608

_OPEN_ITEM = f"SELECT i.id FROM {_ITEMS} i WHERE i.job_id = %(job)s AND i.{_OPEN} ORDER BY i.position LIMIT 1"  # noqa: S608


class ClaimedRow(NamedTuple):
    """A row that a claim changed, as it is now."""

    id: int
    job_id: int
    subject_id: int
    position: int
    attempts: int
    state: str


def claim(
    *,
    kind: str,
    job_id: int | None,
    limit: int,
    at: datetime,
    lease: uuid.UUID,
    until: datetime,
    attempts: int,
    lost_outcome: str,
    together: bool = False,
    beside: Iterable[uuid.UUID] = (),
) -> list[ClaimedRow]:
    """Leases up to `limit` items until `until`, or gives up those whose last of `attempts` ran out; in any order.

    `together`: up to `limit` more that are alike to these, or to what the leases `beside` hold, and none that is alike
    to what other leases hold. Over all jobs; in a transaction.
    """
    values = {
        "kind": kind,
        "job": job_id,
        "limit": limit,
        "at": _moment(at),
        "lease": _lease(lease),
        "until": _moment(until),
        "attempts": attempts,
        "lost": lost_outcome,
    }
    text = _CLAIM
    if together:
        own = {f"mine{place}": _lease(one) for place, one in enumerate((lease, *beside))}
        values |= own
        text = _CLAIM_TOGETHER.replace("/*mine*/", ", ".join(f"%({name})s" for name in own))
    skipping = connection.features.has_select_for_update_skip_locked
    text = text.replace("/*lock*/", "FOR UPDATE OF i SKIP LOCKED" if skipping else "")
    if job_id is not None:
        text = text.replace("/*job*/", "AND i.job_id = %(job)s")
    with connection.cursor() as cursor:
        if together and skipping:
            cursor.execute(_ONE_CLAIM_AT_A_TIME)
        cursor.execute(text, values)
        return [ClaimedRow(*row) for row in cursor.fetchall()]


def are_several_running(*, kind: str) -> bool:
    """True where more than one job of `kind` is running."""
    with connection.cursor() as cursor:
        cursor.execute(_RUNNING_JOBS, {"kind": kind})
        return len(cursor.fetchall()) > 1


def complete(*, given: Iterable[tuple[int, uuid.UUID, str]], at: datetime) -> set[int]:
    """Finishes, of triples of item, lease and outcome, those items that their lease holds; gives their ids.

    At least one triple; SQLite takes some 10,000.
    """
    values: dict[str, Any] = {"at": _moment(at)}
    rows = []
    leases: dict[uuid.UUID, Any] = {}
    for place, (item_id, lease, outcome) in enumerate(given):
        if lease not in leases:
            leases[lease] = _lease(lease)
        values[f"item{place}"], values[f"lease{place}"], values[f"word{place}"] = item_id, leases[lease], outcome
        rows.append(f"(%(item{place})s, %(lease{place})s, %(word{place})s)")
    text = _COMPLETE.replace("/*rows*/", ", ".join(rows)).replace("/*lock*/", _lock())
    with connection.cursor() as cursor:
        cursor.execute(text, values)
        return {row[0] for row in cursor.fetchall()}


def skip_unfinished(*, job_id: int, at: datetime) -> None:
    """Skips all waiting and leased items of a job."""
    with connection.cursor() as cursor:
        cursor.execute(_SKIP.replace("/*lock*/", _lock()), {"job": job_id, "at": _moment(at)})


def release(*, lease: uuid.UUID) -> int:
    """Makes what `lease` holds wait again, with one attempt less; gives the number of items."""
    return _change_held(
        f"state = {_PENDING}, lease = NULL, lease_until = NULL, attempts = attempts - 1", {"lease": _lease(lease)}
    )


def extend(*, lease: uuid.UUID, until: datetime) -> int:
    """Holds what `lease` holds until `until`; gives the number of items."""
    return _change_held("lease_until = %(until)s", {"lease": _lease(lease), "until": _moment(until)})


def has_open_item(*, job_id: int) -> bool:
    """True where an item of the job waits or is leased. Reads one entry of the index of open items."""
    with connection.cursor() as cursor:
        cursor.execute(_OPEN_ITEM, {"job": job_id})
        return cursor.fetchone() is not None


def _change_held(change: str, values: dict[str, Any]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_OF_A_LEASE.replace("/*change*/", change).replace("/*lock*/", _lock()), values)
        # Not rowcount: Python's sqlite3 counts no statement that begins with WITH.
        return len(cursor.fetchall())


def _lock() -> str:
    return "FOR UPDATE OF i" if connection.features.has_select_for_update else ""


def _moment(at: datetime) -> Any:
    return JobItem._meta.get_field("lease_until").get_db_prep_value(at, connection)


def _lease(lease: uuid.UUID) -> Any:
    return JobItem._meta.get_field("lease").get_db_prep_value(lease, connection)
