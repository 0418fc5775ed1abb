"""What the newest check of each source read, for judging it again."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("sources", "0003_freshness"),
    ]

    operations = [
        migrations.CreateModel(
            name="Reading",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("content", models.JSONField(help_text="In the form of `validation.core.stored`.")),
                (
                    "check_made",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="reading", to="sources.check"
                    ),
                ),
                (
                    "source",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="reading", to="sources.source"
                    ),
                ),
            ],
        ),
    ]
