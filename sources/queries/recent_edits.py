"""Which sources were edited since a person looked."""

from collections.abc import Sequence

from django.utils.dateparse import parse_datetime

from provenance_site.changes.models import Change
from sources.models import Source
from sources.queries.readable import readable

_NAMED = 10
_READ = 1_000


def edited_since(*, workspace_id: int, source_ids: Sequence[int], moment: str) -> list[tuple[Source, Change]]:
    """The first ten of these sources with an edit later than `moment` (ISO 8601), with it; [] for no moment."""
    try:
        since = parse_datetime(moment)
    except ValueError:
        return []
    if since is None or since.tzinfo is None:
        return []
    wanted = set(source_ids)
    changes = readable(Change.objects.all()).filter(
        model=Source._meta.label_lower, change_set__workspace=workspace_id, change_set__at__gt=since
    )
    recent = changes.select_related("change_set__actor").order_by("-pk")[:_READ]
    latest = {change.object_id: change for change in reversed(recent) if change.object_id in wanted}
    sources = readable(Source.objects.all()).in_bulk(list(latest)[:_NAMED])
    return [(source, latest[key]) for key, source in sources.items()]
