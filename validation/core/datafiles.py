"""Reads the data files that ship with this package (`validation/data/*.yaml`)."""

from pathlib import Path
from typing import Any

import yaml

_FOLDER = Path(__file__).resolve().parent.parent / "data"
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml reads the phrases ten times as fast


def read_data(name: str) -> Any:
    """The parsed content of `validation/data/<name>`. Raises OSError or `yaml.YAMLError` on a broken installation."""
    with (_FOLDER / name).open(encoding="utf-8") as file:
        return yaml.load(file, Loader=_Loader)  # noqa: S506 — a safe loader, chosen above
