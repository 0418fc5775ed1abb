"""The words of a notice about impact: what fell, and how much of what the reader owns and may see rests on it."""

from collections.abc import Iterable, Mapping, Sequence

from django.db.models import Count, Q
from django.urls import reverse

from lineage import access
from lineage.core.asking import Asker
from lineage.models import Cause, Impact
from lineage.queries.words import Name, names_of
from provenance_site.accounts.models import Membership
from provenance_site.notices.models import Notice
from provenance_site.notices.registry import Shown

KIND = "lineage.impact"


def shown(*, notices: Sequence[Notice], membership: Membership) -> Mapping[int, Shown]:
    """The words by notice, for causes that reach something the member may see now; two queries for all of them,
    and what names what fell."""
    asker = access.asker_of(membership)
    reached = Impact.objects.filter(
        access.visible_at(asker, "entity_id"),
        cause__in=[notice.subject_id for notice in notices],
        cause__workspace=membership.workspace_id,
    )
    numbers = reached.values_list("cause").annotate(
        number=Count("pk"),
        own=Count("pk", filter=Q(entity__owner=membership.user_id)),
        released=Count("pk", filter=Q(entity__released_at__isnull=False)),
    )
    fallen = {cause_id: of_it for cause_id, *of_it in numbers}
    causes = Cause.objects.select_related("entity").in_bulk(fallen)
    titles = titles_of(causes.values(), asker=asker)
    return {
        notice.pk: Shown(
            title=titles[notice.subject_id],
            text=_text(*fallen[notice.subject_id]),
            url=f"{reverse('lineage-worklist')}?cause={notice.subject_id}",
        )
        for notice in notices
        if notice.subject_id in causes
    }


def titles_of(causes: Iterable[Cause], *, asker: Asker) -> dict[int, str]:
    """Causes in words for one reader, by key: what fell is named where somebody names it and the reader may know of
    it. Their entities should be loaded; names are asked for once for all."""
    ordered = list(causes)
    names = names_of(one.entity for one in ordered if one.entity is not None and one.entity.level <= asker.level)
    return {one.pk: _title(one, names.get(one.entity_id or 0), asker) for one in ordered}


def _title(cause: Cause, name: Name | None, asker: Asker) -> str:
    ended = " (taken back)" if cause.cleared_at else ""
    if cause.entity is not None and cause.entity.level > asker.level:
        # What was declassified rests on what its reader may not know of.
        return f"Something it rests on fell{ended}"
    of_it = f" of “{name.text}”" if name else ""
    return f"{cause.kind.replace('-', ' ').capitalize()}{of_it}: {cause.reason}{ended}"


def _text(number: int, own: int, released: int) -> str:
    words = [f"{number:,} rests on it" if number == 1 else f"{number:,} rest on it"]
    if own:
        words.append(f"{own:,} of them yours")
    if released:
        words.append(f"{released:,} released")
    return ", ".join(words)
