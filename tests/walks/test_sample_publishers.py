"""The commands on the sample publishers: real adapters, real HTTP over loopback, every verdict reached."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from provenance_site.changes.models import Channel
from provenance_site.first_start import SAMPLE_PROJECT, prepare
from provenance_site.jobs.states import JobState
from provenance_site.sample.draft import expectations, sample_list
from provenance_site.sample.server import serving
from sources.core.findings import Verdict
from sources.core.identifiers import identify
from sources.core.outline import Part
from sources.models import CatalogEntry, Check, Project, Source
from sources.services import outlines, projects
from tests.clock import NOW
from tests.desk import Desk
from validation import tasks
from validation.services.validate import utc_now, validate
from validation.services.work import work


@pytest.fixture
def port(settings: Settings) -> Iterator[int]:
    """The port of sample publishers that answer at once."""
    with serving() as port:
        settings.SAMPLE_PORT = port
        yield port


def run(*words: str) -> tuple[str, int]:
    """What a command prints and its exit code."""
    out = io.StringIO()
    try:
        call_command(*words, stdout=out, stderr=io.StringIO())
    except SystemExit as ended:
        return out.getvalue(), int(ended.code or 0)
    return out.getvalue(), 0


def test_every_sample_source_comes_to_its_expected_verdict(port: int, tmp_path: Path) -> None:
    draft = tmp_path / "draft.md"
    draft.write_text(sample_list(port), encoding="utf-8")
    out, code = run("check_urls", str(draft), "--format", "jsonl")
    told = {row["canonical"]: row for row in map(json.loads, out.splitlines())}
    for expected in expectations(port):
        identity = identify(expected.spelling)
        row = told[f"{identity.type}:{identity.value}"]
        assert (row["verdict"], row["cause"]) in {(expected.verdict, cause) for cause in expected.causes}, expected
        recovery = row["evidence"]["recovery"]
        assert (recovery["recovered_url"] if recovery else "") == expected.recovered_url
        assert {identify(other).key for other in expected.also} <= {identity.key}
    assert len(told) == len(out.splitlines()) == len(expectations(port))
    assert {row["verdict"] for row in told.values()} == set(Verdict)
    assert code == 0


def test_check_urls_prints_a_line_a_source_and_touches_no_database(port: int, tmp_path: Path) -> None:
    # This test has no database: a query would fail it.
    file = tmp_path / "list.txt"
    page = f"http://harbour-gazette.sample.localhost:{port}/2022/02/pilot-boats-go-electric"
    file.write_text(f"{page}\nhttps://user:hunter2@example.com/x\nfile:///etc/passwd\n")
    out, code = run("check_urls", str(file))
    assert out.splitlines()[0].startswith("https://***@example.com/x  hallucinated-pattern  ")
    assert f"{page}  soft-404-graceful  the page says that it is not there" in out
    assert "hunter2" not in out
    assert code == 1


@pytest.mark.parametrize(("content", "told"), [(b"\x00\x01", "NUL"), (b"only words", "No address")])
def test_check_urls_refuses_what_holds_no_source(tmp_path: Path, content: bytes, told: str) -> None:
    file = tmp_path / "list.txt"
    file.write_bytes(content)
    with pytest.raises(CommandError, match=told) as refused:
        run("check_urls", str(file))
    assert refused.value.returncode == 2


def test_validate_answers_a_plain_script(port: int) -> None:
    moved = f"http://ferry-observer.sample.localhost:{port}/articles/2020/timetable-planning-for-tidal-ports"
    result = validate(moved, claimed_title="Timetable planning for tidal ports: a working method")
    assert result.verdict is Verdict.VERIFIED_VIA_REPUBLISH
    assert result.evidence.recovery is not None
    assert result.identity.request_url == moved


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("pages", "code", "word"),
    [
        (["harbour-gazette.sample.localhost:{port}/2024/09/storm-gates-pass-first-test"], 0, "accept"),
        (["open-almanac.sample.localhost:{port}/archive/dredging-survey-inner-basin-2019"], 2, "block"),
        (["harbour-gazette.sample.localhost:{port}/2024/09/storm-gates-pass-first-test?n={n}"] * 10
         + ["open-almanac.sample.localhost:{port}/archive/dredging-survey-inner-basin-2019"], 1, "investigate"),
    ],
)  # fmt: skip
def test_demo_does_the_main_job_and_exits_as_the_gate_says(
    port: int, tmp_path: Path, settings: Settings, pages: list[str], code: int, word: str
) -> None:
    settings.EXPORT_DIR = tmp_path / "exports"
    draft = tmp_path / "my memo.txt"
    draft.write_text("".join(f"http://{page.format(port=port, n=place)}\n" for place, page in enumerate(pages)))
    out, exit_code = run("demo", str(draft))
    assert exit_code == code
    assert f": {word}" in out
    assert "one-time password" in out
    written = tmp_path / "exports" / "my-memo" / "Master-Sources.md"
    assert str(written) in out
    assert f"**Unique sources**: {len(pages)}" in written.read_text(encoding="utf-8")
    assert Check.objects.count() == len(pages)


@pytest.mark.django_db
def test_demo_refuses_a_file_that_is_not_there() -> None:
    with pytest.raises(CommandError, match="cannot be read") as refused:
        run("demo", "/nowhere/draft.md")
    assert refused.value.returncode == 2


@pytest.mark.django_db
def test_the_first_start_makes_owner_and_sample_once(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks.work, "apply_async", lambda **_options: None)
    first = prepare(sample_port=port, at=NOW)
    assert first.owner is not None
    assert first.run is not None
    again = prepare(sample_port=port, at=NOW)
    assert again.owner is None
    assert again.run == first.run
    work(clock=utc_now, budget_s=60, job_id=first.run.job_id)
    first.run.job.refresh_from_db()
    assert first.run.job.state == JobState.DONE
    assert prepare(sample_port=port, at=NOW).run is None
    assert Project.objects.get().name == SAMPLE_PROJECT
    assert set(Source.objects.values_list("verdict", flat=True)) == set(Verdict)


@pytest.mark.django_db
def test_the_first_start_says_how_the_sample_did_and_how_to_sign_in(
    port: int, monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path
) -> None:
    settings.EXPORT_DIR = tmp_path
    monkeypatch.setattr(tasks.work, "apply_async", lambda **_options: work(clock=utc_now, budget_s=60))
    out, _ = run("first_start", "--patience", "1")
    assert "Sign in as desk with the one-time password" in out or "as before" in out


@pytest.mark.django_db
def test_a_harvest_finds_the_sample_s_articles_by_its_own_search_engine(
    desk: Desk, port: int, settings: Settings
) -> None:
    """Nothing is configured but the sample: what it finds is read, also behind the subscribers' wall."""
    settings.SEARXNG_URL, settings.SCHOLARLY, settings.ARCHIVE = "", False, False
    project = projects.create(workspace_id=desk.workspace.pk, name="Harbour", by=desk.person(), at=utc_now())
    asked = ("Night ferry returns to Port Almery?", "What is the quiet return of coastal shipping?")
    part = Part("Ferries", asked, (), slug="")
    outlines.save(project=project, parts=[part], by=desk.person(), channel=Channel.PAGE, at=utc_now())
    said, code = run("harvest", "--project", "Harbour", "--as", desk.person().username)
    assert code == 0, said
    kept = {row.source.title: row.source.verdict for row in CatalogEntry.objects.select_related("source")}
    assert kept["Night ferry returns to Port Almery after nine years"] == "verified-accessible", said
    assert kept["The quiet return of coastal shipping"] == "verified-gated", said
    assert "SearXNG: 2 calls (free)" in said
