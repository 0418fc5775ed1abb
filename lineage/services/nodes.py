"""Rows of nodes: which stand already, how new ones are written, and how one that was only named becomes whole."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction

from lineage.core.facts import EntityFacts
from lineage.core.relations import Pin
from lineage.models import Entity
from lineage.services import labels
from lineage.services.in_turn import hold, wait_for_turn
from provenance_site.kit.rows import insert_columns, update_rows


class HashConflict(ValueError):
    """A ref was told again with another content hash."""


class Known(NamedTuple):
    """What recording looks at of a node that stands."""

    pk: int
    content_hash: str
    is_placeholder: bool


def known(*, workspace_id: int, ref_keys: Iterable[str]) -> dict[str, Known]:
    """Those of these nodes that stand, by ref key. One query."""
    rows = Entity.objects.filter(workspace_id=workspace_id, ref_key__in=list(ref_keys))
    found = rows.values_list("ref_key", "pk", "content_hash", "is_placeholder")
    return {key: Known(pk, content_hash, named) for key, pk, content_hash, named in found}


def check_same(fact: EntityFacts, known: Known) -> None:
    """Raises `HashConflict` where a node stands with another content than it is told of with now."""
    if fact.content_hash and known.content_hash and fact.content_hash != known.content_hash:
        raise HashConflict(f"{fact.ref} is known with another content: tell the changed one as a new version.")


def becomes_whole(fact: EntityFacts, known: Known) -> bool:
    """True where a node that was only named is told of now."""
    return known.is_placeholder and not fact.is_placeholder


def insert(*, workspace_id: int, facts: Mapping[str, EntityFacts], at: datetime) -> dict[str, Known]:
    """The nodes by ref key as they stand in the database; where another writer was first with one, that writer's."""
    each, same = _columns(facts), {"workspace_id": workspace_id, "created_at": at}
    try:
        with transaction.atomic():
            ids = insert_columns(Entity, each, same=same)
    except IntegrityError:
        insert_columns(Entity, each, same=same, ignore_conflicts=True)
        return known(workspace_id=workspace_id, ref_keys=facts)
    told = zip(ids, facts.items(), strict=True)
    return {key: Known(pk, fact.content_hash, fact.is_placeholder) for pk, (key, fact) in told}


def make_whole(*, workspace_id: int, named: Mapping[int, EntityFacts], at: datetime) -> None:
    """Writes what is told now into rows that were only named until now. Their dependents are there already."""
    if not named:
        return
    wait_for_turn(workspace_id=workspace_id)
    hold(labels.with_dependents(workspace_id=workspace_id, entity_ids=named))
    each = _columns({str(pk): fact for pk, fact in named.items()})
    changed = [name for name in each if name not in {"ref", "ref_key", "level"}]
    rows = [
        Entity(pk=pk, created_at=at, **{name: each[name][place] for name in changed}) for place, pk in enumerate(named)
    ]
    update_rows(rows, [*("owner" if name == "owner_id" else name for name in changed), "created_at"])
    labels.settle(workspace_id=workspace_id, entity_ids=named)


def _columns(facts: Mapping[str, EntityFacts]) -> dict[str, list[Any]]:
    told = facts.values()
    return {
        "ref": [str(fact.ref) for fact in told],
        "ref_key": list(facts),
        "type": [fact.ref.type.value for fact in told],
        "logical_id": [fact.ref.path for fact in told],
        "version": [fact.ref.version for fact in told],
        "pin": [Pin.PINNED if fact.ref.is_pinned else Pin.UNRESOLVED for fact in told],
        "is_placeholder": [fact.is_placeholder for fact in told],
        "content_hash": [fact.content_hash for fact in told],
        "source_time": [fact.source_time for fact in told],
        "authority": [fact.authority for fact in told],
        "classification": [fact.classification for fact in told],
        "level": [fact.classification.level for fact in told],
        "metadata": [fact.metadata for fact in told],
        "valid_from": [fact.valid_from for fact in told],
        "valid_to": [fact.valid_to for fact in told],
        "owner_id": [fact.owner_id for fact in told],
        "released_at": [fact.released_at for fact in told],
    }
