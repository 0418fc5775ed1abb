"""What a draft's numbered notes are: citations of the corpus, citations from outside, or remarks of their writer's."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from sources.core.citations.constructs import Construct, Kind
from sources.core.citations.corpus import CorpusIndex, CorpusItem
from sources.core.citations.layout import Layout, Note
from sources.core.extraction.citation import looks_like_reference
from sources.core.extraction.spans import SpanKind, spans_in
from sources.core.identifiers import BadIdentifier, UnusableUrl, identify
from sources.core.urls import identity_form

_NUMBER = re.compile(r"[0-9]{1,9}(?:_[0-9]{1,9})?", re.ASCII)
_WORD = re.compile(r"\w+")
_DATA = re.compile(r"\b(?:Published|Updated|Accessed|Retrieved|Available|URL|DOI)\b:?|\b[0-9-]{1,10}\b", re.IGNORECASE)
_MOST_WORDS = 12
_LONGEST = 4_000
_IDS = re.compile(r"src[-_\u2010\u2011\u2013]?[0-9]{1,9}", re.IGNORECASE | re.ASCII)


class NoteKind(Enum):
    """What a note is to the gate."""

    SOURCE = auto()  # a citation of a source of the corpus
    OUTSIDE = auto()  # a citation of something else
    REMARK = auto()  # the writer's own words, or several sources at once
    NAMED = auto()  # [^deck]: an internal document
    ID = auto()  # [^src-007]: the definition of an id


@dataclass(frozen=True, slots=True)
class ReadNote:
    """A definition with what it is. `item` for SOURCE alone; `address` is what it names, as written, '' for none."""

    note: Note
    kind: NoteKind
    item: CorpusItem | None = None
    address: str = ""
    id: str = ""


class Notes:
    """All definitions of a draft, and which one a use means."""

    def __init__(self, read: Sequence[ReadNote]) -> None:
        self.all = read
        self._by_label: dict[str, list[ReadNote]] = {}
        for each in read:
            self._by_label.setdefault(each.note.label.casefold(), []).append(each)
        self._last_asked: dict[str, int] = {}

    def meant(self, label: str, at: int) -> ReadNote | None:
        """The definition of a label: the next one below, so that joined texts keep their own; else the last. None where
        nothing defines it. Asked in the order of the text."""
        notes = self._by_label.get(label)
        if not notes:
            return None
        index = self._last_asked.get(label, 0)
        while index < len(notes) - 1 and notes[index].note.start < at:
            index += 1
        self._last_asked[label] = index
        return notes[index]

    def defines(self, label: str) -> bool:
        """True where a definition has this label."""
        return label in self._by_label

    def is_repeated(self, each: ReadNote) -> bool:
        """True for a numbered definition whose label an earlier one has."""
        return is_number(each.note.label) and self._by_label[each.note.label.casefold()][0] is not each


def is_number(label: str) -> bool:
    """True for `1`, `02`, and `1_1` of an assistant's export; named notes are internal documents."""
    return _NUMBER.fullmatch(label) is not None


def number_of(label: str) -> int:
    """The number that a label takes; 0, which is no note's, for `1_1`."""
    return int(label) if label.isdecimal() else 0


def is_id(label: str) -> bool:
    """True for `src-007`, in whatever spelling."""
    return _IDS.fullmatch(label) is not None


def read_note(layout: Layout, note: Note, constructs: Sequence[Construct], index: CorpusIndex) -> ReadNote:
    """What a definition is, by what stands in it.

    One address, and beside it no more than a citation has, is a citation; so is an id alone. A definition with a
    marker or a note in it was read before, or is a remark.
    """
    if is_id(note.label):
        return ReadNote(note, NoteKind.ID)
    if not is_number(note.label):
        return ReadNote(note, NoteKind.NAMED)
    body = layout.text[note.body_start : note.body_end]
    defined = index.defined(body.strip())
    if defined is not None:
        return ReadNote(note, NoteKind.SOURCE, defined)
    kinds = {each.kind for each in constructs}
    if kinds & {Kind.MARKER, Kind.NOTE} or len(body) > _LONGEST:
        return ReadNote(note, NoteKind.REMARK)
    cited = [each for each in constructs if each.kind is Kind.CITATION]
    if cited:
        return _by_id(note, body, cited, index)
    addresses = {identity_form(target) or target: target for target in _addresses(constructs)}
    if not addresses:
        addresses = _identifiers(body)
    if len(addresses) != 1 or not _is_citation(note, body, constructs):
        return ReadNote(note, NoteKind.REMARK)
    address = next(iter(addresses.values()))
    item = index.at(address)
    return ReadNote(note, NoteKind.SOURCE if item else NoteKind.OUTSIDE, item, address)


def _by_id(note: Note, body: str, cited: Sequence[Construct], index: CorpusIndex) -> ReadNote:
    ids = {each for construct in cited for each in construct.ids}
    said = body
    for construct in reversed(cited):
        said = said[: construct.start - note.body_start] + said[construct.end - note.body_start :]
    if len(ids) != 1 or _WORD.search(said):
        return ReadNote(note, NoteKind.REMARK)
    written = ids.pop()
    item = index.named(written) or index.nearly_named(written)
    return ReadNote(note, NoteKind.SOURCE if item else NoteKind.OUTSIDE, item, id=written)


def _addresses(constructs: Sequence[Construct]) -> list[str]:
    return [each.target for each in constructs if each.kind in (Kind.LINK, Kind.ADDRESS) and not each.inside]


def _identifiers(body: str) -> dict[str, str]:
    """Identifiers of a definition without an address, by what they name, as addresses where they have one."""
    found: dict[str, str] = {}
    for span in spans_in(body):
        if span.kind is not SpanKind.IDENTIFIER:
            continue
        try:
            identity = identify(span.target)
        except (BadIdentifier, UnusableUrl):
            continue
        if identity.request_url:
            found[identity.key] = identity.request_url
    return found


def _is_citation(note: Note, body: str, constructs: Sequence[Construct]) -> bool:
    """True where little is said beside the link, or what references say."""
    parts: list[str] = []
    at = note.body_start
    for each in constructs:
        if each.kind in (Kind.LINK, Kind.ADDRESS) and each.start >= at:
            parts.append(body[at - note.body_start : each.start - note.body_start])
            at = each.end
    parts.append(body[at - note.body_start :])
    words = len(_WORD.findall(_DATA.sub("", " ".join(parts))))
    return words <= _MOST_WORDS or looks_like_reference(" ".join(body.split()))
