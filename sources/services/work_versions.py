"""Keeps which preprint belongs to which published work, as providers tell it. Neither is marked by it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from provenance_site.kit.rows import in_parts, insert_rows
from sources.core.kinds import IdentifierType
from sources.core.records import Identity
from sources.core.retraction_terms import Provider
from sources.models import WorkVersion


@dataclass(frozen=True, slots=True)
class VersionFacts:
    """One provider's word that one work is the preprint of another: values of IdentifierType, and normalised values."""

    preprint_type: str
    preprint_value: str
    published_type: str
    published_value: str
    provider: Provider


def record(*, versions: Iterable[VersionFacts], at: datetime) -> int:
    """Keeps what is new of these; gives how many that were. Twice adds nothing."""
    rows = {}
    for one in versions:
        preprint, published = (
            Identity(IdentifierType(kind), value, "").key
            for kind, value in (
                (one.preprint_type, one.preprint_value),
                (one.published_type, one.published_value),
            )
        )
        rows[preprint, published, one.provider.value] = WorkVersion(
            preprint_type=one.preprint_type,
            preprint_value=one.preprint_value,
            preprint_key=preprint,
            published_type=one.published_type,
            published_value=one.published_value,
            published_key=published,
            provider=one.provider,
            first_seen_at=at,
        )
    for part in in_parts(sorted({preprint for preprint, _, _ in rows})):
        kept = WorkVersion.objects.filter(preprint_key__in=part)
        for key in kept.values_list("preprint_key", "published_key", "provider"):
            rows.pop(key, None)
    insert_rows(list(rows.values()), ignore_conflicts=True)
    return len(rows)
