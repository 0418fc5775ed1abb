"""What the registry declares of its sources, told to the lineage graph: their classification and their authority."""

from collections.abc import Iterable

from lineage.core.relations import Label
from lineage.services import labels
from lineage.services.labels import Declared
from provenance_site.kit.rows import in_parts
from sources.models import Source
from sources.queries.mergers import nodes_of_merged

# The columns of a source that the graph knows too.
DECLARED = frozenset({"authority", "classification"})


def declare(sources: Iterable[Source]) -> int:
    """Lets the nodes of these sources say what their rows say, and all that rests on them follow; gives how many nodes
    are on another level now.

    What was merged into a source is the same work: its node, on which older citations rest, says the same. Must run in
    the transaction that wrote the rows. Two queries where nothing is to change. Idempotent.
    """
    told: dict[int, dict[int, Declared]] = {}
    kept: dict[int, tuple[int, Declared]] = {}
    for source in sources:
        declared = Declared(Label(source.classification), source.authority)
        kept[source.pk] = source.workspace_id, declared
        if source.entity_id is not None:
            told.setdefault(source.workspace_id, {})[source.entity_id] = declared
    for part in in_parts(kept):
        for entity_id, into in nodes_of_merged(part).items():
            workspace_id, declared = kept[into]
            told.setdefault(workspace_id, {})[entity_id] = declared
    return sum(labels.declare(workspace_id=workspace_id, declared=declared) for workspace_id, declared in told.items())
