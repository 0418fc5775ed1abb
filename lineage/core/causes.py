"""The words of impact: what made nodes stale, what a person is asked to do about one, and what was done."""

from enum import StrEnum

from lineage.core.relations import EntityType


class CauseKind(StrEnum):
    """What happened to what others rest on."""

    RETRACTION = "retraction"
    TRANSFORM_RECALL = "transform-recall"
    CONFIG_RECALL = "config-recall"
    MODEL_RECALL = "model-recall"
    PROMPT_RECALL = "prompt-recall"
    ERASURE = "erasure"


class Task(StrEnum):
    """What is to be done about a stale node, by its type."""

    REBUILD = "rebuild"
    REVERIFY = "reverify"
    INVALIDATE_INDEX = "invalidate index"


class Outcome(StrEnum):
    """How a stale node was dealt with; '' while it waits."""

    REBUILT = "rebuilt"
    REVERIFIED = "reverified"
    INVALIDATED = "invalidated"
    DISMISSED = "dismissed"
    ACCEPTED = "accepted"

    @property
    def lets_stand(self) -> bool:
        """True where a person or a look let the node stand: nothing falls by it that is made of it later."""
        return self in {Outcome.REVERIFIED, Outcome.DISMISSED, Outcome.ACCEPTED}


_KINDS = {
    EntityType.MODEL: CauseKind.MODEL_RECALL,
    EntityType.PROMPT: CauseKind.PROMPT_RECALL,
    EntityType.SKILL: CauseKind.PROMPT_RECALL,
    EntityType.CONFIG: CauseKind.CONFIG_RECALL,
}


def kind_for(entity_type: EntityType) -> CauseKind:
    """What it is called when a node of this type falls: models, prompts, configs are recalled, all else retracted."""
    return _KINDS.get(entity_type, CauseKind.RETRACTION)
