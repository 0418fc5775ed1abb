"""Which sources are parts of which books, and which preprint belongs to which published work."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("sources", "0016_retraction_hints"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="WorkVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "preprint_type",
                    models.CharField(
                        choices=[
                            ("doi", "doi"),
                            ("url", "url"),
                            ("isbn", "isbn"),
                            ("issn", "issn"),
                            ("arxiv", "arxiv"),
                            ("urn", "urn"),
                            ("handle", "handle"),
                            ("pmid", "pmid"),
                            ("none", "none"),
                        ],
                        max_length=10,
                    ),
                ),
                ("preprint_value", models.TextField(help_text="Normalised, as sources have it.")),
                ("preprint_key", models.CharField(editable=False, max_length=64)),
                (
                    "published_type",
                    models.CharField(
                        choices=[
                            ("doi", "doi"),
                            ("url", "url"),
                            ("isbn", "isbn"),
                            ("issn", "issn"),
                            ("arxiv", "arxiv"),
                            ("urn", "urn"),
                            ("handle", "handle"),
                            ("pmid", "pmid"),
                            ("none", "none"),
                        ],
                        max_length=10,
                    ),
                ),
                ("published_value", models.TextField(help_text="Normalised, as sources have it.")),
                ("published_key", models.CharField(editable=False, max_length=64)),
                (
                    "provider",
                    models.CharField(
                        choices=[
                            ("retraction-watch", "Retraction Watch"),
                            ("crossref", "Crossref"),
                            ("openalex", "OpenAlex"),
                            ("pubmed", "PubMed"),
                            ("arxiv", "arXiv"),
                            ("editor", "An editor"),
                            ("imported", "An imported file"),
                        ],
                        max_length=20,
                    ),
                ),
                ("first_seen_at", models.DateTimeField()),
            ],
            options={
                "indexes": [models.Index(fields=["published_key"], name="versions_by_published")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("preprint_key", "published_key", "provider"), name="a_version_is_told_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "provider__in",
                                ["retraction-watch", "crossref", "openalex", "pubmed", "arxiv", "editor", "imported"],
                            )
                        ),
                        name="version_provider_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("preprint_key", ""), _negated=True),
                            models.Q(("published_key", ""), _negated=True),
                            models.Q(("preprint_key", models.F("published_key")), _negated=True),
                        ),
                        name="a_preprint_is_another_work_than_what_was_published",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SourcePart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField()),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        help_text="Who said so; nobody where the record itself does.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "part",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="wholes", to="sources.source"
                    ),
                ),
                (
                    "whole",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="parts", to="sources.source"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("part", "whole"), name="a_part_is_told_once"),
                    models.CheckConstraint(
                        condition=models.Q(("part", models.F("whole")), _negated=True),
                        name="nothing_is_a_part_of_itself",
                    ),
                ],
            },
        ),
    ]
