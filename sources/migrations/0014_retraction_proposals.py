"""Bulk edits of retractions that wait for a second person."""

import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_clearance"),
        ("changes", "0001_initial"),
        ("sources", "0013_retractions"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="RetractionPolicy",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "second_person",
                    models.BooleanField(default=False, help_text="Bulk edits of retractions need another's approval."),
                ),
                (
                    "workspace",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="retraction_policy",
                        to="accounts.workspace",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "retraction policies",
            },
        ),
        migrations.CreateModel(
            name="RetractionProposal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("list", "Decide about a list"),
                            ("retract", "Mark retracted"),
                            ("unretract", "Take the retraction mark off"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("approved", "Approved"),
                            ("refused", "Refused"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("note", models.TextField()),
                ("planned", models.PositiveIntegerField(help_text="Sources that would change.")),
                ("left", models.PositiveIntegerField(help_text="Lines that are left alone.")),
                (
                    "channel",
                    models.CharField(
                        choices=[
                            ("page", "page"),
                            ("admin", "admin"),
                            ("api", "api"),
                            ("command", "command"),
                            ("job", "job"),
                        ],
                        max_length=10,
                    ),
                ),
                ("proposed_at", models.DateTimeField()),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                ("reason", models.TextField(blank=True, help_text="Why it was refused.")),
                (
                    "change_set",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="changes.changeset",
                    ),
                ),
                (
                    "decided_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "proposed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
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
                "indexes": [models.Index(fields=["workspace", "state", "-proposed_at"], name="proposals_by_state")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["list", "retract", "unretract"])),
                        name="proposal_kind_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["waiting", "approved", "refused", "withdrawn"])),
                        name="proposal_state_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("channel__in", ["page", "admin", "api", "command", "job"])),
                        name="proposal_channel_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("decided_at", None), ("decided_by", None), ("state", "waiting")),
                            models.Q(
                                models.Q(("state", "waiting"), _negated=True),
                                ("decided_at__isnull", False),
                                ("decided_by__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="a_proposal_is_decided_exactly_when_it_no_longer_waits",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state__in", ["approved", "refused"]), _negated=True),
                            models.Q(("decided_by", models.F("proposed_by")), _negated=True),
                            _connector="OR",
                        ),
                        name="nobody_decides_about_a_proposal_of_their_own",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RetractionProposalRow",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("line", models.PositiveIntegerField()),
                ("seen_version", models.PositiveIntegerField(default=0)),
                ("seen_decision", models.BigIntegerField(default=0)),
                ("seen_evidence", models.CharField(blank=True, max_length=64)),
                (
                    "status",
                    models.CharField(
                        blank=True,
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
                ("reason", models.TextField(blank=True)),
                ("notice", models.TextField(blank=True)),
                ("notice_date", models.CharField(blank=True, max_length=10)),
                ("spelling", models.TextField(blank=True, help_text="The line as it was given.")),
                ("before", models.TextField(blank=True)),
                ("after", models.TextField(blank=True)),
                ("why", models.TextField(blank=True, help_text="Why it is left alone, empty where it changes.")),
                (
                    "proposal",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rows",
                        to="sources.retractionproposal",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="sources.source",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["proposal", "line"], name="proposal_rows_in_order")],
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
                                    "",
                                ],
                            )
                        ),
                        name="proposed_status_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("why", ""), _negated=True),
                            models.Q(("source__isnull", False), models.Q(("status", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="a_proposed_change_says_what",
                    ),
                ],
            },
        ),
    ]
