"""Who may read what. A foreign, a hidden and a non-existing ref have one answer, by the same statements."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from lineage.core import keys
from lineage.core.asking import Asker
from lineage.core.refs import Ref
from lineage.models import Edge, Entity
from provenance_site.accounts.models import Membership, User
from provenance_site.accounts.permissions import membership_of


class NoSuchEntity(LookupError):
    """There is no such node for this asker: it does not exist, or is another workspace's, or they may not read it."""


def asker_of(membership: Membership) -> Asker:
    """The asker that a member is, with the clearance they have now."""
    return Asker(membership.workspace_id, membership.as_clearance.level, membership.user_id)


def entity_read_by(person: User, *, workspace_id: int, ref: Ref | str) -> Entity:
    """The node of a ref, as far as this person may read it in the workspace now; else as `entity_at`."""
    membership = membership_of(person, workspace_id)
    if membership is None:
        raise NoSuchEntity
    return entity_at(ref, asker=asker_of(membership))


def visible(asker: Asker) -> QuerySet[Entity]:
    """The nodes that exist for the asker: of their workspace, up to their level, and told of, not only named."""
    return Entity.objects.filter(workspace_id=asker.workspace_id, level__lte=asker.level, is_placeholder=False)


def visible_at(asker: Asker, column: str) -> Q:
    """That the node whose key stands in `column` (`entity_id`) exists for the asker.

    For rows of other tables: by an IN of `visible`, or a join, SQLite begins with all nodes of the workspace.
    """
    return Q(Exists(visible(asker).filter(pk=OuterRef(column))))


def readable_edges(asker: Asker) -> QuerySet[Edge]:
    """The edges that exist for the asker: whoever may read both ends may read the edge. An end may be a placeholder."""
    edges = Edge.objects.filter(workspace_id=asker.workspace_id)
    if asker.sees_everything:
        return edges
    return edges.filter(from_entity__level__lte=asker.level, to_entity__level__lte=asker.level)


def entity_at(ref: Ref | str, *, asker: Asker) -> Entity:
    """The node of a ref in its normal form. One query; raises `NoSuchEntity` alike for all that is not to be seen."""
    found = visible(asker).filter(ref_key=keys.ref_key(str(ref))).first()
    if found is None:
        raise NoSuchEntity
    return found
