"""`python -m benchmarks.throughput [--peers] [--server URL] [--out FILE]`: 2,000 addresses on 100 hosts.

Serves them itself on loopback (`benchmarks.server`; `--server` names one that runs already), and works on an SQLite
file in a temporary folder, or on DESK_DATABASE_URL, a database that is thrown away. Prints a table, and one JSON object
as its last line; `--out` writes `{"url", "verdict"}` a line. `--peers` also runs lychee, LinkChecker and linkinator,
which are installed under `--tools` (a temporary folder unless named).
"""

import argparse
import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks import peers, throwaway, worklist

os.environ.setdefault("DESK_LOG_LEVEL", "ERROR")
throwaway.desk()

from benchmarks import desk
from benchmarks.desk import Seen


def main() -> None:
    """Runs what is asked for and prints it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", action="store_true", help="run lychee, LinkChecker and linkinator as well")
    parser.add_argument("--server", help="a server of the same pages that runs already")
    parser.add_argument("--out", type=Path, help="file for one JSON line an address")
    parser.add_argument("--tools", type=Path, help="folder with the peers, or to install them in")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--skip", default="", help="parts to leave out: hostile, cached")
    wanted = parser.parse_args()
    with worklist.started() as own:
        told = measure(wanted, own, worklist.found_at(wanted.server) if wanted.server else own)
        if wanted.peers:
            server = worklist.found_at(wanted.server) if wanted.server else own
            told |= peers.measure(
                server, folder=wanted.tools or Path(os.environ["DESK_DATA"]) / "peers", runs=wanted.runs
            )
    show(told)
    print(json.dumps(told))


def measure(wanted: argparse.Namespace, own: worklist.Server, server: worklist.Server) -> dict[str, Any]:
    """Our three figures: the clean run (median of `--runs`), the hostile mix, the verdicts that are known already."""
    told: dict[str, Any] = {"ours": None, "hostile": None, "cached": None}
    urls = worklist.addresses(server)
    with desk.opened(server, workers=wanted.workers) as team:
        seen = []
        for turn in range(wanted.runs):
            ours = desk.Desk(team)
            project = ours.project(f"clean {turn}", urls)
            seen.append(ours.check(project))
            seen[-1].counts = server.counts()
        middle = sorted(seen, key=lambda one: one.seconds)[len(seen) // 2]
        told["ours"] = _ours(middle, seen, urls)
        # The last project is checked again: every verdict is fresh, so that nothing is asked of anybody.
        again = ours.check(project)
        asked = server.counts()["req"]
        told["cached"] = {"seconds_for_2000": round(again.seconds, 3), "requests": asked} if not asked else None
    if wanted.out:
        lines = [json.dumps({"url": url, "verdict": middle.verdicts.get(url, "")}) for url in urls]
        wanted.out.write_text("\n".join(lines) + "\n")
    if "hostile" not in wanted.skip:
        told["hostile"] = _hostile(wanted.workers, own)
    return told


def _ours(middle: "Seen", seen: list["Seen"], urls: list[str]) -> dict[str, Any]:
    return {
        "urls_per_s": round(len(urls) / middle.seconds),
        "pss_mb": round(max(one.pss_mb for one in seen), 1),
        "requests_per_url": round(max(one.counts["req"] for one in seen) / len(urls), 3),
        **worklist.scored_verdicts(middle.verdicts, urls),
        "seconds": round(middle.seconds, 2),
        "cpu_s": round(middle.cpu_s, 2),
        "connections": middle.counts["conn"],
        "spread": [round(one.seconds, 2) for one in seen],
    }


def _hostile(workers: int, server: worklist.Server) -> dict[str, Any]:
    """A clean run and one with the hostile mix: when the rest was done, as a share of the clean run's time."""
    clean_urls, urls = worklist.addresses(server), worklist.addresses(server, hostile=True)
    rest = [url for url in urls if worklist.kind_of(url) not in worklist.HOSTILE_KINDS]
    with desk.opened(server, workers=workers) as team:
        ours = desk.Desk(team)
        clean = ours.check(ours.project("clean", clean_urls))
        ours = desk.Desk(team)
        mixed = ours.check(ours.project("hostile", urls))
    done = max(mixed.landed.get(url, float("inf")) for url in rest)
    causes = Counter(f"{worklist.kind_of(url)}: {mixed.causes.get(url)}" for url in urls if url not in set(rest))
    return {
        "ratio_to_clean": round(done / max(clean.landed.values()), 2),
        "clean_s": round(max(clean.landed.values()), 2),
        "rest_s": round(done, 2),
        "all_s": round(mixed.seconds, 2),
        "pss_mb": round(mixed.pss_mb, 1),
        **worklist.scored_verdicts(mixed.verdicts, rest),
        "causes": dict(causes),
    }


def show(told: dict[str, Any]) -> None:
    """The table for people."""
    columns = ("urls_per_s", "pss_mb", "requests_per_url", "traps_found", "false_flags", "seconds", "cpu_s")
    print(f"{'':<14}" + "".join(f"{name.replace('_', ' '):>18}" for name in columns))
    for name in ("ours", *peers.PEERS):
        row = told.get(name)
        if row and "missing" in row:
            print(f"{name:<14}  left out: {row['missing']}")
        elif row:
            print(f"{name:<14}" + "".join(f"{row.get(column, '–'):>18}" for column in columns))
    if hostile := told.get("hostile"):
        print(f"hostile mix: the rest was done in {hostile['ratio_to_clean']} times the clean run's time")
    if cached := told.get("cached"):
        print(f"2,000 verdicts that are known and fresh: {cached['seconds_for_2000']} s, no request")


if __name__ == "__main__":
    sys.exit(main())
