"""Small graphs from one line of text, and large ones made by the database itself."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection

from lineage.core import keys, pairs
from lineage.core.asking import Asker, system
from lineage.core.relations import EntityState, EntityType, Label, Pin, Relation
from lineage.models import Edge, Entity
from provenance_site.accounts.models import Workspace
from provenance_site.kit.rows import insert_rows
from tests.clock import NOW
from tests.factories import WorkspaceFactory

KINDS = {
    "s": EntityType.SOURCE,
    "v": EntityType.SOURCE_VERSION,
    "a": EntityType.ARTIFACT,
    "b": EntityType.BLOCK,
    "c": EntityType.CHUNK,
    "e": EntityType.EMBEDDING,
    "h": EntityType.RETRIEVAL_HIT,
    "k": EntityType.CLAIM,
    "r": EntityType.REPORT,
    "m": EntityType.MODEL,
    "p": EntityType.PROMPT,
}
"""The first letter of a name is its type."""

_RELATIONS = {
    EntityType.SOURCE_VERSION: Relation.FETCHED_FROM,
    EntityType.ARTIFACT: Relation.FETCHED_FROM,
    EntityType.BLOCK: Relation.PARSED_FROM,
    EntityType.CHUNK: Relation.CHUNKED_FROM,
    EntityType.EMBEDDING: Relation.EMBEDDED_FROM,
    EntityType.RETRIEVAL_HIT: Relation.RETRIEVED_FROM,
    EntityType.CLAIM: Relation.SUPPORTED_BY,
    EntityType.REPORT: Relation.CONTAINS,
}
Told = tuple[str, Relation, str] | tuple[str, Relation, str, Mapping[str, str]]


@dataclass
class Drawn:
    """A graph that lies in a workspace."""

    workspace: Workspace
    nodes: dict[str, Entity]

    def keys(self, names: str) -> list[int]:
        """The keys of nodes by their names, parted by blanks."""
        return [self.nodes[name].pk for name in names.split()]

    def names(self, found: Iterable[int | Entity]) -> str:
        """The names of nodes or keys, in alphabetical order."""
        by_key = {node.pk: name for name, node in self.nodes.items()}
        return " ".join(sorted(by_key[one.pk if isinstance(one, Entity) else one] for one in found))

    def ref(self, name: str) -> str:
        """The ref of a node, whether it is there or not."""
        return ref_of(name)

    def asker(self, label: Label) -> Asker:
        """Someone who may read up to a label here."""
        return Asker(self.workspace.pk, label.level)

    @property
    def system(self) -> Asker:
        """The desk itself."""
        return system(self.workspace.pk)


def ref_of(name: str) -> str:
    """The ref of a node by its name: the same in every graph."""
    return f"{KINDS[name[0]]}://pier/{name}/v1"


def draw(
    text: str = "",
    *,
    told: Iterable[Told] = (),
    labels: Mapping[str, Label] | None = None,
    lowered: Mapping[str, Label] | None = None,
    states: Mapping[str, EntityState] | None = None,
    only_named: Iterable[str] = (),
    without: Iterable[str] = (),
    workspace: Workspace | None = None,
) -> Drawn:
    """Writes a graph: "b1 b2 > a, c > b1 b2" says that both blocks rest on the artifact, and the chunk on both.

    The relation follows from the type of the dependent; `told` are edges with relation, transform and run. `labels` are
    declared (internal else) and settled upwards; `lowered` hold whatever a node rests on. `without` leaves nodes, and
    the edges at them, out of the same graph.
    """
    edges: list[Told] = []
    order: dict[str, None] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        dependents, _, others = part.partition(">")
        order.update(dict.fromkeys([*others.split(), *dependents.split()]))
        edges += [(one, _relation(one, other), other) for one in dependents.split() for other in others.split()]
    for one, _, other, *_ in told:
        order.update(dict.fromkeys([other, one]))
    edges += list(told)
    levels = _settled(order, edges, labels or {}, lowered or {})
    left_out = set(without)
    workspace = workspace or WorkspaceFactory()
    nodes = {
        name: Entity(
            workspace=workspace,
            ref=ref_of(name),
            ref_key=keys.ref_key(ref_of(name)),
            type=KINDS[name[0]],
            logical_id=f"pier/{name}",
            version="v1",
            pin=Pin.PINNED,
            level=levels[name],
            classification=Label.at_level(levels[name]),
            state=(states or {}).get(name, EntityState.CURRENT),
            is_placeholder=name in set(only_named),
            created_at=NOW,
        )
        for name in order
        if name not in left_out
    }
    insert_rows(list(nodes.values()))
    insert_rows([_edge(workspace, nodes, one) for one in edges if one[0] in nodes and one[2] in nodes])
    return Drawn(workspace, nodes)


def _relation(dependent: str, other: str) -> Relation:
    relation = _RELATIONS[KINDS[dependent[0]]]
    others = pairs.ALLOWED_PAIRS[relation][1]
    return relation if KINDS[other[0]] in others else Relation.DERIVED_FROM


def _settled(
    order: Iterable[str], edges: Iterable[Told], labels: Mapping[str, Label], lowered: Mapping[str, Label]
) -> dict[str, int]:
    levels = {name: labels.get(name, Label.INTERNAL).level for name in order}
    levels.update({name: label.level for name, label in lowered.items()})
    edges, changed = list(edges), True
    while changed:
        changed = False
        for one, _, other, *_ in edges:
            if one not in lowered and levels[other] > levels[one]:
                levels[one], changed = levels[other], True
    return levels


def _edge(workspace: Workspace, nodes: Mapping[str, Entity], told: Told) -> Edge:
    dependent, relation, other, *rest = told
    how: dict[str, str] = dict(rest[0]) if rest else {}  # type: ignore[call-overload]
    return Edge(
        workspace=workspace,
        edge_key=keys.edge_key(
            relation=relation,
            from_ref=ref_of(dependent),
            to_ref=ref_of(other),
            transform=repr(sorted(how.items())),
            run_id=how.get("run_id", ""),
        ),
        from_entity=nodes[dependent],
        to_entity=nodes[other],
        relation=relation,
        is_dependence=pairs.is_dependence(relation, KINDS[dependent[0]]),
        created_at=NOW,
        **how,
    )


def many(number: int, *, rests_on: Callable[[str], str], entity_type: EntityType = EntityType.CHUNK) -> tuple[int, int]:
    """`number` nodes with keys in a row, and an edge from each but the first to the one whose place `rests_on` says in
    SQL. Gives the workspace and the key of the first node. Two statements: a hundred thousand rows take a second."""
    workspace = WorkspaceFactory()
    series = (
        "SELECT generate_series(0, %s) AS n"
        if connection.vendor == "postgresql"
        else "WITH RECURSIVE s(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < %s) SELECT n FROM s"
    )
    first = (Entity.objects.order_by("-pk").values_list("pk", flat=True).first() or 0) + 1_000
    text = "CAST(n AS text)"
    _insert(
        Entity(workspace=workspace, type=entity_type, version="1", created_at=NOW),
        {"id": f"{first} + n", "ref": text, "ref_key": text, "logical_id": text},
        f"({series}) s",
        [number - 1],
    )
    _insert(
        Edge(workspace=workspace, relation=Relation.DERIVED_FROM, is_dependence=True, created_at=NOW),
        {"edge_key": text, "from_entity_id": f"{first} + n", "to_entity_id": f"{first} + {rests_on('n')}"},
        f"({series}) s WHERE n > 0",
        [number - 1],
    )
    return workspace.pk, first


def told_ref(workspace: int, key: int) -> str:
    """The ref of one of `many`, by which it is found from now on."""
    node = Entity.objects.get(workspace=workspace, pk=key)
    Entity.objects.filter(pk=key).update(ref_key=keys.ref_key(node.ref))
    return node.ref


def _insert(row: Entity | Edge, columns: Mapping[str, str], series: str, parameters: list[Any]) -> None:
    fields = [field for field in row._meta.concrete_fields if field.column in columns or not field.primary_key]
    values = [
        None if field.column in columns else field.get_db_prep_save(getattr(row, field.attname), connection)
        for field in fields
    ]
    listed = ", ".join(str(field.column) for field in fields)
    chosen = ", ".join(columns.get(str(field.column), "%s") for field in fields)
    told = [value for field, value in zip(fields, values, strict=True) if field.column not in columns]
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {row._meta.db_table} ({listed}) SELECT {chosen} FROM {series}",  # noqa: S608
            [*told, *parameters],
        )
