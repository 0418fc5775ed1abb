"""What merging needs: stable ids that lead on, keys of near titles, and which sources gave the same content."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_initial"),
        ("lineage", "0001_initial"),
        ("sources", "0005_registry"),
    ]

    operations = [
        migrations.CreateModel(
            name="EntryAlias",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("added_at", models.DateTimeField(help_text="When the id was given.")),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="former", to="sources.catalogentry"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="entry_aliases", to="sources.project"
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        help_text="The source it was first given to.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="sources.source",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "entry aliases",
                "constraints": [
                    models.UniqueConstraint(fields=("project", "number"), name="entry_alias_once_per_project")
                ],
            },
        ),
        migrations.CreateModel(
            name="TitleKey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.BigIntegerField()),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="title_keys", to="sources.source"
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="accounts.workspace"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["workspace", "key"], name="title_keys_by_key")],
                "constraints": [models.UniqueConstraint(fields=("source", "key"), name="title_key_once_per_source")],
            },
        ),
        migrations.AddIndex(
            model_name="sourceversion",
            index=models.Index(fields=["sha256"], name="versions_by_content"),
        ),
    ]
