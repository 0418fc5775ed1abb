"""Sessions of Harvey (.spmd, .fountain): when each turn began, and what was retrieved in it.

A turn is a scene `INT. HARVEY AND <USER> TALKING <date time>`. What was retrieved stands in notes before the first
dialogue of the scene. Later in it people and models speak, and may quote such a note, or make one up: there it is
refused. Any other scene ends the turn.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sources.core.entries import Item, Retrieval, RetrievedSource, TurnRecord
from sources.core.lines import one_line
from sources.core.records import RowError
from sources.formats.format import Format, Head
from sources.formats.opened import lines_of
from sources.formats.rag_notes import BadNote, is_rag_note, notes_of, read_note

# Lengths are bounded, so that no line takes more than its share of time.
_HEADING = r"(?:INT|EXT)\.?[ \t]{1,9}HARVEY[ \t]{1,9}AND[ \t]{1,9}([^ \t\n][^\n]{0,200}?)[ \t]{1,9}TALKING\b"
_TURN = re.compile(_HEADING + r"(.*)")
_SCENE = re.compile(r"(?:INT|EXT|EST|I/E|INT\./EXT)\.[ \t]{0,9}\S|\.[A-Z]")
_HEAD = re.compile(r"^\ufeff?[ \t]*" + _HEADING, re.MULTILINE)
_HEAD_NOTE = re.compile(r"^\ufeff?[ \t]*\[\[rag(?:-source)?:", re.MULTILINE | re.IGNORECASE)
_LONGEST_NOTE = 20
_LONGEST_LINE = 10 * 1_048_576
_SHOWN = 200


def _recognises(head: Head) -> bool:
    return bool(_HEAD.search(head.text) or _HEAD_NOTE.search(head.text))


def read(path: Path) -> Iterator[Item]:
    """One record a turn, in order, each followed by the errors of its notes; the session is named as the file is,
    without its ending. `line` is that of the scene's heading."""
    yield from _Reading(path).items()


@dataclass(slots=True)
class _Turn:
    line: int
    number: int
    user: str
    started_at: str
    retrievals: list[Retrieval] = field(default_factory=list)
    sources: list[list[RetrievedSource]] = field(default_factory=list)
    errors: list[RowError] = field(default_factory=list)


class _Reading:
    """One pass over the lines. `_cue` is set while the line before may be the name of who speaks next."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._turn: _Turn | None = None
        self._number = 0
        self._spoken = False
        self._cue = False
        self._open: list[str] = []
        self._open_at = 0

    def items(self) -> Iterator[Item]:
        after_blank = True
        for line in lines_of(self._path, longest=_LONGEST_LINE):
            text = line.text.replace("\ufeff", "").strip()
            # What people say is not taken, so a bad byte matters in a note only.
            if line.problem or (line.repaired and (self._open or is_rag_note(text))):
                mend = f"{line.repaired} Save the file as UTF-8 and import it again." if line.repaired else ""
                yield RowError(line.number, "", line.problem or mend)
                continue
            if self._open:
                yield from self._continued(text)
                continue
            found = _TURN.fullmatch(text) if after_blank else None
            if found:
                yield from self._end()
                self._number += 1
                self._turn = _Turn(line.number, self._number, one_line(found[1]), one_line(found[2])[:_SHOWN])
                self._spoken = self._cue = False
            elif after_blank and _SCENE.match(text):
                yield from self._end()
            elif is_rag_note(text):
                self._spoken = self._spoken or self._cue
                self._open_at = line.number
                if text.endswith("]]"):
                    yield from self._noted([text])
                else:
                    self._open = [text]
            elif text and self._cue:
                self._spoken = True
            self._cue = after_blank and _is_cue(text)
            after_blank = not text
        if self._open:
            yield from self._noted(self._open)
        yield from self._end()

    def _continued(self, text: str) -> Iterator[Item]:
        """A note over several lines ends at `]]`; a blank line ends it unclosed."""
        told, self._open = [*self._open, text], []
        if text and not text.endswith("]]") and len(told) < _LONGEST_NOTE:
            self._open = told
        else:
            yield from self._noted(told)

    def _noted(self, told: list[str]) -> Iterator[Item]:
        self._open = []
        line = " ".join(told).strip()
        turn = self._turn
        try:
            if turn is None:
                raise BadNote(
                    "This note stands outside any turn. Put it under a heading INT. HARVEY AND … TALKING, or delete it."
                )
            if self._spoken:
                raise BadNote(
                    "This note stands in what somebody says, so it may be a quotation and is not taken. What was "
                    "retrieved stands before the first dialogue of a turn."
                )
            for note in notes_of(line):
                self._take(turn, read_note(note))
        except BadNote as error:
            problem = RowError(self._open_at, one_line(line)[:_SHOWN], str(error))
            if turn is None:
                yield problem
            else:
                turn.errors.append(problem)

    def _take(self, turn: _Turn, read: Retrieval | RetrievedSource) -> None:
        if isinstance(read, Retrieval):
            turn.retrievals.append(read)
            turn.sources.append([])
        elif turn.retrievals:
            turn.sources[-1].append(read)
        else:
            raise BadNote("There is no note [[rag: …]] above this one, so it belongs to no retrieval. Add it.")

    def _end(self) -> Iterator[Item]:
        turn, self._turn = self._turn, None
        if turn is None:
            return
        yield TurnRecord(
            line=turn.line,
            session=self._path.stem,
            number=turn.number,
            user=turn.user,
            started_at=turn.started_at,
            retrievals=tuple(
                Retrieval(store=one.store, chunk_count=one.chunk_count, top_score=one.top_score, sources=tuple(sources))
                for one, sources in zip(turn.retrievals, turn.sources, strict=True)
            ),
        )
        yield from turn.errors


def _is_cue(text: str) -> bool:
    """A name in capitals, alone on its line after a blank one: what follows it at once is dialogue (Fountain)."""
    return bool(text) and not text.startswith(("[", "!", ">", "=", "#")) and (text[0] == "@" or text.isupper())


FORMAT = Format(name="harvey-session", label="Harvey session (.spmd, .fountain)", recognises=_recognises, read=read)
