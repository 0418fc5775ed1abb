"""`python -m benchmarks.exports [--sources N]`: a project of N sources in every format, as it is handed on.

Works on an SQLite file of its own in a temporary folder (or on DESK_DATABASE_URL, a database that is thrown away). Each
format is built twice by the service that the page calls, lineage and row included: over a tenth of the sources and over
all. To reach: N = 50,000 in less than 10 s a format, and memory that does not grow with N. Peaks are of each build by
itself: what the process held before it is taken off. Exit code 1 where a single file took longer.
"""

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks import throwaway

throwaway.desk()

from django.db import transaction

from provenance_site.accounts.models import Membership, User, Workspace
from sources.core.catalog import CitationStatus
from sources.core.export_formats import ExportFormat
from sources.core.findings import Cause, Evidence, Finding, Recovery, Signal, SourceFinding, Verdict
from sources.core.identifiers import identify
from sources.models import CatalogEntry, Citation, Project, ProjectVersion, Section, Source
from sources.services import exporting, projects, registry
from sources.services.export_writing import Wanted

LIMIT_S = 10.0
_PAGE_BYTES = 4096
_PART = 5_000


def main() -> None:
    """Prepares a database, measures every format at both sizes, prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=int, default=50_000)
    wanted = parser.parse_args().sources
    small, large = filled(wanted // 10), filled(wanted)
    print(f"{'format':<16}{wanted // 10:>10,}{'MB':>7}{wanted:>10,}{'CPU':>9}{'MB':>7}{'growth':>8}{'file MB':>9}")
    told: dict[str, dict[str, float]] = {}
    for one in ExportFormat:
        little, much = measured(small, one), measured(large, one)
        growth = much.seconds / little.seconds
        told[one] = {
            "s": round(much.seconds, 2),
            "cpu_s": round(much.cpu, 2),
            "peak_mb": round(much.peak_mb, 1),
            "growth": round(growth, 1),
        }
        print(
            f"{one:<16}{little.seconds:>9.2f}s{little.peak_mb:>7.1f}{much.seconds:>9.2f}s{much.cpu:>8.2f}s"
            f"{much.peak_mb:>7.1f}{growth:>8.1f}{much.file_mb:>9.1f}",
            flush=True,
        )
    print(json.dumps({"sources": wanted, **told}))
    slow = [one for one in told if one != ExportFormat.BUNDLE and told[one]["s"] >= LIMIT_S]
    if slow and wanted <= 50_000:
        sys.exit(f"too slow: {', '.join(slow)}; {LIMIT_S:.0f} s were to be reached")


@dataclass(frozen=True, slots=True)
class Measured:
    """One build: seconds, seconds of this process's CPU, peak memory above what was held before, size of the file."""

    seconds: float
    cpu: float
    peak_mb: float
    file_mb: float


def measured(project: Project, one: ExportFormat) -> Measured:
    """Builds the file as its page does."""
    section = "01-market" if one.needs_section else ""
    wanted = Wanted(workspace_id=project.workspace_id, project=project, format=one, section=section)
    started, cpu = time.perf_counter(), time.process_time()
    with peak() as mb:
        export = exporting.build(wanted, by=None, at=datetime.now(UTC))
    return Measured(time.perf_counter() - started, time.process_time() - cpu, mb(), export.byte_count / 1e6)


@contextmanager
def peak() -> Iterator[Callable[[], float]]:
    """The most memory of this process inside, above that at the beginning; looked at every 20 ms."""
    before, most, done = _resident(), 0.0, threading.Event()

    def watch() -> None:
        nonlocal most
        while not done.wait(0.02):
            most = max(most, _resident())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield lambda: max(most - before, 0.0)
    finally:
        done.set()
        thread.join()


def _resident() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE_BYTES / 1e6


def filled(number: int) -> Project:
    """A project of `number` sources: checked, cited twice, described, a tenth of them found again or dropped."""
    at = datetime.now(UTC)
    user = User.objects.create(username=f"bench-{number}")
    workspace = Workspace.objects.create(name=f"bench-{number}", created_at=at)
    Membership.objects.create(user=user, workspace=workspace, role="admin")
    project = projects.create(workspace_id=workspace.pk, name="Bench", by=user, at=at)
    versions = [ProjectVersion.objects.create(project=project, label=label, first_seen_at=at) for label in ("v1", "v2")]
    sections = [
        Section.objects.create(project=project, slug=slug, title=slug) for slug in ("01-market", "02-team", "03-risk")
    ]
    for start in range(0, number, _PART):
        places = range(start, min(start + _PART, number))
        registered = registry.register_many(
            workspace_id=workspace.pk,
            sources=[registry.NewSource(_identity(n), f"Report {n} on harbours", values=_values(n)) for n in places],
            at=at,
        )
        sources = sorted(registered.by_key.values(), key=lambda source: source.pk)
        with transaction.atomic():
            entered = projects.enter(project=project, source_ids=[source.pk for source in sources], at=at)
        registry.apply_findings(findings=[_finding(source, at) for source in sources], at=at + timedelta(seconds=1))
        _cite(list(entered.by_source.values()), versions, sections)
    return project


def _identity(n: int) -> object:
    return identify(f"10.5555/bench.{n}" if n % 3 == 0 else f"https://host-{n % 100}.org/reports/{n}?edition=2")


def _values(n: int) -> dict[str, object]:
    return {
        "authors": "Quay, Anna; Mole, Ben",
        "author_list": [{"family": "Quay", "given": "Anna"}, {"family": "Mole", "given": "Ben"}],
        "published_date": f"{1990 + n % 30}-04",
        "publisher": "Gulf Press",
        "bibliography": {
            "kind": "article-journal",
            "container_title": "Harbours",
            "volume": str(n % 40),
            "pages": "11-19",
            "abstract": "Ships were counted in every season. " * 10,
        },
    }


def _finding(source: Source, at: datetime) -> SourceFinding:
    kind = source.pk % 20
    verdict, cause, recovery = Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT, None
    if kind == 0:
        verdict, cause = Verdict.HARD_404, Cause.NOT_FOUND
    elif kind == 1:
        verdict, cause = Verdict.VERIFIED_VIA_REPUBLISH, Cause.RECOVERED_BY_SEARCH
        recovery = Recovery(f"https://new.org/{source.pk}", source.title, "title", "harbours", "searxng", 0.93)
    evidence = Evidence(
        requested_url=source.request_url,
        final_url=source.request_url,
        status=200,
        title_found=source.title,
        signals=(Signal("words", "1200"),),
        recovery=recovery,
    )
    return SourceFinding(source.pk, Finding(verdict, cause, at, "bench", evidence))


def _cite(entries: list[CatalogEntry], versions: list[ProjectVersion], sections: list[Section]) -> None:
    statuses = list(CitationStatus)
    Citation.objects.bulk_create(
        [
            Citation(
                entry=entry,
                version=version,
                section=sections[entry.number % 3],
                status=statuses[(entry.number + place) % 4],
                line=entry.number,
                spelling=f"https://host-{entry.number % 100}.org/reports/{entry.number}?edition=2&utm_source=v{place}",
            )
            for entry in entries
            for place, version in enumerate(versions)
        ],
        batch_size=1_000,
    )


if __name__ == "__main__":
    sys.exit(main())
