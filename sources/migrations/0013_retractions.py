"""What is said of retractions, what follows for each source, and what editors decided."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_clearance"),
        ("changes", "0001_initial"),
        ("sources", "0012_export_orders"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="RetractionAcknowledgement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "use_kind",
                    models.CharField(
                        choices=[("observation", "Observation"), ("project", "Project"), ("store", "Chunk store")],
                        max_length=12,
                    ),
                ),
                ("use_id", models.BigIntegerField()),
                ("reason", models.TextField()),
                ("evidence_fingerprint", models.CharField(blank=True, max_length=64)),
                ("at", models.DateTimeField()),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="retraction_acknowledgements",
                        to="sources.source",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("use_kind__in", ["observation", "project", "store"])),
                        name="acknowledged_use_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True), name="an_acknowledgement_says_why"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("withdrawn_at__isnull", True)),
                        fields=("source", "use_kind", "use_id"),
                        name="one_acknowledgement_per_use",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RetractionAssertion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(editable=False, max_length=64, unique=True)),
                (
                    "identifier_type",
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
                ("identifier_value", models.TextField(help_text="Normalised, as sources have it.")),
                ("identifier_key", models.CharField(editable=False, max_length=64)),
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
                ("record_id", models.TextField(help_text="The provider's own name for its record.")),
                (
                    "nature",
                    models.CharField(
                        choices=[
                            ("retracted", "Retracted"),
                            ("partial", "Partly retracted"),
                            ("withdrawn", "Withdrawn"),
                            ("removed", "Removed"),
                            ("replaced", "Retracted and replaced"),
                            ("concern", "Expression of concern"),
                            ("corrected", "Corrected"),
                            ("reinstated", "Reinstated"),
                            ("notice", "Is a notice about another work"),
                            ("none", "Nothing known"),
                            ("unknown", "Says something that we cannot read"),
                        ],
                        max_length=10,
                    ),
                ),
                ("raw_nature", models.TextField(blank=True, help_text="As the provider says it.")),
                ("notice_identifier", models.TextField(blank=True)),
                ("notice_date", models.CharField(blank=True, help_text="2010, 2010-02 or 2010-02-06.", max_length=10)),
                ("original_date", models.CharField(blank=True, max_length=10)),
                ("reasons", models.JSONField(blank=True, default=list)),
                ("url", models.TextField(blank=True)),
                (
                    "snapshot",
                    models.CharField(blank=True, help_text="Of what it was read: a digest or a fetch.", max_length=100),
                ),
                ("first_seen_at", models.DateTimeField()),
                ("last_seen_at", models.DateTimeField()),
            ],
            options={
                "indexes": [models.Index(fields=["identifier_key"], name="assertions_by_identifier")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "provider__in",
                                ["retraction-watch", "crossref", "openalex", "pubmed", "arxiv", "editor", "imported"],
                            )
                        ),
                        name="assertion_provider_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "nature__in",
                                [
                                    "retracted",
                                    "partial",
                                    "withdrawn",
                                    "removed",
                                    "replaced",
                                    "concern",
                                    "corrected",
                                    "reinstated",
                                    "notice",
                                    "none",
                                    "unknown",
                                ],
                            )
                        ),
                        name="assertion_nature_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("identifier_key", ""), _negated=True),
                        name="an_assertion_is_about_an_identifier",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RetractionCheck",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("identifier_key", models.CharField(max_length=64)),
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
                ("answered_at", models.DateTimeField(blank=True, null=True)),
                ("failed_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("identifier_key", "provider"), name="retraction_check_once_per_provider"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "provider__in",
                                ["retraction-watch", "crossref", "openalex", "pubmed", "arxiv", "editor", "imported"],
                            )
                        ),
                        name="retraction_check_provider_is_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RetractionDecision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("none-found", "No retraction found"),
                            ("corrected", "Corrected"),
                            ("concern", "Expression of concern"),
                            ("retracted", "Retracted"),
                            ("partial", "Partly retracted"),
                            ("withdrawn", "Withdrawn"),
                            ("removed", "Removed"),
                            ("replaced", "Retracted and replaced"),
                            ("reinstated", "Reinstated"),
                            ("notice", "A notice, not the work it is about"),
                            ("unchecked", "Not checked for retraction"),
                            ("conflict", "Providers disagree"),
                        ],
                        max_length=12,
                    ),
                ),
                ("reason", models.TextField()),
                ("notice", models.TextField(blank=True)),
                ("notice_date", models.CharField(blank=True, max_length=10)),
                ("evidence_fingerprint", models.CharField(blank=True, max_length=64)),
                ("is_stale", models.BooleanField(default=False)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("at", models.DateTimeField()),
                ("undone_at", models.DateTimeField(blank=True, null=True)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "change_set",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="changes.changeset",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="retraction_decisions",
                        to="sources.source",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["source", "-at"], name="retraction_decisions_newest")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "status__in",
                                [
                                    "none-found",
                                    "corrected",
                                    "concern",
                                    "retracted",
                                    "partial",
                                    "withdrawn",
                                    "removed",
                                    "replaced",
                                    "reinstated",
                                    "notice",
                                    "unchecked",
                                    "conflict",
                                ],
                            )
                        ),
                        name="retraction_decision_status_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True), name="a_retraction_decision_says_why"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RetractionStanding",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("none-found", "No retraction found"),
                            ("corrected", "Corrected"),
                            ("concern", "Expression of concern"),
                            ("retracted", "Retracted"),
                            ("partial", "Partly retracted"),
                            ("withdrawn", "Withdrawn"),
                            ("removed", "Removed"),
                            ("replaced", "Retracted and replaced"),
                            ("reinstated", "Reinstated"),
                            ("notice", "A notice, not the work it is about"),
                            ("unchecked", "Not checked for retraction"),
                            ("conflict", "Providers disagree"),
                        ],
                        max_length=12,
                    ),
                ),
                ("is_retracted", models.BooleanField(default=False)),
                ("needs_editor", models.BooleanField(default=False)),
                ("disagrees", models.BooleanField(default=False)),
                ("version", models.CharField(max_length=10)),
                ("evidence_fingerprint", models.CharField(blank=True, max_length=64)),
                ("as_of", models.DateTimeField(blank=True, null=True)),
                ("changed_at", models.DateTimeField(help_text="When the evidence or the status last changed.")),
                (
                    "source",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="retraction_standing",
                        to="sources.source",
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
                "indexes": [models.Index(fields=["workspace", "status", "-changed_at"], name="standings_by_status")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "status__in",
                                [
                                    "none-found",
                                    "corrected",
                                    "concern",
                                    "retracted",
                                    "partial",
                                    "withdrawn",
                                    "removed",
                                    "replaced",
                                    "reinstated",
                                    "notice",
                                    "unchecked",
                                    "conflict",
                                ],
                            )
                        ),
                        name="standing_status_is_known",
                    )
                ],
            },
        ),
        migrations.RemoveConstraint(
            model_name="reviewitem",
            name="review_reason_is_known",
        ),
        migrations.AlterField(
            model_name="reviewitem",
            name="reason",
            field=models.CharField(
                choices=[
                    ("thin", "Too little to judge"),
                    ("title-swapped", "Another work at this address"),
                    ("recovered", "Found at another address"),
                    ("failed", "Could not be fetched"),
                    ("new-evidence", "New evidence against a decision"),
                    ("impact", "It fell, and others rest on it"),
                    ("retraction", "News about its retraction"),
                ],
                max_length=15,
            ),
        ),
        migrations.AddConstraint(
            model_name="reviewitem",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "reason__in",
                        ["thin", "title-swapped", "recovered", "failed", "new-evidence", "impact", "retraction"],
                    )
                ),
                name="review_reason_is_known",
            ),
        ),
    ]
