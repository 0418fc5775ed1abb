"""From a registered source to what is asked of the world: its identity and what its citations claim."""

from collections.abc import Iterable

from sources.core.kinds import IdentifierType
from sources.core.records import Identity
from sources.models import Citation, Source
from validation.core.classify import Claimed
from validation.services.validate import Target


def targets_of(source_ids: Iterable[int]) -> dict[int, Target]:
    """The targets by source key, two queries. A source without a title of its own borrows the first one cited."""
    wanted = list(source_ids)
    cited: dict[int, str] = {}
    titles = Citation.objects.filter(entry__source_id__in=wanted).exclude(claimed_title="").order_by("-pk")
    for source_id, title in titles.values_list("entry__source_id", "claimed_title"):
        cited[source_id] = title
    return {
        source.pk: _target(source, cited_title=cited.get(source.pk, ""))
        for source in Source.objects.filter(pk__in=wanted)
    }


def _target(source: Source, *, cited_title: str) -> Target:
    identity = Identity(
        type=IdentifierType(source.identifier_type), value=source.identifier_value, request_url=source.request_url
    )
    claimed = Claimed(
        title=source.title or cited_title,
        publisher=source.publisher,
        author=source.authors,
        published_date=source.published_date,
    )
    return Target(identity=identity, claimed=claimed)
