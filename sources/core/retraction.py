"""What is known of a work's retraction, and the mark that carries it through the text fields of other tools.

No reference manager has a field for it, so a note that people see begins with `[RETRACTED: reason]`, and keywords that
filters find name it. `read_mark` takes the mark off again when such a file comes back.
"""

import re
from collections.abc import Iterable
from enum import StrEnum

from sources.core.retraction_terms import Status


class RetractionStatus(StrEnum):
    """Where a work stands. Only retracted, withdrawn and removed say that it no longer holds.

    AFFECTED says that what it is a part of was retracted, and nothing of the work itself.
    """

    UNKNOWN = "unknown"
    NONE_FOUND = "none-found"
    CORRECTED = "corrected"
    CONCERN = "concern"
    PARTIAL = "partial"
    RETRACTED = "retracted"
    WITHDRAWN = "withdrawn"
    REMOVED = "removed"
    REPLACED = "replaced"
    REINSTATED = "reinstated"
    NOTICE = "notice"
    DISPUTED = "disputed"
    AFFECTED = "affected"

    @property
    def is_retracted(self) -> bool:
        """True where the work no longer holds; a concern, a correction or a partial retraction is not one."""
        return self in {RetractionStatus.RETRACTED, RetractionStatus.WITHDRAWN, RetractionStatus.REMOVED}

    @property
    def label(self) -> str:
        """The word of the mark, in capitals; '' where there is nothing to tell."""
        return _LABELS.get(self, "")

    @property
    def word(self) -> str:
        """The word that people read beside the work; '' where there is nothing to tell."""
        return self.label.capitalize()

    @property
    def warns(self) -> bool:
        """True where a reader must know before resting on the work."""
        return self.is_retracted or self in _WARNING

    @property
    def tone(self) -> str:
        """How it is shown: `bad`, `warn` or `note`. The word always stands beside the colour."""
        return "bad" if self.is_retracted else "warn" if self.warns else "note"

    @property
    def icon(self) -> str:
        """The picture beside the word."""
        return {"bad": "ban", "warn": "warning", "note": "info"}[self.tone]

    @property
    def keywords(self) -> tuple[str, ...]:
        """What a filter finds it by: `retracted` for everything that no longer holds, then the finer word."""
        if not self.label:
            return ()
        if self is RetractionStatus.CONCERN:
            return ("expression-of-concern",)
        if self.is_retracted:
            return tuple(dict.fromkeys(("retracted", self.value)))
        return (_FINER.get(self, self.value),)


_LABELS = {
    RetractionStatus.CORRECTED: "CORRECTED",
    RetractionStatus.CONCERN: "EXPRESSION OF CONCERN",
    RetractionStatus.PARTIAL: "PARTLY RETRACTED",
    RetractionStatus.RETRACTED: "RETRACTED",
    RetractionStatus.WITHDRAWN: "WITHDRAWN",
    RetractionStatus.REMOVED: "REMOVED",
    RetractionStatus.REPLACED: "RETRACTED AND REPLACED",
    RetractionStatus.REINSTATED: "REINSTATED",
    RetractionStatus.NOTICE: "RETRACTION NOTICE",
    RetractionStatus.DISPUTED: "RETRACTION DISPUTED",
    RetractionStatus.AFFECTED: "AFFECTED BY A RETRACTION",
}
_WARNING = frozenset(
    {
        RetractionStatus.CONCERN,
        RetractionStatus.PARTIAL,
        RetractionStatus.REPLACED,
        RetractionStatus.DISPUTED,
        RetractionStatus.AFFECTED,
    }
)
# Bare words that people use as tags of their own would say more than is meant.
_FINER = {
    RetractionStatus.CORRECTED: "corrected-after-publication",
    RetractionStatus.PARTIAL: "partly-retracted",
    RetractionStatus.REPLACED: "retracted-and-replaced",
    RetractionStatus.REINSTATED: "reinstated-after-retraction",
    RetractionStatus.NOTICE: "retraction-notice",
    RetractionStatus.DISPUTED: "retraction-disputed",
    RetractionStatus.AFFECTED: "affected-by-retraction",
}
_BY_LABEL = {label: status for status, label in _LABELS.items()}
_VALUES = frozenset(status.value for status in RetractionStatus)
_BY_KEYWORD = {word: status for status in RetractionStatus for word in status.keywords[-1:]}
_MARK = re.compile(
    rf"\s*\[({'|'.join(sorted(map(re.escape, _BY_LABEL), key=len, reverse=True))})(?:: ([^\[\]]*))?\]\s*"
)
_ROUND = str.maketrans("[]", "()")


def status_named(word: str) -> RetractionStatus:
    """The status of a value (`concern`) or of a mark's word in any case (`Expression of Concern`); UNKNOWN for every
    other word."""
    bare = " ".join(word.split())
    if bare.upper() in _BY_LABEL:
        return _BY_LABEL[bare.upper()]
    return RetractionStatus(bare.lower()) if bare.lower() in _VALUES else RetractionStatus.UNKNOWN


def read_label(text: str) -> tuple[RetractionStatus, str]:
    """Status and note of `EXPRESSION OF CONCERN: note`, as formats with one bit carry it; UNKNOWN and `text` where it
    begins with no such word."""
    label, _, note = text.partition(":")
    if label in _BY_LABEL:
        return _BY_LABEL[label], note.strip()
    return RetractionStatus.UNKNOWN, text


def told_by(status: RetractionStatus) -> tuple[bool | None, tuple[tuple[str, str], ...]]:
    """What a record says of a status that a file tells: `retracted`, and the finer word as a detail. None where the
    status leaves open whether the work holds."""
    plain = status in {RetractionStatus.UNKNOWN, RetractionStatus.RETRACTED}
    details = () if plain else (("retraction_status", status.value),)
    return (True if status.is_retracted else False if status is RetractionStatus.NONE_FOUND else None), details


def mark(status: RetractionStatus, note: str = "") -> str:
    """`[RETRACTED: note]`, or '' where there is nothing to tell. Square brackets in the note become round ones, so that
    `read_mark` finds its end."""
    if not status.label:
        return ""
    told = " ".join(note.translate(_ROUND).split())
    return f"[{status.label}: {told}]" if told else f"[{status.label}]"


def read_mark(text: str) -> tuple[RetractionStatus, str, str]:
    """The status, the retraction's note and the rest of a note that `mark` may begin; UNKNOWN, '' and `text` where
    none does."""
    found = _MARK.match(text)
    if not found:
        return RetractionStatus.UNKNOWN, "", text
    return _BY_LABEL[found[1]], (found[2] or "").strip(), text[found.end() :]


def read_keywords(words: Iterable[str]) -> tuple[RetractionStatus, tuple[str, ...]]:
    """The status that keywords tell (the finest named last wins), and the keywords that tell none."""
    status, others = RetractionStatus.UNKNOWN, []
    for word in words:
        if named := _BY_KEYWORD.get(word):
            status = named
        else:
            others.append(word)
    return status, tuple(others)


def gravest(statuses: Iterable[RetractionStatus]) -> RetractionStatus:
    """The one of several that a reader must know first; UNKNOWN where none tells anything."""
    order = {"bad": 2, "warn": 1, "note": 0}
    told = [status for status in statuses if status.label]
    return max(told, key=lambda status: order[status.tone], default=RetractionStatus.UNKNOWN)


def effective(*, retracted: bool, derived: Status, decided: Status | None, affected: bool = False) -> RetractionStatus:
    """What is told of a work: a person's word where there is one, else what providers say, and never against the mark.

    `retracted` is the mark that holds. Where providers disagree the mark goes on holding. `affected` is that it is a
    part of something that is marked: told where nothing about the work itself warns.
    """
    status = _TOLD.get(decided or derived) or RetractionStatus((decided or derived).value)
    if retracted:
        return status if status.is_retracted else RetractionStatus.RETRACTED
    if status.is_retracted:
        return RetractionStatus.DISPUTED
    return RetractionStatus.AFFECTED if affected and not status.warns else status


_TOLD = {Status.UNCHECKED: RetractionStatus.UNKNOWN, Status.CONFLICT: RetractionStatus.DISPUTED}
