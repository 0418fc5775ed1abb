"""`python -m benchmarks.staged [--entries N] [--megabytes M]`: bibliographies and a large export, staged and committed.

N BibTeX entries are read, staged and committed, at a tenth of N and at N in the same run (a growth near 10 is linear);
then the same file again, which must change nothing. With `--megabytes` a `kb export` of that size is staged too, and
one of a tenth: memory is the peak of this process and of its readers, and must not grow with the file. Works on an
SQLite file of its own, or on DESK_DATABASE_URL, a database that is thrown away. The last line is one JSON object.
"""

import argparse
import json
import resource
import tempfile
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import throwaway

throwaway.desk()

from provenance_site.accounts.models import Membership, User, Workspace
from provenance_site.changes.models import Channel
from sources.models import CatalogEntry, Citation, Project, Source, SourceAlias, SourceVersion
from sources.services import importing, projects, staging

_KEPT = (Source, SourceAlias, SourceVersion, CatalogEntry, Citation)


def main() -> None:
    """Measures what is asked for and prints it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--megabytes", type=int, default=0, help="also stage a kb export of this size")
    wanted = parser.parse_args()
    told: dict[str, Any] = {"entries": wanted.entries}
    small, large = bibliography(wanted.entries // 10), bibliography(wanted.entries)
    print(f"{'BibTeX':<16}{wanted.entries // 10:>12,}{wanted.entries:>12,}{'growth':>10}")
    for step in ("stage", "commit", "together", "again"):
        growth = large[step] / max(small[step], 1e-9)
        print(f"{step:<16}{small[step]:>11.2f}s{large[step]:>11.2f}s{growth:>10.1f}")
        told[step] = {"s": round(large[step], 2), "growth": round(growth, 1)}
    told["rows_that_the_second_time_adds"] = large["added"]
    if wanted.megabytes:
        told["kb_export"] = export(wanted.megabytes)
        print(f"kb export: {told['kb_export']}")
    print(json.dumps(told))


def bibliography(number: int) -> dict[str, float]:
    """Seconds of each step for `number` entries with abstract, authors, DOI and address."""
    project, user = _home(f"bibliography-{number}")
    data = "".join(_entry(place) for place in range(number)).encode()
    seconds = dict(zip(("stage", "commit"), _import(project, user, data, "refs.bib"), strict=True))
    seconds["together"] = seconds["stage"] + seconds["commit"]
    before = [model._default_manager.count() for model in _KEPT]
    seconds["again"] = sum(_import(project, user, data, "refs.bib"))
    seconds["added"] = sum(model._default_manager.count() for model in _KEPT) - sum(before)
    return seconds


def export(megabytes: int) -> dict[str, Any]:
    """Seconds and peak memory of staging a `kb export` of a tenth of this size, and of this size."""
    told: dict[str, Any] = {}
    for size in (max(1, megabytes // 10), megabytes):
        project, user = _home(f"export-{size}")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "kb.jsonl"
            with path.open("w") as file:
                file.writelines(_lines(size * 1_048_576))
            started = time.perf_counter()
            batch = staging.stage(
                project=project, data=path, label="kb", by=user, at=datetime.now(UTC), limits=staging.Limits()
            )
            told[f"{size}_mb"] = {
                "s": round(time.perf_counter() - started, 1),
                "rows": batch.rows.count(),
                "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
                "reader_peak_mb": round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024),
            }
    return told


def _import(project: Project, user: User, data: bytes, name: str) -> tuple[float, float]:
    started, at = time.perf_counter(), datetime.now(UTC)
    batch = staging.stage(project=project, data=data, label=name, by=user, at=at, limits=staging.Limits())
    staged = time.perf_counter()
    importing.commit(batch=batch, by=user, channel=Channel.COMMAND, at=datetime.now(UTC))
    return staged - started, time.perf_counter() - staged


def _home(name: str) -> tuple[Project, User]:
    at = datetime.now(UTC)
    user = User.objects.create(username=name)
    workspace = Workspace.objects.create(name=name, created_at=at)
    Membership.objects.create(user=user, workspace=workspace, role="admin")
    return projects.create(workspace_id=workspace.pk, name="Bench", by=user, at=at), user


def _entry(place: int) -> str:
    return (
        f"@article{{key{place},\n"
        f"  title = {{The tides of harbour number {place} and the {{Gulf}} stream}},\n"
        "  author = {N{\\'u}{\\~n}ez, Ana and Olsen, Per and {World Health Organization}},\n"
        f"  journal = {{Journal of Harbours}}, year = {{20{place % 25:02d}}}, volume = {{{place % 40}}},\n"
        f"  doi = {{10.5555/harbour.{place}}}, url = {{https://harbour.org/articles/{place}?a=1&b=2}},\n"
        f"  keywords = {{tides, harbour}}, abstract = {{{'We measured the tides. ' * 20}}}\n}}\n\n"
    )


def _lines(size: int) -> Iterator[str]:
    written = place = 0
    while written < size:
        place += 1
        line = json.dumps(
            {
                "type": "source",
                "uuid": str(uuid.UUID(int=place)),
                "title": f"The tides of harbour number {place}",
                "identifier_type": "doi",
                "identifier_value": f"10.5555/export.{place}",
                "authors": "Núñez, Ana; Olsen, Per",
                "published_date": "2024",
                "rights": "CC BY 4.0",
            }
        )
        written += len(line) + 1
        yield line + "\n"


if __name__ == "__main__":
    main()
