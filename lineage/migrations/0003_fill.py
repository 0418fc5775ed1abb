"""Rows of before get what the new columns say: which edges are walked, the level of a node, since when it is superseded."""

from django.db import migrations
from django.db.models import Case, F, Value, When


def fill(apps, schema_editor):
    entity, edge = apps.get_model("lineage", "Entity"), apps.get_model("lineage", "Edge")
    labels = ["public", "internal", "confidential", "restricted"]
    entity.objects.update(
        level=Case(*[When(classification=label, then=Value(level)) for level, label in enumerate(labels)])
    )
    # The moment itself was not kept; the node's own is the earliest it can have been.
    entity.objects.filter(state="superseded").update(superseded_at=F("created_at"))
    entity.objects.filter(state="tombstoned").update(tombstoned_at=F("created_at"))
    edge.objects.filter(relation="SUPERSEDES").update(is_dependence=False)


class Migration(migrations.Migration):
    dependencies = [("lineage", "0002_graph")]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
