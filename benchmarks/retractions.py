"""`python -m benchmarks.retractions [--rows N] [--sources N] [--bulk N]`: a day of retractions, from export to edit.

Works on an SQLite file of its own in a temporary folder (or on DESK_DATABASE_URL, a database that is thrown away). The
export is made here in the real format: every fifth notice bears the work's own DOI, half of the rows have no PubMed id,
every tenth shares its notice, one line in a thousand is not UTF-8. One source in a hundred stands in it.

To reach on PostgreSQL: an export of 60,000 rows taken in within 30 s, 100,000 sources matched within 5 s, an edit of
5,000 sources looked at within 3 s and done within 10 s. Exit code 1 where one is missed there.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from benchmarks import throwaway

throwaway.desk()

from django.db import connection

from provenance_site.accounts.models import Membership, User, Workspace
from provenance_site.changes.models import Channel
from sources.core.identifiers import identify
from sources.core.retraction_status import Status
from sources.models import Source
from sources.services import registry, retraction_lists
from validation.services import retraction_checks
from validation.services.retraction_import import import_export

T = TypeVar("T")
LIMITS = {
    "snapshot_60000_s": 30.0,
    "match_100000_s": 5.0,
    "bulk_preview_5000_s": 3.0,
    "bulk_commit_5000_s": 10.0,
}
_HEADER = (
    "Record ID,Title,Subject,Institution,Journal,Publisher,Country,Author,URLS,ArticleType,RetractionDate,"
    "RetractionDOI,RetractionPubMedID,OriginalPaperDate,OriginalPaperDOI,OriginalPaperPubMedID,RetractionNature,"
    "Reason,Paywalled,Notes,\r\n"
)
_NATURES = ("Retraction",) * 17 + ("Expression of concern", "Correction", "Reinstatement")
_PART = 5_000


def main() -> None:
    """Prepares, measures, prints a table and one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=60_000)
    parser.add_argument("--sources", type=int, default=100_000)
    parser.add_argument("--bulk", type=int, default=5_000)
    asked = parser.parse_args()
    at = datetime.now(UTC)
    user = User.objects.create(username="bench")
    workspace = Workspace.objects.create(name="bench", created_at=at)
    Membership.objects.create(user=user, workspace=workspace, role="admin")
    told: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export.csv"
        _write_export(path, asked.rows)
        told["snapshot_60000_s"], came = _timed(lambda: import_export(path=path, label="bench", at=at))
    print(f"{came.snapshot.rows:,} rows, {came.new:,} statements, {came.snapshot.byte_count / 1e6:.0f} MB")
    _fill(workspace.pk, asked.sources, asked.rows, at)
    told["match_100000_s"], matched = _timed(lambda: retraction_checks.match(at=at))
    print(f"{asked.sources:,} sources, {matched:,} of them stand in it")
    free = Source.objects.filter(workspace=workspace, retracted=False).order_by("pk")
    names = free.values_list("identifier_value", flat=True)[: asked.bulk]
    given = retraction_lists.Given("\n".join(names), Status.RETRACTED, "The counts were made up, says the journal")
    told["bulk_preview_5000_s"], look = _timed(lambda: retraction_lists.look(workspace_id=workspace.pk, given=given))
    told["bulk_commit_5000_s"], _ = _timed(
        lambda: retraction_lists.apply(
            workspace_id=workspace.pk, given=given, seen=look.digest, by=user, channel=Channel.COMMAND, at=at
        )
    )
    print(f"{len(look.planned):,} sources edited, {len(look.skipped):,} left alone")
    for name, seconds in told.items():
        print(f"{name:<22}{seconds:>8.2f} s   to reach {LIMITS[name]:.0f} s")
    print(json.dumps({name: round(seconds, 2) for name, seconds in told.items()}))
    missed = [name for name, seconds in told.items() if seconds > LIMITS[name]]
    if missed and connection.vendor == "postgresql":
        sys.exit(f"too slow: {', '.join(missed)}")


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    begun = time.perf_counter()
    done = work()
    return time.perf_counter() - begun, done


def _write_export(path: Path, number: int) -> None:
    """Rows in the widths of the real ones, some 900 bytes each."""
    made = random.Random(7)
    with path.open("wb") as file:
        file.write(b"\xef\xbb\xbf" + _HEADER.encode())
        for n in range(number):
            paper = _doi(n)
            notice = paper if n % 5 == 0 else f"10.5555/Notice.{n // 10 if n % 10 == 1 else n}"
            pmid = str(30_000_000 + n) if n % 2 else "0"
            cells = [
                str(n + 1), f"“Harbour survey {n}: {'a count of boats in spring ' * 3}”", "(B/T) Biology;" * 3,
                "Institute of Tides, Harbour Town, Coastland;" * 4, "Harbour Letters", "Gulf Press", "Coastland",
                "Ada Quay;Ben Low;" * 3, "https://harbour.example/watch/" + "x" * 60, "Research Article;",
                f"{made.randint(1, 12)}/{made.randint(1, 28)}/20{made.randint(10, 25)} 0:00", notice, "0",
                f"{made.randint(1, 12)}/{made.randint(1, 28)}/20{made.randint(10, 19):02d} 0:00",
                "unavailable" if n % 20 == 19 else paper, pmid, made.choice(_NATURES),
                "Concerns/Issues about Data;Investigation by Journal/Publisher;Unreliable Results;", "No", "y" * 80,
            ]  # fmt: skip
            line = ",".join(f'"{cell}"' if "," in cell else cell for cell in cells) + ",\r\n"
            file.write(line.replace("“", "\x93").encode("latin-1", "replace") if n % 1_000 == 0 else line.encode())


def _doi(n: int) -> str:
    return f"10.{5000 + n % 900}/S{n % 10_000:04d}-{n}({10 + n % 90})Harbour"


def _fill(workspace_id: int, number: int, rows: int, at: datetime) -> None:
    """`number` sources with a DOI; every hundredth stands in the export."""
    for start in range(0, number, _PART):
        places = range(start, min(start + _PART, number))
        names = [_doi(n // 100 * 7 % rows) if n % 100 == 0 else f"10.5555/bench.{n}" for n in places]
        registry.register_many(
            workspace_id=workspace_id,
            sources=[registry.NewSource(identify(name), f"Report {name}") for name in names],
            at=at,
        )


if __name__ == "__main__":
    main()
