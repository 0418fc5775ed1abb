import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_initial"),
        ("jobs", "0002_items_that_go_together"),
        ("sources", "0011_impact_review"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ExportOrder",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "format",
                    models.CharField(
                        choices=[
                            ("master-verdict", "Master-Sources.md, by verdict"),
                            ("master-memo", "Master-Sources.md, memo layout"),
                            ("best-sources", "Best-Sources of a section"),
                            ("sourced-corpus", "sourced_corpus.json of a section"),
                            ("sources-md", "Sources.md"),
                            ("bibtex", "BibTeX"),
                            ("ris", "RIS"),
                            ("csl-json", "CSL-JSON"),
                            ("csv", "CSV"),
                            ("json-lines", "JSON Lines"),
                            ("recovery-log", "recovery-log.json"),
                            ("run-report", "Run report"),
                            ("bundle", "Everything (zip)"),
                        ],
                        max_length=30,
                    ),
                ),
                ("section", models.CharField(blank=True, max_length=100)),
                ("query", models.TextField(blank=True)),
                (
                    "is_list",
                    models.BooleanField(
                        default=False, help_text="Of what `query` finds, rather than of the whole project."
                    ),
                ),
                ("is_external", models.BooleanField(default=True)),
                (
                    "read",
                    models.PositiveBigIntegerField(
                        default=0, help_text="Sources read so far; an archive reads each many times."
                    ),
                ),
                (
                    "expected",
                    models.PositiveBigIntegerField(
                        default=0, help_text="How many there will be; 0 where nobody knows yet."
                    ),
                ),
                ("problem", models.TextField(blank=True, help_text="Why it was not made, and the way out.")),
                ("created_at", models.DateTimeField()),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "export",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="sources.export",
                    ),
                ),
                (
                    "job",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="jobs.job",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="sources.project",
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="export_orders",
                        to="accounts.workspace",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "format__in",
                                [
                                    "master-verdict",
                                    "master-memo",
                                    "best-sources",
                                    "sourced-corpus",
                                    "sources-md",
                                    "bibtex",
                                    "ris",
                                    "csl-json",
                                    "csv",
                                    "json-lines",
                                    "recovery-log",
                                    "run-report",
                                    "bundle",
                                ],
                            )
                        ),
                        name="export_order_format_is_known",
                    )
                ],
            },
        ),
    ]
