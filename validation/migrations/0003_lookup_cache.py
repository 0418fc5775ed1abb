from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("validation", "0002_own_entries"),
    ]

    operations = [
        migrations.CreateModel(
            name="LookupCache",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "key",
                    models.CharField(help_text="Lower-case hex SHA-256 of the question.", max_length=64, unique=True),
                ),
                ("answer", models.TextField(help_text="JSON, see `core.lookups.written`.")),
                ("stored_at", models.DateTimeField()),
            ],
            options={
                "indexes": [models.Index(fields=["stored_at"], name="lookups_oldest_first")],
            },
        ),
    ]
