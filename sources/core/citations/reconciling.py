"""Reconciling a draft that already cites with what was truly retrieved: kept, corrected, substituted or dropped."""

import re
from collections import Counter
from collections.abc import Sequence
from html import escape

from sources.core.citations.constructs import Construct, Kind, is_outside_target, schemes_in
from sources.core.citations.corpus import CorpusItem
from sources.core.citations.definitions import link_address
from sources.core.citations.edits import Edit, edited
from sources.core.citations.gating import gate
from sources.core.citations.grounds import Grounds, is_within
from sources.core.citations.notes import NoteKind, is_number
from sources.core.citations.numbered_list import numbers_in
from sources.core.citations.outcome import Change, ChangeKind, Reconciled
from sources.core.citations.placing import Attachment, placed
from sources.core.citations.policy import Mode, Policy
from sources.core.citations.reading import Piece, Reading
from sources.core.citations.supporting import Retrieved, Support

_OPEN = Policy(mode=Mode.HYBRID, by_standing={})
_LABEL_TEXT = re.compile(r"\s*(?:oai_citation:.*|\[?\^?[0-9]{1,4}\]?|.{1,60}\+[0-9]{1,3})\s*", re.DOTALL)
_BETWEEN = re.compile(r"[\s,;]*(?:and\b\s*)?")
_DIGITS = re.compile(r"[0-9]{1,4}")
_COMMA = re.compile(r"[ \t]*[,;][ \t]*(?=\[\^)")
_LONGEST = 300
# As in the gate: words that a dropped link leaves behind can be the markup of another one.
_MOST_PASSES = 4


def reconcile(draft: str, *, retrieved: Sequence[CorpusItem]) -> Reconciled:
    """The draft with the citations that hold, as notes of the gate's, and what became of each.

    Read are numbered notes, `[1]` with a numbered list of references, links, addresses, ids, and assistants' marks. A
    citation is kept where its address or identifier was retrieved (its metadata corrected), substituted where a
    retrieved source has its title (0.8 alike), else dropped with all its markers. Words stay, in links too; named notes
    are not touched. Total; linear. Reconciling twice changes nothing more. What stands against a source is the gate's
    business.
    """
    against = Retrieved(retrieved)
    rough, changes = _Reconciler(draft, against).reconciled()
    text = gate(rough, corpus=retrieved, policy=_OPEN).text
    for _ in range(_MOST_PASSES):
        rough, more = _Reconciler(text, against).reconciled()
        if rough == text:
            break
        listed = {(one.label, one.before) for one in changes}
        changes += [one for one in more if one.kind is not ChangeKind.KEPT and (one.label, one.before) not in listed]
        text = gate(rough, corpus=retrieved, policy=_OPEN).text
    counts = Counter(one.kind for one in changes)
    return Reconciled(text=text, changes=tuple(changes), counts={kind: counts[kind] for kind in ChangeKind})


class _Reconciler:
    def __init__(self, draft: str, retrieved: Retrieved) -> None:
        self.text, self.index = draft, retrieved.index
        self.reading = Reading(draft, self.index, lambda address: self.index.at(address) is not None)
        self.layout = self.reading.layout
        self.grounds = Grounds(self.reading, retrieved)
        self.used: set[int] = set()
        self.linked: set[str] = set()
        self.dropped_until = self.cited_until = -1  # ends of the last link's words, of the last link that was a mark
        self.listed: list[tuple[int, int]] = []
        self.changes: list[tuple[int, Change]] = []
        self.edits: list[Edit] = []
        self.attachments: list[Attachment] = []

    def reconciled(self) -> tuple[str, list[Change]]:
        """The draft as the gate is to see it, and the changes in the order of the text."""
        self._find_used_entries()
        for piece in self.reading.pieces:
            if not piece.silent:
                self._read(piece, [each for each in piece.constructs if not is_within(each.start, self.listed)])
        self._definitions()
        self.edits += [Edit(start, end, "") for start, end in self.listed]
        rough = edited(self.layout, [*self.edits, *placed(self.layout, self.attachments)])
        return rough, [change for _, change in sorted(self.changes, key=lambda each: each[0])]

    # -- numbered lists of references ----------------------------------------------------------------------------------

    def _find_used_entries(self) -> None:
        """Entries that the text uses by number go: they become notes. What only entries refer to stays."""
        for piece in self.reading.pieces:
            for each in piece.constructs:
                if each.kind is Kind.NUMBER and not piece.silent and not self.grounds.is_of_list(each):
                    for label in numbers_in(each.label):
                        entry = self.grounds.entries.meant(label, each.start)
                        if entry:
                            self.used.add(entry.note.start)
        self.grounds.begin_again()
        entries = self.grounds.entries.all
        self.listed = [(each.note.start, each.note.end) for each in entries if each.note.start in self.used]

    # -- the text ------------------------------------------------------------------------------------------------------

    def _read(self, piece: Piece, constructs: Sequence[Construct]) -> None:
        grouped = self._groups(piece, constructs)
        for each in constructs:
            if each.start < self.cited_until or is_within(each.start, grouped):
                continue  # goes with the mark that it stands in
            match each.kind:
                case Kind.NOTE:
                    self._note(piece, each)
                case Kind.NUMBER:
                    self._numbers(piece, each)
                case Kind.CITATION:
                    self._ids(piece, each)
                case Kind.LINK | Kind.ADDRESS:
                    if each.kind is Kind.LINK or not each.inside:
                        self._link(piece, each)
                    elif each.start < self.dropped_until:
                        self._unlink(each)
                case Kind.ARTEFACT:
                    self._artefact(piece, each)
                case Kind.IMAGE:
                    self.linked.add(each.label)
                case Kind.MARKER | Kind.UNREADABLE | Kind.MENTION:
                    pass

    def _note(self, piece: Piece, each: Construct) -> None:
        if not is_number(each.label):
            return
        note = self.reading.notes.meant(each.label, each.start)
        if note is None:
            reason = "The note has no definition."
            self._change(each.start, f"^{each.label}", self._said(each), Support(ChangeKind.DROPPED, None, reason))
            self._drop(piece, each)
        elif note.kind in (NoteKind.SOURCE, NoteKind.OUTSIDE):
            self.used.add(note.note.start)
            if self.grounds.of_note(note).item is None:
                self._drop(piece, each)

    def _numbers(self, piece: Piece, each: Construct) -> None:
        if self.grounds.is_of_list(each):
            return
        found: list[Support] = []
        for label in numbers_in(each.label):
            support = self.grounds.of_number(label, each.start)
            if support and not self.grounds.entries.defines(label):  # the entries of a list are told at their place
                self._change(each.start, label, self._said(each), support)
            found += [support] if support else []
        if found:
            items = [support.item for support in found if support.item]
            self._cite(piece, each.start, each.end, items, listed=True)

    def _ids(self, piece: Piece, each: Construct) -> None:
        known: list[CorpusItem] = []
        for name in each.ids:
            item = self.index.named(name) or self.index.nearly_named(name)
            reason = f"Retrieved as {item.id}." if item else f"{name} was not retrieved."
            kind = ChangeKind.KEPT if item else ChangeKind.DROPPED
            self._change(each.start, name, self._said(each), Support(kind, item, reason))
            known += [item] if item else []
        if each.text_start < each.text_end:
            self.edits.append(Edit(each.start, each.text_start, ""))
            self._cite(piece, each.text_end, each.end, known)
        else:
            self._cite(piece, each.start, each.end, known, listed=True)

    def _artefact(self, piece: Piece, each: Construct) -> None:
        """A mark with a number means the note or entry of that number, where there is one; others mean nothing."""
        written = self._said(each)
        found: list[Support] = []
        # The number of `turn0search3` and of `oaicite:3` is of the assistant's own session.
        pointed = [] if "turn" in written or "oai" in written else _DIGITS.findall(written.partition("†")[0])
        for label in pointed:
            note = self.reading.notes.meant(label, each.start)
            support = self.grounds.of_number(label, each.start) or (self.grounds.of_note(note) if note else None)
            found += [support] if support else []
        items = [support.item for support in found if support.item]
        nothing = Support(ChangeKind.DROPPED, None, "An assistant's mark that points to nothing.")
        best = next((support for support in found if support.item), found[0] if found else nothing)
        shown = "".join(char for char in written if not "\ue000" <= char <= "\uf8ff")
        self._change(each.start, shown, shown, best)
        start, end = each.start, each.end
        while not items and (sign := self.text[start - 1 : start]) in ("*", "_") and self.text[end : end + 1] == sign:
            start, end = start - 1, end + 1  # emphasis around nothing
        self._cite(piece, start, end, items, listed=True)

    # -- links ---------------------------------------------------------------------------------------------------------

    def _groups(self, piece: Piece, constructs: Sequence[Construct]) -> list[tuple[int, int]]:
        """Links alone in parentheses, `([Name][1], [Other](address))`, are citations. Gives where they stand."""
        links = [each for each in constructs if each.kind in (Kind.LINK, Kind.ADDRESS) and not each.inside]
        grouped: list[tuple[int, int]] = []
        at = 0
        while at < len(links):
            end = at
            while end + 1 < len(links) and _BETWEEN.fullmatch(self.text, links[end].end, links[end + 1].start):
                end += 1
            start, stop = links[at].start - 1, links[end].end
            if self.text[start : start + 1] == "(" and self.text[stop : stop + 1] == ")" and start >= 0:
                items = [self._linked(each).item for each in links[at : end + 1]]
                self._cite(piece, start, stop + 1, [item for item in items if item])
                grouped.append((start, stop))
            at = end + 1
        return grouped

    def _linked(self, each: Construct) -> Support:
        said = self.text[each.text_start : each.text_end] if each.kind is Kind.LINK else ""
        found = self.grounds.of_link(each, said)
        self._change(each.start, said or each.target, self._said(each), found)
        return found

    def _link(self, piece: Piece, each: Construct) -> None:
        """A link of the prose keeps its words, and its address where that is right; a mark that links is a citation."""
        found = self._linked(each)
        said = self.text[each.text_start : each.text_end]
        if each.kind is Kind.LINK and (not said or _LABEL_TEXT.fullmatch(said)):
            self._cite(piece, each.start, each.end, [found.item] if found.item else [])
            self.cited_until = each.end
        elif found.item is None:
            self.dropped_until = max(self.dropped_until, each.text_end)
            self._unlink(each)
        elif found.kind is ChangeKind.KEPT:
            self.linked.add(each.label)
        elif each.kind is Kind.ADDRESS:
            self.edits.append(Edit(each.text_start, each.text_end, link_address(found.item.url)))
        else:
            is_tag = self.text[each.start] == "<"
            opening = f'<a href="{escape(found.item.url)}">' if is_tag else "["
            closing = "</a>" if is_tag else f"]({link_address(found.item.url)})"
            self.edits += [Edit(each.start, each.text_start, opening), Edit(each.text_end, each.end, closing)]

    def _unlink(self, each: Construct) -> None:
        """Leaves a link's words, of an address what no reader makes a link of."""
        start = each.text_start
        if each.kind is Kind.ADDRESS:
            schemes = schemes_in(self.text, start, each.text_end)
            start = schemes[0][1]
            self.edits += [Edit(begin, end, "") for begin, end in schemes[1:]]
        self.edits += [Edit(each.start, start, ""), Edit(each.text_end, each.end, "")]

    # -- definitions ---------------------------------------------------------------------------------------------------

    def _definitions(self) -> None:
        for note in self.reading.notes.all:
            if note.kind in (NoteKind.SOURCE, NoteKind.OUTSIDE):
                found = self.grounds.of_note(note)
                body = self.text[note.note.body_start : note.note.body_end]
                self._change(note.note.start, f"^{note.note.label}", body, found)
                if found.item is None:
                    self.edits.append(Edit(note.note.start, note.note.end, ""))
                elif body.strip() != found.item.definition:
                    self.edits.append(Edit(note.note.body_start, note.note.body_end, found.item.definition))
        for entry in self.grounds.entries.all:
            if entry.note.start in self.used:
                self._change(entry.note.start, entry.note.label, entry.address, self.grounds.of_note(entry))
        for link in self.layout.links:
            if is_outside_target(link.target) and link.key not in self.linked:
                self.edits.append(Edit(link.start, link.end, ""))
                if link.key not in self.grounds.told:
                    unused = Support(ChangeKind.DROPPED, None, "Nothing uses this definition.")
                    self._change(link.start, link.label, self.text[link.start : link.end], unused)

    # -- changes -------------------------------------------------------------------------------------------------------

    def _cite(self, piece: Piece, start: int, end: int, items: Sequence[CorpusItem], *, listed: bool = False) -> None:
        written = tuple(f"[{item.id}]" for item in items)
        self.attachments.append(Attachment(start, end, written, piece.stretch.end, listed))

    def _drop(self, piece: Piece, each: Construct) -> None:
        comma = _COMMA.match(self.text, each.end, piece.stretch.end)
        self._cite(piece, each.start, comma.end() if comma else each.end, [])

    def _said(self, each: Construct) -> str:
        return self.text[each.start : each.end]

    def _change(self, at: int, label: str, before: str, found: Support) -> None:
        line, _ = self.layout.place(at)
        after = found.item.definition if found.item else ""
        shown = [" ".join(text.split())[:_LONGEST] for text in (label, before)]
        self.changes.append((at, Change(found.kind, line, shown[0], shown[1], after, found.reason)))
