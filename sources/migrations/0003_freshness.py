"""How far a verdict carries: fresh until, tried again at, final."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_initial"),
        ("lineage", "0001_initial"),
        ("sources", "0002_finer_causes"),
    ]

    operations = [
        migrations.AddField(
            model_name="source",
            name="fresh_until",
            field=models.DateTimeField(
                blank=True, help_text="Until then the verdict is not asked for again.", null=True
            ),
        ),
        migrations.AddField(
            model_name="source",
            name="is_final",
            field=models.BooleanField(default=False, help_text="Enough checks over days agree that the page is gone."),
        ),
        migrations.AddField(
            model_name="source",
            name="retry_at",
            field=models.DateTimeField(
                blank=True, help_text="When it is checked again by itself: failed, or dead for now.", null=True
            ),
        ),
        migrations.AddIndex(
            model_name="source",
            index=models.Index(
                condition=models.Q(("retry_at__isnull", False)), fields=["retry_at"], name="sources_to_retry"
            ),
        ),
    ]
