"""What others wrote lies as it came, or says what was changed: every file of static/vendor is listed with its hash."""

import hashlib
import json
import re
from typing import Any

import pytest

from tests.environment import ROOT

VENDOR = ROOT / "static" / "vendor"
PACKAGES: list[dict[str, Any]] = json.loads((VENDOR / "VENDOR.json").read_text(encoding="utf-8"))["packages"]
FILES = {name: facts for package in PACKAGES for name, facts in package["files"].items()}


def test_every_file_is_listed_and_every_listed_file_is_there() -> None:
    there = {path.relative_to(VENDOR).as_posix() for path in VENDOR.rglob("*") if path.is_file()}
    assert there - {"VENDOR.json"} == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_the_one_that_is_listed(name: str) -> None:
    assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == FILES[name]["sha256"]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package["name"])
def test_a_package_says_what_it_is(package: dict[str, Any]) -> None:
    assert re.fullmatch(r"sha512-[A-Za-z0-9+/]{86}==", package["integrity"])
    folder = f"{package['name']}-{package['version']}"
    assert f"{folder}/LICENSE" in package["files"]
    assert all(name.startswith(f"{folder}/") for name in package["files"])


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package["name"])
def test_a_changed_file_is_told(package: dict[str, Any]) -> None:
    changed = [name for name, facts in package["files"].items() if "sha256_in_package" in facts]
    assert all(name.partition("/")[2] in package["changes"] for name in changed)


def test_no_style_sheet_names_a_file_that_is_not_there() -> None:
    """Hashed file names follow every address in a style sheet, and collecting them fails on one that leads nowhere."""
    for path in (ROOT / "static").rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        addresses = re.findall(r"url\([\"']?([^\"')]+)|sourceMappingURL=(\S+)|@import\s+[\"']([^\"']+)", text)
        outside = [one for found in addresses for one in found if one and not one.startswith("data:")]
        assert outside == [], path.name
