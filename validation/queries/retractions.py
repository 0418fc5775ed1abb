"""What the retraction checks ask the registry: which works sources are, which are due, which nobody has matched yet.

All by joins over keys, never a question for each source.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime
from itertools import islice, zip_longest

from django.db.models import Exists, OuterRef, Q, QuerySet

from provenance_site.kit.rows import in_parts
from sources.core.identifiers import BadIdentifier, UnusableUrl, identify
from sources.core.kinds import IdentifierType
from sources.core.retraction_status import Asserted, Checked, Derived, Provider, derive
from sources.models import RetractionAssertion, RetractionCheck, Source, SourceAlias
from sources.queries.retraction_evidence import asserted
from validation.core.retraction_ids import WorkId

# Who is asked first about a work of this kind: where that one has answered, the work counts as checked.
MAIN_PROVIDER = {
    IdentifierType.DOI: Provider.CROSSREF,
    IdentifierType.PMID: Provider.PUBMED,
    IdentifierType.ARXIV: Provider.ARXIV,
}
# What stands in every spelling of an identifier of this kind: few of the other spellings need be read as one.
_SPELT = {
    IdentifierType.DOI: Q(spelling__contains="10."),
    IdentifierType.PMID: Q(spelling__icontains="pmid") | Q(spelling__icontains="pubmed"),
    IdentifierType.ARXIV: Q(spelling__icontains="arxiv"),
}


def works_of(source_ids: Iterable[int]) -> dict[int, frozenset[WorkId]]:
    """The works that providers can be asked about, by source; a source without any is left out. Two queries per 500."""
    found: dict[int, set[WorkId]] = defaultdict(set)
    for part in in_parts(sorted(set(source_ids))):
        own = Source.objects.filter(pk__in=part, identifier_type__in=MAIN_PROVIDER)
        for pk, kind, value in own.values_list("pk", "identifier_type", "identifier_value"):
            found[pk].add(WorkId(IdentifierType(kind), value))
        aliases = SourceAlias.objects.filter(source__in=part).exclude(canonical_key="")
        for pk, spelling in aliases.values_list("source", "spelling"):
            work = _work(spelling)
            if work is not None:
                found[pk].add(work)
    return {pk: frozenset(works) for pk, works in found.items()}


def _work(spelling: str) -> WorkId | None:
    """The work that another spelling of a source names, where providers can be asked about it."""
    try:
        identity = identify(spelling)
    except (BadIdentifier, UnusableUrl):
        return None
    return WorkId(identity.type, identity.value) if identity.type in MAIN_PROVIDER else None


def due_works(
    *, answered_before: datetime, failed_before: datetime, limit: int, absent: Collection[Provider] = ()
) -> list[WorkId]:
    """At most `limit` works of sources, by their own identifier or another that means them, whose main provider has not
    answered since the one moment, nor failed since the other; those that were registered first come first, and no kind
    keeps another waiting.

    Kinds whose main provider is `absent` are left out: nobody would answer. Two queries for each kind.
    """
    standing = Source.objects.standing()
    kinds: list[list[WorkId]] = []
    for kind, provider in MAIN_PROVIDER.items():
        if provider in absent:
            continue
        checks = RetractionCheck.objects.filter(identifier_key=OuterRef("canonical_key"), provider=provider)
        fresh = checks.filter(Q(answered_at__gte=answered_before) | Q(failed_at__gte=failed_before))
        sources = standing.filter(identifier_type=kind).exclude(Exists(fresh)).order_by("pk")
        own = [WorkId(kind, value) for value in sources.values_list("identifier_value", flat=True)[:limit]]
        aliases = SourceAlias.objects.filter(_SPELT[kind], source__in=standing.values("pk"))
        rows = (
            aliases.exclude(canonical_key="").exclude(Exists(fresh)).order_by("pk").values_list("spelling", flat=True)
        )
        others = (work for spelling in rows.iterator() if (work := _work(spelling)) is not None and work.type is kind)
        kinds.append([*own, *islice(others, limit - len(own))])
    in_turn = (work for each in zip_longest(*kinds) for work in each if work is not None)
    return list(dict.fromkeys(in_turn))[:limit]


def unmatched_sources() -> QuerySet[Source, int]:
    """Keys of sources about which something is asserted and that do not follow it yet: they came after it."""
    said = Exists(RetractionAssertion.objects.filter(identifier_key=OuterRef("canonical_key"), workspace__isnull=True))
    aliases = SourceAlias.objects.filter(said).exclude(canonical_key="").values("source")
    alone = Source.objects.standing().filter(retraction_standing__isnull=True).order_by()
    return alone.filter(said | Q(pk__in=aliases)).values_list("pk", flat=True)


def spoken_of(works: Collection[WorkId], *, but: Provider) -> set[WorkId]:
    """Those of the works of which another provider than `but` has said something."""
    by_key = {work.key: work for work in works}
    found: set[WorkId] = set()
    for part in in_parts(sorted(by_key)):
        rows = RetractionAssertion.objects.filter(identifier_key__in=part, workspace__isnull=True)
        rows = rows.exclude(provider=but)
        found.update(by_key[key] for key in rows.values_list("identifier_key", flat=True).distinct())
    return found


def statuses_of(works: Collection[WorkId], *, at: datetime) -> dict[WorkId, Derived]:
    """Where works stand by all that providers say of them, in the registry or not. Two queries per 500.

    What a workspace's own files say is not among it: a work is nobody's.
    """
    by_key = {work.key: work for work in works}
    said: dict[str, list[Asserted]] = defaultdict(list)
    asked: dict[str, list[Checked]] = defaultdict(list)
    for part in in_parts(sorted(by_key)):
        for row in RetractionAssertion.objects.filter(identifier_key__in=part, workspace__isnull=True).order_by("pk"):
            said[row.identifier_key].append(asserted(row))
        for check in RetractionCheck.objects.filter(identifier_key__in=part).order_by("pk"):
            asked[check.identifier_key].append(Checked(Provider(check.provider), check.answered_at, check.failed_at))
    return {work: derive(said[key], now=at, checks=asked[key]) for key, work in by_key.items()}


def sources_resting_on(record_ids: Iterable[str], *, provider: Provider) -> set[int]:
    """Keys of the sources, of all workspaces, about which these records of the provider say something."""
    found: set[int] = set()
    for part in in_parts(sorted(set(record_ids))):
        said = RetractionAssertion.objects.filter(provider=provider, record_id__in=part)
        keys = list(said.values_list("identifier_key", flat=True).distinct())
        found.update(Source.objects.standing().filter(canonical_key__in=keys).values_list("pk", flat=True))
        found.update(SourceAlias.objects.filter(canonical_key__in=keys).values_list("source", flat=True))
    return found
