"""Edits, undos and looks for duplicates that a worker does part by part."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("changes", "0001_initial"),
        ("jobs", "0002_items_that_go_together"),
        ("sources", "0008_exports"),
    ]

    operations = [
        migrations.CreateModel(
            name="LongDeed",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("edit", "Edit of sources"),
                            ("drop", "Drop of sources"),
                            ("retract", "Retraction marks"),
                            ("unretract", "Retraction marks taken off"),
                            ("undo", "Undo"),
                            ("find-pairs", "Look for duplicates"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "given",
                    models.JSONField(blank=True, default=dict, help_text="What the person asked for, by its kind."),
                ),
                (
                    "tally",
                    models.JSONField(blank=True, default=dict, help_text="What was done so far, counted by word."),
                ),
                (
                    "skipped",
                    models.JSONField(blank=True, default=list, help_text="Some of what was left alone, as sentences."),
                ),
                ("total", models.PositiveIntegerField(help_text="Rows to go through.")),
                ("query", models.TextField(blank=True, help_text="The filter of the list it was begun from.")),
                (
                    "change_set",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="long_deed",
                        to="changes.changeset",
                    ),
                ),
                (
                    "job",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="long_deed", to="jobs.job"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("kind__in", ["edit", "drop", "retract", "unretract", "undo", "find-pairs"])
                        ),
                        name="long_deed_kind_is_known",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="LongDeedPart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField(help_text="The subject of the job's item.")),
                ("rows", models.JSONField(blank=True, default=list)),
                (
                    "deed",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parts",
                        to="sources.longdeed",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("deed", "number"), name="long_deed_part_once")],
            },
        ),
    ]
