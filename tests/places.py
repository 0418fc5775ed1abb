"""Where the tests lie that need a server, a browser or a database, so that their phases need not collect all others.

A test in another place than its marker says ends every run at once: its phase would not find it.
"""

from pathlib import Path

import pytest

from tests.environment import ROOT

BROWSER_PLACES = ("tests/browser",)
SERVICE_PLACES = ("tests/walks", "tests/unit/validation/test_shared_turns.py")
PURE_PLACES = ("tests/core", "tests/formats", "tests/contracts")
_OF_MARKERS = {"browser": BROWSER_PLACES, "services": (*SERVICE_PLACES, *BROWSER_PLACES)}


def strays(items: list[pytest.Item]) -> list[str]:
    """The tests whose phase would not find them, each with the marker that sends it there."""
    lost = [
        f"{item.nodeid} ({marker})"
        for item in items
        for marker, places in _OF_MARKERS.items()
        if item.get_closest_marker(marker) and not _lies_in(item.path, places)
    ]
    return lost + [
        f"{item.nodeid} (database)"
        for item in items
        if item.get_closest_marker("database") and _lies_in(item.path, PURE_PLACES)
    ]


def _lies_in(path: Path, places: tuple[str, ...]) -> bool:
    return any(path.is_relative_to(ROOT / place) for place in places)
