"""The repository is what it says it is: its top level, its licence, its lock files."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.environment import ROOT

FOLDERS = frozenset(
    {"provenance_site", "sources", "lineage", "validation", "templates", "static", "tests", "benchmarks", "docs", ".ci"}
)
FILES = frozenset(
    {
        ".dockerignore",
        ".env.example",
        ".gitignore",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "Dockerfile",
        "LICENSE",
        "Makefile",
        "README.md",
        "docker-compose.yml",
        "manage.py",
        "pyproject.toml",
        "requirements-dev.lock",
        "requirements.lock",
    }
)
LOCKS = [ROOT / "requirements.lock", ROOT / "requirements-dev.lock"]


def _known_to_git() -> set[str]:
    """Top-level names that are tracked, or would be with the next `git add`."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return {line.strip('"').split("/")[0] for line in done.stdout.splitlines()}


def test_the_top_level_holds_only_what_has_a_place_there() -> None:
    if not (ROOT / ".git").exists():
        assert {path.name for path in ROOT.iterdir()} >= FILES
        return
    assert _known_to_git() - FOLDERS == FILES


def test_every_folder_of_the_product_is_there() -> None:
    assert {name for name in FOLDERS if not (ROOT / name).is_dir()} <= {"benchmarks", "docs"}


def test_the_licence_is_the_one_that_is_named() -> None:
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License")


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_a_lock_file_names_no_host(path: Path) -> None:
    """Whoever installs chooses the index; a lock file that names one would send them somewhere."""
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"https?://|^\s*--(?:index|extra-index|find-links|trusted)\S*", text, re.MULTILINE) == []


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_every_locked_package_has_a_version_and_hashes(path: Path) -> None:
    entries = re.split(r"\n(?=[A-Za-z0-9])", path.read_text(encoding="utf-8").strip())
    assert len(entries) > 40
    loose = [
        entry.split()[0]
        for entry in entries
        if not re.match(r"[\w.\[\]-]+==\S+", entry) or "--hash=sha256:" not in entry
    ]
    assert loose == []


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_every_dependency_is_locked(path: Path) -> None:
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = list(configuration["project"]["dependencies"])
    if "dev" in path.name:
        wanted += configuration["dependency-groups"]["dev"]
    locked = {
        _normal(name) for name in re.findall(r"^([A-Za-z0-9][\w.-]*)(?:\[.*\])?==", path.read_text(), re.MULTILINE)
    }
    assert {_normal(re.split(r"[\[<>=!~ ;]", line)[0]) for line in wanted} - locked == set()


def test_every_dependency_says_why_it_is_there() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    lists = re.findall(r"^(?:dependencies|dev) = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL)
    assert len(lists) == 2
    silent = [line.strip() for part in lists for line in part.splitlines() if line.strip() and "# " not in line]
    assert silent == []


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
