"""Every template compiles, every template that is named exists, and none lies about unused."""

import ast
import re
from pathlib import Path

import pytest
from django.template.loader import get_template

from tests.architecture.packages import OUR_PACKAGES, place, product_files, tree_of
from tests.environment import ROOT

FOLDERS = [
    ROOT / "templates",
    *sorted(path for package in OUR_PACKAGES for path in (ROOT / package).rglob("templates")),
]
FILES = sorted(path for folder in FOLDERS for path in folder.rglob("*") if path.is_file())
NAMES = {path.relative_to(folder).as_posix() for folder in FOLDERS for path in folder.rglob("*") if path.is_file()}

_NAME = re.compile(r"(?:[\w./-]+\.html|[\w.-]+/[\w./-]+\.txt)(?:#[\w-]+)?")
_ENDING = re.compile(r"\.html|\.txt")
_TAG = re.compile(r"{%-?\s*(?:extends|include|querystring)\s+[\"']([^\"']+)[\"']")
# Names that Django looks for by itself.
FOUND_BY_CONVENTION = frozenset({"400.html", "403.html", "403_csrf.html", "404.html", "500.html"})
_FOUND_BY_DJANGO = ("admin/", "django/", "registration/")


def _named_in_code() -> dict[str, str]:
    """Template name → where it is named. A name may carry `#partial`."""
    named: dict[str, str] = {}
    for path in product_files():
        if "sample" in path.parts:  # the sample publishers' pages are a stranger's: no templates of ours
            continue
        # Parsing all of the product took a second of every collection; the text says who names a file at all.
        if not _ENDING.search(path.read_text(encoding="utf-8")):
            continue
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and _NAME.fullmatch(node.value):
                named.setdefault(node.value.partition("#")[0], f"{place(path)}:{node.lineno}")
    return named


def _named_in_templates() -> dict[str, str]:
    named: dict[str, str] = {}
    for path in FILES:
        for name in _TAG.findall(path.read_text(encoding="utf-8")):
            named.setdefault(name, place(path))
    return named


def test_there_are_templates_to_look_at() -> None:
    assert len(FILES) > 20


@pytest.mark.parametrize("path", FILES, ids=place)
def test_a_template_compiles(path: Path) -> None:
    folder = next(folder for folder in FOLDERS if path.is_relative_to(folder))
    get_template(path.relative_to(folder).as_posix())


@pytest.mark.parametrize(("name", "where"), sorted({**_named_in_code(), **_named_in_templates()}.items()))
def test_a_template_that_is_named_exists(name: str, where: str) -> None:
    assert get_template(name), where


def test_no_template_is_left_over() -> None:
    used = set(_named_in_code()) | set(_named_in_templates()) | FOUND_BY_CONVENTION
    assert sorted(name for name in NAMES - used if not name.startswith(_FOUND_BY_DJANGO)) == []
