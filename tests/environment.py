"""The environment of a test process: a developer's own installation and the tests never meet."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# What the runner says to its phases; every other DESK_… variable is the developer's own.
_KEPT = frozenset({"DESK_DATABASE_URL", "DESK_TEST_STRICT"})
_PROXIES = frozenset({"http_proxy", "https_proxy", "all_proxy", "no_proxy"})


def prepare() -> Path:
    """Gives this process a data folder of its own, removed at its end, and forgets DESK_… variables and proxies.

    Before Django's settings are read: they read the environment once.
    """
    for name in list(os.environ):
        if (name.startswith("DESK_") and name not in _KEPT) or name.lower() in _PROXIES:
            del os.environ[name]
    data = Path(tempfile.mkdtemp(prefix="desk-test-"))
    atexit.register(shutil.rmtree, data, ignore_errors=True)
    os.environ["DESK_DATA"] = str(data)
    return data


def for_product(data: Path, **extra: str) -> dict[str, str]:
    """The environment of a child process that runs the product itself, with its data in `data`."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("DESK_")}
    return {**inherited, "DJANGO_SETTINGS_MODULE": "provenance_site.settings", "DESK_DATA": str(data), **extra}
