"""Which preprint belongs to which published work, as records of Crossref, arXiv and bioRxiv say; pure.

Only what a record says by identifiers: titles are never compared. Neither of the two is marked by it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sources.core.retraction_status import Provider
from validation.core.retraction_ids import Unusable, WorkId, doi_of


@dataclass(frozen=True, slots=True)
class Version:
    """One provider's word that `preprint` is the preprint of `published`."""

    preprint: WorkId
    published: WorkId
    provider: Provider


def crossref_versions(record: dict[str, Any]) -> tuple[Version, ...]:
    """From a work's `relation`: `is-preprint-of` stands on the preprint, `has-preprint` on what was published.

    https://www.crossref.org/documentation/schema-library/markup-guide-metadata-segments/relationships/
    """
    own, relation = _work(record.get("DOI")), record.get("relation")
    if own is None or not isinstance(relation, dict):
        return ()
    told = [Version(own, other, Provider.CROSSREF) for other in _named(relation.get("is-preprint-of"))]
    told += [Version(other, own, Provider.CROSSREF) for other in _named(relation.get("has-preprint"))]
    return _two_works(told)


def arxiv_versions(work: WorkId, *, doi: str) -> tuple[Version, ...]:
    """From the DOI of an entry, which its authors give once the work is published; they may give several in a row."""
    published = [found for one in doi.split() if (found := _work(one))]
    return _two_works(Version(work, one, Provider.ARXIV) for one in published)


def preprint_versions(work: WorkId, versions: list[Any]) -> tuple[Version, ...]:
    """From `published` of the versions that bioRxiv or medRxiv lists, `NA` where nothing was."""
    entries = [one for one in versions if isinstance(one, dict)]
    published = [found for one in entries if (found := _work(one.get("published")))]
    return _two_works(Version(work, one, Provider.ARXIV) for one in published)


def _named(entries: Any) -> Iterator[WorkId]:
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and entry.get("id-type") == "doi" and (found := _work(entry.get("id"))):
            yield found


def _two_works(told: Iterable[Version]) -> tuple[Version, ...]:
    return tuple(dict.fromkeys(one for one in told if one.preprint != one.published))


def _work(value: Any) -> WorkId | None:
    try:
        return doi_of(value) if isinstance(value, str) else None
    except Unusable:
        return None
