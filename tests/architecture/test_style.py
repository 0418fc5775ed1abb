"""Habits of the house that no linter knows."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.packages import OUR_PACKAGES, imported_modules, place, product_files, tree_of
from tests.environment import ROOT

FILES = list(product_files())
_MAX_LINES = 320

# Django calls `ready` once all models are there; what it registers can be imported no earlier.
LAZY_IMPORTS_ALLOWED = frozenset({"provenance_site/apps.py"})

# Each word, and what it would let through. Looked for in code, comments and templates.
FORBIDDEN_WORDS: dict[str, str] = {
    r"\|\s*safe\b": "text from outside would reach a page as markup",
    r"\bmark_safe\b": "text from outside would reach a page as markup; format_html escapes",
    r"\burlize": "quadratic on hostile text, and it makes links out of what nobody checked",
    r"\bstriptags\b|\bstrip_tags\b": "no protection, and slow on hostile text",
    r"\bcache_page\b|\bUpdateCacheMiddleware\b": "a shared cache serves one person's pages to another",
    r"\bcsrf_exempt\b": "a page that anyone's page may post to; only ninja's token doors need none",
    r"\*\*\s*request\.": "names from outside would reach the ORM",
    r"\bimport pickle\b|\bpickle\.": "reading it runs it",
    r"shell\s*=\s*True": "text from outside would reach a shell",
    r"django\.contrib\.gis": "its parsers are not needed and have a record of their own",
}

# Where the clock may be read besides the doors: when a fetch ended is known only after it, inside.
_CLOCK = re.compile(r"\btimezone\.now\(\)|\bdatetime\.now\(")
_DOORS = frozenset({"views", "tasks", "management", "api", "admin", "templatetags", "sample", "supervisor", "commands"})
_ALSO_READS_THE_CLOCK = frozenset({"validation/services/validate.py", "provenance_site/kit/outbound/client.py"})


def _texts() -> Iterator[Path]:
    yield from FILES
    for folder in ("templates", *OUR_PACKAGES):
        yield from sorted((ROOT / folder).rglob("*.html"))
        yield from sorted((ROOT / folder).rglob("*.txt"))


@pytest.mark.parametrize("pattern", FORBIDDEN_WORDS)
def test_a_forbidden_word_is_nowhere(pattern: str) -> None:
    found = [
        f"{place(path)}:{number}: {line.strip()}"
        for path in _texts()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(pattern, line)
    ]
    assert found == [], FORBIDDEN_WORDS[pattern]


def test_the_clock_is_read_at_the_doors_alone() -> None:
    """Everything else is told the moment as `at`, so that a page, a task and a test can tell the same moment."""
    found = [
        place(path)
        for path in FILES
        if _CLOCK.search(path.read_text(encoding="utf-8"))
        and not _DOORS & {*path.relative_to(ROOT).parts, path.stem}
        and place(path) not in _ALSO_READS_THE_CLOCK
    ]
    assert found == []


def test_no_file_is_too_long_to_read_at_once() -> None:
    lengths = {place(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {name: lines for name, lines in lengths.items() if lines > _MAX_LINES} == {}


def test_no_first_party_module_is_imported_inside_a_function() -> None:
    """Such an import hides a dependency from the reader, or papers over a cycle."""
    found = [
        f"{place(path)}:{line}: {name}"
        for path in FILES
        if place(path) not in LAZY_IMPORTS_ALLOWED
        for function in ast.walk(tree_of(path))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for line, name in imported_modules(function)
        if name.split(".")[0] in OUR_PACKAGES
    ]
    assert found == []


def test_no_signal_has_a_receiver_of_ours() -> None:
    """Bulk writes send no signals, so a rule that hangs on one holds only sometimes."""
    signals = re.compile(r"\breceiver\(|\b(?:pre|post)_(?:save|delete|init|migrate)\b|\bm2m_changed\b")
    found = [place(path) for path in FILES if signals.search(path.read_text(encoding="utf-8"))]
    assert found == []


def test_every_public_function_says_what_it_does() -> None:
    """All of core, services and queries, and every class and function that stands at the top of a module elsewhere."""
    silent = [
        f"{place(path)}:{node.lineno}: {node.name}"
        for path in FILES
        for node in _public_definitions(path)
        if ast.get_docstring(node) is None
    ]
    assert silent == []


def test_every_module_says_what_belongs_in_it() -> None:
    silent = [place(path) for path in FILES if tree_of(path).body and ast.get_docstring(tree_of(path)) is None]
    assert silent == []


def _public_definitions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    deep = bool({"core", "services", "queries"} & set(path.parts)) or path.stem in {"services", "queries", "capture"}
    for node in tree_of(path).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node
            if deep and isinstance(node, ast.ClassDef):
                yield from (
                    member
                    for member in node.body
                    if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) and not member.name.startswith("_")
                )
