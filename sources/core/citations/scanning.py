"""Finds the constructs of a stretch of Markdown with their exact places, code and comments passed over."""

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import unescape

from sources.core.citations.constructs import Construct, Kind, is_outside_target
from sources.core.extraction.marks import MARK
from sources.core.extraction.spans import label_key
from sources.core.extraction.targets import bare_end, destination, unescaped

_DASH = r"[-_\u2010\u2011\u2013]"
_ID = rf"\^?[sS][rR][cC](?:{_DASH}[\w?\u2010\u2011\u2013-]{{1,60}}|[0-9]{{1,9}})"
_BREAK = r"[ \t]*(?:(?:\r\n|\n|\r)[ \t>]*)?"
_CITATION = re.compile(rf"\[(\[)?{_BREAK}({_ID}(?:{_BREAK}[,;]{_BREAK}{_ID})*){_BREAK}\](?(1)\])")
_ID_ALONE = re.compile(_ID)
_NUMERIC = re.compile(rf"\^?src{_DASH}?[0-9]{{1,9}}", re.IGNORECASE | re.ASCII)
_HOLDS_ID = re.compile(rf"\[[^\[\]<>]{{0,200}}\bsrc{_DASH}[0-9]{{1,9}}\b[^\[\]<>]{{0,200}}\]", re.IGNORECASE | re.ASCII)
_NUMBERS = re.compile(r"\[([0-9]{1,4}(?:[ \t]{0,3}[,;–-][ \t]{0,3}[0-9]{1,4}){0,50})\]", re.ASCII)
_NOTE = re.compile(r"\[\^([^\[\]\s]{1,100})\]")
_MARKS = (
    r"\\[!-/:-@\[-`{-~]|`+|<|!\[|\[|\]|(?:[hH][tT][tT][pP][sS]?|[fF][tT][pP])://|[wW][wW][wW]\.(?=[\w-]+\.)"
    r"|[sS][rR][cC]-[0-9]{1,9}(?![\w/-])"
)
_PLAIN_MARK = re.compile(_MARKS, re.ASCII)
_ANY_MARK = re.compile(f"(?P<artefact>{MARK.pattern})|{_MARKS}")
_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>")
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)((?:[\s/][^<>]*)?)>")
_MARKER = re.compile(r"<needs-(source|deeper-grounding)\b((?:\"[^\"]*\"|'[^']*'|[^<>\"'])*)>")
_ATTRIBUTE = re.compile(r"\b(claim|id)\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'>/]+)", re.IGNORECASE)
_HREF = re.compile(r"\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_ANCHOR_END = re.compile(r"</a\s*>", re.IGNORECASE)
_TICKS = re.compile(r"`+")
_LONGEST_LABEL = 300
_MAX_OPEN = 64
_FAR = 2_000


@dataclass(frozen=True, slots=True)
class _Opener:
    at: int
    image: bool
    found: int
    links: int


def constructs_in(
    text: str, *, base: int, labels: Mapping[str, str], stays: Callable[[str], bool], row: bool = False
) -> list[Construct]:
    """The constructs of one stretch in order of their start, with `base` added to their places. Linear.

    `labels` are the addresses of defined labels by key. `stays` says whether a link to an address stays one: what
    goes leaves its text behind, and brackets around it become a link.
    """
    found = _Scanner(text, labels, stays, row).read()
    for each in found if base else ():
        each.start += base
        each.end += base
        each.text_start += base
        each.text_end += base
    found.sort(key=lambda each: (each.start, -each.end))
    text_end = -1
    for each in found:
        each.inside = each.start < text_end
        if each.kind is Kind.LINK:
            text_end = max(text_end, each.text_end)
    return found


class _Scanner:
    def __init__(self, text: str, labels: Mapping[str, str], stays: Callable[[str], bool], row: bool) -> None:
        self.text, self.labels, self.stays, self.row = text, labels, stays, row
        self.found: list[Construct] = []
        self.openers: deque[_Opener] = deque(maxlen=_MAX_OPEN)
        self.links = 0
        self.ticks: dict[int, list[int]] | None = None
        self.comments_end = True
        self.has_artefacts = any(sign in text for sign in ("cite", "†", "oai_"))
        self.artefact_end = -1

    def read(self) -> list[Construct]:
        has_artefacts = self.has_artefacts
        mark = _ANY_MARK if has_artefacts else _PLAIN_MARK
        at = 0
        while found := mark.search(self.text, at):
            start, end, sign = found.start(), found.end(), found[0]
            if has_artefacts and found["artefact"]:
                at = self.artefact_end = self._add(Kind.ARTEFACT, start, end)
                continue
            match sign[0]:
                case "\\":
                    at = end
                case "`":
                    at = self._code_end(start, end)
                case "<":
                    at = self._angle(start)
                case "!":
                    self.openers.append(_Opener(end - 1, True, len(self.found), self.links))
                    at = end
                case "[":
                    at = self._bracket(start)
                case "]":
                    at = self._close(start)
                case "s" | "S":
                    at = self._mention(start, end)
                case _:
                    at = self._address(start, end)
        return self.found

    def _add(self, kind: Kind, start: int, end: int, text_start: int = -1, text_end: int = -1, **more: object) -> int:
        inner = (text_start, text_end) if text_start >= 0 else (start, start)
        self.found.append(Construct(kind, start, end, *inner, **more))  # type: ignore[arg-type]
        return end

    def _bracket(self, start: int) -> int:
        citation = _CITATION.match(self.text, start)
        if citation and not self._is_label(citation):
            ids = tuple(each.removeprefix("^") for each in _ID_ALONE.findall(citation[2]))
            target = destination(self.text, citation.end())
            if target is not None:
                return self._add(Kind.CITATION, start, target.end, ids=ids, target=unescaped(target.written))
            return self._add(Kind.CITATION, start, citation.end(), ids=ids)
        note = _NOTE.match(self.text, start)
        if note:
            target = destination(self.text, note.end())
            if target is not None and is_outside_target(unescaped(target.written)):
                return self._add(
                    Kind.LINK, start, target.end, start, start, target=unescaped(target.written), label=f"^{note[1]}"
                )
            return self._add(Kind.NOTE, start, note.end(), label=note[1].casefold())
        number = _NUMBERS.match(self.text, start)
        if number and number[1] not in self.labels and not self._is_more(number):
            return self._add(Kind.NUMBER, start, number.end(), label=number[1])
        held = _HOLDS_ID.match(self.text, start)
        if held and self.text[held.end() : held.end() + 1] not in ("(", "["):
            return self._add(Kind.UNREADABLE, start, held.end())
        self.openers.append(_Opener(start, False, len(self.found), self.links))
        return start + 1

    def _is_more(self, number: re.Match[str]) -> bool:
        """A number that is a link's text, or the `[[48,4,7]]` of a formula, cites nothing."""
        before, after = self.text[number.start() - 1 : number.start()], self.text[number.end() : number.end() + 1]
        return after == "(" or (before == "[" and after == "]")

    def _is_label(self, citation: re.Match[str]) -> bool:
        """`[src-tauri]` with a definition, or as a link's text, is no id."""
        if _NUMERIC.search(citation[2]) or citation[2].startswith("^"):
            return False
        return label_key(citation[2]) in self.labels or self.text[citation.end() : citation.end() + 1] == "("

    def _close(self, at: int) -> int:
        if not self.openers:
            return at + 1
        opener = self.openers.pop()
        following = self.text[at + 1 : at + 2]
        if following == "(" and (opener.image or opener.links == self.links):
            target = destination(self.text, at + 1)
            if target is not None:
                return self._link(opener, at, target.end, unescaped(target.written), title=unescaped(target.title))
        label, end = self.text[opener.at + 1 : at], at + 1
        if following == "[":
            bracket = self.text.find("]", at + 2, at + 2 + _LONGEST_LABEL)
            if bracket > 0 and self.labels:
                named = self.text[at + 2 : bracket] or label
                if label_key(named) in self.labels:
                    label, end = named, bracket + 1
        if self.labels and len(label) <= _LONGEST_LABEL and (opener.image or opener.links == self.links):
            key = label_key(label)
            if key in self.labels:
                return self._link(opener, at, end, self.labels[key], label=key)
        return at + 1

    def _link(self, opener: _Opener, closing: int, end: int, target: str, *, label: str = "", title: str = "") -> int:
        if opener.image:
            del self.found[opener.found :]
            return self._add(Kind.IMAGE, opener.at - 1, end, target=target, label=label)
        inner = (opener.at + 1, closing) if opener.at + 1 < closing else (opener.at, opener.at)
        identified = _ID_ALONE.fullmatch(target)
        if identified and _NUMERIC.fullmatch(target):
            self._add(Kind.CITATION, opener.at, end, *inner, ids=(target.removeprefix("^"),))
            return end
        if not is_outside_target(target):
            self.links += 1
            return end
        self._add(Kind.LINK, opener.at, end, *inner, target=target, label=label, title=title)
        self.links += self.stays(target)
        return end

    def _address(self, start: int, end: int) -> int:
        before = self.text[start - 1 : start]
        joined = before.isalnum() or (before != "" and self.text[start] in "wW" and before in "/@._-")
        if joined and start != self.artefact_end:
            return end
        stop = bare_end(self.text, start, stop_at_pipe=self.row)
        artefact = MARK.search(self.text, end, stop + _LONGEST_LABEL) if self.has_artefacts else None
        stop = min(stop, artefact.start()) if artefact else stop
        bracket = self.text.find("[", end, stop)  # what follows may be a citation or a link of its own
        stop = bracket if bracket >= 0 else stop
        # GitHub's Markdown, 6.9: these end an address only where something of it follows.
        stop = end + len(self.text[end:stop].rstrip("\\([{.,;:!?*_~" if bracket >= 0 else "*_~"))
        if stop <= end:
            return end
        return self._add(Kind.ADDRESS, start, stop, start, stop, target=unescaped(self.text[start:stop]))

    def _mention(self, start: int, end: int) -> int:
        before = self.text[start - 1 : start]
        escaped = before == "[" and self.text[start - 2 : start - 1] == "\\"
        if not (before.isalnum() or escaped or (before and before in "/_-.#=")):
            self._add(Kind.MENTION, start, end, ids=(self.text[start:end],))
        return end

    def _angle(self, start: int) -> int:
        if self.text.startswith("<!--", start):
            close = self.text.find("-->", start + 2) if self.comments_end else -1
            self.comments_end = close >= 0
            return close + 3 if close >= 0 else start + 4
        marker = _MARKER.match(self.text, start)
        if marker:
            told = {name.lower(): unescape(value.strip("\"'")) for name, value in _ATTRIBUTE.findall(marker[2])}
            ids, claim = (told["id"],) if told.get("id") else (), told.get("claim", "")
            return self._add(Kind.MARKER, start, marker.end(), label=f"needs-{marker[1]}", ids=ids, title=claim)
        autolink = _AUTOLINK.match(self.text, start)
        if autolink:
            if is_outside_target(autolink[1]):
                end, address = autolink.end(), autolink[1]
                self._add(Kind.ADDRESS, start, end, start + 1, end - 1, target=address)
                self.links += self.stays(address)
            return autolink.end()
        tag = _TAG.match(self.text, start)
        if not tag:
            return start + 1
        href = _HREF.search(tag[2]) if tag[1].lower() == "a" else None
        target = unescaped(href[href.lastindex or 0]) if href else ""
        if is_outside_target(target):
            closing = _ANCHOR_END.search(self.text, tag.end(), tag.end() + _FAR)
            inner, outer = (closing.start(), closing.end()) if closing else (tag.end(), tag.end())
            self._add(Kind.LINK, start, outer, tag.end(), inner, target=target)
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
