"""The places in a run of text that name something: links, bare addresses, identifiers, and uses of labels."""

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Set
from dataclasses import dataclass
from enum import Enum, auto

from sources.core.extraction.targets import bare_end, destination, unescaped

_MARK = re.compile(
    r"\\[!-/:-@\[-`{-~]|`+|<|!\[|\[+|\]+"
    r"|(?P<url>[hH][tT][tT][pP][sS]?://)"
    r"|(?P<www>[wW][wW][wW]\.(?=[\w-]+\.))"
    r"|(?P<doi>10\.[0-9]{4,9}(?:\.[0-9]+)*(?:/|%2[fF]))"
    r"|(?P<arxiv>[aA][rR][xX][iI][vV]:?[ ]?"
    r"(?:[0-9]{4}\.[0-9]{4,5}|[a-z]+(?:-[a-z]+)?(?:\.[A-Za-z-]{2,9})?/[0-9]{7})(?:v[0-9]+)?)"
    r"|(?P<pmid>[pP][mM][iI][dD]:?[ ]{0,2}[0-9]{1,8}(?![0-9]|\.[0-9]{4,9}(?:\.[0-9]+)*/))"
    r"|(?P<isbn>[iI][sS][bB][nN](?:-?1[03])?:?[ ]{0,2}(?:97[89][ -]?)?[0-9](?:[ -]?[0-9]){8}[ -]?[0-9xX](?![0-9]))"
    r"|(?P<issn>[iI][sS][sS][nN](?:-L)?:?[ ]{0,2}[0-9]{4}[-–]?[0-9]{3}[0-9xX](?![0-9]))"
    r"|(?P<handle>[hH][dD][lL]:[\w.-]+/)"
    r"|(?P<urn>[uU][rR][nN]:(?:nbn|NBN|isbn|ISBN|issn|ISSN|doi|DOI|lex|LEX):)",
    re.ASCII,
)
# Names of identifiers that are met right before a DOI, without a blank between.
_GLUED = re.compile(r"(?:doi|isbn|issn|pmc?id|arxiv|url)$", re.IGNORECASE)
_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>")
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)(?=[\s/>])([^<>]*)>")
_HREF = re.compile(r"\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_TEXT_OF_ANCHOR = re.compile(r"([^<]{0,300})</a", re.IGNORECASE)
_TICKS = re.compile(r"`+")
_NUMBERS = re.compile(r"\^?[0-9]{1,4}(?:\s*[,;–-]\s*\^?[0-9]{1,4})+")
_LONGEST_LABEL = 300
# Openers kept waiting for their closing bracket. Markdown of people nests two or three deep; 10 MB of `[` do not.
_MAX_OPEN = 64


class SpanKind(Enum):
    """How something is named."""

    LINK = auto()  # [text](address "title"), <address>, <a href="address">
    BARE = auto()  # https://…, www.…
    IDENTIFIER = auto()  # 10.…/…, arXiv:…, PMID: …, ISBN …
    BROKEN = auto()  # [text](address with a blank)
    LABEL = auto()  # [text][label], [label], [^1]
    IMAGE_LABEL = auto()  # ![text][label]


LABELS = frozenset({SpanKind.LABEL, SpanKind.IMAGE_LABEL})


@dataclass(frozen=True, slots=True)
class Span:
    """`start` to `end` is the whole construct. `target` is what it names (for labels the label), `spelling` the same as
    it stands in the text at `at`. `text` is the link's text, `title` the title in its parentheses."""

    kind: SpanKind
    start: int
    end: int
    target: str
    spelling: str
    at: int
    text: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class _Opener:
    at: int
    image: bool
    spans: int
    links: int


def label_key(label: str) -> str:
    """Labels are the same without regard to case and to the width of blanks (CommonMark 0.31, 4.7)."""
    return " ".join(label.split()).casefold()


def spans_in(text: str, *, labels: Set[str] = frozenset(), markdown: bool = True, row: bool = False) -> list[Span]:
    """All spans of one block, in the order in which they end. Images and their addresses are passed over.

    `labels` are the keys of defined labels: others are plain brackets. `markdown` False reads a line of a plain list:
    code ticks hide nothing and no escape is resolved. `row` True reads a table row, where `|` ends an address. Linear.
    """
    return _Reader(text, labels, markdown, row).read()


class _Reader:
    def __init__(self, text: str, labels: Set[str], markdown: bool, row: bool) -> None:
        self.text, self.labels, self.markdown, self.row = text, labels, markdown, row
        self.spans: list[Span] = []
        self.openers: deque[_Opener] = deque(maxlen=_MAX_OPEN)
        self.links = 0
        self.ticks: dict[int, list[int]] | None = None
        self.comments_end = True

    def read(self) -> list[Span]:
        at = 0
        while found := _MARK.search(self.text, at):
            mark, start, end = found[0], found.start(), found.end()
            if found.lastgroup:
                at = self._address(found.lastgroup, start, end)
            elif mark[0] == "[":
                for position in range(max(start, end - _MAX_OPEN), end):
                    self._open(position, image=False)
                at = end
            elif mark == "![":
                self._open(end - 1, image=True)
                at = end
            elif mark[0] == "]":
                at = self._close(start, end)
            elif mark[0] == "<":
                at = self._angle(start)
            elif mark[0] == "`":
                at = self._code_end(start, end) if self.markdown else end
            else:
                at = end
        return self.spans

    def _address(self, group: str, start: int, end: int) -> int:
        before = self.text[start - 1 : start] if start else ""
        if group == "url":
            stop = bare_end(self.text, start, stop_at_pipe=self.row)
            if stop <= end:
                return end
            kind = SpanKind.BARE
        elif before and self._inside_a_word(group, before, start):
            return end
        elif group in ("www", "doi", "handle", "urn"):
            old = group == "doi" and "(sici)" in self.text[start : start + 80].lower()
            stop = bare_end(self.text, start, angles=old, stop_at_pipe=self.row)
            if stop <= end:
                return end
            kind = SpanKind.BARE if group == "www" else SpanKind.IDENTIFIER
        else:
            stop, kind = end, SpanKind.IDENTIFIER
        spelling = self.text[start:stop]
        target = unescaped(spelling) if self.markdown else spelling
        self.spans.append(Span(kind, start, stop, target, spelling, start))
        return max(stop, end)

    def _inside_a_word(self, group: str, before: str, start: int) -> bool:
        if group in ("issn", "isbn") or (group == "doi" and _GLUED.search(self.text, max(0, start - 7), start)):
            return False
        joined = before.isascii() and (before.isalnum() or before in ("_", "-", "."))
        return joined or (group == "www" and before in ("/", "@"))

    def _open(self, position: int, *, image: bool) -> None:
        self.openers.append(_Opener(position, image, len(self.spans), self.links))

    def _close(self, start: int, end: int) -> int:
        """Closes as many brackets as are closed in a row; only the last of them can be followed by an address."""
        for position in range(start, min(end, start + len(self.openers))):
            opener = self.openers.pop()
            if position == end - 1:
                return self._closed(opener, position)
            self._label(opener, position)
        return end

    def _closed(self, opener: _Opener, closing: int) -> int:
        after = closing + 1
        following = self.text[after : after + 1]
        if following == "(" and (opener.image or opener.links == self.links):
            target = destination(self.text, after)
            if target is not None:
                inner = self.spans[opener.spans :]
                self.spans[opener.spans :] = [span for span in inner if span.kind in LABELS]
                if not opener.image:
                    kind = SpanKind.BROKEN if target.broken else SpanKind.LINK
                    text = self.text[opener.at + 1 : closing] if closing - opener.at < 2_000 else ""
                    address = unescaped(target.written)
                    self.spans.append(
                        Span(
                            kind,
                            opener.at,
                            target.end,
                            address,
                            target.written,
                            target.at,
                            text,
                            unescaped(target.title),
                        )
                    )
                    self.links += 1
                return target.end
        if following == "[":
            bracket = self.text.find("]", after + 1, after + _LONGEST_LABEL)
            if bracket > 0:
                label = self.text[after + 1 : bracket] or self.text[opener.at + 1 : closing]
                if label_key(label) in self.labels and not label.startswith("^"):
                    self._use(opener, label, bracket + 1, text=self.text[opener.at + 1 : closing])
                    self._label(opener, closing)
                    return bracket + 1
        self._label(opener, closing)
        return after

    def _label(self, opener: _Opener, closing: int) -> None:
        """A bracket that is itself a use: `[label]`, `[^1]`, or several numbers at once, `[1, 4-6]`."""
        if not self.labels or closing - opener.at > _LONGEST_LABEL:
            return
        inner = self.text[opener.at + 1 : closing]
        for part in _numbers(inner) if _NUMBERS.fullmatch(inner) else [inner]:
            if label_key(part) in self.labels:
                self._use(opener, part, closing + 1)

    def _use(self, opener: _Opener, label: str, end: int, text: str = "") -> None:
        kind = SpanKind.IMAGE_LABEL if opener.image else SpanKind.LABEL
        self.spans.append(Span(kind, opener.at, end, label_key(label), label, opener.at, text))

    def _angle(self, start: int) -> int:
        if self.text.startswith("<!--", start):
            close = self.text.find("-->", start) if self.comments_end else -1
            self.comments_end = close >= 0
            return close + 3 if close >= 0 else start + 4
        autolink = _AUTOLINK.match(self.text, start)
        if autolink:
            address = autolink[1]
            self.spans.append(Span(SpanKind.LINK, start, autolink.end(), address, address, start + 1))
            self.links += 1
            return autolink.end()
        tag = _TAG.match(self.text, start)
        if not tag:
            return start + 1
        href = _HREF.search(self.text, tag.start(2), tag.end(2)) if tag[1].lower() == "a" else None
        if href:
            group = href.lastindex or 0
            anchor = _TEXT_OF_ANCHOR.match(self.text, tag.end())
            written, at = href[group], href.start(group)
            text = anchor[1] if anchor else ""
            self.spans.append(Span(SpanKind.LINK, start, tag.end(), unescaped(written), written, at, text))
            self.links += 1
        return tag.end()

    def _code_end(self, start: int, end: int) -> int:
        """Behind the code that these ticks open; behind the ticks where nothing closes them."""
        if self.ticks is None:
            self.ticks = {}
            for run in _TICKS.finditer(self.text):
                self.ticks.setdefault(run.end() - run.start(), []).append(run.start())
        same = self.ticks.get(end - start, [])
        following = bisect_right(same, start)
        return same[following] + (end - start) if following < len(same) else end


def _numbers(text: str) -> Iterator[str]:
    """`1, 4-6` as `1`, `4`, `5`, `6`; a range of over fifty is its two ends."""
    mark = "^" if text.startswith("^") else ""
    for part in re.split(r"\s*[,;]\s*", text.replace("^", "")):
        first, *rest = (int(number) for number in re.split(r"\s*[–-]\s*", part))
        last = rest[-1] if rest else first
        span = range(first, last + 1) if 0 <= last - first <= 50 else (first, last)
        yield from (f"{mark}{number}" for number in span)
