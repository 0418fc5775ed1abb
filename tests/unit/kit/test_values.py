"""Rows of values, and keys for them before they are written."""

import pytest

from provenance_site.kit.values import insert_values, reserve_keys, update_values
from sources.models import Reading, Source, Tag
from tests import factories as make

pytestmark = pytest.mark.django_db


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
