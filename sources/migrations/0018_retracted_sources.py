"""An index of the retracted sources: few of all, and counted on each page about retractions."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_clearance"),
        ("lineage", "0006_ends_of_held_edges"),
        ("sources", "0017_parts_and_versions"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="source",
            index=models.Index(
                fields=["workspace"],
                name="sources_retracted",
                condition=models.Q(("merged_into__isnull", True), ("retracted", True)),
            ),
        ),
    ]
