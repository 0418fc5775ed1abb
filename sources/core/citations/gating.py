"""The writer gate: ids of the corpus become notes, everything else from outside is stopped and said aloud."""

from collections.abc import Sequence
from dataclasses import replace
from html import escape

from sources.core.citations import messages
from sources.core.citations.constructs import Construct, Kind, is_outside_target, schemes_in
from sources.core.citations.corpus import CorpusIndex, CorpusItem
from sources.core.citations.edits import Edit, edited
from sources.core.citations.fates import Fates
from sources.core.citations.notes import NoteKind, ReadNote, is_id, is_number, number_of
from sources.core.citations.outcome import Gated
from sources.core.citations.placing import Attachment, placed
from sources.core.citations.policy import DEFAULT_POLICY, Policy
from sources.core.citations.problems import ProblemCode, Severity
from sources.core.citations.reading import Piece, Reading
from sources.core.citations.source_list import Numbering, list_edits
from sources.core.citations.telling import Telling

# Taking markup out of hostile text can bare other markup, which the next pass sees. Of 5,000 such drafts three wanted a
# second pass.
_MOST_PASSES = 4


def gate(draft: str, *, corpus: Sequence[CorpusItem], policy: Policy = DEFAULT_POLICY) -> Gated:
    """The resolved draft, its citations, its problems and its claims.

    `[src-007]` becomes `[^1]` behind the punctuation, numbered by first use, with one definition for each source; what
    the corpus does not have becomes `<needs-source claim="…">`. Code, comments, front matter, escaped brackets and
    named notes stay as they are, and so does every byte outside citations. The gate of a gated draft changes nothing.
    Total; linear in draft and corpus.
    """
    fates = Fates(CorpusIndex(corpus), policy)
    first = last = _Gate(draft, fates).gated()
    problems = list(first.problems)
    for _ in range(_MOST_PASSES):
        again = _Gate(last.text, fates).gated()
        if again.text == last.text:
            break
        known = {(one.code, one.id, one.url) for one in problems}
        problems += [one for one in again.problems if (one.code, one.id, one.url) not in known]
        last = again
    # Where one pass was enough, and for all but drafts of glued markup it is, this is the first one's word.
    return first if last is first else replace(last, problems=tuple(problems), claims=first.claims)


def marker(claim: str) -> str:
    """The marker for a claim. What HTML, tables and code would read in an attribute is written as entities."""
    return f'<needs-source claim="{escape(claim).replace("|", "&#124;").replace("`", "&#96;")}">'


def _cited_at(each: Construct) -> int:
    return max(each.start, each.text_end) if each.kind is Kind.CITATION else each.start


class _Gate:
    def __init__(self, draft: str, fates: Fates) -> None:
        self.fates, self.index = fates, fates.index
        self.reading = Reading(draft, fates.index, fates.stays)
        self.layout = self.reading.layout
        self.numbering = Numbering(self._reserved())
        self.telling = Telling(self.layout)
        self.attachments: list[Attachment] = []
        self.edits: list[Edit] = []
        self.pictured: set[str] = set()
        self.refused: set[str] = set()

    def gated(self) -> Gated:
        for piece in self.reading.pieces:
            if not piece.silent:
                self._read(piece)
        for note in self.reading.notes.all:
            self._definition(note)
        self._link_definitions()
        at = self.layout.comment_at
        if at is not None:
            self.telling.problem(ProblemCode.COMMENT_UNCLOSED, Severity.WARNING, at, at + 4)
        own = [each for each in self.reading.notes.all if each.kind is NoteKind.SOURCE]
        edits = [*self.edits, *placed(self.layout, self.attachments)]
        edits += list_edits(self.layout, own=own, cited=self.numbering.cited())
        return Gated(
            text=edited(self.layout, edits),
            citations=self.numbering.citations(),
            problems=self.telling.problems(),
            claims=self.telling.claims(),
        )

    def _reserved(self) -> set[int]:
        """Numbers of notes that are not the gate's and stay."""
        kept = {NoteKind.REMARK} if self.fates.strict else {NoteKind.REMARK, NoteKind.OUTSIDE}
        numbers = {number_of(each.note.label) for each in self.reading.notes.all if each.kind in kept}
        return numbers if self.fates.strict else numbers | self.reading.undefined()

    def _read(self, piece: Piece) -> None:
        around: list[tuple[int, bool]] = []  # links around: where their text ends, and whether they stay
        # An id that is a link's address is cited where its text ends, behind what is cited inside.
        for each in sorted(piece.constructs, key=_cited_at):
            while around and each.start >= around[-1][0]:
                around.pop()
            match each.kind:
                case Kind.CITATION:
                    self._citation(piece, each)
                case Kind.NOTE:
                    self._note(piece, each)
                case Kind.LINK:
                    around.append((each.text_end, self._link(piece, each)))
                case Kind.ADDRESS:
                    if not around:
                        self._link(piece, each)
                    elif not around[-1][1]:
                        self._unlink(each, whole=True)
                case Kind.IMAGE:
                    self._image(piece, each)
                case Kind.MARKER:
                    self._marker(piece, each)
                case Kind.UNREADABLE:
                    self.telling.at(piece, each, ProblemCode.CITATION_UNREADABLE, Severity.ERROR)
                case Kind.MENTION:
                    self.telling.at(piece, each, ProblemCode.ID_WITHOUT_BRACKETS, Severity.WARNING, id=each.ids[0])
                case Kind.NUMBER:
                    pass  # nothing tells a citation from an index or a year
                case Kind.ARTEFACT:
                    self.telling.at(piece, each, ProblemCode.ARTEFACT, Severity.WARNING)

    def _citation(self, piece: Piece, each: Construct) -> None:
        written: list[str] = []
        linked = each.target if is_outside_target(each.target) else ""
        other = self.fates.at(linked) if linked else None
        for name in each.ids:
            item = self.index.named(name)
            if item is None and (item := self.index.nearly_named(name)):
                message = messages.misspelt(name, item)
                self.telling.at(piece, each, ProblemCode.ID_MISSPELT, Severity.WARNING, message, id=name)
            if item is None:
                message = messages.unknown_id(name, other)
                self.telling.at(piece, each, ProblemCode.UNKNOWN_ID, Severity.ERROR, message, id=name, url=linked)
                written.append(marker(piece.sentences.claim(each.start)))
                continue
            if linked and other is not item:
                message, code = messages.differs(item, linked), ProblemCode.ID_AND_LINK_DIFFER
                self.telling.at(piece, each, code, Severity.WARNING, message, id=name, url=linked)
            written.append(self._cited(piece, each, item))
        if each.text_start < each.text_end:
            self._open(each, each.text_start)
        self._attach(piece, each, written, listed=True)

    def _cited(self, piece: Piece, each: Construct, item: CorpusItem) -> str:
        """The note of a source of the corpus; a marker where policy refuses it."""
        if self._is_refused(piece, each, item):
            return marker(piece.sentences.claim(each.start))
        self.telling.claim(piece, each, item.id)
        return f"[^{self.numbering.number(item, self.layout.place(each.start))}]"

    def _is_refused(self, piece: Piece, each: Construct, item: CorpusItem) -> bool:
        self.fates.tell_standing(self.telling, piece, each, item)
        if self.fates.refuses(item):
            self.refused.add(item.id)
            return True
        return False

    def _note(self, piece: Piece, each: Construct) -> None:
        note = self.reading.notes.meant(each.label, each.start) if is_number(each.label) else None
        if not is_number(each.label) or (note and note.kind is NoteKind.REMARK):
            return
        if note and note.item:
            written = self._cited(piece, each, note.item)
            if written.startswith("[^"):
                if written != f"[^{each.label}]":
                    self.edits.append(Edit(each.start, each.end, written))
                return
        elif note:
            message = messages.note_outside(each.label, note.address or note.id, stays=not self.fates.strict)
            code, severity = ProblemCode.NOTE_OUTSIDE, self.fates.severity
            self.telling.at(piece, each, code, severity, message, id=note.id, url=note.address)
        else:
            self.telling.at(piece, each, ProblemCode.NOTE_UNDEFINED, self.fates.severity)
        if self.fates.strict or (note and note.item):
            self._attach(piece, each, [marker(piece.sentences.claim(each.start))])

    def _link(self, piece: Piece, each: Construct) -> bool:
        """Deals with a link or bare address; True where it stays."""
        item, stays = self.fates.at(each.target), self.fates.stays(each.target)
        if item is None:
            code = ProblemCode.LINK_OUTSIDE if each.kind is Kind.LINK else ProblemCode.ADDRESS_OUTSIDE
            message = messages.outside(each.target, stays=stays)
            self.telling.at(piece, each, code, self.fates.severity, message, url=each.target)
        elif each.kind is Kind.LINK and each.label.startswith("^"):  # [^1](address)
            self._attach(piece, each, [self._cited(piece, each, item)])
            return True
        elif not self._is_refused(piece, each, item):
            self.telling.claim(piece, each, item.id)
        if not stays:
            if each.text_end > each.start:
                self._unlink(each)
            self._attach(piece, each, [marker(piece.sentences.claim(each.start))])
        return stays

    def _unlink(self, each: Construct, *, whole: bool = False) -> None:
        """Takes away what stands before a link's text; an address loses its schemes, so that nothing links it. `whole`
        where nothing will be put behind it."""
        if each.kind is Kind.ADDRESS:
            schemes = schemes_in(self.layout.text, each.text_start, each.text_end)
            self._open(each, schemes[0][1])
            self.edits += [Edit(start, end, "") for start, end in schemes[1:]]
        else:
            self._open(each, each.text_start)
        if whole and each.end > each.text_end:
            self.edits.append(Edit(each.text_end, each.end, ""))

    def _open(self, each: Construct, start: int) -> None:
        """Takes away what stands before a text that begins at `start`."""
        if start > each.start:
            self.edits.append(Edit(each.start, start, ""))

    def _attach(self, piece: Piece, each: Construct, written: Sequence[str], *, listed: bool = False) -> None:
        is_whole = each.text_start == each.text_end == each.start
        start = each.start if is_whole else each.text_end
        self.attachments.append(Attachment(start, each.end, tuple(written), piece.stretch.end, listed and is_whole))

    def _image(self, piece: Piece, each: Construct) -> None:
        if each.label:
            self.pictured.add(each.label)
        if is_outside_target(each.target) and self.fates.at(each.target) is None:
            self.telling.at(piece, each, ProblemCode.IMAGE_OUTSIDE, Severity.WARNING, url=each.target)

    def _marker(self, piece: Piece, each: Construct) -> None:
        name = each.ids[0] if each.ids else ""
        if each.label == ProblemCode.NEEDS_SOURCE:
            self.telling.at(piece, each, ProblemCode.NEEDS_SOURCE, Severity.ERROR)
        elif self.index.named(name):
            self.telling.at(piece, each, ProblemCode.NEEDS_GROUNDING, Severity.WARNING, id=name)
        else:
            message = messages.unknown_id(name, None)
            self.telling.at(piece, each, ProblemCode.UNKNOWN_ID, Severity.ERROR, message, id=name)

    def _definition(self, each: ReadNote) -> None:
        note = each.note
        match each.kind:
            case NoteKind.SOURCE:
                if each.item and not self.numbering.has(each.item) and each.item.id not in self.refused:
                    code = ProblemCode.DEFINITION_UNUSED
                    self.telling.problem(code, Severity.WARNING, note.start, note.end, id=each.item.id)
            case NoteKind.OUTSIDE:
                if self.fates.strict:
                    self.edits.append(Edit(note.start, note.end, ""))
            case NoteKind.ID:
                inside = [one.target for one in self.reading.inside(each)]
                self._id_defined(note.label, inside, note.start, note.end)
            case NoteKind.NAMED:
                for inner in self.reading.inside(each):
                    if inner.kind in (Kind.LINK, Kind.ADDRESS) and self.fates.at(inner.target) is None:
                        code = ProblemCode.NAMED_NOTE_OUTSIDE
                        self.telling.problem(code, Severity.WARNING, inner.start, inner.end, url=inner.target)
            case NoteKind.REMARK:
                pass
        if self.reading.notes.is_repeated(each):
            self.telling.problem(ProblemCode.NOTE_REPEATED, Severity.WARNING, note.start, note.end)

    def _id_defined(self, label: str, targets: Sequence[str], start: int, end: int) -> None:
        """An id is defined by the corpus alone: what the draft says of it goes, and is told."""
        outside = next((one for one in targets if is_outside_target(one) and self.fates.at(one) is None), "")
        if outside:
            message, code = messages.outside(outside, stays=False), ProblemCode.LINK_OUTSIDE
            self.telling.problem(code, Severity.ERROR, start, end, message=message, url=outside)
        else:
            message, code = messages.id_defined(label), ProblemCode.DEFINITION_UNUSED
            self.telling.problem(code, Severity.WARNING, start, end, message=message)
        self.edits.append(Edit(start, end, ""))

    def _link_definitions(self) -> None:
        for link in self.layout.links:
            if is_id(link.label):
                self._id_defined(link.label, [link.target], link.start, link.end)
            elif is_outside_target(link.target) and not self.fates.stays(link.target) and link.key not in self.pictured:
                message, code = messages.outside(link.target, stays=False), ProblemCode.LINK_OUTSIDE
                self.telling.problem(code, Severity.ERROR, link.start, link.end, message=message, url=link.target)
                self.edits.append(Edit(link.start, link.end, ""))
