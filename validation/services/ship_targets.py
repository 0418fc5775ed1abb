"""From a link of a ship check to what is asked of the world."""

from collections.abc import Iterable
from dataclasses import replace

from sources.core.kinds import IdentifierType
from sources.core.records import Identity
from validation.core.classify import Claimed
from validation.models import ShipLink
from validation.queries.own_entries import rules_by_workspace
from validation.queries.provider_keys import accounts_by_workspace
from validation.services import targets
from validation.services.validate import Target


def targets_of(link_ids: Iterable[int]) -> dict[int, Target]:
    """The targets by link key; a fixed number of queries.

    What the registry knows of a source (its title, publisher, author, other spellings) is claimed of the link, and the
    address that is fetched is the document's own. That an earlier check has read the page counts for nothing here.
    """
    links = list(ShipLink.objects.filter(pk__in=list(link_ids)).select_related("check_made__project"))
    known = targets.targets_of({link.source_id for link in links if link.source_id is not None})
    workspaces = {link.check_made.project.workspace_id for link in links}
    rules, accounts = rules_by_workspace(workspaces), accounts_by_workspace(workspaces)
    found: dict[int, Target] = {}
    for link in links:
        identity = Identity(IdentifierType(link.identifier_type), link.identifier_value, link.request_url)
        if link.source_id in known:
            of_source = known[link.source_id]
            claimed = of_source.claimed if of_source.claimed.title else replace(of_source.claimed, title=link.title)
            found[link.pk] = replace(of_source, identity=identity, claimed=claimed, verified_before=False)
            continue
        workspace_id = link.check_made.project.workspace_id
        found[link.pk] = Target(
            identity=identity,
            claimed=Claimed(title=link.title),
            rules=rules[workspace_id],
            accounts=accounts.get(workspace_id, ()),
        )
    return found
