"""The sentence that a citation stands for, as a person reads it: without markup, citations and markers."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from sources.core.citations.constructs import Construct, Kind, schemes_in
from sources.core.citations.layout import Stretch
from sources.core.extraction.wording import plain, without_bullet

# Runs are matched whole and looked at afterwards: a look ahead inside the pattern is tried for each sign of a run.
_END = re.compile(r"[.!?…]+|[。！？]+[”’」』）]*")
_CLOSES = re.compile(r"[\"”’»)\]*_]*+(?=\s|\[(?:\^|[sS][rR][cC])|<needs-)")
_BLANKS = re.compile(r"[\s,;]*")
_SHORT = re.compile(
    r"(?:^|[\s(\[“\"])(?:[A-Z](?:\.[A-Z])*|e\.g|i\.e|z\.B|d\.h|u\.a|vs|cf|al|Dr|Mrs?|Ms|Prof|St|Inc|Ltd|Co|Corp|No|Nr|Fig"
    r"|Figs|Eq|approx|ca|Jr|Sr|bzw|Abs|Art|vol|Vol|pp?|ed|eds|est)\.$"
)
_LOWER = re.compile(r"\s+[a-zß-ÿ]")
_EMPTY = re.compile(r"\(\s*\)|（\s*）|\[\s*\]")
_LOOSE = re.compile(r"\s+(?=[,;:](?:\s|$))|[\s,;]+(?=[.!?](?:\s|$))")
_LOOSE_SIGNS = tuple(f"{one}{other}" for one in " ,;" for other in ".,;:!?")
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
_CELL = re.compile(r"\s*(?<!\\)\|\s*")
_FOLLOWERS = frozenset({Kind.CITATION, Kind.NOTE, Kind.NUMBER, Kind.MARKER, Kind.ARTEFACT})
_UNDERLINED = re.compile(r"[ \t]*(?:\r\n|\n|\r)[ \t]{0,3}(?:=+|-+)[ \t]*$|[ \t]+#+[ \t]*$")
_LONGEST = 1_000
_BEFORE, _AFTER = 400, 100
_BULLET = 12  # characters in which the number of a list's item ends


class Sentences:
    """The sentences of one stretch. Each is found and made plain once, so that many citations stay linear."""

    def __init__(self, text: str, stretch: Stretch, constructs: Sequence[Construct]) -> None:
        self._text, self._stretch, self._constructs = text, stretch, constructs
        self._at = [each.start for each in constructs]
        self._bounds = [stretch.start] if stretch.row else self._boundaries()
        self._plain: dict[tuple[int, int], str] = {}

    def number(self, at: int) -> int:
        """Which sentence, from 0, a place belongs to. A citation behind a full stop belongs to what stands before."""
        return max(0, bisect_right(self._bounds, at) - 1)

    def claim(self, at: int) -> str:
        """The sentence at a place, plain, at most 1,000 characters; where it is only an address, the one before it."""
        number = self.number(at)
        claim = self._sentence(number, at)
        while not any(char.isalnum() for char in claim) and number:
            number -= 1
            claim = self._sentence(number, self._bounds[number + 1])
        return claim

    def _boundaries(self) -> list[int]:
        text, end = self._text, self._stretch.end
        bounds = [self._stretch.start]
        for found in _END.finditer(text, self._stretch.start, end):
            stop = found.end()
            if found[0][0] in ".!?…":
                closes = _CLOSES.match(text, stop, end)
                if not closes or (found[0] == "." and self._only_shortens(found.start(), closes.end(), bounds[-1])):
                    continue
                stop = closes.end()
            at = self._behind_citations(stop)
            if bounds[-1] < at < end and not self._is_inside(found.start()):
                bounds.append(at)
        return bounds

    def _only_shortens(self, at: int, stop: int, last: int) -> bool:
        """True for the full stop of an abbreviation or of a list's number, and before a small letter."""
        start = self._stretch.start
        if at < start + _BULLET and not any(char.isalpha() for char in self._text[start:at]):
            return True
        if _LOWER.match(self._text, stop, self._stretch.end):
            return True
        return _SHORT.search(self._text, max(last, at - 11), at + 1) is not None

    def _is_inside(self, at: int) -> bool:
        index = bisect_right(self._at, at) - 1
        return index >= 0 and self._constructs[index].end > at

    def _behind_citations(self, at: int) -> int:
        """The place behind the blanks and citations that follow."""
        index = bisect_right(self._at, at - 1)
        while True:
            blanks = _BLANKS.match(self._text, at, self._stretch.end)
            behind = blanks.end() if blanks else at
            if index < len(self._constructs) and self._constructs[index].start <= behind:
                each = self._constructs[index]
                if each.kind in _FOLLOWERS and each.text_start == each.start and each.start >= at:
                    at = each.end
                    index += 1
                    continue
            return behind

    def _sentence(self, number: int, at: int) -> str:
        start = self._bounds[number]
        end = self._bounds[number + 1] if number + 1 < len(self._bounds) else self._stretch.end
        key = (number, 0)
        if end - start > 2 * _LONGEST:  # a paragraph without full stops: what stands around the place
            key = (number, 1 + (at - start) // _AFTER)
            around = start + (at - start) // _AFTER * _AFTER
            start, end = max(start, around - _BEFORE), min(end, around + 2 * _AFTER)
        if key not in self._plain:
            self._plain[key] = self._made_plain(start, end)
        return self._plain[key]

    def _made_plain(self, start: int, end: int) -> str:
        cuts: list[tuple[int, int]] = []
        for each in self._constructs[max(0, bisect_right(self._at, start - 1) - 1) :]:
            if each.start >= end:
                break
            cuts += _cuts(self._text, each)
        parts: list[str] = []
        at = start
        for begin, stop in sorted(cuts):
            parts.append(self._text[at : max(at, min(begin, end))])
            at = max(at, stop)
        parts.append(self._text[at:end])
        written = "".join(parts)
        written = _COMMENT.sub("", written) if "<!--" in written else written
        if self._stretch.heading:
            written = _UNDERLINED.sub("", written)
        if self._stretch.row:
            written = "; ".join(cell for cell in _CELL.split(written) if cell)
        claim = _EMPTY.sub("", plain(without_bullet(written))).strip().lstrip(",;:.!? ")
        if any(signs in claim for signs in _LOOSE_SIGNS):
            claim = _LOOSE.sub("", claim)
        return claim if len(claim) <= _LONGEST else claim[: _LONGEST - 1] + "…"


def _cuts(text: str, each: Construct) -> list[tuple[int, int]]:
    """What of a construct is no word of the sentence."""
    match each.kind:
        case Kind.ADDRESS:
            return [
                (each.start, each.text_start),
                *schemes_in(text, each.text_start, each.text_end),
                (each.text_end, each.end),
            ]
        case Kind.UNREADABLE | Kind.MENTION:
            return []
        case _:
            return [(each.start, each.text_start), (each.text_end, each.end)]
