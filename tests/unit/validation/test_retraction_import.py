"""Taking in Retraction Watch's export: once for the same bytes, going on where it was, refusing what cannot be it."""

from datetime import timedelta
from pathlib import Path

import pytest

from sources.core.kinds import IdentifierType
from sources.core.retraction_status import Nature, Status
from sources.models import RetractionAssertion, RetractionStanding, ReviewItem, Source
from tests.clock import NOW
from tests.desk import Desk
from tests.factories.retractions import RetractionDecisionFactory
from tests.factories.sources import SourceAliasFactory, SourceFactory
from tests.fakes.loopback import Loopback, reply
from validation.core.ports import Unavailable
from validation.core.retraction_ids import WorkId
from validation.core.retraction_watch import NotASnapshot
from validation.models import RetractionFeed, RetractionSnapshot
from validation.services import retraction_checks, retraction_import
from validation.services.retraction_import import Imported, import_export

SAMPLE = Path(__file__).parent.parent.parent / "data" / "retraction_watch" / "sample.csv"
HEADER, *ROWS = SAMPLE.read_bytes().splitlines(keepends=True)


def source(desk: Desk, doi: str, kind: IdentifierType = IdentifierType.DOI) -> Source:
    return SourceFactory(workspace=desk.workspace, identifier_type=kind, identifier_value=doi)


def status(of: Source) -> Status:
    return RetractionStanding.objects.get(source=of).as_status


def many(number: int, first: int = 1, nature: str = "Retraction") -> bytes:
    row = f"{{0}},T,,,,,,,,,1/2/2020 0:00,10.5555/one.notice,0,1/1/2019 0:00,10.5555/m.{{0}},0,{nature},,,,\r\n"
    return HEADER + "".join(row.format(place) for place in range(first, first + number)).encode()


def take(tmp_path: Path, data: bytes, *, days: int = 0, allow_shrink: bool = False) -> Imported:
    path = tmp_path / "export.csv"
    path.write_bytes(data)
    return import_export(path=path, label="export.csv", at=NOW + timedelta(days=days), allow_shrink=allow_shrink)


def test_the_sample_reaches_sources_by_doi_and_by_pubmed_id(desk: Desk) -> None:
    fallen = source(desk, "10.5555/quay.2020(1)")
    by_pmid = source(desk, "80000011", IdentifierType.PMID)
    notice = source(desk, "10.5555/quay.notice.3")
    replaced, reinstated = source(desk, "10.5555/piers.pub3"), source(desk, "10.5555/salt.2011")
    sici = source(desk, "10.5555/1096-9098(200007)74:3<201::aid-quay8>3.0.co;2-5")
    fine = source(desk, "10.5555/nothing.said")
    came = import_export(path=SAMPLE, label="sample.csv", at=NOW)
    assert (came.snapshot.rows, came.snapshot.rows_done, came.is_known) == (13, 13, False)
    assert [status(one) for one in (fallen, by_pmid, notice, replaced, reinstated, sici)] == [
        Status.RETRACTED,
        Status.RETRACTED,
        Status.NOTICE,
        Status.REPLACED,
        Status.REINSTATED,
        Status.RETRACTED,
    ]
    assert not RetractionStanding.objects.filter(source=fine).exists()
    assert came.snapshot.told["unknown_natures"] == {"": 1}
    assert (came.snapshot.told["nameless"], came.snapshot.told["blank"]) == (1, 2)


@pytest.mark.django_db
def test_one_notice_for_hundreds_is_hundreds_of_assertions_and_nothing_the_second_time(tmp_path: Path) -> None:
    first = take(tmp_path, many(659))
    assert RetractionAssertion.objects.filter(nature=Nature.RETRACTED).count() == 659
    assert RetractionAssertion.objects.filter(nature=Nature.NOTICE).count() == 1
    assert first.new == 660
    assert take(tmp_path, many(659), days=1).is_known
    grown = take(tmp_path, many(660), days=2)
    assert (grown.new, grown.seen_again, grown.vanished) == (1, 660, 0)


@pytest.mark.django_db
def test_an_import_that_was_broken_off_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retraction_import, "PART", 10)
    record, calls = retraction_import.retraction_records.record, []

    def dies(**told: object) -> object:
        calls.append(1)
        if len(calls) == 3:
            raise ConnectionError
        return record(**told)  # type: ignore[arg-type]

    with monkeypatch.context() as broken:
        broken.setattr(retraction_import.retraction_records, "record", dies)
        with pytest.raises(ConnectionError):
            take(tmp_path, many(45))
    assert RetractionSnapshot.objects.get().rows_done == 20
    came = take(tmp_path, many(45))
    assert (came.snapshot.rows_done, came.is_known) == (45, False)
    assert RetractionAssertion.objects.filter(nature=Nature.RETRACTED).count() == 45


@pytest.mark.django_db
def test_a_file_that_shrank_or_is_no_export_changes_nothing(tmp_path: Path) -> None:
    take(tmp_path, many(100))
    before = RetractionAssertion.objects.count()
    for data in (many(70), many(100).replace(b"RetractionNature", b"Nature"), b"<!doctype html>"):
        with pytest.raises(NotASnapshot):
            take(tmp_path, data, days=1)
    assert RetractionAssertion.objects.count() == before
    told = RetractionSnapshot.objects.order_by("pk").values_list("refused", flat=True)
    assert [bool(why) for why in told] == [False, True, True, True]
    assert take(tmp_path, many(70), days=1, allow_shrink=True).vanished == 30


def test_a_row_that_is_gone_takes_nothing_back_and_is_a_question_to_an_editor(desk: Desk, tmp_path: Path) -> None:
    decided, fallen, other = (source(desk, f"10.5555/m.{number}") for number in (1, 2, 3))
    take(tmp_path, many(100))
    RetractionDecisionFactory(source=decided)
    ReviewItem.objects.update(closed_at=NOW)
    came = take(tmp_path, many(98, first=3), days=1)
    assert (came.vanished, came.snapshot.vanished) == (2, ["1", "2"])
    assert status(fallen) is status(other) is Status.RETRACTED
    assert [item.source_id for item in ReviewItem.objects.filter(closed_at=None)] == [fallen.pk]


@pytest.mark.django_db
def test_a_nature_that_nobody_has_mapped_is_reported_once_and_its_rows_are_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    take(tmp_path, many(5, nature="Retractation"))
    assert [record.message for record in caplog.records] == [
        "Retraction Watch has a nature that nobody has mapped: 'Retractation', in 5 rows."
    ]
    caplog.clear()
    take(tmp_path, many(6, nature="Retractation"), days=1)
    assert caplog.records == []
    assert RetractionAssertion.objects.filter(nature=Nature.UNKNOWN, raw_nature="Retractation").count() == 6


def test_sources_that_came_after_the_export_are_matched_by_a_join(
    desk: Desk, tmp_path: Path, django_assert_max_num_queries: object
) -> None:
    take(tmp_path, many(50))
    late, named = source(desk, "10.5555/m.7"), source(desk, "10.5555/elsewhere")
    SourceAliasFactory(
        source=named, spelling="doi:10.5555/m.8", canonical_key=WorkId(IdentifierType.DOI, "10.5555/m.8").key
    )
    assert retraction_checks.match(at=NOW) == 2
    assert [status(one) for one in (late, named)] == [Status.RETRACTED, Status.RETRACTED]
    assert retraction_checks.match(at=NOW) == 0


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (reply(b"", "Retry-After: 7200", status="503 S"), "status 503"),
        (reply(b"<!doctype html><title>Sign in</title>"), "no export"),
        (reply(b"Record ID,", length=5000), "broke off"),
    ],
)
def test_a_download_that_fails_keeps_the_last_export_and_is_tried_again(
    answer: bytes, problem: str, settings: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Loopback(lambda _: answer) as server:
        settings.RETRACTION_WATCH_URL = server.url("/export.csv")  # type: ignore[attr-defined]
        assert retraction_import.import_when_due(at=NOW) is None
        feed = RetractionFeed.objects.get()
        assert problem in feed.problem
        assert feed.retry_at is not None
        assert feed.retry_at >= NOW + timedelta(hours=2 if b"7200" in answer else 1)
        assert retraction_import.import_when_due(at=NOW) is None
        assert len(server.requests) == 1


@pytest.mark.django_db
def test_the_configured_address_is_read_once_a_day(settings: object) -> None:
    with Loopback(lambda _: reply(SAMPLE.read_bytes(), "Content-Type: text/csv")) as server:
        settings.RETRACTION_WATCH_URL = server.url("/export.csv")  # type: ignore[attr-defined]
        came = retraction_import.import_when_due(at=NOW)
        assert not isinstance(came, Unavailable | None)
        assert came.snapshot.rows == 13
        assert retraction_import.import_when_due(at=NOW + timedelta(hours=1)) is None
        again = retraction_import.import_when_due(at=NOW + timedelta(days=1))
        assert again is not None
        assert again.is_known
        assert len(server.requests) == 2
