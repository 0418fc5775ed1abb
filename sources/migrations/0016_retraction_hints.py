"""What a file says of retractions, and what a person should look at where no provider names the work itself."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_clearance"),
        ("sources", "0015_closed_corpus"),
    ]

    operations = [
        migrations.CreateModel(
            name="RetractionHint",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("title", "title"),
                            ("part", "part"),
                            ("unregistered", "unregistered"),
                            ("other-title", "other-title"),
                        ],
                        max_length=12,
                    ),
                ),
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
                ("record_id", models.CharField(max_length=200)),
                ("words", models.TextField(blank=True)),
                ("at", models.DateTimeField()),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="retraction_hints",
                        to="sources.source",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["title", "part", "unregistered", "other-title"])),
                        name="retraction_hint_kind_is_known",
                    ),
                    models.UniqueConstraint(
                        fields=("source", "kind", "provider", "record_id"), name="hinted_once_for_each_record"
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="retractionassertion",
            name="workspace",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                help_text="Where an imported file said it; none for what holds everywhere.",
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="accounts.workspace",
            ),
        ),
        migrations.AddIndex(
            model_name="retractionassertion",
            index=models.Index(
                condition=models.Q(("workspace__isnull", False)), fields=["workspace"], name="assertions_of_files"
            ),
        ),
        migrations.AddConstraint(
            model_name="retractionassertion",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("provider", "imported"), ("workspace__isnull", False)),
                    models.Q(models.Q(("provider", "imported"), _negated=True), ("workspace__isnull", True)),
                    _connector="OR",
                ),
                name="what_a_file_says_is_heard_in_its_workspace_alone",
            ),
        ),
    ]
