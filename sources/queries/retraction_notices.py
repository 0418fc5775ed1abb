"""The words of a notice about retractions: where the sources that it was about stand now."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from provenance_site.accounts.models import Membership
from provenance_site.changes.models import Change
from provenance_site.kit.rows import in_parts
from provenance_site.notices.models import Notice
from provenance_site.notices.registry import Shown
from sources.core.kinds import Sensitivity
from sources.core.retraction_status import Status
from sources.models import RetractionStanding, Source
from sources.queries.readable import readable

KIND = "sources.retraction"
EVENT_KIND = "retraction.news"
# A webhook is told of so many by name; a whole export of a provider may bring more in one moment.
_SENT = 500
# So many are named; the rest is counted.
_NAMED = 3
_READ = ("uuid", "title", "identifier_value", "retraction_standing__status")


def shown(*, notices: Sequence[Notice], membership: Membership) -> Mapping[int, Shown]:
    """The words by notice, of sources that are still in the member's workspace.

    One query for all of them, and one more per 500 sources.
    """
    subjects: dict[int, dict[int, None]] = defaultdict(dict)
    changes = readable(Change.objects.all()).filter(
        change_set__in=[notice.subject_id for notice in notices],
        change_set__workspace=membership.workspace_id,
        model=Source._meta.label_lower,
    )
    for change_set, source_id in changes.order_by("pk").values_list("change_set", "object_id"):
        subjects[change_set][source_id] = None
    wanted = {source_id for ids in subjects.values() for source_id in ids}
    sources: dict[int, Source] = {}
    # News of a whole export are of thousands: more than a statement takes, and much more than is named.
    for part in in_parts(sorted(wanted)):
        rows = readable(Source.objects.all()).standing().filter(workspace=membership.workspace_id, pk__in=part)
        for source in rows.select_related("retraction_standing").only(*_READ):
            sources[source.pk] = source
    told: dict[int, Shown] = {}
    for notice in notices:
        found = [sources[pk] for pk in subjects[notice.subject_id] if pk in sources]
        if found:
            told[notice.pk] = Shown(title=_title(found), text=_text(found), url="/retractions/")
    return told


def event(*, workspace_id: int, subject_id: int) -> dict[str, Any] | None:
    """What a webhook is sent of one moment's news: where the sources that it was about stand now, as far as they may be
    read; three queries.

    None where none of them is left. Sources for internal use only leave the house in no way: they are counted.
    """
    change = readable(Change.objects.all()).filter(
        change_set=subject_id, change_set__workspace=workspace_id, model=Source._meta.label_lower
    )
    ids = set(change.values_list("object_id", flat=True))
    found: list[Source] = []
    for part in in_parts(sorted(ids)):
        rows = readable(Source.objects.all()).standing().filter(workspace=workspace_id, pk__in=part)
        found += rows.select_related("retraction_standing").order_by("pk")
    told = [source for source in found if source.sensitivity != Sensitivity.INTERNAL_ONLY]
    if not told:
        return None
    return {
        "total": len(told),
        "withheld": len(found) - len(told),
        "sources": [
            {
                "source": str(source.uuid),
                "title": source.title,
                "identifier_type": source.identifier_type,
                "identifier_value": source.identifier_value,
                "retracted": source.retracted,
                "retraction_note": source.retraction_note,
                "providers_say": _status(source).value,
            }
            for source in told[:_SENT]
        ],
    }


def _title(sources: Sequence[Source]) -> str:
    return "News about a retraction" if len(sources) == 1 else f"News about {len(sources):,} retractions"


def _text(sources: Sequence[Source]) -> str:
    named = [f"“{source}”: {_standing(source)}" for source in sources[:_NAMED]]
    if len(sources) > _NAMED:
        named.append(f"and {len(sources) - _NAMED:,} more")
    return "; ".join(named)


def _standing(source: Source) -> str:
    return _status(source).label.lower()


def _status(source: Source) -> Status:
    standing: RetractionStanding | None = getattr(source, "retraction_standing", None)
    return standing.as_status if standing else Status.UNCHECKED
