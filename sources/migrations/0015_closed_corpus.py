"""Outlines, corpora and drafts: what closed-corpus writing keeps."""

import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("lineage", "0004_room_for_updates"),
        ("sources", "0014_retraction_proposals"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Draft",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("name", models.CharField(max_length=200)),
                (
                    "mode",
                    models.CharField(
                        choices=[("strict", "strict"), ("hybrid", "hybrid")], default="strict", max_length=10
                    ),
                ),
                (
                    "policy",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="Action by standing, `{“retracted”: “refuse”}`; empty is the default.",
                    ),
                ),
                (
                    "next_number",
                    models.PositiveIntegerField(default=1, help_text="Number of the next version; never reused."),
                ),
                ("created_at", models.DateTimeField()),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="drafts", to="sources.project"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("project", "name"), name="draft_name_once_per_project"),
                    models.CheckConstraint(
                        condition=models.Q(("mode__in", ["strict", "hybrid"])), name="draft_mode_is_known"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DraftVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("number", models.PositiveIntegerField()),
                (
                    "origin",
                    models.CharField(
                        choices=[
                            ("written", "Given"),
                            ("reconciled", "Reconciled"),
                            ("resolved", "Marker resolved"),
                            ("corrected", "Corrected"),
                        ],
                        default="written",
                        max_length=15,
                    ),
                ),
                ("note", models.CharField(blank=True, max_length=300)),
                ("text", models.TextField(blank=True)),
                ("gated_text", models.TextField(blank=True)),
                (
                    "sha256",
                    models.CharField(help_text="Lower-case hex digest of the gated text in UTF-8.", max_length=64),
                ),
                ("problems", models.JSONField(blank=True, default=list)),
                ("citations", models.JSONField(blank=True, default=list)),
                ("changes", models.JSONField(blank=True, default=list)),
                ("marker_count", models.PositiveIntegerField(default=0)),
                ("claim_count", models.PositiveIntegerField(default=0)),
                (
                    "refused_count",
                    models.PositiveIntegerField(default=0, help_text="Problems that keep it from being handed on."),
                ),
                ("created_at", models.DateTimeField()),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "draft",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="versions", to="sources.draft"
                    ),
                ),
                (
                    "entity",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="lineage.entity",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("draft", "number"), name="draft_number_once_per_draft"),
                    models.CheckConstraint(
                        condition=models.Q(("origin__in", ["written", "reconciled", "resolved", "corrected"])),
                        name="draft_origin_is_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="OutlineSection",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("guiding_questions", models.JSONField(blank=True, default=list, help_text="A list of sentences.")),
                (
                    "preferred_sources",
                    models.JSONField(
                        blank=True, default=list, help_text="A list of domains, publishers and kinds, each a text."
                    ),
                ),
                ("position", models.PositiveIntegerField(help_text="Place in the text, from 1.")),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="outline", to="sources.project"
                    ),
                ),
                (
                    "section",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="outline", to="sources.section"
                    ),
                ),
            ],
            options={
                "ordering": ("position", "pk"),
            },
        ),
        migrations.CreateModel(
            name="CorpusEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("fetched_at", models.DateTimeField(blank=True, null=True)),
                (
                    "excerpt",
                    models.TextField(blank=True, help_text="The passage of its text that the writer may lean on."),
                ),
                ("summary", models.TextField(blank=True, help_text="Sentences of the excerpt, as they stand there.")),
                (
                    "body_sha256",
                    models.CharField(blank=True, help_text="Lower-case hex digest of what was read.", max_length=64),
                ),
                ("retrieval_query", models.TextField(blank=True)),
                ("retrieval_tool", models.CharField(blank=True, max_length=50)),
                (
                    "rank",
                    models.PositiveIntegerField(
                        blank=True, help_text="Place among what the tool gave, from 1.", null=True
                    ),
                ),
                ("score", models.FloatField(blank=True, null=True)),
                (
                    "verdict",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("verified-accessible", "Verified"),
                            ("verified-gated", "Verified, gated"),
                            ("verified-via-republish", "Verified at a new address"),
                            ("thin", "Too thin to judge"),
                            ("title-swapped", "Another work"),
                            ("fetch-failed", "Could not be fetched"),
                            ("paywall-stub", "Paywall stub"),
                            ("soft-404-graceful", "Gone, politely"),
                            ("hard-404", "Gone"),
                            ("hallucinated-pattern", "Fabricated pattern"),
                        ],
                        max_length=25,
                    ),
                ),
                ("access_note", models.TextField(blank=True)),
                ("kept_at", models.DateTimeField()),
                (
                    "entity",
                    models.ForeignKey(
                        blank=True,
                        help_text="The retrieval hit in the lineage graph.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="lineage.entity",
                    ),
                ),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="corpus", to="sources.catalogentry"
                    ),
                ),
                (
                    "kept_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "section",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="corpus", to="sources.section"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "corpus entries",
                "constraints": [
                    models.UniqueConstraint(fields=("entry", "section"), name="corpus_entry_once_per_section"),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "verdict__in",
                                [
                                    "verified-accessible",
                                    "verified-gated",
                                    "verified-via-republish",
                                    "thin",
                                    "title-swapped",
                                    "fetch-failed",
                                    "paywall-stub",
                                    "soft-404-graceful",
                                    "hard-404",
                                    "hallucinated-pattern",
                                    "",
                                ],
                            )
                        ),
                        name="corpus_verdict_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("rank__isnull", True), ("rank__gt", 0), _connector="OR"),
                        name="corpus_rank_counts_from_one",
                    ),
                ],
            },
        ),
    ]
