"""Whether identifiers are of the works that cite them: a DOI that nobody has registered, or that is another work's.

Most invented references carry such a one. A person looks; nothing is marked.
"""

from collections.abc import Collection, Mapping
from datetime import datetime

from django.db import transaction

from provenance_site.kit.rows import in_parts
from sources.core.kinds import IdentifierType
from sources.core.retraction_terms import HintKind, Provider
from sources.core.similarity import content_words, title_similarity
from sources.models import Source
from sources.services import retraction_hints
from sources.services.retraction_hints import HintFacts
from validation.core.retraction_ids import WorkId
from validation.core.retraction_words import bare_title

# As where a registry witnesses for a page behind a wall.
_OTHER_TITLE = 0.6
_TELLING_WORDS = 3


def compare(
    *, registered: Mapping[WorkId, str], known: Collection[WorkId], unregistered: Collection[WorkId], at: datetime
) -> None:
    """Asks about sources whose DOI is not registered, or is registered under another title (`registered`).

    Takes both back where the DOI is `known` by now, or the titles agree. Twice is safe; a query per 500 works.
    """
    by_key = {work.key: work for work in (*registered, *known, *unregistered) if work.type is IdentifierType.DOI}
    hints: list[HintFacts] = []
    agree: set[str] = set()
    for part in in_parts(sorted(by_key)):
        rows = Source.objects.standing().filter(canonical_key__in=part).order_by("pk")
        for pk, key, title in rows.values_list("pk", "canonical_key", "title"):
            work = by_key[key]
            if work in unregistered:
                hints.append(_hint(pk, HintKind.UNREGISTERED, work, work.value))
            elif work in registered and _differ(title, registered[work]):
                hints.append(_hint(pk, HintKind.OTHER_TITLE, work, registered[work]))
            elif work in registered:
                agree.add(work.name)
    disagree = {one.record_id for one in hints}
    with transaction.atomic():
        retraction_hints.keep(hints=hints, at=at)
        there = {work.name for work in known} - {work.name for work in unregistered}
        retraction_hints.withdraw(kind=HintKind.UNREGISTERED, record_ids=there, at=at)
        retraction_hints.withdraw(kind=HintKind.OTHER_TITLE, record_ids=agree - disagree, at=at)


def _hint(source_id: int, kind: HintKind, work: WorkId, words: str) -> HintFacts:
    return HintFacts(source_id, kind, Provider.CROSSREF, work.name, words)


def _differ(claimed: str, registered: str) -> bool:
    """True where both titles say enough, and not the same."""
    ours, theirs = bare_title(claimed), bare_title(registered)
    if min(content_words(ours), content_words(theirs)) < _TELLING_WORDS:
        return False
    return title_similarity(ours, theirs) < _OTHER_TITLE
