"""What is ours: packages, applications, the files in them, and their parsed text."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from django.apps import apps
from django.db import models

from tests.environment import ROOT

OUR_PACKAGES = ("provenance_site", "sources", "lineage", "validation")
OUR_APPS = frozenset({"accounts", "jobs", "changes", "notices", "kit", "site", "sources", "lineage", "validation"})


def product_files(*, migrations: bool = False) -> Iterator[Path]:
    """Every Python file of the product; those of migrations only when asked for."""
    for package in OUR_PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if migrations or "migrations" not in path.parts:
                yield path


def place(path: Path) -> str:
    """`path` as seen from the top of the repository, with forward slashes."""
    return path.relative_to(ROOT).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    """The parsed file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imported_modules(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and full dotted name of everything that import statements under `node` name."""
    for found in ast.walk(node):
        if isinstance(found, ast.Import):
            for name in found.names:
                yield found.lineno, name.name
        elif isinstance(found, ast.ImportFrom) and found.module and not found.level:
            for name in found.names:
                yield found.lineno, f"{found.module}.{name.name}"


def our_models() -> list[type[models.Model]]:
    """Every model of our applications."""
    return [model for model in apps.get_models() if model._meta.app_label in OUR_APPS]
