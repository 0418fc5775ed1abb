"""Nodes are written once and marked often: with room on their page PostgreSQL marks them without touching indexes."""

from django.db import migrations


def leave_room(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE lineage_entity SET (fillfactor = 75)")


def leave_none(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE lineage_entity RESET (fillfactor)")


class Migration(migrations.Migration):
    dependencies = [("lineage", "0003_fill")]
    operations = [migrations.RunPython(leave_room, leave_none)]
