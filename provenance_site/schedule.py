"""The beat table as code: what runs by itself, and how often. UTC, seconds."""

from typing import Any

SCHEDULE: dict[str, dict[str, Any]] = {
    # Wakes runs whose worker died or whose message was lost: the database row is the truth, a message only a doorbell.
    "validation.sweep": {"task": "validation.sweep", "schedule": 5.0, "options": {"expires": 15}},
    # The same for imports that a worker writes.
    "sources.import_sweep": {"task": "sources.import_sweep", "schedule": 10.0, "options": {"expires": 30}},
    # And for harvests.
    "validation.harvest_sweep": {"task": "validation.harvest_sweep", "schedule": 5.0, "options": {"expires": 15}},
    # And for edits, undos and looks for duplicates that a worker does.
    "sources.long_deed_sweep": {"task": "sources.long_deed_sweep", "schedule": 10.0, "options": {"expires": 30}},
    # Tells other lineage services; where there is none, one small query.
    "lineage.relay": {"task": "lineage.relay", "schedule": 10.0, "options": {"expires": 30}},
    "lineage.tidy_outbox": {"task": "lineage.tidy_outbox", "schedule": 86400.0, "options": {"expires": 3600}},
    # Tells people of what fell; edges and causes that came from outside included.
    "sources.report_impact": {"task": "sources.report_impact", "schedule": 30.0, "options": {"expires": 60}},
    # Notices on their other ways; where nobody chose mail and no webhook waits, one small query each.
    "notices.mail": {"task": "notices.mail", "schedule": 60.0, "options": {"expires": 120}},
    "notices.webhooks": {"task": "notices.webhooks", "schedule": 5.0, "options": {"expires": 30}},
    "notices.tidy_webhooks": {"task": "notices.tidy_webhooks", "schedule": 86400.0, "options": {"expires": 3600}},
    # And for large files that a worker makes.
    "sources.export_sweep": {"task": "sources.export_sweep", "schedule": 10.0, "options": {"expires": 30}},
    # Asks again about decisions on retractions that were made until a day.
    "sources.remind_of_retractions": {"task": "sources.remind_of_retractions", "schedule": 3600.0},
    # Tries failures again whose time has come, and dead pages that more checks have to agree on.
    "validation.retry_due": {"task": "validation.retry_due", "schedule": 300.0, "options": {"expires": 240}},
    # Mends the lineage graph as far as the registry knows, and removes what workspaces keep for so long only.
    "sources.reconcile_lineage": {"task": "sources.reconcile_lineage", "schedule": 86_400.0},
    "sources.keep_lineage_policies": {"task": "sources.keep_lineage_policies", "schedule": 86_400.0},
    # Retractions: sources that are due a week after the last answer, and what changed, once a day. The hourly call asks
    # nobody before the day is over.
    "validation.check_retractions": {
        "task": "validation.check_retractions",
        "schedule": 600.0,
        "options": {"expires": 540},
    },
    "validation.read_retraction_updates": {
        "task": "validation.read_retraction_updates",
        "schedule": 3600.0,
        "options": {"expires": 1800},
    },
    "validation.retraction_request_sweep": {
        "task": "validation.retraction_request_sweep",
        "schedule": 10.0,
        "options": {"expires": 30},
    },
    # Wakes ship checks as runs are woken.
    "validation.ship_sweep": {"task": "validation.ship_sweep", "schedule": 5.0, "options": {"expires": 15}},
    # And requests for sources that drafts make.
    "validation.harvest_request_sweep": {
        "task": "validation.harvest_request_sweep",
        "schedule": 10.0,
        "options": {"expires": 30},
    },
}
