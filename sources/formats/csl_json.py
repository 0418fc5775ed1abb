"""CSL-JSON: the citation styles' own list of items, as Zotero, Mendeley, Paperpile and pandoc write it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sources.core.entries import Author, Item
from sources.core.retraction import status_named
from sources.formats.dates import date_of, dated
from sources.formats.description import Description, row_error
from sources.formats.extra import read_extra
from sources.formats.format import Format, Head
from sources.formats.json_items import JsonItem, count_objects, items_of, list_start, text_of, written
from sources.formats.opened import Opened, opened
from sources.formats.people import author_of, orcid_of

CSL_TYPES = frozenset(
    {"article", "article-journal", "article-magazine", "article-newspaper", "bill", "book", "broadcast", "chapter",
     "classic", "collection", "dataset", "document", "entry", "entry-dictionary", "entry-encyclopedia", "event",
     "figure", "graphic", "hearing", "interview", "legal_case", "legislation", "manuscript", "map",
     "motion_picture", "musical_score", "pamphlet", "paper-conference", "patent", "performance", "periodical",
     "personal_communication", "post", "post-weblog", "regulation", "report", "review", "review-book", "software",
     "song", "speech", "standard", "thesis", "treaty", "webpage"}
)  # fmt: skip
_TYPE = re.compile(r'"type"\s*:\s*"([a-z_-]+)"')
_OWN_FIELD = re.compile(r'"(?:issued|container-title|citation-label|DOI|title-short|citation-key|accessed)"\s*:')
_TEXTS = (
    ("title", "title"), ("container-title", "container_title"), ("publisher", "publisher"), ("volume", "volume"),
    ("issue", "issue"), ("page", "pages"), ("language", "language"), ("abstract", "abstract"), ("note", "note"),
    ("license", "rights"), ("version", "version"),
)  # fmt: skip
_READ = frozenset(
    {"id", "type", "author", "editor", "issued", "accessed", "DOI", "URL", "ISBN", "ISSN", "PMID", "keyword", "status",
     "custom"}
    | {name for name, _ in _TEXTS}
)  # fmt: skip


_CUSTOM = frozenset({"rights", "arxiv", "handle", "urn"})


def _recognises(head: Head) -> bool:
    text = head.text.lstrip()
    if text[:1] == "[":
        first = text[1:].lstrip()[:1]
        if first not in ("{", "]"):
            return False
    elif not re.match(r'\{\s*"(?:items|references)"\s*:\s*\[', text) or '"itemType"' in text:
        return False
    return any(found in CSL_TYPES for found in _TYPE.findall(text)) or bool(_OWN_FIELD.search(text))


def _start(text: str) -> int:
    at = list_start(text)
    if at < 0:
        at = max(list_start(text, "items"), list_start(text, "references"))
    return at


def _read(path: Path) -> Iterator[Item]:
    file = opened(path)
    for item in items_of(file.text, _start(file.text)):
        yield _item(item, file)


def _item(item: JsonItem, file: Opened) -> Item:
    if item.problem:
        return row_error(item.line, item.written, item.problem)
    told = described(item.value, line=item.line)
    told.warnings[:0] = file.warnings(item.line, item.line + item.written.count("\n"))
    return told.item()


def described(fields: dict[str, Any], *, line: int) -> Description:
    """The work that one CSL item describes, wherever the item stands."""
    told = Description(line=line, ref=text_of(fields.get("id")), kind=text_of(fields.get("type")))
    for name, target in _TEXTS:
        value = fields.get(name)
        # Crossref's lists of one title are met in files that call themselves CSL-JSON.
        value = value[0] if isinstance(value, list) and value else value
        setattr(told, target, text_of(value))
    told.authors = people(fields.get("author"))
    told.editors = people(fields.get("editor"))
    told.date = csl_date(fields.get("issued"))
    if fields.get("issued") and not told.date:
        told.warnings.append("The date of publication could not be read; it was left empty.")
        told.keep("issued", written(fields.get("issued")))
    told.last_checked_at = csl_date(fields.get("accessed"))
    keywords = fields.get("keyword")
    told.add_tags(*(_texts(keywords) if isinstance(keywords, list) else re.split(r"[,;]", text_of(keywords))))
    for value in _texts(fields.get("DOI")):
        told.ids.add_doi(value)
    for value in _texts(fields.get("PMID")):
        told.ids.add_pmid(value)
    for value in _texts(fields.get("ISBN")):
        told.ids.add_isbn(value)
    for value in _texts(fields.get("ISSN")):
        told.ids.add_issn(value)
    read_extra(told, told.note)
    for value in _texts(fields.get("URL")):
        told.add_url(value, name="URL")
    status = text_of(fields.get("status"))
    named = status_named(status)
    told.tell_retraction(named)
    if not named.label:
        told.keep("status", status)
    _custom(told, fields.get("custom"))
    for name, value in fields.items():
        if name not in _READ:
            told.keep(str(name), written(value))
    return told


def _custom(told: Description, value: Any) -> None:
    """What exports of ours keep under `custom`; the rest of it is kept as it is."""
    if not isinstance(value, dict):
        told.keep("custom", written(value))
        return
    told.rights = told.rights or text_of(value.get("rights"))
    told.ids.add_arxiv(text_of(value.get("arxiv")))
    told.ids.add_handle(text_of(value.get("handle")))
    told.ids.add_urn(text_of(value.get("urn")))
    told.keep("custom", written({name: one for name, one in value.items() if name not in _CUSTOM}))


def people(value: Any) -> list[Author]:
    """The names of a CSL name list; whatever is no name is passed over."""
    found = []
    for one in value if isinstance(value, list) else []:
        author = author_of(one) if isinstance(one, str) else _person(one) if isinstance(one, dict) else None
        if author:
            found.append(author)
    return found


def _person(name: dict[str, Any]) -> Author | None:
    orcid = orcid_of(text_of(name.get("ORCID") or name.get("orcid")))
    literal = " ".join((text_of(name.get("literal")) or text_of(name.get("name"))).split())[:500]
    if literal:
        return Author(family=literal, orcid=orcid)
    particles = (text_of(name.get("non-dropping-particle")), text_of(name.get("dropping-particle")))
    family = " ".join(" ".join(filter(None, (*particles, text_of(name.get("family"))))).split())[:500]
    given = " ".join(text_of(name.get("given")).split())[:500]
    suffix = text_of(name.get("suffix"))
    given = f"{given}, {suffix}" if given and suffix else given
    if not family:
        return Author(family=given, orcid=orcid) if given else None
    return Author(family=family, given=given, orcid=orcid)


def csl_date(value: Any) -> str:
    """A CSL date: `date-parts` (numbers or text), else `raw`, `literal` or plain text; '' where nothing is said."""
    if not isinstance(value, dict):
        return date_of(text_of(value))
    parts = value.get("date-parts")
    first = parts[0] if isinstance(parts, list) and parts else None
    if isinstance(first, list) and first and (year := text_of(first[0])):
        rest = [text_of(part) for part in first[1:3]] + ["", ""]
        if told := dated(year.zfill(4), rest[0], rest[1]):
            return told
    for name in ("raw", "literal", "string"):
        if told := date_of(text_of(value.get(name))):
            return told
    return ""


def _texts(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [told for one in values if (told := text_of(one).strip())]


def _count(path: Path) -> int:
    """Objects of the list, by counting brackets."""
    text = opened(path).text
    at = _start(text)
    return count_objects(text, at) if at >= 0 else 0


FORMAT = Format(name="csl_json", label="CSL-JSON", recognises=_recognises, read=_read, count=_count)
