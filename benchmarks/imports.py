"""`python -m benchmarks.imports DIR [--out FILE]`: reads every file of DIR/documents.jsonl.

A file is right where nothing crashes and its rows and errors come to the count that the format's second rule gives.
`--out` writes one JSON object a file, `entries` being what the file holds by that count; the last line printed is one
JSON object with the totals. Exit code 1 for a crash or a count that disagrees.
"""

import argparse
import json
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from sources.core.records import RowError
from sources.formats.format import Unreadable
from sources.formats.readers import reading_of


def main() -> None:
    """Reads, prints a table by kind, writes the details."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    listed = (asked.folder / "documents.jsonl").read_text(encoding="utf-8").splitlines()
    told = [measured(asked.folder, json.loads(line)) for line in listed if line.strip()]
    if asked.out:
        asked.out.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in told), encoding="utf-8")
    _print(told)
    read = [one for one in told if one["format"]]
    rows, errors = sum(one["rows"] for one in read), sum(one["errors"] for one in read)
    ms = sum(one["ms"] for one in read)
    crashed = [one["file"] for one in told if one.get("crash")]
    apart = [one["file"] for one in read if not one["agrees"]]
    total = {
        "files": len(told),
        "read": len(read),
        "unreadable": len(told) - len(read) - len([one for one in told if one.get("crash") and not one["format"]]),
        "crashed": len(crashed),
        "rows": rows,
        "errors": errors,
        "count_mismatches": len(apart),
        "entries_per_s": round((rows + errors) / ms * 1_000) if ms else 0,
    }
    print(json.dumps(total))
    if crashed or apart:
        sys.exit(f"crashed: {crashed}; counts that disagree: {apart}")


def measured(folder: Path, document: dict[str, Any]) -> dict[str, Any]:
    """What came of one file; `unreadable` holds the message where it cannot be read as a whole."""
    told: dict[str, Any] = {
        "file": document["file"], "kind": document.get("kind", ""), "format": "", "rows": 0, "errors": 0,
        "counted": None,
        "agrees": True, "ms": 0.0,
    }  # fmt: skip
    begun = time.perf_counter()
    try:
        reading = reading_of(folder / document["file"])
        items = list(reading.items)
        told["errors"] = sum(1 for item in items if isinstance(item, RowError))
        told["rows"] = len(items) - told["errors"]
        told["format"], told["counted"] = reading.format.name, reading.counted
        told["agrees"] = reading.counted is None or reading.counted == len(items)
        told["messages"] = [f"{item.line}: {item.message}" for item in items if isinstance(item, RowError)][:10]
    except Unreadable as error:
        told["unreadable"] = str(error)
    except Exception:  # noqa: BLE001  a crash is a result here
        told["crash"] = traceback.format_exc(limit=-4)
    told["entries"] = told["rows"] + told["errors"] if told["counted"] is None else told["counted"]
    told["ms"] = round((time.perf_counter() - begun) * 1_000, 2)
    return told


def _print(told: list[dict[str, Any]]) -> None:
    print(f"{'kind':<24}{'format':<18}{'files':>6}{'rows':>8}{'errors':>8}{'apart':>7}{'ms':>10}")
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for one in told:
        groups.setdefault((one["kind"], one["format"] or ("crash" if one.get("crash") else "unreadable")), []).append(
            one
        )
    for (kind, name), files in sorted(groups.items()):
        numbers = [sum(one[key] for one in files) for key in ("rows", "errors")]
        apart = sum(not one["agrees"] for one in files)
        ms = sum(one["ms"] for one in files)
        print(f"{kind:<24}{name:<18}{len(files):>6}{numbers[0]:>8}{numbers[1]:>8}{apart:>7}{ms:>10.1f}")


if __name__ == "__main__":
    main()
