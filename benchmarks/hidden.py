"""`python -m benchmarks.hidden [--rounds N]`: does the time of an answer tell that a node is there?

Asks the JSON interface and the pages of lineage for a node that never existed, one of another workspace and one whose
label is above the asker's clearance, in turn, and compares the medians of each with that of the first: a share apart.
To reach: a tenth at most, on an idle machine. On an SQLite file of its own or the database of DESK_DATABASE_URL. Needs
the development dependencies. Exit code 1 where an answer differed or a median lies further off.
"""

import argparse
import json
import logging
import statistics
import sys
import time
import warnings
from datetime import UTC, datetime
from urllib.parse import urlencode

from benchmarks import throwaway

throwaway.desk()

from django.conf import settings
from django.test import Client

from lineage.core.relations import Label
from provenance_site.accounts import services as accounts
from provenance_site.accounts.roles import Role
from tests.desk import furnish, without_token
from tests.graphs import graph

LIMIT = 0.1
ADDRESSES = ("/api/v1/lineage/descendants", "/api/v1/lineage/explain", "/lineage/entity/", "/lineage/impact/")


def main() -> None:
    """Asks in turn, prints a table and one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=400)
    rounds = parser.parse_args().rounds
    settings.ALLOWED_HOSTS = ["testserver"]
    logging.disable()
    warnings.simplefilter("ignore")
    client, refs = desk()
    apart: dict[str, dict[str, float]] = {}
    for address in ADDRESSES:
        times, answers = asked(client, address, refs, rounds)
        if len(answers) != 1:
            sys.exit(f"{address} answers these in {len(answers)} ways.")
        never = statistics.median(times["never"])
        apart[address] = {name: round(statistics.median(times[name]) / never - 1, 3) for name in refs}
        print(
            f"{address:<32}{never * 1000:>8.2f} ms", *(f"{name} {share:+.1%}" for name, share in apart[address].items())
        )
    widest = max(abs(share) for shares in apart.values() for share in shares.values())
    print(json.dumps({"apart": apart, "widest": widest}))
    if widest > LIMIT:
        sys.exit(f"A median lies {widest:.0%} off.")


def desk() -> tuple[Client, dict[str, str]]:
    """A reader cleared for what is internal, and one ref of each kind; each that is there has 2,000 nodes around it."""
    home, other = furnish("Home"), furnish("Other")
    home.person(Role.READER).memberships.update(clearance=Label.INTERNAL)
    refs = {"never": "chunk://n/v1"}
    for kind, workspace, name, label in (
        ("", home.workspace, "c", Label.INTERNAL),
        ("foreign", other.workspace, "f", Label.INTERNAL),
        ("secret", home.workspace, "s", Label.RESTRICTED),
    ):
        edges = [f"claim:{name}{number} SUPPORTED_BY chunk:{name}" for number in range(2_000)]
        nodes = graph(workspace, *edges, labels={name: label})
        if kind:
            refs[kind] = nodes[name].ref
    now = datetime.now(UTC)
    _, token = accounts.create_token(
        user=home.person(Role.READER), workspace=home.workspace, name="benchmark", days=1, at=now
    )
    client = Client(headers={"Authorization": f"Bearer {token}"})
    client.force_login(home.person(Role.READER))
    return client, refs


def asked(client: Client, address: str, refs: dict[str, str], rounds: int) -> tuple[dict[str, list[float]], set[bytes]]:
    """Seconds of each answer by kind of ref, the kinds in turn, and the different answers there were."""
    times: dict[str, list[float]] = {name: [] for name in refs}
    answers = set()
    for _ in range(rounds):
        for name, ref in refs.items():
            begun = time.perf_counter()
            answer = client.get(f"{address}?{urlencode({'ref': ref})}")
            times[name].append(time.perf_counter() - begun)
            answers.add(b"%d %s" % (answer.status_code, without_token(answer.content).replace(ref.encode(), b"")))
    return times, answers


if __name__ == "__main__":
    main()
