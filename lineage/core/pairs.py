"""Which relation may join which types of node, as data, and which edges are dependences.

Direction is always from the dependent to what it rests on. A dependence is walked by impact, labels and every question;
the others only tell of succession (SUPERSEDES) or of structure (CONTAINS outside of outputs).
"""

from lineage.core.relations import EntityType, Relation


class WrongPair(ValueError):
    """The relation does not hold between nodes of these two types; the message names what it joins."""


# What is handed on: it rests on what it contains.
OUTPUTS = frozenset({EntityType.ANSWER, EntityType.REPORT, EntityType.FILE})

_ORIGINS = frozenset({EntityType.SOURCE, EntityType.SOURCE_VERSION})
_PARTS = frozenset({EntityType.DOCUMENT_IR, EntityType.BLOCK, EntityType.TABLE, EntityType.FIGURE})
_WRITTEN = _ORIGINS | {EntityType.ARTIFACT, EntityType.FILE}
_PASSAGES = _PARTS | {EntityType.CHUNK}
_RESULTS = frozenset(
    {EntityType.RETRIEVAL_HIT, EntityType.TOOL_RESULT, EntityType.CALCULATION, EntityType.CLAIM, EntityType.DECISION}
)
_CONTENT = _WRITTEN | _PASSAGES | _RESULTS | OUTPUTS | {EntityType.EMBEDDING, EntityType.INDEX}
# With which something was made, not of which: they say nothing about the world.
MEANS = frozenset({EntityType.MODEL, EntityType.PROMPT, EntityType.SKILL, EntityType.CONFIG, EntityType.RUN})

# relation -> (types of the dependent, types of what it rests on)
ALLOWED_PAIRS: dict[Relation, tuple[frozenset[EntityType], frozenset[EntityType]]] = {
    Relation.FETCHED_FROM: (
        frozenset({EntityType.SOURCE_VERSION, EntityType.ARTIFACT, EntityType.TOOL_RESULT}),
        _ORIGINS,
    ),
    # A source is parsed from the file of an import that named it.
    Relation.PARSED_FROM: (_PARTS | {EntityType.SOURCE}, _WRITTEN | _PARTS | {EntityType.TOOL_RESULT}),
    Relation.DERIVED_FROM: (_CONTENT, _CONTENT),
    Relation.CHUNKED_FROM: (frozenset({EntityType.CHUNK}), _WRITTEN | _PARTS),
    Relation.EMBEDDED_FROM: (frozenset({EntityType.EMBEDDING, EntityType.INDEX}), _PASSAGES | {EntityType.EMBEDDING}),
    # A step of a run may stand for its hit where no hit of its own is recorded.
    Relation.RETRIEVED_FROM: (
        frozenset({EntityType.RETRIEVAL_HIT, EntityType.RUN}),
        _WRITTEN | _PASSAGES | {EntityType.EMBEDDING, EntityType.INDEX},
    ),
    Relation.SUPPORTED_BY: (
        frozenset({EntityType.CLAIM, EntityType.DECISION}),
        _WRITTEN
        | _PASSAGES
        | {EntityType.RETRIEVAL_HIT, EntityType.TOOL_RESULT, EntityType.CALCULATION, EntityType.RUN},
    ),
    Relation.GENERATED_FROM: (
        OUTPUTS
        | {
            EntityType.CLAIM,
            EntityType.DECISION,
            EntityType.CALCULATION,
            EntityType.ARTIFACT,
            EntityType.TABLE,
            EntityType.FIGURE,
            EntityType.TOOL_RESULT,
        },
        _CONTENT | MEANS,
    ),
    Relation.TRANSFORMED_BY: (_CONTENT, MEANS),
    Relation.CONTAINS: (
        OUTPUTS | _WRITTEN | _PARTS | {EntityType.INDEX},
        _PASSAGES | OUTPUTS | {EntityType.ARTIFACT, EntityType.CLAIM, EntityType.CALCULATION, EntityType.EMBEDDING},
    ),
    Relation.SUPERSEDES: (frozenset(EntityType), frozenset(EntityType)),
}


def check_pair(relation: Relation, dependent: EntityType, rests_on: EntityType) -> None:
    """Raises `WrongPair` unless `relation` may hold from `dependent` to `rests_on`."""
    dependents, others = ALLOWED_PAIRS[relation]
    if dependent not in dependents or rests_on not in others:
        raise WrongPair(
            f"{relation} does not lead from {dependent} to {rests_on}: it leads from {_listed(dependents)} "
            f"to {_listed(others)}."
        )
    if relation is Relation.SUPERSEDES and dependent is not rests_on:
        raise WrongPair(f"SUPERSEDES joins two versions of one kind, not {dependent} and {rests_on}.")


def is_dependence(relation: Relation, dependent: EntityType) -> bool:
    """True where `dependent` rests on the other end: it becomes stale with it, and inherits its label.

    An output rests on what it contains. Everywhere else CONTAINS is structure, the opposite of PARSED_FROM; SUPERSEDES
    is succession.
    """
    match relation:
        case Relation.SUPERSEDES:
            return False
        case Relation.CONTAINS:
            return dependent in OUTPUTS
        case _:
            return True


def _listed(types: frozenset[EntityType]) -> str:
    return ", ".join(one.value for one in EntityType if one in types)
