"""Durable work: make a job, claim items under a lease, complete them exactly once, cancel, sweep.

The order of locks is the same everywhere (items by key, then the job), so no two of these functions can deadlock.
"""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import Exists, OuterRef

from provenance_site.accounts.models import User
from provenance_site.jobs import statements
from provenance_site.jobs.models import Job, JobItem
from provenance_site.jobs.states import OPEN_ITEM_STATES, ItemState, JobState
from provenance_site.kit.values import insert_values

ATTEMPTS = 3
GIVEN_UP_OUTCOME = "given-up"


@dataclass(frozen=True, slots=True)
class ClaimedItem:
    """One item in a worker's hands. `attempts` counts this one."""

    id: int
    job_id: int
    subject_id: int
    attempts: int
    lease: uuid.UUID


@dataclass(frozen=True, slots=True)
class Claim:
    """What a worker took: `items` to work on under `lease`, and `lost` ones that were given up on the way.

    A lost item took three workers with it, or was in the hands of three that died; nobody will work on it again.
    """

    lease: uuid.UUID
    items: tuple[ClaimedItem, ...]
    lost: tuple[ClaimedItem, ...]


def create(
    *,
    workspace_id: int,
    kind: str,
    title: str,
    subject_ids: Sequence[int],
    by: User | None,
    at: datetime,
    done: Mapping[int, str] | None = None,
    alike: Mapping[int, int] | None = None,
) -> Job:
    """A running job with one item per subject, in the given order; a subject named twice gets one item.

    `done` has the outcomes, by subject, that are known beforehand: these items are done from the start, were never
    finished by anybody (`finished_at` is NULL), and no claim takes them. A job with nothing left to do is done at once.
    `alike` has a number for subjects that are best worked on together with those of other jobs that have the same; see
    `claim`. One transaction.
    """
    subjects = list(dict.fromkeys(subject_ids))
    known = done or {}
    numbers = alike or {}
    is_open = any(subject not in known for subject in subjects)
    with transaction.atomic():
        job = Job.objects.create(
            workspace_id=workspace_id,
            kind=kind,
            title=title,
            state=JobState.RUNNING if is_open else JobState.DONE,
            created_at=at,
            created_by=by,
            finished_at=None if is_open else at,
        )
        insert_values(
            JobItem,
            ("job_id", "subject_id", "position", "alike", "state", "attempts", "outcome"),
            [
                (
                    job.pk,
                    subject,
                    place,
                    numbers.get(subject),
                    (ItemState.DONE if subject in known else ItemState.PENDING).value,
                    0,
                    known.get(subject, ""),
                )
                for place, subject in enumerate(subjects)
            ],
        )
    return job


def claim(
    *,
    kind: str,
    limit: int,
    at: datetime,
    lease_s: float,
    job_id: int | None = None,
    beside: Collection[uuid.UUID] = (),
) -> Claim:
    """Takes up to `limit` items of running jobs of `kind` (or of one job) for `lease_s` seconds. One UPDATE, after
    a look whether several jobs run.

    Waiting items and those whose lease ran out, lowest position first: over several jobs that serves them side by
    side, and a short new job is not kept waiting by a long old one. No item goes to two claims, however many run at
    once. An item whose third lease ran out becomes GIVEN_UP and is returned in `lost`; to be sure that somebody
    records why, call this in one transaction with the write that does. Both empty: nothing to do now.

    While several jobs run (and `job_id` keeps to none), items with the same `alike` go to one worker as long as one of
    them is in its hands: up to `limit` more are taken along with these and with what the caller's leases `beside` hold,
    and what is alike to an item in other hands is left to those.
    """
    lease = uuid.uuid4()
    with transaction.atomic(savepoint=False):
        rows = statements.claim(
            kind=kind,
            job_id=job_id,
            limit=limit,
            at=at,
            lease=lease,
            until=at + timedelta(seconds=lease_s),
            attempts=ATTEMPTS,
            lost_outcome=GIVEN_UP_OUTCOME,
            together=job_id is None and statements.are_several_running(kind=kind),
            beside=beside,
        )
    rows.sort(key=lambda row: (row.position, row.id))
    taken = {state: tuple(_claimed(row, lease) for row in rows if row.state == state) for state in ItemState}
    return Claim(lease=lease, items=taken[ItemState.LEASED], lost=taken[ItemState.GIVEN_UP])


def _claimed(row: statements.ClaimedRow, lease: uuid.UUID) -> ClaimedItem:
    return ClaimedItem(id=row.id, job_id=row.job_id, subject_id=row.subject_id, attempts=row.attempts, lease=lease)


def complete(*, lease: uuid.UUID, outcomes: Mapping[int, str], at: datetime) -> set[int]:
    """Marks items as done with their outcome, and gives the ids of those that were still held by `lease`.

    First in the transaction that writes the results, which are then written for the returned ids only: an item whose
    lease ran out and was taken over, or whose job was cancelled, is not among them. Raises TransactionManagementError
    outside of a transaction, since a crash between the two writes would lose a result. Twice is safe: the second time
    nothing is held.
    """
    return complete_many(outcomes={lease: outcomes}, at=at)


def complete_many(*, outcomes: Mapping[uuid.UUID, Mapping[int, str]], at: datetime) -> set[int]:
    """`complete` for items of several leases in one statement. Two calls of `complete` in one transaction would lock
    items out of the order of their keys, and could deadlock with `cancel` on PostgreSQL.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("complete() belongs in the transaction that writes the results")
    given = [(item_id, lease, word) for lease, words in outcomes.items() for item_id, word in words.items()]
    return statements.complete(given=given, at=at) if given else set()


def release(*, lease: uuid.UUID) -> int:
    """Gives back what a lease still holds, without counting it as an attempt; gives the number of items."""
    return statements.release(lease=lease)


def extend(*, lease: uuid.UUID, until: datetime) -> int:
    """Holds what a lease still has until `until`; gives the number of items, 0 when all is done or taken away."""
    return statements.extend(lease=lease, until=until)


def cancel(*, job: Job, by: User, at: datetime) -> bool:
    """Stops a job: every open item is skipped, also those in the hands of workers, whose write-back is then refused.

    What is done stays done. False, and nothing is changed, for a job that is not running (any more).
    """
    with transaction.atomic():
        statements.skip_unfinished(job_id=job.pk, at=at)
        stopped = Job.objects.filter(pk=job.pk, state=JobState.RUNNING).update(
            state=JobState.CANCELLED, cancelled_by=by, finished_at=at
        )
    job.refresh_from_db()
    return bool(stopped)


def finish_if_done(job_id: int, *, at: datetime) -> bool:
    """Ends a running job whose items are all finished; True for the one call that did it.

    Safe inside the transaction that completed the last items and after it: the job's row is locked first, so of two
    workers with the last two items the second one sees what the first has done. For several jobs in one transaction:
    in the order of their ids.
    """
    with transaction.atomic():
        job = Job.objects.select_for_update(no_key=True).filter(pk=job_id, state=JobState.RUNNING).first()
        if job is None or statements.has_open_item(job_id=job_id):
            return False
        return bool(Job.objects.filter(pk=job_id).update(state=JobState.DONE, finished_at=at))


def sweep(*, kind: str, at: datetime) -> list[int]:
    """The running jobs of `kind` that have work while nobody works on them: their worker died or a message was lost.

    Ends, on the way, jobs whose last worker died between its results and `finish_if_done`. Oldest first; twice is safe.
    """
    open_items = JobItem.objects.filter(job=OuterRef("pk"), state__in=OPEN_ITEM_STATES)
    live = JobItem.objects.filter(job=OuterRef("pk"), state=ItemState.LEASED, lease_until__gt=at)
    running = Job.objects.filter(kind=kind, state=JobState.RUNNING).order_by("pk")
    found = running.annotate(has_work=Exists(open_items), is_worked_on=Exists(live))
    idle = []
    for job_id, has_work, is_worked_on in found.values_list("pk", "has_work", "is_worked_on"):
        if not has_work:
            finish_if_done(job_id, at=at)
        elif not is_worked_on:
            idle.append(job_id)
    return idle
