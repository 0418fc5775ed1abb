"""RIS, as reference managers and databases write it, by rispy behind a pass of our own.

rispy 0.10 reads nothing of a file with a mark, with one blank before the hyphen or with tags in small letters; it
merges records where `ER` is missing and keeps the first `DO` only. So each record is cut out and written anew first.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from rispy import RisParser

from sources.core.entries import Item
from sources.core.retraction import read_mark
from sources.formats.dates import date_of
from sources.formats.description import Description, row_error
from sources.formats.extra import read_extra
from sources.formats.format import Format, Head
from sources.formats.opened import lines_of
from sources.formats.people import author_of
from sources.formats.tagged import Tagged, records

_KNOWN = frozenset(
    {"TY", "A1", "A2", "A3", "A4", "A5", "A6", "AB", "AD", "AN", "AU", "AV", "BT", "C1", "C2", "C3", "C4", "C5",
     "C6", "C7", "C8", "CA", "CN", "CP", "CR", "CT", "CY", "DA", "DB", "DI", "DO", "DP", "ED", "EP", "ER", "ET",
     "FD", "H1", "H2", "ID", "IP", "IS", "J1", "J2", "JA", "JF", "JO", "K1", "KW", "L1", "L2", "L3", "L4", "LA",
     "LB", "LK", "LL", "M1", "M2", "M3", "N1", "N2", "NO", "NV", "OL", "OP", "PA", "PB", "PM", "PP", "PY", "RD",
     "RI", "RN", "RP", "SE", "SF", "SL", "SN", "SP", "SR", "ST", "SV", "T1", "T2", "T3", "TA", "TI", "TT", "U1",
     "U2", "U3", "U4", "U5", "UN", "UR", "VL", "VO", "WP", "WT", "WV", "Y1", "Y2", "YR"}
)  # fmt: skip
_TAG = re.compile(r"[ \ufeff]{0,3}([A-Za-z][A-Za-z0-9])([ \t]{0,4})[-–](?:[ \t]+(.*))?$")
_TYPE = re.compile(r"^[ \ufeff]{0,3}TY[ \t]{0,4}[-–](?:[ \t]|$)", re.MULTILINE | re.IGNORECASE)
_FIELD = re.compile(r"^[ \ufeff]{0,3}[A-Z][A-Z0-9] {1,2}-(?: |$)", re.MULTILINE)
_END = re.compile(r"^ER {1,2}-[ \t]*$", re.MULTILINE)
_DOI = re.compile(r"(?:doi:\s*|https?://(?:dx\.)?doi\.org/)?10\.[0-9]{4,9}/\S", re.IGNORECASE)
_NO_TYPE = (
    "These fields stand outside any entry: the line that opens it (“TY  - JOUR” or another type) is missing. "
    "Write it above line {line}."
)
# Fields that make an entry of what stands outside one; others (`NL` of Ovid) belong to the entry before them.
_NAMING = frozenset({"TI", "T1", "CT", "BT", "ST", "AU", "A1", "DO", "UR"})
_OUTSIDE = re.compile(rf"[ \ufeff]{{0,3}}(?:{'|'.join(sorted(_NAMING))})[ \t]{{0,4}}[-–](?:[ \t]|$)")
_END_LINE = re.compile(r"[ \ufeff]{0,3}ER[ \t]{0,4}[-–](?:[ \t]|$)", re.IGNORECASE)
_LINE_END = "\x1e"
_KINDS = {
    "ABST": "article", "ADVS": "motion_picture", "AGGR": "dataset", "ART": "graphic", "BILL": "bill",
    "BLOG": "post-weblog",
    "BOOK": "book", "CASE": "legal_case", "CHAP": "chapter", "CLSWK": "classic", "COMP": "software",
    "CONF": "paper-conference", "CPAPER": "paper-conference", "DATA": "dataset", "DBASE": "dataset",
    "DICT": "entry-dictionary", "EBOOK": "book", "ECHAP": "chapter", "EDBOOK": "book", "EJOUR": "article-journal",
    "ELEC": "webpage", "ENCYC": "entry-encyclopedia", "FIGURE": "figure", "GEN": "document", "GOVDOC": "report",
    "GRANT": "document", "HEAR": "hearing", "ICOMM": "personal_communication", "INPR": "article-journal",
    "JFULL": "periodical", "JOUR": "article-journal", "LEGAL": "legislation", "MANSCPT": "manuscript", "MAP": "map",
    "MGZN": "article-magazine", "MPCT": "motion_picture", "MUSIC": "musical_score", "NEWS": "article-newspaper",
    "PAMP": "pamphlet", "PAT": "patent", "PCOMM": "personal_communication", "RPRT": "report", "SER": "book",
    "SLIDE": "speech", "SOUND": "song", "STAND": "standard", "STAT": "legislation", "STD": "standard", "THES": "thesis",
    "UNPB": "manuscript", "UNPD": "manuscript", "VIDEO": "motion_picture", "WEB": "webpage",
    "JOURNAL ARTICLE": "article-journal", "BOOK SECTION": "chapter",
}  # fmt: skip
_READ = frozenset(
    {"TY", "T1", "TI", "CT", "BT", "AU", "A1", "A2", "ED", "PY", "Y1", "YR", "DA", "JO", "JF", "JA", "J1", "J2",
     "T2", "VL", "VO", "IS", "IP", "SP", "EP", "SN", "DO", "DI", "UR", "L1", "L2", "LK", "AB", "N2", "N1", "NO",
     "KW", "K1", "PB", "LA", "ID", "M3", "ET", "Y2", "ST"}
)  # fmt: skip


class _Parser(RisParser):  # type: ignore[misc]
    """Keeps every field of a record under its tag, as a list."""

    def _add_tag(self, record: dict[str, list[str]], tag: str, content: str, extend_multiline: bool = False) -> None:
        record.setdefault(tag, []).append(content)


_PARSER = _Parser(mapping={"TY": "type"}, newline=_LINE_END)


def _recognises(head: Head) -> bool:
    if head.text.lstrip()[:1] in ("{", "[", "<", "@"):
        return False
    return bool(_TYPE.search(head.text)) or bool(_END.search(head.text) and len(_FIELD.findall(head.text)) > 2)


class _Splitter:
    """Tag and value of a line. Tags in small letters are taken once a `ty` opened a record."""

    def __init__(self) -> None:
        self._is_small = False

    def __call__(self, text: str) -> tuple[str, str] | None:
        found = _TAG.match(text)
        if not found:
            return None
        written, tag = found[1], found[1].upper()
        if tag == "TY":
            self._is_small = written != tag
        elif written != tag and not self._is_small:
            return None
        # `IV - a grade` in an abstract is no field: what RIS does not know must be written as RIS writes it.
        if tag not in _KNOWN and found[2] != "  ":
            return None
        return tag, (found[3] or "").strip()


def _read(path: Path) -> Iterator[Item]:
    held: Tagged | None = None
    for record in records(lines_of(path), _Splitter(), opens="TY", closes="ER"):
        if record.fields[0][0] != "TY" and not any(tag in _NAMING for tag, _ in record.fields):
            if held:
                held.fields += record.fields
            continue
        if held:
            yield _item(held)
        held = record
    if held:
        yield _item(held)


def _item(record: Tagged) -> Item:
    is_typed = record.fields[0][0] == "TY"
    # A title and an end of its own make it an entry that has lost its first line, and no stray field of another.
    if not is_typed and not (record.is_closed and record.first("TI", "T1", "CT", "BT")):
        return row_error(record.line, record.first("T1", "TI", "DO", "UR"), _NO_TYPE.format(line=record.line))
    parsed = _parsed(record)
    told = Description(line=record.line, warnings=list(record.warnings))
    if not record.is_closed:
        told.warnings.append("The entry has no “ER  -” at its end; it was taken to end before the next one.")

    def first(*tags: str) -> str:
        return next((value for tag in tags for value in parsed.get(tag, ()) if value), "")

    def every(*tags: str) -> list[str]:
        return [value for tag in tags for value in parsed.get(tag, ()) if value]

    if not is_typed:
        told.warnings.append("The line that opens this entry (“TY  - JOUR” or another type) is missing.")
    kind = record.fields[0][1][0].strip().upper() if is_typed else ""
    told.kind = _KINDS.get(kind, "")
    if not told.kind:
        told.keep("TY", kind)
    told.ref = first("ID")
    told.title = first("TI", "T1", "CT", "BT", "ST")
    told.authors = [author for name in every("AU", "A1") if (author := author_of(name))]
    told.editors = [author for name in every("ED", "A2") if (author := author_of(name))]
    told.date = next((date for value in every("PY", "Y1", "YR", "DA") if (date := date_of(value))), "")
    full = next((date for value in every("DA", "Y1") if (date := date_of(value)).startswith(told.date or "-")), "")
    told.date = max(told.date, full, key=len)
    told.container_title = first("JO", "JF", "T2", "JA", "J1", "J2") or (
        first("BT") if told.title != first("BT") else ""
    )
    told.volume, told.issue = first("VL", "VO"), first("IS", "IP")
    told.pages = "–".join(dict.fromkeys(filter(None, (first("SP"), first("EP")))))
    told.publisher, told.language, told.version = first("PB"), first("LA"), first("ET")
    told.abstract = first("AB", "N2")
    # The mark of a retraction has a note of its own, wherever a manager has put it.
    notes = every("N1", "NO")
    told.note = "\n".join(sorted(notes, key=lambda note: not read_mark(note)[0].label))
    told.add_tags(*(tag for value in every("KW", "K1") for tag in value.split("\n")))
    _identify(told, every)
    for tag, value in record.others(_READ):
        told.keep(tag, value)
    return told.item()


def _identify(told: Description, every: Callable[..., list[str]]) -> None:
    for value in every("DO", "DI"):
        told.ids.add_doi(value)
    for value in every("M3"):
        # Some databases write the DOI here, others the type of work.
        if _DOI.match(value):
            told.ids.add_doi(value)
        else:
            told.keep("M3", value)
    for value in every("SN"):
        told.ids.add_serial(value)
    read_extra(told, told.note)
    # LK of databases leads to one library's link resolver, L2 to the full text behind it.
    for value in every("UR", "L2"):
        # Databases write `<Go to ISI>://WOS:1` and words around addresses.
        words = re.split(r"[\s<>]+|;(?=\s*https?:)", value, flags=re.IGNORECASE)
        addresses = [word.strip(";") for word in words if word[:4].lower() == "http"]
        for address in addresses if addresses else [value] if " " not in value.strip() else []:
            told.add_url(address, name="UR")
        if not addresses and " " in value.strip():
            told.keep("UR", value)
    for tag in ("L1", "LK"):
        for value in every(tag):
            told.keep(tag, value)
    told.last_checked_at = next((date for value in every("Y2") if (date := date_of(value))), "")


def _parsed(record: Tagged) -> dict[str, list[str]]:
    """The record's values by tag, as rispy reads them."""
    lines = [f"{tag}  - {chr(10).join(value)}" for tag, value in record.fields]
    # Without its first line rispy reads nothing.
    lines[:0] = [] if record.fields[0][0] == "TY" else ["TY  - GEN"]
    text = _LINE_END.join(line.replace(_LINE_END, " ") for line in [*lines, "ER  - "])
    found: list[dict[str, list[str]]] = _PARSER.parse(text)
    return found[0] if found else {}


def _count(path: Path) -> int:
    """`TY` lines, and the first field outside of entries that names a work."""
    entries, is_open = 0, False
    for line in lines_of(path):
        text = line.text
        if _TYPE.match(text):
            entries, is_open = entries + 1, True
        elif _END_LINE.match(text) and (is_open or text.lstrip()[:2] == "ER"):
            is_open = False
        elif not is_open and _OUTSIDE.match(text):
            entries, is_open = entries + 1, True
    return entries


FORMAT = Format(name="ris", label="RIS", recognises=_recognises, read=_read, count=_count)
