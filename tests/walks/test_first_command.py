"""`demo` may be the first command on a machine: it makes its database, checks, and says so in its exit code."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.services


def test_demo_on_an_empty_machine_checks_the_file_and_blocks_what_is_invented(tmp_path: Path) -> None:
    draft = tmp_path / "draft.md"
    draft.write_text("# Notes\n\nSee the [report](https://example.com/path/to/report) for more of it.\n")
    done = subprocess.run(
        [sys.executable, "manage.py", "demo", str(draft)],
        cwd=ROOT,
        env={**os.environ, "DESK_DATA": str(tmp_path / "data"), "DJANGO_SETTINGS_MODULE": "provenance_site.settings"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert done.returncode == 2, done.stderr
    assert "0 of 1 verified" in done.stdout
    assert list((tmp_path / "data").rglob("Master-Sources.md"))
