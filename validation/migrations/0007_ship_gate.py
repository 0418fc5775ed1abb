import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0002_items_that_go_together"),
        ("sources", "0015_closed_corpus"),
        ("validation", "0006_harvest"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="HarvestRequest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[("marker", "Claim without a source"), ("new-link", "Link that is not in the corpus")],
                        max_length=10,
                    ),
                ),
                ("key", models.CharField(editable=False, max_length=64)),
                ("claim", models.TextField(blank=True)),
                ("url", models.TextField(blank=True, help_text="The address that the draft brought; '' for a marker.")),
                ("line", models.PositiveIntegerField(default=0, help_text="Where it stands in that version, from 1.")),
                ("query", models.TextField(blank=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Being searched"),
                            ("searched", "Waiting for your choice"),
                            ("picked", "A source was chosen"),
                            ("dismissed", "Closed without a source"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("told", models.JSONField(blank=True, default=list)),
                ("asked_at", models.DateTimeField()),
                ("held_until", models.DateTimeField(blank=True, help_text="A worker has it until then.", null=True)),
                (
                    "attempts",
                    models.PositiveSmallIntegerField(default=0, help_text="How often a worker began to search for it."),
                ),
                ("searched_at", models.DateTimeField(blank=True, null=True)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "asked_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "closed_by",
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
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="harvest_requests",
                        to="sources.draft",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="harvest_requests",
                        to="sources.draftversion",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(condition=models.Q(("state", "open")), fields=["id"], name="harvest_requests_open")
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("draft", "key"), name="harvest_request_once_per_draft"),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["marker", "new-link"])), name="harvest_request_kind_is_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["open", "searched", "picked", "dismissed"])),
                        name="harvest_request_state_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("claim", ""), ("url", ""), _negated=True),
                        name="harvest_request_asks_for_something",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RequestCandidate",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("key", models.CharField(help_text="As `sources.core.records.Identity.key`.", max_length=64)),
                ("url", models.TextField()),
                ("title", models.TextField(blank=True)),
                ("tool", models.CharField(max_length=50)),
                ("rank", models.PositiveIntegerField()),
                ("snippet", models.TextField(blank=True)),
                ("published", models.CharField(blank=True, max_length=40)),
                (
                    "verdict",
                    models.CharField(
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
                (
                    "cause",
                    models.CharField(
                        choices=[
                            ("content", "content"),
                            ("content-untitled", "content-untitled"),
                            ("title-differs", "title-differs"),
                            ("redirect-to-root", "redirect-to-root"),
                            ("redirect-to-error", "redirect-to-error"),
                            ("catch-all", "catch-all"),
                            ("says-gone", "says-gone"),
                            ("not-found", "not-found"),
                            ("gone", "gone"),
                            ("archived-error", "archived-error"),
                            ("domain-gone", "domain-gone"),
                            ("doi-not-registered", "doi-not-registered"),
                            ("pattern", "pattern"),
                            ("placeholder-host", "placeholder-host"),
                            ("impossible-identifier", "impossible-identifier"),
                            ("little-text", "little-text"),
                            ("empty", "empty"),
                            ("js-shell", "js-shell"),
                            ("other-title", "other-title"),
                            ("parked", "parked"),
                            ("pay-wall", "pay-wall"),
                            ("bot-wall", "bot-wall"),
                            ("login-wall", "login-wall"),
                            ("consent-wall", "consent-wall"),
                            ("block-wall", "block-wall"),
                            ("legal-wall", "legal-wall"),
                            ("recovered-by-search", "recovered-by-search"),
                            ("rate-limited", "rate-limited"),
                            ("server-error", "server-error"),
                            ("unexpected-status", "unexpected-status"),
                            ("negotiation", "negotiation"),
                            ("deadline", "deadline"),
                            ("timeout", "timeout"),
                            ("connection", "connection"),
                            ("hang-up", "hang-up"),
                            ("tls", "tls"),
                            ("tls-chain", "tls-chain"),
                            ("tls-expired", "tls-expired"),
                            ("tls-name", "tls-name"),
                            ("tls-untrusted", "tls-untrusted"),
                            ("dns", "dns"),
                            ("dns-temporary", "dns-temporary"),
                            ("redirect-loop", "redirect-loop"),
                            ("blocked-address", "blocked-address"),
                            ("unusable-url", "unusable-url"),
                            ("undecodable", "undecodable"),
                            ("no-address", "no-address"),
                            ("given-up", "given-up"),
                        ],
                        max_length=30,
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                ("evidence", models.JSONField(blank=True, default=dict)),
                ("access_note", models.TextField(blank=True)),
                ("sha256", models.CharField(blank=True, help_text="Of what was read, lower-case hex.", max_length=64)),
                ("rules_version", models.CharField(max_length=30)),
                ("passage", models.TextField(blank=True)),
                (
                    "excerpt",
                    models.TextField(blank=True, help_text="The passage with what stands around it, for the corpus."),
                ),
                ("score", models.FloatField(default=0.0)),
                ("fetched_at", models.DateTimeField()),
                (
                    "picked_id",
                    models.CharField(blank=True, help_text="The stable id it got when it was picked.", max_length=20),
                ),
                (
                    "request",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="candidates",
                        to="validation.harvestrequest",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("request", "key"), name="request_candidate_once_per_request"),
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
                                ],
                            )
                        ),
                        name="request_candidate_verdict_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("score__gte", 0), ("score__lte", 1)),
                        name="request_candidate_score_is_a_share",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ShipCheck",
            fields=[
                (
                    "job",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="ship_check",
                        serialize=False,
                        to="jobs.job",
                    ),
                ),
                (
                    "document",
                    models.CharField(help_text="The draft and its version, or the file's name.", max_length=300),
                ),
                ("path", models.CharField(help_text="What annotations call the file.", max_length=1000)),
                ("text", models.TextField(blank=True)),
                ("sha256", models.CharField(help_text="Lower-case hex digest of the text in UTF-8.", max_length=64)),
                (
                    "seed",
                    models.CharField(help_text="Decides which links are drawn for the spot check.", max_length=32),
                ),
                ("standing", models.JSONField(blank=True, default=list)),
                ("rules_version", models.CharField(max_length=30)),
                ("total", models.PositiveIntegerField(default=0)),
                ("verified", models.PositiveIntegerField(default=0)),
                (
                    "decision",
                    models.CharField(
                        blank=True,
                        choices=[("accept", "accept"), ("investigate", "investigate"), ("block", "block")],
                        max_length=12,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="ship_checks", to="sources.project"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="ship_checks",
                        to="sources.draftversion",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["project", "-job"], name="ship_checks_newest")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("decision__in", ["accept", "investigate", "block", ""])),
                        name="ship_decision_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("verified__lte", models.F("total"))),
                        name="ship_check_verifies_no_more_than_all",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("seed", ""), _negated=True), name="ship_check_has_a_seed"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ShipLink",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField()),
                ("key", models.CharField(help_text="As `sources.core.records.Identity.key`.", max_length=64)),
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
                ("identifier_value", models.TextField()),
                ("request_url", models.TextField(blank=True)),
                ("address", models.TextField(help_text="As the document writes it.")),
                ("title", models.TextField(blank=True, help_text="What the document calls it.")),
                ("line", models.PositiveIntegerField()),
                ("column", models.PositiveIntegerField()),
                (
                    "stable_id",
                    models.CharField(
                        blank=True, help_text="Its id in the project; '' for what is not in.", max_length=20
                    ),
                ),
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
                (
                    "cause",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("content", "content"),
                            ("content-untitled", "content-untitled"),
                            ("title-differs", "title-differs"),
                            ("redirect-to-root", "redirect-to-root"),
                            ("redirect-to-error", "redirect-to-error"),
                            ("catch-all", "catch-all"),
                            ("says-gone", "says-gone"),
                            ("not-found", "not-found"),
                            ("gone", "gone"),
                            ("archived-error", "archived-error"),
                            ("domain-gone", "domain-gone"),
                            ("doi-not-registered", "doi-not-registered"),
                            ("pattern", "pattern"),
                            ("placeholder-host", "placeholder-host"),
                            ("impossible-identifier", "impossible-identifier"),
                            ("little-text", "little-text"),
                            ("empty", "empty"),
                            ("js-shell", "js-shell"),
                            ("other-title", "other-title"),
                            ("parked", "parked"),
                            ("pay-wall", "pay-wall"),
                            ("bot-wall", "bot-wall"),
                            ("login-wall", "login-wall"),
                            ("consent-wall", "consent-wall"),
                            ("block-wall", "block-wall"),
                            ("legal-wall", "legal-wall"),
                            ("recovered-by-search", "recovered-by-search"),
                            ("rate-limited", "rate-limited"),
                            ("server-error", "server-error"),
                            ("unexpected-status", "unexpected-status"),
                            ("negotiation", "negotiation"),
                            ("deadline", "deadline"),
                            ("timeout", "timeout"),
                            ("connection", "connection"),
                            ("hang-up", "hang-up"),
                            ("tls", "tls"),
                            ("tls-chain", "tls-chain"),
                            ("tls-expired", "tls-expired"),
                            ("tls-name", "tls-name"),
                            ("tls-untrusted", "tls-untrusted"),
                            ("dns", "dns"),
                            ("dns-temporary", "dns-temporary"),
                            ("redirect-loop", "redirect-loop"),
                            ("blocked-address", "blocked-address"),
                            ("unusable-url", "unusable-url"),
                            ("undecodable", "undecodable"),
                            ("no-address", "no-address"),
                            ("given-up", "given-up"),
                        ],
                        max_length=30,
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                (
                    "override",
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
                ("found_at", models.DateTimeField(blank=True, null=True)),
                (
                    "check_made",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="links",
                        to="validation.shipcheck",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="sources.source",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("check_made", "key"), name="ship_link_once_per_check"),
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
                        name="ship_link_verdict_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "override__in",
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
                        name="ship_link_override_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("key", ""), _negated=True), name="ship_link_names_a_work"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SpotCheck",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField()),
                (
                    "result",
                    models.CharField(
                        blank=True, choices=[("good", "Supports the text"), ("wrong", "Wrong")], max_length=5
                    ),
                ),
                ("note", models.TextField(blank=True)),
                ("at", models.DateTimeField(blank=True, null=True)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "check_made",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="spot_checks",
                        to="validation.shipcheck",
                    ),
                ),
                (
                    "link",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="spot_check", to="validation.shiplink"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("check_made", "position"), name="spot_check_place_once_per_check"),
                    models.CheckConstraint(
                        condition=models.Q(("result__in", ["good", "wrong", ""])), name="spot_check_result_is_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("at__isnull", True), ("result", "")),
                            models.Q(models.Q(("result", ""), _negated=True), ("at__isnull", False)),
                            _connector="OR",
                        ),
                        name="spot_check_has_a_moment_exactly_when_it_has_a_result",
                    ),
                ],
            },
        ),
    ]
