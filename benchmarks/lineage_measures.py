"""The measures of `benchmarks.lineage` on one database, an SQLite file of its own or the one of DESK_DATABASE_URL.

Every answer is compared with networkx, and every ratio is to networkx on the same graph in the same run: one of ours,
one of theirs, in turn, medians.
"""

import gc
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import networkx

from benchmarks import lineage_shapes, throwaway
from benchmarks.lineage_shapes import Graph

throwaway.desk()

from django.db import connection, transaction

from lineage import capture
from lineage.core import refs
from lineage.core.asking import Asker, system
from lineage.core.relations import EntityState, EntityType, Label, Relation
from lineage.models import Cause, Edge, Entity
from lineage.queries import walks
from lineage.queries.walks import Direction, Walk
from provenance_site.accounts.models import Workspace

_SIZES = (10_000, 100_000, 1_000_000)
_REPEATS = 7
_STARTS = 5
_EQUAL_ANSWER = 9
_BATCH = 1_000


@dataclass
class Stored:
    """A graph in the database, and the same in networkx: from what is rested on to what rests on it."""

    graph: Graph
    workspace_id: int
    first: int
    everything: Any
    readable: Any

    def keys(self, places: Iterable[int]) -> list[int]:
        """The keys of nodes by their places."""
        return [self.first + place for place in places]


@dataclass(frozen=True, slots=True)
class Timed:
    """Medians in seconds, ours and of networkx, and the size of the middle answer."""

    ours: float
    theirs: float
    answer: int

    @property
    def ratio(self) -> float:
        """Ours to theirs."""
        return self.ours / self.theirs


class Measures:
    """What is measured on one database; `equal` is False once an answer differed from networkx."""

    def __init__(self) -> None:
        self.equal = True
        self.told: dict[str, float] = {}

    def run(self, largest: int) -> None:
        """All measures, the layered graphs up to `largest` edges."""
        small = store(lineage_shapes.chain(1_000))
        self.line("chain of 1,000, alone in the table", self.shape(small))
        equal: dict[int, float] = {}
        hot: Stored | None = None
        for size in [size for size in _SIZES if size < largest] + [largest]:
            hot = store(lineage_shapes.layered(size))
            equal[size] = self.layered(hot, size, smallest=equal)
        self.told["growth_10k_to_1m"] = equal[largest] / equal[min(equal)]
        assert hot is not None  # noqa: S101
        self.told["retract_2500_ms"] = self.retract(hot) * 1e3
        ladder = self.shape(store(lineage_shapes.ladder(2_000)))
        self.line("ladder of 2^2000 ways", ladder)
        self.told["ladder_ratio"] = ladder.ratio
        chain = self.shape(store(lineage_shapes.chain(10_000)))
        self.line("chain of 10,000", chain)
        self.told["chain_ratio"] = chain.ratio
        star = self.shape(store(lineage_shapes.star(100_000)))
        self.line("star of 100,000", star)
        self.told["fanout_100k_s"] = star.ours
        self.told["ingest_edges_per_s"] = ingested()

    def layered(self, stored: Stored, size: int, *, smallest: dict[int, float]) -> float:
        """Both ratios at this size (the last one stays), and the seconds for an answer of the same size at all."""
        viewer = Asker(stored.workspace_id, Label.INTERNAL.level)
        answers = {one: len(networkx.descendants(stored.everything, one)) for one in stored.graph.sources}
        hottest = sorted(answers, key=lambda one: -answers[one])[:_STARTS]
        all_of_it = self.descendants(stored, hottest, system(stored.workspace_id))
        self.line(f"{size:,} edges: descendants", all_of_it)
        self.told["descendants_ratio"] = all_of_it.ratio
        open_ones = {one: len(networkx.descendants(stored.readable, one)) for one in hottest if one in stored.readable}
        filtered = self.descendants(stored, list(open_ones), viewer)
        self.line(f"{size:,} edges: … of what an asker may read", filtered)
        self.told["filtered_ratio"] = filtered.ratio
        deepest = sorted(stored.graph.reports[-200:], key=lambda one: -len(networkx.ancestors(stored.everything, one)))
        above = self.timed(
            stored,
            deepest[:_STARTS],
            lambda key: walks.ancestor_ids(starts=[key], asker=system(stored.workspace_id)),
            lambda place: networkx.ancestors(stored.everything, place),
        )
        self.line(f"{size:,} edges: ancestors", above)
        if not smallest:
            self.like = statistics.median(answers.values())
        alike = sorted(answers, key=lambda one: abs(answers[one] - self.like))[:_EQUAL_ANSWER]
        same = self.descendants(stored, alike, system(stored.workspace_id))
        self.line(f"{size:,} edges: an answer of the same size", same)
        return same.ours

    def descendants(self, stored: Stored, places: list[int], asker: Asker) -> Timed:
        """The public query against networkx, on the whole graph or on what may be read."""
        other = stored.everything if asker.sees_everything else stored.readable
        return self.timed(
            stored,
            places,
            lambda key: walks.descendant_ids(starts=[key], asker=asker),
            lambda place: networkx.descendants(other, place),
        )

    def shape(self, stored: Stored) -> Timed:
        """Everything below the first node."""
        return self.descendants(stored, [0], system(stored.workspace_id))

    def timed(
        self,
        stored: Stored,
        places: list[int],
        ours: Callable[[int], list[int]],
        theirs: Callable[[int], set[int]],
    ) -> Timed:
        """Medians over all starts and repeats; each answer is compared."""
        seconds: dict[str, list[float]] = {"ours": [], "theirs": []}
        sizes = []
        gc.collect()
        for place in places:
            for _ in range(_REPEATS):
                begun = time.perf_counter()
                found = ours(stored.first + place)
                half = time.perf_counter()
                expected = theirs(place)
                seconds["theirs"].append(time.perf_counter() - half)
                seconds["ours"].append(half - begun)
            same = len(found) == len(expected) and set(found) == set(stored.keys(expected))
            self.equal = self.equal and same
            sizes.append(len(found))
        return Timed(
            statistics.median(seconds["ours"]), statistics.median(seconds["theirs"]), int(statistics.median(sizes))
        )

    def retract(self, stored: Stored) -> float:
        """Seconds for walk, impact rows and stale marks of sources on which about 2,500 nodes rest, taken back each."""
        answers = {one: len(networkx.descendants(stored.everything, one)) for one in stored.graph.sources}
        chosen = sorted(answers, key=lambda one: abs(answers[one] - 2_500))[:_STARTS]
        seconds = []
        for place in chosen:
            for _ in range(3):
                with transaction.atomic():
                    begun = time.perf_counter()
                    number = retracted(stored.workspace_id, stored.first + place)
                    seconds.append(time.perf_counter() - begun)
                    self.equal = self.equal and number == answers[place]
                    transaction.set_rollback(True)
        median = statistics.median(seconds)
        print(f"{'retract: walk, impact rows, stale marks':<48}{number:>9,}{median * 1e3:>10.2f} ms", flush=True)
        return median

    @staticmethod
    def line(name: str, timed: Timed) -> None:
        """A line for people."""
        print(f"{name:<48}{timed.answer:>9,}{timed.ours * 1e3:>10.2f} ms{timed.ratio:>8.1f}", flush=True)


def retracted(workspace_id: int, key: int) -> int:
    """What a retraction writes: a cause, an impact row for each node below, and the marks; gives how many."""
    at = datetime.now(UTC)
    cause = Cause.objects.create(
        workspace_id=workspace_id, kind="retraction", key=f"{key:064x}", entity_id=key, reason="measured", at=at
    )
    walk = Walk.of([key], Direction.DOWN, system(workspace_id))
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH RECURSIVE {walk.table} INSERT INTO lineage_impact (cause_id, entity_id, at, outcome, reason) "  # noqa: S608
            f"SELECT %s, node, %s, '', '' FROM {walk.name} WHERE node <> %s ON CONFLICT DO NOTHING",
            [*walk.parameters, cause.pk, connection.ops.adapt_datetimefield_value(at), key],
        )
    marked = Entity.objects.filter(impacts__cause=cause)
    return Entity.objects.filter(pk__in=marked.values("pk"), stale_at=None).update(stale_at=at, state=EntityState.STALE)


def store(graph: Graph) -> Stored:
    """Writes a graph as the product would have it, in a workspace of its own, and lets the database count it."""
    at = datetime.now(UTC)
    workspace = Workspace.objects.create(name=f"graph-{time.perf_counter_ns()}", created_at=at)
    last = Entity.objects.order_by("-pk").values_list("pk", flat=True).first()
    first = (last or 0) + 1
    moment = connection.ops.adapt_datetimefield_value(at)
    labels = list(Label)
    _load(
        Entity,
        (
            {
                "id": first + place,
                "workspace_id": workspace.pk,
                "ref": f"{entity_type}://bench/{workspace.pk}/{place}/v1",
                "ref_key": f"{first + place:064x}",
                "type": entity_type.value,
                "logical_id": f"bench/{workspace.pk}/{place}",
                "version": "v1",
                "classification": labels[level].value,
                "level": level,
                "created_at": moment,
            }
            for place, (entity_type, level) in enumerate(graph.nodes)
        ),
    )
    _load(
        Edge,
        (
            {
                "workspace_id": workspace.pk,
                "edge_key": f"{number:064x}",
                "from_entity_id": first + dependent,
                "to_entity_id": first + other,
                "relation": relation.value,
                "is_dependence": True,
                "created_at": moment,
            }
            for number, (dependent, relation, other) in enumerate(graph.edges)
        ),
    )
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
    everything = networkx.DiGraph((other, dependent) for dependent, _, other in graph.edges)
    open_ones = [place for place, (_, level) in enumerate(graph.nodes) if level <= Label.INTERNAL.level]
    return Stored(graph, workspace.pk, first, everything, everything.subgraph(open_ones).copy())


def _load(model: type[Entity] | type[Edge], rows: Iterable[dict[str, Any]]) -> None:
    """Writes rows past the ORM: COPY, or one prepared statement; columns that are not named get what a new row has."""
    fresh = model()
    fields = [field for field in model._meta.concrete_fields if model is Entity or not field.primary_key]
    names = [str(field.column) for field in fields]
    plain = {
        str(field.column): field.get_db_prep_save(getattr(fresh, field.attname), connection)
        for field in fields
        if field.attname not in {"id", "workspace_id", "from_entity_id", "to_entity_id", "created_at", "is_dependence"}
        and field.name != "metadata"
    }
    plain["metadata"] = "{}"
    values = (tuple({**plain, **row}.get(name) for name in names) for row in rows)
    listed, table = ", ".join(names), model._meta.db_table
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({listed}) FROM STDIN") as copy:
                for row in values:
                    copy.write_row(row)
            cursor.execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))"  # noqa: S608
            )
        else:
            cursor.executemany(
                f"INSERT INTO {table} ({listed}) VALUES ({', '.join(['%s'] * len(names))})",  # noqa: S608
                values,
            )


def ingested(edges: int = 20_000) -> int:
    """Edges a second through `lineage.capture`, with their nodes, a thousand edges a transaction."""
    at = datetime.now(UTC)
    workspace = Workspace.objects.create(name="ingest", created_at=at)
    artifact = refs.make(EntityType.ARTIFACT, "bench/ingest", "v1")
    chunks = [refs.make(EntityType.CHUNK, f"bench/ingest/{number}", "v1") for number in range(edges)]
    begun = time.perf_counter()
    for start in range(0, edges, _BATCH):
        part = chunks[start : start + _BATCH]
        with transaction.atomic():
            entities = capture.record_entities(
                workspace_id=workspace.pk, entities=map(capture.EntityFacts, [artifact, *part]), at=at
            )
            facts = [capture.EdgeFacts(one, Relation.CHUNKED_FROM, artifact, run_id="bench") for one in part]
            capture.record_edges(workspace_id=workspace.pk, edges=facts, entities=entities, at=at)
    rate = int(edges / (time.perf_counter() - begun))
    print(f"{'capture, nodes and edges, edges/s':<48}{rate:>9,}", flush=True)
    return rate


def main() -> None:
    """Measures and prints; the last line is what `benchmarks.lineage` reads."""
    measures = Measures()
    measures.run(int(sys.argv[1]))
    told = {key: round(value, 2) for key, value in measures.told.items()}
    print(json.dumps({**told, "equal": measures.equal}))


if __name__ == "__main__":
    main()
