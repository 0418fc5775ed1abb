"""The closed vocabulary of the lineage graph. Direction: from the dependent to what it rests on."""

from enum import StrEnum


class EntityType(StrEnum):
    """What a node of the graph is."""

    SOURCE = "source"
    SOURCE_VERSION = "source-version"
    ARTIFACT = "artifact"
    DOCUMENT_IR = "document-ir"
    BLOCK = "block"
    TABLE = "table"
    FIGURE = "figure"
    CHUNK = "chunk"
    EMBEDDING = "embedding"
    INDEX = "index"
    RETRIEVAL_HIT = "retrieval-hit"
    TOOL_RESULT = "tool-result"
    CALCULATION = "calculation"
    CLAIM = "claim"
    ANSWER = "answer"
    REPORT = "report"
    FILE = "file"
    DECISION = "decision"
    MODEL = "model"
    PROMPT = "prompt"
    SKILL = "skill"
    CONFIG = "config"
    RUN = "run"


class EntityState(StrEnum):
    """Whether a node may still be leaned on."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    STALE = "stale"
    TOMBSTONED = "tombstoned"


class Label(StrEnum):
    """Classification of a node, least restrictive first."""

    PUBLIC = "public"
    INTERNAL = "internal"
    CONFIDENTIAL = "confidential"
    RESTRICTED = "restricted"


class Relation(StrEnum):
    """How the dependent rests on the other node."""

    FETCHED_FROM = "FETCHED_FROM"
    PARSED_FROM = "PARSED_FROM"
    DERIVED_FROM = "DERIVED_FROM"
    CHUNKED_FROM = "CHUNKED_FROM"
    EMBEDDED_FROM = "EMBEDDED_FROM"
    RETRIEVED_FROM = "RETRIEVED_FROM"
    SUPPORTED_BY = "SUPPORTED_BY"
    GENERATED_FROM = "GENERATED_FROM"
    TRANSFORMED_BY = "TRANSFORMED_BY"
    CONTAINS = "CONTAINS"
    SUPERSEDES = "SUPERSEDES"


class UnknownRelation(ValueError):
    """The relation is not of the vocabulary; the message names better choices."""


class WrongPair(ValueError):
    """The relation does not hold between nodes of these two types; the message names what it joins."""


_OUTPUTS = frozenset({EntityType.ANSWER, EntityType.REPORT, EntityType.FILE})
_WRITTEN = frozenset({EntityType.ARTIFACT, EntityType.FILE, EntityType.SOURCE_VERSION, EntityType.SOURCE})

_PARTS = frozenset({EntityType.DOCUMENT_IR, EntityType.BLOCK, EntityType.TABLE, EntityType.FIGURE})

# (dependent types, types it may rest on). A relation that is missing here waits for its writer and is then given its
# pairs, so that no pair is allowed before something real needs it. An observation is a claim.
ALLOWED_PAIRS: dict[Relation, tuple[frozenset[EntityType], frozenset[EntityType]]] = {
    Relation.FETCHED_FROM: (
        frozenset({EntityType.SOURCE_VERSION, EntityType.ARTIFACT}),
        frozenset({EntityType.SOURCE}),
    ),
    Relation.PARSED_FROM: (
        frozenset({EntityType.SOURCE, EntityType.DOCUMENT_IR, EntityType.BLOCK, EntityType.TABLE, EntityType.FIGURE}),
        _WRITTEN | {EntityType.DOCUMENT_IR},
    ),
    Relation.CHUNKED_FROM: (frozenset({EntityType.CHUNK}), _WRITTEN | _PARTS),
    Relation.SUPPORTED_BY: (
        frozenset({EntityType.CLAIM}),
        frozenset({EntityType.SOURCE, EntityType.SOURCE_VERSION, EntityType.CHUNK}),
    ),
    Relation.DERIVED_FROM: (frozenset({EntityType.CLAIM}), frozenset({EntityType.SOURCE, EntityType.SOURCE_VERSION})),
    Relation.GENERATED_FROM: (_OUTPUTS, _WRITTEN | _OUTPUTS | {EntityType.CLAIM, EntityType.CHUNK}),
    Relation.SUPERSEDES: (frozenset(EntityType), frozenset(EntityType)),
}


def check_pair(relation: Relation, dependent: EntityType, rests_on: EntityType) -> None:
    """Raises `WrongPair` unless `relation` may hold from `dependent` to `rests_on`."""
    dependents, others = ALLOWED_PAIRS.get(relation, (frozenset(), frozenset()))
    if dependent not in dependents or rests_on not in others:
        raise WrongPair(f"{relation} does not lead from {dependent} to {rests_on}")
    if relation is Relation.SUPERSEDES and dependent is not rests_on:
        raise WrongPair(f"SUPERSEDES joins two versions of one kind, not {dependent} and {rests_on}")


def relation_named(name: str) -> Relation:
    """The relation called `name`; raises `UnknownRelation` with the vocabulary for anything else.

    `RELATED_TO` and its spellings are refused on purpose: an edge that does not say how is no provenance.
    """
    try:
        return Relation(name)
    except ValueError:
        raise UnknownRelation(
            f"{name!r} says nothing that can be followed; use one of: {', '.join(Relation)}"
        ) from None
