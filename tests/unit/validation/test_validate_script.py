"""The documented entry point from a plain script: the examples of `docs/validate.md`, run as they stand."""

import subprocess
import sys
from collections.abc import Iterator
from inspect import Parameter, signature
from pathlib import Path

import pytest

from provenance_site.sample.server import serving
from tests.environment import ROOT, for_product
from validation.services.validate import ValidationResult, validate

DOCUMENT = ROOT / "docs" / "validate.md"
# Nobody listens there: who asks for a database fails.
NO_DATABASE = "postgresql://nobody:nothing@127.0.0.1:9/none"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serving() as port:
        yield port


def run_script(folder: Path, port: int, *words: str) -> subprocess.CompletedProcess[str]:
    environment = for_product(
        folder / "data", DESK_SAMPLE_PORT=str(port), DESK_DATABASE_URL=NO_DATABASE, PYTHONPATH=str(ROOT)
    )
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def test_the_documented_examples_hold_without_a_database(port: int, tmp_path: Path) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text.count(">>> result = validate(") == 5
    (tmp_path / "validate.md").write_text(text.replace(":8010", f":{port}"), encoding="utf-8")
    done = run_script(tmp_path, port, "-m", "doctest", "validate.md")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_script_loads_no_model(port: int, tmp_path: Path) -> None:
    script = (
        "import sys; from validation.services.validate import validate; validate('https://example.com/x'); "
        "from django.apps import apps; assert not apps.ready; "
        "assert not [name for name in sys.modules if name.endswith('.models') and name.split('.')[0] in "
        "('sources', 'validation', 'lineage', 'provenance_site')]"
    )
    done = run_script(tmp_path, port, "-c", script)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_entry_point_takes_what_the_document_says() -> None:
    parameters = signature(validate).parameters
    assert list(parameters) == ["url", "claimed_title", "publisher", "author", "published_date"]
    optional = [one for name, one in parameters.items() if name != "url"]
    assert all(one.kind is Parameter.KEYWORD_ONLY and one.default is None for one in optional)
    assert signature(validate).return_annotation is ValidationResult
