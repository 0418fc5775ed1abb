"""The text that cites the sample pages, and what each citation should come to."""

import json
from dataclasses import dataclass
from pathlib import Path

_HERE = Path(__file__).parent
DRAFT_NAME = "draft.md"


@dataclass(frozen=True, slots=True)
class Expectation:
    """What one cited source should come to.

    `spelling` is its first spelling in the draft, `also` are the others that mean the same source. `causes` are the
    finer reasons that fit; `recovered_url` is set where search finds the work at another address.
    """

    spelling: str
    verdict: str
    causes: tuple[str, ...]
    why: str
    recovered_url: str = ""
    also: tuple[str, ...] = ()


def sample_list(port: int) -> str:
    """The Markdown draft whose citations name the sample pages at `port`: the sample project's input."""
    return _at((_HERE / DRAFT_NAME).read_text(encoding="utf-8"), port)


def expectations(port: int) -> tuple[Expectation, ...]:
    """What each source of `sample_list(port)` should come to, in the order of its first spelling."""
    rows = json.loads(_at((_HERE / "expected.json").read_text(encoding="utf-8"), port))
    return tuple(
        Expectation(
            spelling=row["spelling"],
            verdict=row["verdict"],
            causes=tuple(row["causes"]),
            why=row["why"],
            recovered_url=row.get("recovered_url", ""),
            also=tuple(row.get("also", ())),
        )
        for row in rows
    )


def _at(template: str, port: int) -> str:
    # Not str.format: the draft holds other braces on purpose.
    return template.replace("{port}", str(port))
