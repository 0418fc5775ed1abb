"""The layers hold, and each contract that says so would notice a breach."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.architecture.packages import OUR_PACKAGES
from tests.environment import ROOT

_LINE = "One straight line: validation asks, sources records, lineage knows what rests on what"

# One deliberate breach per contract: (file in a copy of the product, what is added to it). A file that does not exist
# is made. The last two kinds are what people would try first: a lazy import, and a module that has no room.
BREACHES: dict[str, tuple[str, str]] = {
    _LINE: ("lineage/capture.py", "def lazily() -> None:\n    import sources.core.kinds\n"),
    "The site's wiring is imported by no app": ("sources/core/kinds.py", "from provenance_site import settings\n"),
    "The kit is a leaf": ("provenance_site/kit/choices.py", "import provenance_site.accounts.roles\n"),
    "The frame knows no app": ("provenance_site/jobs/states.py", "import lineage.core.refs\n"),
    "The sample publishers are a stranger: they import nothing of ours": (
        "provenance_site/sample/breach.py",
        "import sources.core.kinds\n",
    ),
    "Only the outbound kit and adapters hold an HTTP client": ("sources/models/source.py", "import httpx\n"),
    "The outbound client takes a policy and knows no settings": (
        "provenance_site/kit/outbound/policy.py",
        "import django.conf\n",
    ),
    "Inside validation: one way down": ("validation/utils.py", "SHARED = 1\n"),
    "Inside sources: one way down": ("sources/models/project.py", "import sources.services\n"),
    "Inside lineage: one way down": ("lineage/models.py", "import lineage.capture\n"),
    "Pure cores know neither Django nor Celery nor a socket": ("validation/core/ports.py", "import django.db\n"),
    "Services do not know Celery": ("sources/services/breach.py", "import celery\n"),
    "No cycles between siblings, at any depth": ("lineage/core/relations.py", "import lineage.core.keys\n"),
}


def _lint(folder: Path) -> tuple[int, str]:
    program = Path(sys.executable).with_name("lint-imports")
    # Its lines are wrapped at the terminal's width, names of contracts and modules included.
    wide = {**os.environ, "COLUMNS": "1000"}
    done = subprocess.run([program, "--no-cache"], cwd=folder, env=wide, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def _complaint(said: str, contract: str) -> str:
    """What import-linter says under the heading of one broken contract; '' where it has none."""
    _, _, below = said.partition(f"\n{contract}\n{'-' * len(contract)}\n")
    return re.split(r"\n\n\n(?=\S[^\n]*\n-{5,}\n)", below)[0]


def test_every_contract_holds() -> None:
    status, said = _lint(ROOT)
    assert status == 0, said


def test_every_contract_has_a_breach_to_catch() -> None:
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    names = {contract["name"] for contract in configuration["tool"]["importlinter"]["contracts"]}
    assert set(BREACHES) == names


@pytest.fixture(scope="module")
def verdict_on_breaches(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What import-linter says of a copy of the product into which every breach was written."""
    copy = tmp_path_factory.mktemp("breached")
    shutil.copy(ROOT / "pyproject.toml", copy)
    for package in OUR_PACKAGES:
        shutil.copytree(ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__"))
    for place, code in BREACHES.values():
        with (copy / place).open("a", encoding="utf-8") as file:
            file.write(f"\n{code}")
    status, said = _lint(copy)
    assert status != 0, said
    return said


@pytest.mark.parametrize("contract", BREACHES)
def test_a_breach_of_a_contract_is_caught(contract: str, verdict_on_breaches: str) -> None:
    """The complaint names the very module that was breached: one breach may break several contracts in passing."""
    module = Path(BREACHES[contract][0]).stem
    assert re.search(rf"\.{module}\b", _complaint(verdict_on_breaches, contract)), verdict_on_breaches
