"""Mail, feeds and webhooks: the ways on which people and programs are told beside the inbox."""

import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_clearance"),
        ("notices", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="notice",
            name="mailed_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name="FeedAddress",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100)),
                ("prefix", models.CharField(max_length=12)),
                ("key_hash", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField()),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                ("last_used_at", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
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
                "verbose_name_plural": "feed addresses",
            },
        ),
        migrations.CreateModel(
            name="Webhook",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("url", models.TextField()),
                ("sealed_secret", models.TextField(help_text="Encrypted, see `kit.sealing`.")),
                ("set_at", models.DateTimeField()),
                (
                    "set_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "workspace",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="accounts.workspace"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="MailChoice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "pace",
                    models.CharField(
                        choices=[
                            ("none", "No mail; the inbox is enough"),
                            ("daily", "One mail a day, with what is new and unread"),
                            ("each", "A mail as soon as there is something new"),
                        ],
                        default="none",
                        max_length=10,
                    ),
                ),
                ("since", models.DateTimeField(help_text="Notices from before are not mailed.")),
                ("last_at", models.DateTimeField(blank=True, help_text="When the last mail went out.", null=True)),
                ("last_error", models.CharField(blank=True, max_length=300)),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("pace__in", ["none", "daily", "each"])), name="mail_pace_is_known"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="WebhookDelivery",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("event_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("kind", models.CharField(max_length=40)),
                ("key", models.CharField(max_length=100)),
                ("subject_id", models.BigIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("delivered", "Delivered"),
                            ("failed", "Given up"),
                            ("void", "Nothing left to tell"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("due_at", models.DateTimeField()),
                ("held_by", models.CharField(blank=True, max_length=100)),
                ("held_until", models.DateTimeField(blank=True, null=True)),
                (
                    "status",
                    models.PositiveIntegerField(blank=True, help_text="What the receiver answered last.", null=True),
                ),
                ("error", models.CharField(blank=True, max_length=300)),
                ("created_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "webhook",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="deliveries", to="notices.webhook"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "webhook deliveries",
                "indexes": [models.Index(fields=["state", "due_at"], name="deliveries_by_their_turn")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["waiting", "delivered", "failed", "void"])),
                        name="delivery_state_is_known",
                    ),
                    models.UniqueConstraint(
                        fields=("webhook", "kind", "key"), name="delivery_once_per_webhook_and_news"
                    ),
                ],
            },
        ),
    ]
