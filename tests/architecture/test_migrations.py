"""Migrations keep their meaning when the code moves on, and none is missing."""

import sys
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.architecture.packages import imported_modules, place, product_files, tree_of

MIGRATIONS = [path for path in product_files(migrations=True) if "migrations" in path.parts and path.stem != "__init__"]


def test_there_are_migrations_to_look_at() -> None:
    assert len(MIGRATIONS) >= 6


@pytest.mark.parametrize("path", MIGRATIONS, ids=place)
def test_a_migration_imports_only_django(path: Path) -> None:
    """Live code changes; a migration that imports it would come to mean something else on the next installation."""
    allowed = sys.stdlib_module_names | {"django"}
    foreign = [name for _, name in imported_modules(tree_of(path)) if name.split(".")[0] not in allowed]
    assert foreign == []


@pytest.mark.django_db
def test_no_migration_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        call_command("makemigrations", check=True, dry_run=True)
    except SystemExit:
        pytest.fail(capsys.readouterr().out)
