"""The version of the rules rises with the rules: what a verdict may rest on has a hash on record beside its version."""

import ast
import hashlib
import json
from collections.abc import Iterator

import yaml

from tests.environment import ROOT
from validation.core.classify import RULES_VERSION

RECORD = ROOT / "tests" / "data" / "rules.yaml"
DATA = ("phrases.yaml", "gated_publishers.yaml", "fabricated_patterns.yaml")
RULES = (
    *(f"validation/core/{name}.py" for name in (
        "archives", "blocks", "charsets", "classify", "documents", "facts", "gates", "metadata", "patterns", "phrases",
        "publishers", "reading", "rulings", "sniffing", "soft404", "statements", "statuses", "tags", "titles",
    )),
    "sources/core/similarity.py",
)  # fmt: skip
NOT_RULES = {"explanation", "note", "notes", "access_note", "path_hints", "rules_version", "sample"}


def test_a_change_of_the_rules_raises_their_version() -> None:
    recorded = yaml.safe_load(RECORD.read_text(encoding="utf-8"))
    found = hash_of_rules()
    assert recorded.get(RULES_VERSION) == found, (
        "Rules, phrases or publishers are not those on record. If a verdict may change and the version on record was "
        "released, raise RULES_VERSION in validation/core/classify.py and rules_version in phrases.yaml; "
        f'then write into tests/data/rules.yaml:  "{RULES_VERSION}": {found}'
    )


def test_each_version_on_record_has_rules_of_its_own() -> None:
    recorded = yaml.safe_load(RECORD.read_text(encoding="utf-8"))
    assert len(set(recorded.values())) == len(recorded)
    assert max(map(int, recorded)) == int(RULES_VERSION)


def test_comments_and_docstrings_are_no_rules() -> None:
    plain = "LIMIT = 3\n\ndef f(x):\n    return x > LIMIT\n"
    told = '"""Says."""\n# why\nLIMIT = 3\n\n\ndef f(x):\n    """Answers."""\n    # because\n    return x > LIMIT\n'
    assert list(code_of(plain)) == list(code_of(told)) != list(code_of(plain.replace("3", "4")))


def hash_of_rules() -> str:
    """The first 16 hexadecimal digits of a SHA-256 over data and code, comments and docstrings left out."""
    digest = hashlib.sha256()
    for name in DATA:
        data = yaml.safe_load((ROOT / "validation" / "data" / name).read_text(encoding="utf-8"))
        digest.update(json.dumps(_judging(data), sort_keys=True).encode())
    for path in RULES:
        for line in code_of((ROOT / path).read_text(encoding="utf-8")):
            digest.update(line.encode() + b"\n")
    return digest.hexdigest()[:16]


def code_of(source: str) -> Iterator[str]:
    """The lines of a module that do something. By lines of text, so that no version of Python sees another hash."""
    tree = ast.parse(source)
    told: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                told.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    for number, line in enumerate(source.splitlines(), start=1):
        if (
            number not in told
            and line.strip()
            and not line.lstrip().startswith("#")
            and not line.startswith("RULES_VERSION")
        ):
            yield line.rstrip()


def _judging(data: object) -> object:
    """The data without what only people read."""
    if isinstance(data, dict):
        return {key: _judging(value) for key, value in data.items() if key not in NOT_RULES}
    return [_judging(item) for item in data] if isinstance(data, list) else data
