"""What a retraction of sources does to what rests on them: in its transaction, once for all of them."""

from collections.abc import Collection
from datetime import datetime

from lineage.core.causes import CauseKind
from lineage.models import Entity
from lineage.services import impact
from lineage.services.impact import What
from provenance_site.accounts.models import User
from provenance_site.kit.rows import in_parts
from sources.models import Source
from sources.queries.mergers import nodes_of_merged


def follow(*, workspace_id: int, source_ids: Collection[int], by: User | None, at: datetime) -> None:
    """Brings the graph in line with the marks of these sources: a retracted one is a cause that reaches all that rests
    on it, for one that is not (any more) the cause is taken back. Twice changes nothing.

    What was merged into one of them is the same work and falls with it. What has no node is left alone. Call it where
    the marks were written.
    """
    fallen: list[What] = []
    standing: list[What] = []
    for part in in_parts(sorted(source_ids)):
        rows = Source.objects.standing().filter(workspace_id=workspace_id, pk__in=part, entity__isnull=False)
        marked = {source.pk: source for source in rows.select_related("entity").order_by("pk")}
        into = nodes_of_merged(marked)
        nodes = [(entity, marked[into[entity.pk]]) for entity in Entity.objects.filter(pk__in=into).order_by("pk")]
        for entity, source in [*((source.entity, source) for source in marked.values()), *nodes]:
            what = What(CauseKind.RETRACTION, source.retraction_note or "Retracted.", entity=entity)
            (fallen if source.retracted else standing).append(what)
    if fallen:
        impact.propagate_all(workspace_id=workspace_id, whats=fallen, by=by, at=at)
    if standing:
        impact.clear_all(causes=impact.standing(workspace_id=workspace_id, whats=standing), by=by, at=at)
