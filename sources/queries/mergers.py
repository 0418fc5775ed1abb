"""What is one work with a source: the sources that were merged into it, and into those."""

from collections.abc import Collection

from sources.models import Source


def nodes_of_merged(source_ids: Collection[int]) -> dict[int, int]:
    """The lineage nodes of all that was merged into these sources, each with the source that stands for it now.

    What was made of them before rests on their nodes still. A query for each link of the longest chain of mergers, one
    where nothing was merged.
    """
    found: dict[int, int] = {}
    stands_for = {pk: pk for pk in source_ids}
    ahead = list(stands_for)
    while ahead:
        rows = Source.objects.filter(merged_into__in=ahead).values_list("pk", "merged_into", "entity")
        ahead = []
        for pk, into, entity_id in rows:
            if into is None or pk in stands_for:
                continue
            stands_for[pk] = stands_for[into]
            ahead.append(pk)
            if entity_id is not None:
                found[entity_id] = stands_for[pk]
    return found
