"""From a registered source to what is asked of the world: its identity and what its citations claim."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from sources.core.findings import Verdict
from sources.core.kinds import IdentifierType
from sources.core.records import Identity
from sources.models import Check, Citation, Source, SourceAlias
from sources.queries import known
from validation.core.classify import Claimed
from validation.core.own_entries import OwnRules
from validation.core.providers import Account
from validation.queries.own_entries import rules_by_workspace
from validation.queries.provider_keys import accounts_by_workspace
from validation.services.spellings import addresses_of
from validation.services.validate import Target


class _Asked(NamedTuple):
    """What is asked about a source."""

    pk: int
    workspace_id: int
    identifier_type: str
    identifier_value: str
    request_url: str
    title: str
    publisher: str
    authors: str
    published_date: str


def targets_of(source_ids: Iterable[int]) -> dict[int, Target]:
    """The targets by source key, five queries, and two for what their workspaces add to the rules.

    A source without a title of its own borrows the first one cited.
    """
    wanted = list(source_ids)
    cited: dict[int, str] = {}
    titles = Citation.objects.filter(entry__source_id__in=wanted).exclude(claimed_title="").order_by("-pk")
    for source_id, title in titles.values_list("entry__source_id", "claimed_title"):
        cited[source_id] = title
    # Checks that have read the page itself. A gated verdict is no such witness: it would rest on its own forerunner.
    checks = Check.objects.filter(source_id__in=wanted, verdict=Verdict.VERIFIED_ACCESSIBLE).order_by()
    read = set(checks.values_list("source_id", flat=True).distinct())
    spelled: dict[int, list[str]] = defaultdict(list)
    aliases = SourceAlias.objects.filter(source_id__in=wanted).order_by("first_seen_at", "pk")
    for source_id, spelling in aliases.values_list("source_id", "spelling"):
        spelled[source_id].append(spelling)
    # Values of what is asked about alone: a whole row has thirty fields, and thousands are read a second.
    rows = Source.objects.filter(pk__in=wanted).order_by().values_list(*_Asked._fields)
    sources = [_Asked(*row) for row in rows]
    rules = rules_by_workspace(source.workspace_id for source in sources)
    accounts = accounts_by_workspace(source.workspace_id for source in sources)
    return {
        source.pk: _target(
            source,
            cited_title=cited.get(source.pk, ""),
            rules=rules[source.workspace_id],
            read_before=source.pk in read,
            spelled=spelled.get(source.pk, ()),
            accounts=accounts.get(source.workspace_id, ()),
        )
        for source in sources
    }


def claimed_of_known(*, workspace_id: int, keys: Iterable[str]) -> dict[str, Claimed]:
    """What the registry claims of the sources that go by these canonical keys, by key; those without a title are left
    out. What is found by search is held to it: a page whose own title the search shows would else verify another work.
    """
    there = known.sources_by_key(workspace_id=workspace_id, keys=keys)
    targets = targets_of({source.pk for source in there.values()}) if there else {}
    return {key: targets[source.pk].claimed for key, source in there.items() if targets[source.pk].claimed.title}


def _target(
    source: _Asked,
    *,
    cited_title: str,
    rules: OwnRules,
    read_before: bool,
    spelled: Iterable[str],
    accounts: tuple[Account, ...],
) -> Target:
    identity = Identity(
        type=IdentifierType(source.identifier_type), value=source.identifier_value, request_url=source.request_url
    )
    claimed = Claimed(
        title=source.title or cited_title,
        publisher=source.publisher,
        author=source.authors,
        published_date=source.published_date,
    )
    return Target(
        identity=identity,
        claimed=claimed,
        rules=rules,
        verified_before=read_before,
        other_urls=addresses_of(spelled, asked=source.request_url),
        accounts=accounts,
    )
