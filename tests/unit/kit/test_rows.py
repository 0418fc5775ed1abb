"""Many rows at once, with the same result as row by row."""

import pytest
from django.db import IntegrityError, transaction

from lineage.models import Edge
from provenance_site.kit.rows import in_parts, insert_rows, insert_values, reserve_keys, update_rows, update_values
from sources.models import Check, Reading, Source, SourceVersion, Tag
from tests import factories as make

pytestmark = pytest.mark.django_db


def test_inserted_rows_get_their_keys_and_hold_what_they_were_given() -> None:
    source = make.SourceFactory()
    rows = [make.CheckFactory.build(source=source, evidence={"place": place}) for place in range(3)]
    insert_rows(rows)
    found = {check.pk: check.evidence for check in Check.objects.filter(source=source)}
    assert found == {row.pk: {"place": place} for place, row in enumerate(rows)}


def test_a_row_that_a_constraint_refuses_is_left_out_when_conflicts_are_ignored() -> None:
    there = make.SourceVersionFactory()
    rows = [
        make.SourceVersionFactory.build(source=there.source, sha256=there.sha256),
        make.SourceVersionFactory.build(source=there.source, sha256="e" * 64),
    ]
    insert_rows(rows, ignore_conflicts=True)
    assert SourceVersion.objects.filter(source=there.source).count() == 2
    with pytest.raises(IntegrityError), transaction.atomic():
        insert_rows(rows[:1])


def test_only_the_named_fields_are_updated() -> None:
    sources = [make.SourceFactory(title="before", publisher="before") for _ in range(2)]
    for place, source in enumerate(sources):
        source.title, source.publisher = f"after {place}", "not written"
    update_rows(sources, ["title"])
    assert list(Source.objects.order_by("pk").values_list("title", "publisher")) == [
        ("after 0", "before"),
        ("after 1", "before"),
    ]


def test_a_row_of_another_s_is_written_as_null() -> None:
    version = make.SourceVersionFactory()
    version.entity = None
    update_rows([version], ["entity"])
    version.refresh_from_db()
    assert version.entity_id is None


def test_nothing_to_write_asks_nothing_of_the_database(django_assert_num_queries: object) -> None:
    with django_assert_num_queries(0):  # type: ignore[operator]
        insert_rows([])
        update_rows([], ["title"])


def test_more_values_than_a_statement_takes_are_sent_in_parts() -> None:
    edge = make.EdgeFactory()
    rows = [
        make.EdgeFactory.build(
            workspace=edge.workspace, from_entity=edge.from_entity, to_entity=edge.to_entity, edge_key=f"{place:064}"
        )
        for place in range(4000)
    ]
    insert_rows(rows)
    assert Edge.objects.count() == 4001


def test_reserved_keys_are_nobody_else_s_and_go_on_rising() -> None:
    workspace = make.WorkspaceFactory()
    keys = reserve_keys(Tag, 2)
    rows = [(key, workspace.pk, f"tag {key}") for key in keys]
    assert insert_values(Tag, ("id", "workspace_id", "name"), rows) == 2
    later = Tag.objects.create(workspace=workspace, name="later")
    assert (
        keys == sorted(set(keys)) == list(Tag.objects.exclude(pk=later.pk).order_by("pk").values_list("pk", flat=True))
    )
    assert later.pk > max(keys)
    assert min(reserve_keys(Tag, 1)) > later.pk


def test_of_values_that_a_constraint_refuses_the_others_are_counted() -> None:
    tag = make.TagFactory()
    rows = [(tag.workspace_id, tag.name), (tag.workspace_id, "new")]
    assert insert_values(Tag, ("workspace_id", "name"), rows, ignore_conflicts=True) == 1


def test_a_row_takes_the_place_of_the_one_that_has_its_unique_value() -> None:
    first, second = (make.CheckFactory(source=source) for source in [make.SourceFactory()] * 2)
    for check, content in ((first, '{"was": "ä"}'), (second, '{"is": "ö"}')):
        row = (check.source_id, check.pk, content)
        insert_values(Reading, ("source_id", "check_made_id", "content"), [row], replacing="source_id")
    reading = Reading.objects.get()
    assert (reading.check_made, reading.content) == (second, {"is": "ö"})


def test_of_two_values_for_one_row_the_last_holds() -> None:
    source, other = make.SourceFactory(), make.SourceFactory(title="other")
    update_values(Source, ["title", "retracted"], [(source.pk, "first", False), (source.pk, "last", True)])
    assert set(Source.objects.values_list("title", "retracted")) == {("last", True), (other.title, False)}


@pytest.mark.parametrize(
    ("number", "sizes"), [(0, []), (1, [1]), (500, [500]), (501, [500, 1]), (1_200, [500, 500, 200])]
)
def test_values_come_in_parts_and_in_order(number: int, sizes: list[int]) -> None:
    parts = list(in_parts(range(number)))
    assert [len(part) for part in parts] == sizes
    assert [value for part in parts for value in part] == list(range(number))
