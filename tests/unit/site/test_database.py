"""The database that an address names."""

from pathlib import Path

import pytest
from django.db import connection

from provenance_site import env


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("", {"options": "-c jit=off"}),
        ("?sslmode=require", {"options": "-c jit=off", "sslmode": "require"}),
        ("?options=-c%20work_mem%3D32MB", {"options": "-c work_mem=32MB"}),
        ("?options=", {}),
    ],
)
def test_postgresql_compiles_no_statement_unless_its_address_says_otherwise(
    monkeypatch: pytest.MonkeyPatch, query: str, options: dict[str, str]
) -> None:
    monkeypatch.setenv("DESK_TRIED", f"postgresql://ann:p%40ss@db.example:5433/desk{query}")
    told = env.database("DESK_TRIED", Path("unused.sqlite3"))
    assert told["OPTIONS"] == options
    assert (told["USER"], told["PASSWORD"], told["HOST"], told["PORT"], told["NAME"]) == (
        "ann",
        "p@ss",
        "db.example",
        "5433",
        "desk",
    )


@pytest.mark.postgres
@pytest.mark.django_db
def test_a_session_on_postgresql_compiles_nothing() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW jit")
        assert cursor.fetchone() == ("off",)
