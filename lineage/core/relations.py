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
    """Whether a node may still be leaned on. Where several hold, the later in the order
    current, superseded, stale, retracted, tombstoned is shown."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    STALE = "stale"
    TOMBSTONED = "tombstoned"

    @property
    def tone(self) -> str:
        """The tone of its chip."""
        return _TONES[self]

    @property
    def icon(self) -> str:
        """The icon of its chip."""
        return _ICONS[self]

    @property
    def explanation(self) -> str:
        """What it means, in one sentence."""
        return _EXPLANATIONS[self]


_TONES = {
    EntityState.CURRENT: "good",
    EntityState.SUPERSEDED: "idle",
    EntityState.RETRACTED: "bad",
    EntityState.STALE: "warn",
    EntityState.TOMBSTONED: "idle",
}
_ICONS = {
    EntityState.CURRENT: "check",
    EntityState.SUPERSEDED: "swap",
    EntityState.RETRACTED: "ban",
    EntityState.STALE: "clock",
    EntityState.TOMBSTONED: "ghost",
}
_EXPLANATIONS = {
    EntityState.CURRENT: "Nothing is known against it.",
    EntityState.SUPERSEDED: "Something newer took its place.",
    EntityState.RETRACTED: "It was taken back itself.",
    EntityState.STALE: "Something that it rests on fell; it waits in the worklist.",
    EntityState.TOMBSTONED: "Its object was removed; what rested on it is still known.",
}


class Label(StrEnum):
    """Classification of a node, least restrictive first."""

    PUBLIC = "public"
    INTERNAL = "internal"
    CONFIDENTIAL = "confidential"
    RESTRICTED = "restricted"

    @property
    def level(self) -> int:
        """0 for public to 3 for restricted: a node may be read by whoever is cleared for its level or a higher one."""
        return list(Label).index(self)

    @classmethod
    def at_level(cls, level: int) -> "Label":
        """The label of a level; raises IndexError outside 0 to 3."""
        return list(cls)[level]


class Pin(StrEnum):
    """Whether a ref names one fixed version."""

    PINNED = "pinned"
    UNRESOLVED = "unresolved"


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

    @property
    def words(self) -> str:
        """The relation as a person reads it, from the dependent: “supported by”."""
        return self.value.replace("_", " ").lower()


class GenericRelation(ValueError):
    """`RELATED_TO` and its like: an edge that does not say how is no provenance. The message names better choices."""


class UnknownRelation(ValueError):
    """The relation is not of the vocabulary; the message names the vocabulary."""


_GENERIC = frozenset(
    {"relatedto", "relatesto", "related", "relation", "isrelatedto", "associatedwith", "linkedto", "linksto", "seealso"}
)


def relation_named(name: str) -> Relation:
    """The relation called `name`, written exactly so.

    Raises `GenericRelation` for RELATED_TO in every spelling and `UnknownRelation` for anything else.
    """
    if name in set(Relation):
        return Relation(name)
    if "".join(letter for letter in name.casefold() if letter.isalnum()) in _GENERIC:
        raise GenericRelation(
            f"{name} cannot be followed: say how the one rests on the other. SUPPORTED_BY for a claim and its "
            "evidence, DERIVED_FROM or GENERATED_FROM for what was made from something, CHUNKED_FROM, PARSED_FROM or "
            "RETRIEVED_FROM for steps of a pipeline, CONTAINS for parts of an output, SUPERSEDES for a newer version."
        )
    raise UnknownRelation(f"{name} is no relation here; use one of: {', '.join(Relation)}.")
