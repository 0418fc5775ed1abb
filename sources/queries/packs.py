"""What goes into the pack of a writer: which sources, and of which the whole excerpt."""

from datetime import datetime
from enum import StrEnum

from sources.core.citations import CorpusItem, Standing
from sources.core.citations.corpus import CorpusIndex
from sources.models import Project, Section
from sources.queries.corpora import corpus_of
from sources.queries.drafts import grounding_asked

# What no draft may cite is not offered to one.
_NOT_OFFERED = frozenset({Standing.RETRACTED, Standing.DROPPED})


class Excerpts(StrEnum):
    """Of which sources a pack has the whole excerpt."""

    ASKED = "asked"
    ALL = "all"
    NONE = "none"


def pack_of(
    *, project: Project, section: Section | None, excerpts: Excerpts, with_internal: bool, at: datetime
) -> tuple[list[CorpusItem], set[str]]:
    """The sources of a pack, and the ids of those with their excerpt. Retracted and dropped ones are left out, and
    internal ones unless `with_internal`."""
    left_out = _NOT_OFFERED if with_internal else _NOT_OFFERED | {Standing.INTERNAL_ONLY}
    seen: set[str] = set()
    items: list[CorpusItem] = []
    corpus = corpus_of(project=project, section=section, at=at)
    for item in corpus:
        # Ids that a merge left over lead to a source that is offered under its own.
        if not item.standing & left_out and (item.url or item.id) not in seen:
            seen.add(item.url or item.id)
            items.append(item)
    match excerpts:
        case Excerpts.ALL:
            wanted = {item.id for item in items}
        case Excerpts.ASKED:
            index = CorpusIndex(corpus)
            wanted = {found.id for asked in grounding_asked(project) if (found := index.named(asked))}
        case Excerpts.NONE:
            wanted = set()
    return items, wanted
