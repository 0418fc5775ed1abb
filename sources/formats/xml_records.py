"""XML files of records, read one at a time by lxml: no entity is expanded, no network asked, no huge tree built."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from sources.formats.format import Head, Unreadable
from sources.formats.opened import Line, lines_of, open_head

_DECLARED = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._-]+)", re.IGNORECASE)
_ILLEGAL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_ROOT = re.compile(r"<(?![?!])(?:[\w.-]+:)?([\w.-]+)")
_PROLOG = re.compile(r"\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[<>]*>", re.DOTALL)
_DOCTYPE = re.compile(r"<!DOCTYPE[^<>\[]*\[")
# Characters by number: of those that XML does not allow, libxml2's mending keeps halves of surrogate pairs.
_NUMBERED = re.compile(r"&#(?:x([0-9a-fA-F]{1,32})|([0-9]{1,32}));")
_LOOSE = re.compile(r"&(?!#?\w{1,32};)")
_LONGEST_RECORD = 5_000_000
ENTITIES = (
    "Line {line}: this XML declares entities of its own, with which a small file can unfold to a huge one. "
    "Delete the part “<!DOCTYPE … [ … ]>” and import it again."
)


@dataclass(frozen=True, slots=True)
class XmlRecord:
    """One record element, with its line; where the file breaks, `element` is None and `problem` says where and why."""

    line: int
    element: etree._Element | None
    problem: str = ""
    repaired: str = ""


def root_of(head: Head) -> str:
    """The local name of the outermost element, '' where the head is no XML."""
    text = head.text.lstrip("\ufeff \t\r\n")
    if not text.startswith("<"):
        return ""
    at = 0
    while found := _PROLOG.match(text, at):
        at = found.end()
    doctype = _DOCTYPE.match(text, at)
    if doctype:
        inside = text.find("]>", doctype.end())
        at = inside + 2 if inside >= 0 else len(text)
        at += len(text[at:]) - len(text[at:].lstrip())
    root = _ROOT.match(text, at)
    return root[1] if root else ""


def xml_records(path: Path, names: frozenset[str]) -> Iterator[XmlRecord]:
    """Every outermost element with one of the local `names`, freed again once the next is asked for.

    Raises Unreadable for entities declared in the file. Where the XML breaks (or is nested deeper than 256), each
    record that begins there or later is read by itself as far as it goes, or comes with the problem instead.
    """
    encoding = _encoding(path)
    parser = etree.XMLPullParser(
        ("start", "end"), resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False,
        remove_comments=True, remove_pis=True, encoding="utf-8",
    )  # fmt: skip
    opened_at: list[tuple[int, etree._Element]] = []
    first, met = True, 0
    repaired = ""
    for line in _lines(path, encoding):
        repaired = line.repaired or repaired
        try:
            parser.feed(_ILLEGAL.sub("", line.text).encode("utf-8") + b"\n")
        except etree.XMLSyntaxError as error:
            # What stood complete before the break in this line is still told.
            failure = error
        else:
            failure = None
        done = []
        try:
            for event, element in parser.read_events():
                if first:
                    _refuse_entities(element, line.number)
                    first = False
                if not isinstance(element.tag, str) or _local(element.tag) not in names:
                    continue
                if event == "start":
                    opened_at.append((line.number, element))
                    met += len(opened_at) == 1
                elif opened_at and opened_at[-1][1] is element:
                    begun, _ = opened_at.pop()
                    if not opened_at:
                        done.append((begun, element))
        except etree.XMLSyntaxError as error:
            failure = failure or error
        for begun, element in done:
            yield XmlRecord(begun, element, repaired=repaired)
            repaired = ""
            _free(element)
        if failure:
            found = 0
            for record in _broken(path, names, met - bool(opened_at), line.number, str(failure)):
                found += 1
                yield record
            if not met and not found:
                raise Unreadable(
                    f"The XML of this file breaks in line {line.number}: {_reason(str(failure))}. Export it anew."
                )
            return
    try:
        parser.close()
    except etree.XMLSyntaxError as error:
        if not met:
            raise Unreadable(f"The XML of this file ends too early: {_reason(str(error))}. Export it anew.") from None
        if opened_at:
            yield from _broken(path, names, met - 1, opened_at[0][0], str(error))


def xml_positions(path: Path, name: str) -> list[tuple[int, str, str]]:
    """Line, `rdf:about` and text of every element that has a child with the local name `name`, in order.

    Raises Unreadable where the XML breaks, naming the line, and for entities.
    """
    parser = etree.XMLPullParser(
        ("start", "end"), resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, encoding="utf-8"
    )
    found: list[tuple[int, str, str]] = []
    begun: list[int] = []
    number = 0
    try:
        for line in _lines(path, _encoding(path)):
            number = line.number
            parser.feed(_ILLEGAL.sub("", line.text).encode("utf-8") + b"\n")
            for event, element in parser.read_events():
                if event == "start":
                    if not begun:
                        _refuse_entities(element, number)
                    begun.append(number)
                    continue
                begun.pop()
                parent = element.getparent()
                if isinstance(element.tag, str) and _local(element.tag) == name and parent is not None:
                    about = next((value for key, value in parent.attrib.items() if str(key).endswith("}about")), "")
                    found.append((begun[-1], str(about), whole_text(element)))
        parser.close()
    except etree.XMLSyntaxError as error:
        raise Unreadable(
            f"The XML of this file breaks in line {number}: {_reason(str(error))}. Export it anew and import that."
        ) from None
    return found


def texts(element: etree._Element, path: str) -> list[str]:
    """The whole text of each element at `path` (local names, apart by `/`), without the blank ones; text that is split
    over child elements is joined."""
    return [told for found in elements(element, path) if (told := whole_text(found))]


def text(element: etree._Element, *paths: str) -> str:
    """The first text at the first of `paths` that has one, '' where none has."""
    for path in paths:
        found = texts(element, path)
        if found:
            return found[0]
    return ""


def elements(element: etree._Element, path: str) -> list[etree._Element]:
    """The descendants at `path`, by local names, whatever their namespace."""
    found = [element]
    for name in path.split("/"):
        found = [child for one in found for child in one if isinstance(child.tag, str) and _local(child.tag) == name]
    return found


def whole_text(element: etree._Element) -> str:
    """All text in the element, blanks at its ends and line breaks with indentation gone."""
    told = "".join(element.itertext())
    return " ".join(line.strip() for line in told.split("\n")).strip() if "\n" in told else told.strip()


def count_elements(path: Path, *names: str) -> int:
    """Start tags with one of these local names outside of comments and CDATA, by a scan of the text."""
    opening = re.compile(rf"<(?:[\w.-]+:)?(?:{'|'.join(names)})(?=[\s/>]|$)|<!--|<!\[CDATA\[")
    number, until, hidden = 0, "", 0
    for line in lines_of(path):
        at = start = 0
        while True:
            if until:
                at = line.text.find(until, at)
                if at < 0:
                    hidden += sum(1 for met in opening.finditer(line.text, start) if met[0][1] != "!")
                    break
                at, until, hidden = at + len(until), "", 0
                start = at
            found = opening.search(line.text, at)
            if not found:
                break
            at = start = found.end()
            if found[0] == "<!--":
                until = "-->"
            elif found[0] == "<![CDATA[":
                until = "]]>"
            else:
                number += 1
    # A comment that nobody closes hides nothing: the XML is broken there, and the rest is read record by record.
    return number + hidden


def _local(tag: str) -> str:
    """The name without namespace, and without a prefix that nobody declared."""
    return tag.rpartition("}")[2].rpartition(":")[2]


def _encoding(path: Path) -> str:
    declared = _DECLARED.search(open_head(path).data[:400])
    name = declared[1].decode("ascii").lower() if declared else "utf-8"
    return "" if name in ("utf-8", "utf8", "utf-16", "us-ascii", "ascii") else name


def _lines(path: Path, encoding: str) -> Iterator[Line]:
    """The lines of the file; where it declares another encoding than UTF-8 or UTF-16, in that."""
    if not encoding:
        yield from lines_of(path)
        return
    try:
        with path.open(encoding=encoding, errors="replace", newline=None) as file:
            for number, line in enumerate(file, 1):
                yield Line(number, line.rstrip("\n"))
    except LookupError:
        yield from lines_of(path)


def _refuse_entities(element: etree._Element, line: int) -> None:
    declared = element.getroottree().docinfo.internalDTD
    if declared is not None and any(True for _ in declared.iterentities()):
        raise Unreadable(ENTITIES.format(line=line))


def _broken(path: Path, names: frozenset[str], whole: int, line: int, told: str) -> Iterator[XmlRecord]:
    """The records after the first `whole` ones, each by itself: what a break left of them, or the problem."""
    problem = (
        f"The XML of this file breaks in line {line}: {_reason(told)}. This entry stands there or behind it and could "
        "not be read. Mend the place, or export the file anew, and import it again."
    )
    warning = (
        f"The XML of this file breaks in line {line}: {_reason(told)}. This entry was read as far as it could be; "
        "compare it with where it comes from."
    )
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True,
        remove_comments=True, remove_pis=True,
    )  # fmt: skip
    met = 0
    for begun, written in _cut(path, names):
        met += 1
        if met <= whole:
            continue
        element = None
        if len(written) <= _LONGEST_RECORD:
            try:
                element = etree.fromstring(_mended(written).encode("utf-8"), parser)
            except etree.XMLSyntaxError:
                element = None
        if element is None or not len(element):
            yield XmlRecord(begun, None, problem)
        else:
            yield XmlRecord(begun, element, repaired=warning)


def _mended(written: str) -> str:
    """A record without characters that XML does not allow, as such or by number, and without loose `&`."""
    return _LOOSE.sub("&amp;", _NUMBERED.sub(_allowed, _ILLEGAL.sub("", written)))


def _allowed(numbered: re.Match[str]) -> str:
    number = int(numbered[1], 16) if numbered[1] else int(numbered[2])
    return numbered[0] if number <= sys.maxunicode and not _ILLEGAL.match(chr(number)) else "\ufffd"


def _cut(path: Path, names: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Line and text of every record element, from its start tag to its end tag or to the next start tag."""
    pattern = re.compile(rf"<(/?)(?:[\w.-]+:)?(?:{'|'.join(sorted(names))})(?=[\s/>]|$)")
    begun = 0
    held: list[str] = []
    for line in _lines(path, _encoding(path)):
        at = 0
        for found in pattern.finditer(line.text):
            if found[1]:
                if begun:
                    end = line.text.find(">", found.end())
                    held.append(line.text[at : end + 1 if end >= 0 else len(line.text)])
                    yield begun, "".join(held)
                begun, held, at = 0, [], found.end()
                continue
            if begun:
                held.append(line.text[at : found.start()])
                yield begun, "".join(held)
            begun, held, at = line.number, [], found.start()
        if begun:
            held.append(line.text[at:] + "\n")
    if begun:
        yield begun, "".join(held)


def _reason(told: str) -> str:
    # What libxml2 says ends with the place, and for depth with advice to its callers.
    return re.sub(r", (?:line \d+, column \d+|use XML_PARSE_HUGE).*", "", told, flags=re.DOTALL).strip(" .")[:200]


def _free(element: etree._Element) -> None:
    element.clear()
    parent = element.getparent()
    if parent is not None:
        while element.getprevious() is not None:
            del parent[0]
