"""Reads events from outside into nodes, edges and claims: pure, whole or not at all.

Three shapes are read, as their senders write them: one output with its inputs (`output` or `output_ref`, `inputs`,
`transform`), one claim with its evidence (`claim_id`, `evidence`, `support`, `retrieval`), and lists of `entities` and
`edges`. An output and a claim are told of; inputs, evidence and the ends of listed edges are only named.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from lineage.core import event_fields, secrets
from lineage.core.asked import normal
from lineage.core.events import Refused, TellClaim, TellEdge, TellEntity, TellEvent, TellEvidence, digest_of
from lineage.core.evidence import Support
from lineage.core.refs import Ref
from lineage.core.relations import EntityType, Label, Relation
from lineage.core.times import moment

# An event is a line of a pipeline, not a dump: what is larger is sent as several.
MOST_PARTS = 10_000
_TRANSFORM_MEANS = ("prompt_ref", "config_ref", "model_ref")
_KEPT_OF_TRANSFORM = ("model_route", "model", "prompt_ref", "skill_refs", "structured_output")


def read(payload: Mapping[str, Any], *, lenient: bool = False) -> TellEvent:
    """The event that a payload tells. With `lenient` refs without a version are taken as unresolved.

    Raises `Refused` for the first thing that is wrong: nothing of an event is taken where a part of it is.
    """
    if not isinstance(payload, Mapping):
        raise Refused("not_an_event", "An event is a JSON object.")
    hidden = secrets.first_refused(payload)
    if hidden is not None:
        raise Refused(hidden.why.value, hidden.why.explanation, at=hidden.field)
    reading = _Reading(payload, lenient=lenient)
    entities, edges, claims = reading.parts()
    if not entities and not edges:
        raise Refused("empty_event", "An event tells of an output with inputs, a claim with evidence, or entities.")
    if len(entities) + len(edges) > MOST_PARTS:
        raise Refused("too_large", f"An event has at most {MOST_PARTS:,} parts; send several.")
    digest = digest_of(payload)
    return TellEvent(
        event_id=reading.text("lineage_event_id", most=200)
        or reading.text("event_id", most=200)
        or f"LIN-{digest[:32]}",
        digest=digest,
        tenants=reading.tenants,
        run_id=reading.run_id,
        hook=reading.hook,
        told=moment(reading.text("created_at") or reading.text("event_time")),
        entities=tuple(_joined(entities)),
        edges=tuple(edges),
        claims=tuple(claims),
    )


class _Reading:
    """One payload on its way into parts; keeps what every part of it shares."""

    def __init__(self, payload: Mapping[str, Any], *, lenient: bool) -> None:
        self.payload, self.lenient = payload, lenient
        self.run_id = self.text("run_id", most=100)
        self.trace_id, self.span_id = self.text("trace_id", most=32), self.text("span_id", most=16)
        self.hook = self.text("hook", most=60)
        self.of_every_edge = {"hook": self.hook} if self.hook else {}
        self.tenants = event_fields.tenants_of(payload)
        # Ends of edges that were told with their hash: named only, and yet their content is fixed.
        self.with_hash: list[TellEntity] = []

    def parts(self) -> tuple[list[TellEntity], list[TellEdge], list[TellClaim]]:
        """Nodes, edges and claims, in the order they stand."""
        entities: list[TellEntity] = []
        edges: list[TellEdge] = []
        claims: list[TellClaim] = []
        for position, told in enumerate(self.listed("entities")):
            entities.append(self.entity(told, at=f"entities[{position}]"))
        for position, told in enumerate(self.listed("edges")):
            edges += self.edges_of(self.mapping(told, f"edges[{position}]"), at=f"edges[{position}]")
        if "claim_id" in self.payload:
            claim, claim_edges = self.claim()
            claims.append(claim)
            entities.append(TellEntity(claim.ref, sha256=claim.text_hash))
            edges += claim_edges
        elif "output" in self.payload or "output_ref" in self.payload:
            output = self.entity(self.payload.get("output", self.payload.get("output_ref")), at="output")
            entities.append(output)
            edges += self.edges_of(self.payload, at="", output=output.ref)
        for edge in edges:
            entities += [TellEntity(end, is_named_only=True) for end in (edge.dependent, edge.rests_on)]
        return entities + self.with_hash, edges, claims

    def ref(self, told: object, *, at: str) -> tuple[Ref, Mapping[str, Any]]:
        """The ref that stands somewhere, and the object around it."""
        ref, facts = event_fields.ref(told, at=at, lenient=self.lenient)
        self.tenants |= event_fields.tenants_of(facts, at=at)
        return ref, facts

    def end(self, told: object, *, at: str) -> tuple[Ref, Mapping[str, Any]]:
        """The ref at an end of an edge, and the object around it."""
        ref, facts = self.ref(told, at=at)
        if facts.get("sha256") or facts.get("content_hash"):
            self.with_hash.append(replace(self.entity(told, at=at), is_named_only=True))
        return ref, facts

    def entity(self, told: object, *, at: str) -> TellEntity:
        """A node from a ref, or from an object with a ref."""
        ref, facts = self.ref(told, at=at)
        source_time, valid_from, valid_to = (
            moment(event_fields.text(facts, name, at=at)).at for name in ("source_time", "valid_from", "valid_to")
        )
        label = event_fields.text(facts, "classification", at=at)
        if label and label not in set(Label):
            raise Refused("unknown_label", f"Use one of: {', '.join(Label)}.", at=f"{at}.classification")
        metadata = facts.get("metadata", {})
        if not isinstance(metadata, Mapping):
            raise Refused("not_an_object", "Metadata are a JSON object.", at=f"{at}.metadata")
        return TellEntity(
            ref,
            sha256=event_fields.digest(facts.get("sha256") or facts.get("content_hash"), at=f"{at}.sha256"),
            source_time=source_time,
            authority=event_fields.text(facts, "authority", at=at, most=15),
            label=Label(label) if label else None,
            valid_from=valid_from,
            valid_to=valid_to,
            metadata={**metadata, **event_fields.kept_of(ref.type, facts, at=at)},
        )

    def edges_of(self, told: Mapping[str, Any], *, at: str, output: Ref | None = None) -> Iterator[TellEdge]:
        """The edges of one output to its inputs, and to what its transform was made with."""
        where = f"{at}." if at else ""
        self.tenants |= event_fields.tenants_of(told, at=at)
        dependent = (
            output or self.end(told.get("from", told.get("output", told.get("output_ref"))), at=f"{where}output")[0]
        )
        relation = event_fields.relation(told, at=at)
        transform = self.mapping(told.get("transform", {}), f"{where}transform")
        base = TellEdge(
            dependent,
            relation,
            dependent,
            transform_type=event_fields.text(transform, "type", at=f"{where}transform", most=40),
            transform_implementation=event_fields.text(transform, "implementation", at=f"{where}transform", most=200),
            transform_version=event_fields.text(transform, "version", at=f"{where}transform", most=100),
            config_hash=event_fields.digest(transform.get("config_hash"), at=f"{where}transform.config_hash"),
            run_id=event_fields.text(told, "run_id", at=at, most=100) or self.run_id,
            trace_id=event_fields.text(told, "trace_id", at=at, most=32) or self.trace_id,
            span_id=self.span_id,
            metadata=self.kept_of(transform, at=f"{where}transform") | self.of_every_edge,
        )
        inputs = told.get("inputs", [told["to"]] if "to" in told else [])
        if not isinstance(inputs, list) or (not inputs and at):
            raise Refused("no_inputs", "Say what it rests on: a list of refs.", at=f"{where}inputs")
        for position, one in enumerate(inputs):
            here = f"{where}inputs[{position}]"
            yield event_fields.checked(replace(base, rests_on=self.end(one, at=here)[0]), at=here)
        for name, one in _means(transform):
            here = f"{where}transform.{name}"
            means = self.end(one, at=here)[0]
            kind = Relation.TRANSFORMED_BY if means.type is not EntityType.DECISION else Relation.GENERATED_FROM
            edge = replace(base, relation=kind, rests_on=means, metadata=self.of_every_edge)
            yield event_fields.checked(edge, at=here)

    def kept_of(self, transform: Mapping[str, Any], *, at: str) -> dict[str, Any]:
        """What the edges to the inputs keep of the transform beside their own columns."""
        told = {name: transform[name] for name in _KEPT_OF_TRANSFORM if transform.get(name)}
        return {name: event_fields.value(one, at=f"{at}.{name}") for name, one in told.items()}

    def claim(self) -> tuple[TellClaim, list[TellEdge]]:
        """A claim with the edge to its evidence."""
        payload = self.payload
        text = event_fields.text(payload, "claim_text", at="", most=20_000)
        text_hash = event_fields.digest(payload.get("claim_text_hash"), at="claim_text_hash") or (
            hashlib.sha256(text.encode()).hexdigest() if text else ""
        )
        if not text_hash:
            raise Refused("no_text_hash", "A claim has the hash of its text, or the text.", at="claim_text_hash")
        name = self.text("claim_id", most=500)
        ref, _ = event_fields.ref(
            {
                "ref": name if "://" in name else f"claim://{name}",
                "version": payload.get("version"),
                "sha256": text_hash,
            },
            at="claim_id",
            lenient=self.lenient,
        )
        if ref.type is not EntityType.CLAIM:
            raise Refused("type_conflict", f"claim_id names a {ref.type}.", at="claim_id")
        claim = TellClaim(ref, text_hash, text, payload.get("material", True) is not False)
        evidence = payload.get("evidence")
        several = evidence if isinstance(evidence, list) else [evidence] if evidence else []
        relation = event_fields.relation(payload, at="") if several else Relation.SUPPORTED_BY
        edges = []
        for position, one in enumerate(several):
            at = f"evidence[{position}]" if isinstance(evidence, list) else "evidence"
            rests_on, facts = self.end(one, at=at)
            told = event_fields.text(facts, "source_ref", at=at)
            kept = {"source_ref": normal(told)} if told else {}
            edge = TellEdge(
                ref,
                relation,
                rests_on,
                run_id=self.run_id or self.retrieved_in(facts),
                trace_id=self.trace_id,
                span_id=self.span_id,
                metadata=kept | self.of_every_edge,
                evidence=self.evidence(facts, at=at),
            )
            edges.append(event_fields.checked(edge, at=at))
        return claim, edges

    def evidence(self, facts: Mapping[str, Any], *, at: str) -> TellEvidence:
        """How evidence bears on its claim, from beside it or from the event."""
        support = self.mapping(facts.get("support", self.payload.get("support", {})), "support")
        retrieval = self.mapping(facts.get("retrieval", self.payload.get("retrieval", {})), "retrieval")
        kind = str(support.get("type", Support.DIRECT)).casefold()
        if kind not in set(Support):
            raise Refused("unknown_support", f"Use one of: {', '.join(Support)}.", at="support.type")
        rank = retrieval.get("rank")
        if rank is not None and (isinstance(rank, bool) or not isinstance(rank, int) or not 1 <= rank < 2**31):
            raise Refused("bad_rank", "A rank is a whole number from 1.", at="retrieval.rank")
        return TellEvidence(
            support=Support(kind),
            scope=event_fields.text(support, "scope", at="support", most=200),
            is_verified=support.get("verified") is True,
            rank=rank,
            query_hash=event_fields.digest(retrieval.get("query_hash"), at="retrieval.query_hash"),
        )

    def retrieved_in(self, facts: Mapping[str, Any]) -> str:
        """The run that found a piece of evidence, where the event itself names none."""
        retrieval = self.mapping(facts.get("retrieval", self.payload.get("retrieval", {})), "retrieval")
        return event_fields.text(retrieval, "run_id", at="retrieval", most=100)

    def listed(self, name: str) -> list[Any]:
        """The list under a name; empty where there is none."""
        value = self.payload.get(name, [])
        if not isinstance(value, list):
            raise Refused("not_a_list", f"{name} is a list.", at=name)
        return value

    def mapping(self, value: object, at: str) -> Mapping[str, Any]:
        """The object that must stand there."""
        if not isinstance(value, Mapping):
            raise Refused("not_an_object", "A JSON object stands here.", at=at)
        return value

    def text(self, name: str, *, most: int = 2_000) -> str:
        """The text under a name of the event itself, '' where there is none."""
        return event_fields.text(self.payload, name, at="", most=most)


def _means(transform: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """What a transform was made with and names by a ref: its prompt, skills, route, model and configuration."""
    for name in _TRANSFORM_MEANS:
        if transform.get(name):
            yield name, transform[name]
    skills = transform.get("skill_refs") or []
    for position, skill in enumerate(skills if isinstance(skills, list) else [skills]):
        yield f"skill_refs[{position}]", skill
    for name in ("model_route", "model"):
        if isinstance(transform.get(name), str) and "://" in transform[name]:
            yield name, transform[name]


def _joined(entities: list[TellEntity]) -> Iterator[TellEntity]:
    """Each node once: told of where it is anywhere, with the hash that is known of it."""
    found: dict[str, TellEntity] = {}
    for entity in entities:
        key = str(entity.ref)
        before = found.get(key)
        if before is None:
            found[key] = entity
            continue
        if before.sha256 and entity.sha256 and before.sha256 != entity.sha256:
            raise Refused("hash_conflict", f"{key} stands here with two hashes.", at=key)
        whole, other = (before, entity) if not before.is_named_only else (entity, before)
        found[key] = replace(whole, sha256=whole.sha256 or other.sha256)
    yield from found.values()
