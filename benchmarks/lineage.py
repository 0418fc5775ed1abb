"""`python -m benchmarks.lineage [--edges N] [--only sqlite|postgresql]`: the walks of lineage against networkx.

Builds the layered graph with 10,000, 100,000 and N edges (1,000,000 without the option), a ladder, a chain and a star,
on an SQLite file of its own and on a PostgreSQL server that is started for it (or the one of TEST_PG_URL). The public
queries are asked for keys only; every answer is compared with networkx; ratios are to `networkx.descendants` in the
same run. Needs the development dependencies. Exit code 1 where an answer differed or a bar was missed at full size.
"""

import argparse
import json
import os
import subprocess
import sys
from typing import Any

from tests import services

# To reach: most that is allowed, by database.
BARS = {
    "descendants_ratio": {"postgresql": 4.0, "sqlite": 3.0},
    "filtered_ratio": {"postgresql": 8.0, "sqlite": 4.0},
    "growth_10k_to_1m": {"postgresql": 2.0, "sqlite": 2.0},
    "ladder_ratio": {"postgresql": 5.0, "sqlite": 5.0},
    "chain_ratio": {"postgresql": 5.0, "sqlite": 3.0},
    "fanout_100k_s": {"postgresql": 0.5, "sqlite": 0.5},
    "retract_2500_ms": {"postgresql": 50.0, "sqlite": 50.0},
}
LEAST_INGESTED = {"postgresql": 5_000}
_FULL = 1_000_000


def main() -> None:
    """Measures each database in a process of its own, prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edges", type=int, default=_FULL)
    parser.add_argument("--only", choices=["sqlite", "postgresql"])
    given = parser.parse_args()
    told: dict[str, dict[str, Any]] = {}
    if given.only != "postgresql":
        told["sqlite"] = measured("sqlite", given.edges, "")
    if given.only != "sqlite":
        with services.postgres() as server:
            if isinstance(server, services.Missing):
                sys.exit(server.reason)
            with services.database_on(server) as url:
                told["postgresql"] = measured("postgresql", given.edges, url)
    equal = all([one.pop("equal") for one in told.values()])  # noqa: C419 (each one is taken out)
    missed = [
        f"{key} on {database}: {told[database][key]} where {bar} is the bar"
        for key, bars in BARS.items()
        for database, bar in bars.items()
        if database in told and told[database][key] > bar
    ]
    missed += [
        f"ingest on {database}: {told[database]['ingest_edges_per_s']} edges/s where {least} is the bar"
        for database, least in LEAST_INGESTED.items()
        if database in told and told[database]["ingest_edges_per_s"] < least
    ]
    for line in missed:
        print(line)
    print(json.dumps({**told, "all_equal_networkx": equal}))
    if not equal or (missed and given.edges >= _FULL):
        sys.exit(1)


def measured(database: str, edges: int, url: str) -> dict[str, Any]:
    """What `benchmarks.lineage_measures` says of one database; its table goes to our output as it comes."""
    environment = {name: value for name, value in os.environ.items() if name != "DESK_DATABASE_URL"}
    if url:
        environment["DESK_DATABASE_URL"] = url
    print(f"\n{database:<48}{'answer':>9}{'median':>13}{'ratio':>8}", flush=True)
    command = [sys.executable, "-m", "benchmarks.lineage_measures", str(edges)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as child:
        assert child.stdout is not None  # noqa: S101
        last = ""
        for line in child.stdout:
            if last:
                print(last, end="", flush=True)
            last = line
    if child.returncode:
        sys.exit(f"the measures on {database} ended with {child.returncode}")
    return dict(json.loads(last))


if __name__ == "__main__":
    main()
