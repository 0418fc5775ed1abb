"""The statements stay on their indexes: at 50,000 items a scan is felt by everybody."""

import uuid

import pytest
from django.db import connection

from provenance_site.jobs import statements
from tests.clock import NOW
from tests.factories import JobFactory, JobItemFactory

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]


def plan_of(call: str) -> str:
    """SQLite's plan of the statement that `call` sends."""
    job = JobFactory()
    JobItemFactory(job=job)
    calls = {
        "claim": lambda: _claim(None),
        "claim of a job": lambda: _claim(job.pk),
        "claim together": lambda: _claim(None, together=True),
        "release": lambda: statements.release(lease=uuid.uuid4()),
        "extend": lambda: statements.extend(lease=uuid.uuid4(), until=NOW),
        "has open item": lambda: statements.has_open_item(job_id=job.pk),
    }
    sent: list[tuple[str, object]] = []

    def remember(execute: object, sql: str, params: object, many: bool, context: object) -> object:
        sent.append((sql, params))
        return execute(sql, params, many, context)  # type: ignore[operator]

    with connection.execute_wrapper(remember):
        calls[call]()
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sent[0][0]}", sent[0][1])
        return "\n".join(str(row[-1]) for row in cursor.fetchall())


def _claim(job_id: int | None, *, together: bool = False) -> None:
    statements.claim(
        kind="validation.run",
        job_id=job_id,
        limit=1,
        at=NOW,
        lease=uuid.uuid4(),
        until=NOW,
        attempts=3,
        lost_outcome="x",
        together=together,
        beside=[uuid.uuid4()] if together else [],
    )


@pytest.mark.parametrize(
    ("call", "index"),
    [
        ("claim", "job_item_next"),
        ("claim of a job", "job_item_open"),
        ("claim together", "job_item_next"),
        ("claim together", "job_item_alike"),
        ("claim together", "job_item_of_a_lease"),
        ("release", "job_item_of_a_lease"),
        ("extend", "job_item_of_a_lease"),
        ("has open item", "job_item_open"),
    ],
)
def test_a_statement_uses_its_index_and_sorts_no_more_than_a_lease(call: str, index: str) -> None:
    plan = plan_of(call)
    assert index in plan
    # A claim of several jobs sorts what it takes along, which is as much as it takes at most.
    if call in {"claim", "claim of a job"}:
        assert "TEMP B-TREE" not in plan
