"""Held edges name their ends by the keys of their refs too, by which the nodes are found. A relay has no switch: one
that is not told any more is removed."""

import hashlib

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def _fill(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    held = apps.get_model("lineage", "HeldEdge")
    for row in held.objects.filter(from_key="").order_by("pk").iterator(chunk_size=1_000):
        row.from_key = hashlib.sha256(row.from_ref.encode()).hexdigest()
        row.to_key = hashlib.sha256(row.to_ref.encode()).hexdigest()
        row.save(update_fields=["from_key", "to_key"])


class Migration(migrations.Migration):
    dependencies = [("lineage", "0005_outbox_horizon")]

    operations = [
        migrations.AddField(
            model_name="heldedge",
            name="from_key",
            field=models.CharField(default="", help_text="`Entity.ref_key` of the dependent.", max_length=64),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="heldedge",
            name="to_key",
            field=models.CharField(default="", help_text="`Entity.ref_key` of what it rests on.", max_length=64),
            preserve_default=False,
        ),
        migrations.RunPython(_fill, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name="heldedge",
            index=models.Index(
                condition=models.Q(("released_at__isnull", True)),
                fields=["workspace", "id"],
                name="held_edges_in_order",
            ),
        ),
        migrations.RemoveField(model_name="relay", name="is_on"),
        migrations.AlterField(
            model_name="verification",
            name="evidence_fingerprint",
            field=models.CharField(
                blank=True, help_text="Of the evidence that was looked at, see `lineage.claims`.", max_length=64
            ),
        ),
    ]
