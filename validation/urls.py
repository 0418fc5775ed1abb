"""Addresses of checks."""

from django.urls import path

from validation.core.providers import Provider
from validation.services.ship_reporting import ShipForm
from validation.views import (
    harvests,
    markers,
    own_rules,
    providers,
    rechecks,
    recoveries,
    reports,
    retraction_checks,
    retraction_feeds,
    runs,
    ship,
)

# One address a provider and no identifier in it: what is not this workspace's cannot even be named.
_PROVIDERS = [
    pattern
    for one in Provider
    for pattern in (
        path(f"settings/providers/{one}/", providers.search_provider, {"provider": one}, name="search-provider"),
        path(
            f"settings/providers/{one}/remove/",
            providers.search_provider_remove,
            {"provider": one},
            name="search-provider-remove",
        ),
    )
]

_OWN_RULES = [
    pattern
    for kind in (own_rules.PUBLISHER, own_rules.PATTERN)
    for pattern in (
        path(f"settings/rules/{kind.noun}s/new/", own_rules.own_rule, {"kind": kind}, name=f"own-{kind.noun}-new"),
        path(f"settings/rules/{kind.noun}s/<uuid:uuid>/", own_rules.own_rule, {"kind": kind}, name=f"own-{kind.noun}"),
        path(
            f"settings/rules/{kind.noun}s/<uuid:uuid>/turn/",
            own_rules.own_rule_turn,
            {"kind": kind},
            name=f"own-{kind.noun}-turn",
        ),
        path(
            f"settings/rules/{kind.noun}s/<uuid:uuid>/delete/",
            own_rules.own_rule_delete,
            {"kind": kind},
            name=f"own-{kind.noun}-delete",
        ),
    )
]

_SHIP_FILES = [
    path(
        f"ship/<uuid:uuid>/report.{form.ending}",
        ship.ship_report_file,
        {"form": form.value},
        name=f"ship-report-{form}",
    )
    for form in ShipForm
]

urlpatterns = [
    path("p/<uuid:uuid>/runs/", runs.project_runs, name="project-runs"),
    path("p/<uuid:uuid>/recovery-log.json", recoveries.project_recovery_log, name="recovery-log"),
    path("sources/recheck/", rechecks.source_recheck, name="source-recheck"),
    path("retractions/check/", retraction_checks.retraction_check_new, name="retraction-check-new"),
    path("retractions/check/sources/", retraction_checks.retraction_check_sources, name="retraction-check-sources"),
    path("retractions/checks/<uuid:uuid>/", retraction_checks.retraction_check_page, name="retraction-check-page"),
    path("retractions/feeds/", retraction_feeds.retraction_feeds, name="retraction-feeds"),
    path("retractions/feeds/export/", retraction_feeds.retraction_export, name="retraction-export"),
    path("runs/<uuid:uuid>/", runs.run, name="run"),
    path("runs/<uuid:uuid>/progress/", runs.run_progress, name="run-progress"),
    path("runs/<uuid:uuid>/cancel/", runs.run_cancel, name="run-cancel"),
    path("p/<uuid:uuid>/harvests/", harvests.project_harvests, name="project-harvests"),
    path("harvests/<uuid:uuid>/", harvests.harvest, name="harvest"),
    path("harvests/<uuid:uuid>/progress/", harvests.harvest_progress, name="harvest-progress"),
    path("harvests/<uuid:uuid>/cancel/", harvests.harvest_cancel, name="harvest-cancel"),
    path("harvests/<uuid:uuid>/resume/", harvests.harvest_resume, name="harvest-resume"),
    path("settings/rules/", own_rules.own_rules, name="own-rules"),
    *_OWN_RULES,
    path("settings/providers/", providers.search_providers, name="search-providers"),
    *_PROVIDERS,
    path("runs/<uuid:uuid>/report/", reports.run_report, name="run-report"),
    path("runs/<uuid:uuid>/report.md", reports.run_report_file, {"form": "md"}, name="run-report-md"),
    path("runs/<uuid:uuid>/report.csv", reports.run_report_file, {"form": "csv"}, name="run-report-csv"),
    path("runs/<uuid:uuid>/report.json", reports.run_report_file, {"form": "json"}, name="run-report-json"),
    path("p/<uuid:uuid>/report/", reports.project_report, name="project-report"),
    path("p/<uuid:uuid>/report.md", reports.project_report_file, {"form": "md"}, name="project-report-md"),
    path("p/<uuid:uuid>/report.csv", reports.project_report_file, {"form": "csv"}, name="project-report-csv"),
    path("p/<uuid:uuid>/report.json", reports.project_report_file, {"form": "json"}, name="project-report-json"),
    path("p/<uuid:uuid>/ship/", ship.project_ship, name="project-ship"),
    path("d/<uuid:uuid>/ship/", ship.ship_gate_of_draft, name="ship-gate"),
    path("ship/<uuid:uuid>/", ship.ship_check, name="ship-check"),
    path("ship/<uuid:uuid>/cancel/", ship.ship_cancel, name="ship-cancel"),
    path("ship/<uuid:uuid>/spot/", ship.ship_spot, name="ship-spot"),
    *_SHIP_FILES,
    path("d/<uuid:uuid>/markers/", markers.draft_markers, name="draft-markers"),
    path("d/<uuid:uuid>/correct/", markers.draft_correct, name="draft-correct"),
    path("markers/<uuid:uuid>/", markers.marker, name="marker"),
]
