"""Why an edge that was told is kept apart."""

from enum import StrEnum


class Why(StrEnum):
    """What keeps an edge from being joined."""

    UNREADABLE = "unreadable"
    TYPE_CONFLICT = "type-conflict"

    @property
    def words(self) -> str:
        """What a list calls it."""
        return self.value.replace("-", " ")

    @property
    def explanation(self) -> str:
        """What it means, in one sentence."""
        return _EXPLANATIONS[self]


_EXPLANATIONS = {
    Why.UNREADABLE: "Whoever told it may not read one of its ends.",
    Why.TYPE_CONFLICT: "One of its ends was told of as another type, which this relation does not join.",
}
