"""What people call a node, and finding nodes by it.

A title is never copied into the graph: who holds the object (the registry) registers a function that names nodes when
they are shown. Where nobody names one, its own words stand: a title or file name in its metadata, else its path.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.text import Truncator

from lineage import access
from lineage.core.asking import Asker
from lineage.core.pairs import OUTPUTS
from lineage.core.relations import EntityType
from lineage.models import Claim, Entity
from lineage.queries.listing import TOLD_BY, said
from provenance_site.kit.rows import in_parts

MOST_FOUND = 100
_MOST_SAID = 200
_LONG = re.compile(r"[0-9a-f]{32,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_FEWEST = 2
_LONGEST = 160


@dataclass(frozen=True, slots=True)
class Remark:
    """What a reader must know of a node beside its state, as who holds its object says it: “Expression of concern”.

    `tone` and `icon` are how it is shown, as those of a state are.
    """

    word: str
    tone: str
    icon: str


@dataclass(frozen=True, slots=True)
class Name:
    """What a node is called where its object lives, the address of that object's page, and what must be known of it."""

    text: str
    url: str
    remark: Remark | None = None


def remark_beside(name: Name | None, entity: Entity) -> Remark | None:
    """What stands beside the state of a node; None where the state says the same word."""
    remark = name.remark if name else None
    return remark if remark is not None and remark.word.lower() != entity.state else None


Naming = Callable[[int, Collection[int]], Mapping[int, Name]]
_NAMINGS: list[Naming] = []


def register_naming(naming: Naming) -> None:
    """Has nodes named by `naming`, which is given a workspace and keys of its nodes, and gives names by key.

    It is asked once a page, for nodes that the reader may see. Twice is harmless.
    """
    if naming not in _NAMINGS:
        _NAMINGS.append(naming)


def names_of(entities: Iterable[Entity]) -> dict[int, Name]:
    """The names of nodes by key, as far as somebody names them; a query or two a kind, whatever the number. A claim is
    called by its text, where the workspace keeps it."""
    by_workspace: dict[int, set[int]] = {}
    claims: list[int] = []
    for entity in entities:
        by_workspace.setdefault(entity.workspace_id, set()).add(entity.pk)
        if entity.as_type is EntityType.CLAIM:
            claims.append(entity.pk)
    by_text = {
        key: Name(quoted(text), url="")
        for part in in_parts(claims)
        for key, text in Claim.objects.filter(pk__in=part).exclude(text="").values_list("pk", "text")
    }
    return by_text | {
        key: name
        for workspace_id, keys in by_workspace.items()
        for naming in _NAMINGS
        for key, name in naming(workspace_id, keys).items()
    }


def called(entities: Iterable[Entity]) -> dict[int, str]:
    """What each node is called, by key: as who holds its object names it, else in its own words."""
    ordered = list(entities)
    names = names_of(ordered)
    return {one.pk: names[one.pk].text if one.pk in names else own_words(one) for one in ordered}


def quoted(claim: str) -> str:
    """A claim as it is called: its text in quotes, cut after 200 characters."""
    return f"“{claim if len(claim) <= _MOST_SAID else claim[: _MOST_SAID - 1].rstrip() + '…'}”"


def own_words(entity: Entity) -> str:
    """A node's own words, where nobody names it: what its metadata call it, else its path, long digits cut."""
    if not entity.ref:
        return f"erased {entity.type}"
    told = next((str(entity.metadata[name]) for name in TOLD_BY if entity.metadata.get(name)), "")
    if told:
        return told
    path = entity.logical_id or entity.ref
    version = entity.version if entity.version and entity.version not in path.split("/") else ""
    return _LONG.sub(lambda found: f"{found[0][:8]}…", " ".join(part for part in (path, version) if part))


def own_words_of(entities: Iterable[Entity]) -> dict[int, str]:
    """The own words of each by key; a claim is called by its text, where the workspace keeps it. One query."""
    ordered = list(entities)
    claims = [one.pk for one in ordered if one.type == EntityType.CLAIM and one.ref]
    texts = Claim.objects.filter(entity__in=claims).exclude(text="").values_list("entity", "text") if claims else ()
    said = {key: Truncator(text).chars(_LONGEST) for key, text in texts}
    return {one.pk: said.get(one.pk) or own_words(one) for one in ordered}


def found(*, text: str, asker: Asker) -> QuerySet[Entity]:
    """The nodes whose ref or own title holds `text`, the newest first; none for fewer than two letters.

    Looks through the nodes of the workspace: take the first `MOST_FOUND` of it.
    """
    text = text.strip()
    rows = access.visible(asker)
    if len(text) < _FEWEST or "\x00" in text:
        return rows.none()
    return rows.filter(said(text)).exclude(ref="").order_by("-pk")


def newest(*, asker: Asker, number: int) -> list[Entity]:
    """The outputs that were told of last, to begin with."""
    return list(access.visible(asker).filter(type__in=sorted(OUTPUTS)).exclude(ref="").order_by("-pk")[:number])
