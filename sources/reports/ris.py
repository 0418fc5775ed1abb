"""References as a RIS file. Pure: same sources, same bytes.

One tag a line, CR LF, UTF-8 without a byte order mark (readers find no entry behind one). RIS knows no escape: a text
with a line end would begin a new tag, so everything stands on one line. Addresses other than the DOI's are all written
as `UR`, the best first.
"""

import re
from collections.abc import Iterable, Iterator

from sources.core.entries import Author
from sources.core.exported import ExportedSource
from sources.core.kinds import IdentifierType
from sources.reports.keys import Keys
from sources.reports.plain_text import date_parts, day_of, line
from sources.reports.work import addresses_of, keywords_of, mark_of, own_note, title_of

FILE_NAME = "references.ris"

_TYPES = {
    "article-journal": "JOUR",
    "article-magazine": "MGZN",
    "article-newspaper": "NEWS",
    "bill": "BILL",
    "book": "BOOK",
    "chapter": "CHAP",
    "dataset": "DATA",
    "entry-dictionary": "DICT",
    "entry-encyclopedia": "ENCYC",
    "legal_case": "CASE",
    "legislation": "STAT",
    "manuscript": "UNPB",
    "map": "MAP",
    "motion_picture": "MPCT",
    "paper-conference": "CPAPER",
    "patent": "PAT",
    "periodical": "JFULL",
    "personal_communication": "PCOMM",
    "post": "BLOG",
    "post-weblog": "BLOG",
    "report": "RPRT",
    "software": "COMP",
    "song": "SOUND",
    "thesis": "THES",
    "webpage": "ELEC",
}
_RANGE = re.compile(r"([^\s\-–]+)[\-–]{1,2}([^\s\-–]+)")


def stream(sources: Iterable[ExportedSource], *, title_prefix: bool = False) -> Iterator[str]:
    """The file, one entry a piece; the format has no place for a head.

    A work that is retracted says so in an `N1` and in `KW`; `title_prefix` puts it before the title as well.
    """
    keys = Keys()
    for source in sources:
        tags = [f"{tag}  - {text}\r\n" for tag, text in _tags(source, keys.of(source), title_prefix) if text]
        yield f"{''.join(tags)}ER  - \r\n\r\n"


def _tags(source: ExportedSource, key: str, title_prefix: bool) -> Iterator[tuple[str, str]]:
    record = source.record
    yield "TY", _TYPES.get(record.kind, "GEN")
    yield "ID", key
    yield "TI", title_of(source, prefix=title_prefix)
    yield from (("AU", _name(person)) for person in record.authors)
    yield from (("ED", _name(person)) for person in record.editors)
    yield "T2", line(record.container_title)
    yield from _dates(record.published_date)
    yield "VL", line(record.volume)
    yield "IS", line(record.issue)
    pages = line(record.pages)
    if found := _RANGE.fullmatch(pages):
        yield "SP", found[1]
        yield "EP", found[2]
    else:
        yield "SP", pages
    yield "PB", line(record.publisher)
    yield "ET", line(record.version)
    yield "SN", line(source.value_of(IdentifierType.ISBN) or source.value_of(IdentifierType.ISSN))
    yield "DO", line(source.value_of(IdentifierType.DOI))
    places = addresses_of(source)
    yield from (("UR", place) for place in places)
    if places and source.checked_at:
        yield "Y2", f"{day_of(source.checked_at):%Y/%m/%d/}"
    yield "LA", line(record.language)
    yield "AB", line(record.abstract)
    yield "N1", mark_of(source)
    yield "N1", line(own_note(source))
    yield from (("KW", word) for word in keywords_of(source))


def _dates(published: str) -> Iterator[tuple[str, str]]:
    parts = date_parts(published)
    if not parts:
        yield "PY", line(published)
        return
    month, day = (f"{part:02d}" if part else "" for part in (*parts[1:], 0, 0)[:2])
    yield "PY", f"{parts[0]:04d}"
    if month:
        yield "DA", f"{parts[0]:04d}/{month}/{day}/"


def _name(person: Author) -> str:
    """`Family, Given`. The comma is the format's own sign, so inside a family or an organisation none can stand."""
    family, given = (" ".join(line(part).replace(",", " ").split()) for part in (person.family, person.given))
    return f"{family}, {given}" if family and given else family or given
