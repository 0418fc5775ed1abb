"""Which kinds of deeds can be undone, and how. Filled by the wiring when the site starts; the frame knows no app."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from provenance_site.accounts.models import User
from provenance_site.changes.models import Change


@dataclass(frozen=True, slots=True)
class ChangeFacts:
    """One row before and after a deed: `before` is empty for a row it made, `after` for one it removed.

    `model` is the label in lower case (`Source._meta.label_lower`). Values are what JSON can hold, and dates, moments,
    UUIDs and decimals, which are kept as text.
    """

    model: str
    object_id: int
    before: Mapping[str, object]
    after: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo function did: the rows it changed back, and a sentence for each one it had to leave alone."""

    changes: tuple[ChangeFacts, ...]
    skipped: tuple[str, ...] = ()


class UndoFunction(Protocol):
    """Changes rows back to `before`, inside the caller's transaction.

    It leaves alone, and names in `skipped`, every row that is no longer as `after` says: what others did since is never
    undone with it.
    """

    def __call__(self, *, changes: Sequence[Change], by: User, at: datetime) -> Undone:
        """Undoes `changes`, all of one ChangeSet, in the order they were recorded."""
        ...


_UNDO: dict[str, UndoFunction] = {}
_BY_PARTS: set[str] = set()


def register_undo(kind: str, function: UndoFunction, *, by_parts: bool = False) -> None:
    """Makes ChangeSets of `kind` undoable by `function`. The same pair twice is harmless; another function raises.

    `by_parts` says that each row is taken back for itself, so that a large deed may be undone a part at a time.
    """
    if _UNDO.setdefault(kind, function) is not function:
        raise ValueError(f"{kind} has an undo function already")
    if by_parts:
        _BY_PARTS.add(kind)


def is_undone_by_parts(kind: str) -> bool:
    """True where any part of a deed of `kind` can be taken back without the rest."""
    return kind in _BY_PARTS


def undo_function(kind: str) -> UndoFunction | None:
    """The undo function of `kind`, None for deeds that cannot be undone."""
    return _UNDO.get(kind)
