"""Many keys as one parameter, so that a statement about thousands of rows is one statement on either database."""

import json
from collections.abc import Iterable

from django.db import connection
from django.db.models.expressions import RawSQL


def among(keys: Iterable[int]) -> RawSQL:
    """The keys as what `pk__in` takes; SQLite has a limit of 32,766 parameters a statement, lists have none."""
    listed = sorted(set(keys))
    if connection.vendor == "sqlite":
        return RawSQL("SELECT value FROM json_each(%s)", [json.dumps(listed)])
    return RawSQL("SELECT unnest(%s::bigint[])", [listed])
