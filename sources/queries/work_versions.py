"""The other version of a work: the preprint of what was published, or the other way; each stands or falls alone."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from provenance_site.kit.rows import in_parts
from sources.core.kinds import IdentifierType
from sources.core.resolvers import resolver_address
from sources.core.retraction import RetractionStatus
from sources.models import Source, WorkVersion
from sources.queries.known import sources_by_key
from sources.queries.readable import hidden_keys
from sources.queries.retraction_evidence import statuses_of


@dataclass(frozen=True, slots=True)
class OtherVersion:
    """One other version of a work. `source` and `status` are None where the reader has no source of it here."""

    is_published: bool
    identifier_type: IdentifierType
    identifier_value: str
    told_by: tuple[str, ...]
    source: Source | None = None
    status: RetractionStatus | None = None

    @property
    def words(self) -> str:
        """What it is to the work, at the begin of a sentence."""
        return "The published version" if self.is_published else "The preprint"

    @property
    def name(self) -> str:
        """Its identifier as people write it."""
        is_doi = self.identifier_type is IdentifierType.DOI
        return self.identifier_value if is_doi else f"{self.identifier_type}:{self.identifier_value}"

    @property
    def link(self) -> str:
        """Where a person can look at it, '' where there is no such address."""
        return resolver_address(self.identifier_type, self.identifier_value)

    @property
    def says(self) -> str:
        """Where it stands, as the rest of the sentence."""
        match self.status:
            case None:
                return "is no source here, so nobody has asked about it."
            case RetractionStatus.UNKNOWN:
                return "was not checked for retraction."
            case RetractionStatus.NONE_FOUND:
                return "stands: no retraction of it was found."
            case _:
                return f"is judged alone: {self.status.word.lower()}."


def other_versions(*, workspace_id: int, keys: Mapping[int, Sequence[str]]) -> dict[int, list[OtherVersion]]:
    """The other versions of sources of one workspace; `keys` are those of all their identifiers, as `evidence_of` gives
    them. One query per 500 identifiers, and a handful more where there are any."""
    owners: dict[str, list[int]] = defaultdict(list)
    for pk, own in keys.items():
        for key in own:
            owners[key].append(pk)
    rows: dict[int, WorkVersion] = {}
    for part in in_parts(sorted(owners)):
        either = WorkVersion.objects.filter(preprint_key__in=part) | WorkVersion.objects.filter(published_key__in=part)
        rows |= {row.pk: row for row in either}
    if not rows:
        return {}
    told = [rows[pk] for pk in sorted(rows)]
    here = sources_by_key(
        workspace_id=workspace_id, keys={key for row in told for key in (row.preprint_key, row.published_key)}
    )
    hidden = hidden_keys(Source, {source.pk for source in here.values()})
    seen = {key: source for key, source in here.items() if source.pk not in hidden}
    statuses = statuses_of({source.pk: source.retracted for source in seen.values()})
    found: dict[int, dict[tuple[bool, str], OtherVersion]] = defaultdict(dict)
    for row in told:
        sides = ((row.preprint_key, row.published_key, True), (row.published_key, row.preprint_key, False))
        for own, other, is_published in sides:
            source = seen.get(other)
            for pk in owners.get(own, ()):
                if source is not None and source.pk == pk:
                    continue  # merged: one work by now
                before = found[pk].get((is_published, other))
                found[pk][is_published, other] = OtherVersion(
                    is_published,
                    IdentifierType(row.published_type if is_published else row.preprint_type),
                    row.published_value if is_published else row.preprint_value,
                    tuple(dict.fromkeys([*(before.told_by if before else ()), row.as_provider.label])),
                    source,
                    statuses[source.pk] if source is not None else None,
                )
    return {pk: list(others.values()) for pk, others in found.items()}
