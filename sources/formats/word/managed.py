"""Works that reference managers write into Word: CSL-JSON of Zotero and Mendeley, EndNote's XML, Word's own sources."""

import base64
import binascii
import json
import re
from collections.abc import Iterator
from typing import Any

from lxml import etree

from sources.core.entries import Author, SourceRecord
from sources.formats.format import Unreadable
from sources.formats.json_arrays import checked_depth, words
from sources.formats.naming import identities_of, issn_of

_CSL = re.compile(r"\bCSL_CITATION\s*(\{.*)", re.DOTALL)
_MENDELEY_TAG = re.compile(r"MENDELEY_CITATION_v\d+_([A-Za-z0-9+/=_-]+)")
_ENDNOTE = re.compile(r"<EndNote\b.*?</EndNote>", re.DOTALL)
_ZOTERO_KEY = re.compile(r"/items/([A-Z0-9]{8})\b")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_ISSN = re.compile(r"\d{4}-?\d{3}[\dXx]")
_ENDNOTE_KINDS = {
    "journal article": "article-journal",
    "book": "book",
    "edited book": "book",
    "book section": "chapter",
    "web page": "webpage",
    "thesis": "thesis",
    "report": "report",
    "conference paper": "paper-conference",
    "conference proceedings": "paper-conference",
    "newspaper article": "article-newspaper",
}
_WORD_KINDS = {
    "JournalArticle": "article-journal",
    "ArticleInAPeriodical": "article-magazine",
    "Book": "book",
    "BookSection": "chapter",
    "InternetSite": "webpage",
    "DocumentFromInternetSite": "webpage",
    "Report": "report",
    "ConferenceProceedings": "paper-conference",
}


def works_in_code(code: str, data: str, *, line: int) -> Iterator[SourceRecord]:
    """The works of one field code, with the data it carries; nothing for fields of other kinds. Raises `Unreadable`
    where a citation field cannot be read."""
    if "CSL_CITATION" in code[:400]:
        found = _CSL.search(code)
        yield from _csl_items(found[1] if found else "", line=line)
    elif "EN.CITE" in code[:400] or data:
        xml = next(iter(_ENDNOTE.findall(code)), "") or _decoded(data)
        if "<EndNote" in xml:
            yield from _endnote(xml, line=line)


def works_in_tag(tag: str, *, line: int) -> Iterator[SourceRecord]:
    """The works of a content control's tag, as Mendeley Cite writes them; nothing for other tags."""
    found = _MENDELEY_TAG.fullmatch(tag)
    if found:
        yield from _csl_items(_decoded(found[1]), line=line)


def word_sources(root: etree._Element) -> Iterator[SourceRecord]:
    """The works of Word's own bibliography part (`b:Sources`)."""
    for number, source in enumerate(_children(root, "Source"), 1):
        told = {etree.QName(child).localname: " ".join("".join(child.itertext()).split()) for child in source}
        people = [person for person in source.iter() if _local(person) == "Person"]
        authors = tuple(
            Author(
                family=_text(person, "Last"),
                given=" ".join(f"{_text(person, 'First')} {_text(person, 'Middle')}".split()),
            )
            for person in people
            if _text(person, "Last")
        )
        corporate = next((_plain(each) for each in source.iter() if _local(each) == "Corporate"), "")
        identities, warnings = identities_of(
            [told.get("DOI", ""), told.get("URL", ""), *_numbers(told.get("StandardNumber", ""))]
        )
        date = "-".join(
            part for part in (told.get("Year", ""), _two(told.get("Month", "")), _two(told.get("Day", ""))) if part
        )
        yield SourceRecord(
            line=number,
            spelling=(told.get("DOI") or told.get("URL") or told.get("Title", ""))[:200],
            ref=told.get("Tag", "")[:200],
            identities=identities,
            title=told.get("Title", "")[:2_000],
            kind=_WORD_KINDS.get(told.get("SourceType", ""), ""),
            authors=authors or ((Author(family=corporate),) if corporate else ()),
            published_date=date if re.fullmatch(r"\d{4}(?:-\d\d){0,2}", date) else told.get("Year", "")[:4],
            publisher=told.get("Publisher", "")[:300],
            container_title=(told.get("JournalName") or told.get("BookTitle") or told.get("ConferenceName") or "")[
                :2_000
            ],
            volume=told.get("Volume", "")[:40],
            issue=told.get("Issue", "")[:40],
            pages=told.get("Pages", "")[:40],
            issn=issn_of(identities),
            warnings=warnings,
        )


def _csl_items(text: str, *, line: int) -> Iterator[SourceRecord]:
    checked_depth(text, what="A citation field")
    try:
        told, _ = json.JSONDecoder().raw_decode(text)
    except ValueError as error:
        raise Unreadable(f"The citation field in paragraph {line} is cut off or damaged: {error}"[:200]) from error
    items = told.get("citationItems") if isinstance(told, dict) else None
    for item in items if isinstance(items, list) else []:
        if isinstance(item, dict):
            yield _csl_record(item.get("itemData") or item, uris=item.get("uris") or item.get("uri") or [], line=line)


def _csl_record(told: Any, *, uris: Any, line: int) -> SourceRecord:
    told = told if isinstance(told, dict) else {}
    keys = [found[1] for uri in (uris if isinstance(uris, list) else []) if (found := _ZOTERO_KEY.search(str(uri)))]
    note = words(told.get("note"))
    extra = re.findall(r"(?:PMID|arXiv)\s*:\s*\S+", note)
    pmid = words(told.get("PMID"))
    identities, warnings = identities_of(
        [
            words(told.get("DOI")),
            *([f"PMID:{pmid}"] if pmid else []),
            *extra,
            *(f"ISBN {one}" for one in words(told.get("ISBN")).split()),
            words(told.get("URL")),
        ]
    )
    title = words(told.get("title"))[:2_000]
    return SourceRecord(
        line=line,
        spelling=(words(told.get("DOI")) or words(told.get("URL")) or title)[:200],
        ref=(keys[0] if keys else words(told.get("id")))[:200],
        identities=identities,
        title=title,
        kind=words(told.get("type"))[:60],
        authors=_csl_names(told.get("author")),
        editors=_csl_names(told.get("editor")),
        published_date=_csl_date(told.get("issued")),
        publisher=words(told.get("publisher"))[:300],
        container_title=words(told.get("container-title"))[:2_000],
        volume=words(told.get("volume"))[:40],
        issue=words(told.get("issue"))[:40],
        pages=words(told.get("page"))[:40],
        issn=words(told.get("ISSN"))[:40],
        isbn=words(told.get("ISBN"))[:80],
        language=words(told.get("language"))[:40],
        abstract=words(told.get("abstract"))[:8_000],
        note=note[:8_000],
        warnings=warnings,
    )


def _csl_names(told: Any) -> tuple[Author, ...]:
    names = [name for name in (told if isinstance(told, list) else []) if isinstance(name, dict)]
    made = [
        Author(
            family=" ".join(f"{words(name.get('non-dropping-particle'))} {words(name.get('family'))}".split())
            or words(name.get("literal"))
            or words(name.get("name")),
            given=words(name.get("given")),
        )
        for name in names[:1_000]
    ]
    return tuple(author for author in made if author.family or author.given)


def _csl_date(told: Any) -> str:
    if not isinstance(told, dict):
        return ""
    parts = told.get("date-parts")
    first = parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], list) else []
    numbers = [words(part) for part in first[:3]]
    if numbers and _YEAR.fullmatch(numbers[0]):
        rest = [_two(part) for part in numbers[1:]]
        return "-".join([numbers[0], *rest[: rest.index("")]] if "" in rest else [numbers[0], *rest])
    found = _YEAR.search(words(told.get("raw")) or words(told.get("literal")))
    return found[0] if found else ""


def _endnote(xml: str, *, line: int) -> Iterator[SourceRecord]:
    if "<!" in xml.replace("<![CDATA[", ""):
        raise Unreadable(f"The EndNote field in paragraph {line} declares a document type. It was not read.")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(xml.encode(), parser)
    except etree.XMLSyntaxError as error:
        raise Unreadable(f"The EndNote field in paragraph {line} is damaged: {error.msg}") from error
    for record in root.iter("record"):
        told = {name: _plain(found) for name in _ENDNOTE_TEXTS if (found := record.find(f".//{name}")) is not None}
        numbers = _numbers(told.get("isbn", ""))
        urls = [_plain(url) for url in record.iterfind(".//urls//url")][:5]
        identities, warnings = identities_of([told.get("electronic-resource-num", ""), *numbers, *urls])
        kind = record.find("ref-type")
        named = str(kind.get("name", "")).lower() if kind is not None else ""
        names = [_plain(author) for author in record.iterfind(".//contributors/authors/author")]
        year = _YEAR.search(told.get("year", ""))
        yield SourceRecord(
            line=line,
            spelling=(told.get("electronic-resource-num") or told.get("title") or "")[:200],
            ref=told.get("rec-number", "")[:200],
            identities=identities,
            title=told.get("title", "")[:2_000],
            kind=_ENDNOTE_KINDS.get(named, ""),
            authors=tuple(_person(name) for name in names[:1_000] if name),
            published_date=year[0] if year else "",
            publisher=told.get("publisher", "")[:300],
            container_title=(told.get("full-title") or told.get("secondary-title") or "")[:2_000],
            volume=told.get("volume", "")[:40],
            issue=told.get("number", "")[:40],
            pages=told.get("pages", "")[:40],
            issn=issn_of(identities),
            language=told.get("language", "")[:40],
            abstract=told.get("abstract", "")[:8_000],
            warnings=warnings,
        )


_ENDNOTE_TEXTS = (
    "rec-number", "title", "secondary-title", "full-title", "year", "volume", "number", "pages", "publisher", "isbn",
    "electronic-resource-num", "language", "abstract",
)  # fmt: skip


def _numbers(text: str) -> list[str]:
    """ISBNs and ISSNs of one field, with what they are in front."""
    tokens = re.split(r"[\s;,]+", re.sub(r"\([^)]*\)", "", text))
    return [
        f"{'ISSN' if _ISSN.fullmatch(token) else 'ISBN'} {token}" for token in tokens if any(c.isdigit() for c in token)
    ]


def _person(name: str) -> Author:
    family, _, given = name.partition(",")
    return Author(family=family.strip(), given=given.strip())


def _decoded(data: str) -> str:
    packed = re.sub(r"\s+", "", data).replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(packed + "=" * (-len(packed) % 4), validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""


def _two(text: str) -> str:
    return f"{int(text):02d}" if text.isdecimal() and 1 <= int(text) <= 31 else ""


def _plain(element: etree._Element) -> str:
    return " ".join("".join(str(text) for text in element.itertext()).split())


def _local(element: etree._Element) -> str:
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def _children(root: etree._Element, name: str) -> list[etree._Element]:
    return [child for child in root if _local(child) == name]


def _text(element: etree._Element, name: str) -> str:
    return next((_plain(child) for child in element if _local(child) == name), "")
