"""The full download: its files, their names, and that every one is whole."""

import csv
import io
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.catalog import CitationStatus
from sources.core.exported import Use
from sources.core.findings import Disposition
from sources.core.holdings import Held, for_outside
from sources.core.kinds import Sensitivity
from sources.reports.bundle import Extra, files, safe_name
from tests.unit.sources.exports import EXPORT, nasty, source, texts

INCLUDED = CitationStatus.INCLUDED
SOURCES = Held(
    [
        source(1, uses=(Use("02-market", "v1", INCLUDED), Use("05/team", "v1", INCLUDED))),
        source(2, uses=(Use("05:team", "v1", INCLUDED),)),
        source(3, uses=()),
        source(4, disposition=Disposition.DROP),
        source(5, record_sensitivity=Sensitivity.INTERNAL_ONLY, record_title="Ship-secret"),
    ]
)
EXTRAS = [
    Extra("run-report.md", "The report of the last run", lambda: ["# Run", "\n"]),
    Extra("recovery-log.json", "Dead addresses and what replaced them", lambda: ["[]\n"], 0),
    Extra("../../references.bib", "Another", lambda: ["% another\n"]),
    Extra("runs/\u202econ.md", "A device", lambda: iter(())),
]


def downloaded(held: Held = SOURCES, extras: list[Extra] = EXTRAS) -> dict[str, str]:
    """The files of the download by name."""
    kept, left_out = for_outside(held)
    pairs = files(kept, replace(EXPORT, left_out_internal=left_out), extras=extras)
    return {name: b"".join(content).decode() for name, content in pairs}


def test_a_download_holds_these_files() -> None:
    assert list(downloaded()) == [
        "README.md",
        "Master-Sources.md",
        "Master-Sources-by-verdict.md",
        "Best-Sources/02-market.md",
        "Best-Sources/05-team.md",
        "Best-Sources/05-team-2.md",
        "sourced_corpus/02-market.json",
        "sourced_corpus/05-team.json",
        "sourced_corpus/05-team-2.json",
        "sourced_corpus/no-section.json",
        "Sources.md",
        "references.bib",
        "references.ris",
        "references.csl.json",
        "sources.csv",
        "sources.jsonl",
        "run-report.md",
        "recovery-log.json",
        "unnamed/references.bib",
        "runs/con-.md",
    ]


def test_no_file_tells_of_an_internal_source_and_the_readme_counts_it() -> None:
    told = downloaded()
    assert not [name for name, text in told.items() if "Ship-secret" in text or "src-005" in text]
    assert "do not leave the house: 1\n" in told["README.md"]


def test_the_readme_names_every_other_file_with_its_count() -> None:
    told = downloaded()
    lines = {
        line.split(" | ")[0].strip("| "): line.split(" | ")[1]
        for line in told["README.md"].split("\n")
        if " | " in line
    }
    assert set(told) - {"README.md"} <= {name.replace("\\", "") for name in lines}
    counts = {name: lines[name] for name in ("Master-Sources.md", "Master-Sources-by-verdict.md", "Sources.md")}
    assert counts == {"Master-Sources.md": "3", "Master-Sources-by-verdict.md": "4", "Sources.md": "3"}
    assert len(list(csv.reader(io.StringIO(told["sources.csv"], newline="")))) == 1 + int(lines["sources.csv"])
    assert len(json.loads(told["references.csl.json"])) == int(lines["references.csl.json"])
    assert len(told["sources.jsonl"].splitlines()) == int(lines["sources.jsonl"])


def test_the_same_state_gives_the_same_bytes() -> None:
    assert downloaded() == downloaded()


def test_an_empty_project_has_a_download() -> None:
    told = downloaded(Held([]), [])
    assert "Unique sources**: 0" in told["README.md"]
    assert json.loads(told["references.csl.json"]) == []


@settings(max_examples=60, deadline=None)
@given(st.lists(texts, min_size=1, max_size=4))
def test_names_are_safe_and_unique_whatever_sections_are_called(sections: list[str]) -> None:
    held = Held([nasty(number, section) for number, section in enumerate(sections, start=1)])
    names = [name for name, content in files(held, EXPORT) if b"".join(content)]
    assert len({name.casefold() for name in names}) == len(names)
    for name in names:
        parts = name.split("/")
        assert len(parts) <= 2
        assert all(part and part[0] != "." and part[-1] not in ". " and len(part.encode()) <= 230 for part in parts)
        assert name.isprintable()
        assert not set(name) & set('\\:*?"<>|')


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("02-Market Context", "02-Market-Context"),
        ("Рынок", "Рынок"),
        ("../../etc/passwd", "etc-passwd"),
        ("con", "con-"),
        ("LPT1.txt", "LPT1-.txt"),
        ("...", "unnamed"),
        ("", "unnamed"),
        ("a\u202egpj.exe", "a-gpj.exe"),
        ("東" * 200, "東" * 66),
        ("x" * 200, "x" * 80),
    ],
)
def test_a_name_is_safe_on_every_system(text: str, name: str) -> None:
    assert safe_name(text) == name
