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
            ],
            options={
                "verbose_name_plural": "entry aliases",
            },
        ),
        migrations.CreateModel(
            name="TitleKey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.BigIntegerField()),
            ],
        ),
        migrations.AddIndex(
            model_name="sourceversion",
            index=models.Index(fields=["sha256"], name="versions_by_content"),
        ),
        migrations.AddField(
            model_name="entryalias",
            name="entry",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="former", to="sources.catalogentry"
            ),
        ),
        migrations.AddField(
            model_name="entryalias",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="entry_aliases", to="sources.project"
            ),
        ),
        migrations.AddField(
            model_name="entryalias",
            name="source",
            field=models.ForeignKey(
                help_text="The source it was first given to.",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="sources.source",
            ),
        ),
        migrations.AddField(
            model_name="titlekey",
            name="source",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="title_keys", to="sources.source"
            ),
        ),
        migrations.AddField(
            model_name="titlekey",
            name="workspace",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="accounts.workspace"
            ),
        ),
        migrations.AddConstraint(
            model_name="entryalias",
            constraint=models.UniqueConstraint(fields=("project", "number"), name="entry_alias_once_per_project"),
        ),
        migrations.AddIndex(
            model_name="titlekey",
            index=models.Index(fields=["workspace", "key"], name="title_keys_by_key"),
        ),
        migrations.AddConstraint(
            model_name="titlekey",
            constraint=models.UniqueConstraint(fields=("source", "key"), name="title_key_once_per_source"),
        ),
    ]
