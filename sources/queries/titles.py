"""Sources by their titles, where nothing else is known of a work: for proposals only."""

from collections import defaultdict
from collections.abc import Collection

from sources.core.similarity import content_words, fold
from sources.models import Source

# Shorter titles (“Editorial”) belong to many works.
_TELLING_WORDS = 4
_CHUNK = 5_000


def telling_title(title: str) -> str:
    """The title in the form in which titles are compared, '' for one that says too little."""
    return fold(title) if content_words(title) >= _TELLING_WORDS else ""


def sources_titled(titles: Collection[str]) -> dict[str, list[int]]:
    """Keys of the standing sources, of all workspaces, that have one of these titles (as `telling_title` gives them).

    One reading of all titles, some 20 µs each: asked once for a whole export.
    """
    found: dict[str, list[int]] = defaultdict(list)
    wanted = set(titles) - {""}
    if not wanted:
        return found
    rows = Source.objects.standing().exclude(title="").order_by("pk").values_list("pk", "title")
    for pk, title in rows.iterator(_CHUNK):
        folded = fold(title)
        if folded in wanted:
            found[folded].append(pk)
    return found
