"""Many rows at once, with the same result as row by row."""

import pytest
from django.db import DataError, IntegrityError, connection, transaction

from lineage.models import Edge, Entity
from provenance_site.kit.rows import in_parts, insert_columns, insert_rows, update_rows
from sources.models import Check, Source, SourceVersion
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


def test_columns_are_written_with_the_defaults_of_the_other_fields() -> None:
    edge = make.EdgeFactory()
    keys = insert_columns(
        Edge,
        {"edge_key": ["a" * 64, "b" * 64], "run_id": ["first", "second"]},
        same={
            "workspace_id": edge.workspace_id, "from_entity_id": edge.from_entity_id,
            "to_entity_id": edge.to_entity_id, "relation": edge.relation, "created_at": edge.created_at,
        },
    )  # fmt: skip
    rows = Edge.objects.exclude(pk=edge.pk).order_by("edge_key")
    assert [(row.pk, row.run_id, row.metadata, row.span_id) for row in rows] == [
        (keys[0], "first", {}, ""), (keys[1], "second", {}, ""),
    ]  # fmt: skip


def test_a_column_that_does_not_exist_or_is_too_short_is_refused() -> None:
    with pytest.raises(ValueError, match="Entity has no colour"):
        insert_columns(Entity, {"colour": ["red"]}, same={})
    with pytest.raises(ValueError, match="unequal length"):
        insert_columns(Entity, {"ref": ["a", "b"], "ref_key": ["a"]}, same={})


def test_a_text_longer_than_its_column_is_never_shortened_on_the_way() -> None:
    entity = make.EntityFactory.build(workspace=make.WorkspaceFactory(), version="x" * 201)
    if connection.vendor == "postgresql":
        with pytest.raises(DataError), transaction.atomic():
            insert_rows([entity])
    else:
        insert_rows([entity])
        assert Entity.objects.get().version == "x" * 201


@pytest.mark.parametrize(
    ("number", "sizes"), [(0, []), (1, [1]), (500, [500]), (501, [500, 1]), (1_200, [500, 500, 200])]
)
def test_values_come_in_parts_and_in_order(number: int, sizes: list[int]) -> None:
    parts = list(in_parts(range(number)))
    assert [len(part) for part in parts] == sizes
    assert [value for part in parts for value in part] == list(range(number))
