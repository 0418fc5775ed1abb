"""Works that reference managers write into Word: CSL-JSON of Zotero and Mendeley, EndNote's XML, Word's own sources.

What an entry says is read by the readers of those formats; here is only where a document keeps it.
"""

import base64
import binascii
import json
import re
from collections.abc import Iterator
from typing import Any

from lxml import etree

from sources.core.entries import SourceRecord
from sources.core.records import RowError
from sources.formats import csl_json, endnote_xml, word_sources
from sources.formats.format import Unreadable
from sources.formats.xml_records import elements

_CSL = re.compile(r"\bCSL_CITATION\s*(\{.*)", re.DOTALL)
_MENDELEY_TAG = re.compile(r"MENDELEY_CITATION_v\d+_([A-Za-z0-9+/=_-]+)")
_ENDNOTE = re.compile(r"<EndNote\b.*?</EndNote>", re.DOTALL)
_ZOTERO_KEY = re.compile(r"/items/([A-Z0-9]{8})\b")

Works = Iterator[SourceRecord | RowError]


def works_in_code(code: str, data: str, *, line: int) -> Works:
    """The works of one field code, with the data it carries; nothing for fields of other kinds. Raises `Unreadable`
    where a citation field cannot be read."""
    if "CSL_CITATION" in code[:400]:
        found = _CSL.search(code)
        yield from _csl_items(found[1] if found else "", line=line)
    elif "EN.CITE" in code[:400] or data:
        xml = next(iter(_ENDNOTE.findall(code)), "") or _decoded(data)
        if "<EndNote" in xml:
            yield from _endnote(xml, line=line)


def works_in_tag(tag: str, *, line: int) -> Works:
    """The works of a content control's tag, as Mendeley Cite writes them; nothing for other tags."""
    found = _MENDELEY_TAG.fullmatch(tag)
    if found:
        yield from _csl_items(_decoded(found[1]), line=line)


def works_in_part(root: etree._Element) -> Works:
    """The works of Word's own bibliography part (`b:Sources`); `line` is the source's number."""
    for number, source in enumerate(elements(root, "Source"), 1):
        yield word_sources.described(source, line=number).item()


def _csl_items(text: str, *, line: int) -> Works:
    try:
        told, _ = json.JSONDecoder(strict=False).raw_decode(text)
    except ValueError as error:
        raise Unreadable(f"The citation field in paragraph {line} is cut off or damaged: {error}"[:200]) from error
    except RecursionError as error:
        raise Unreadable(f"The citation field in paragraph {line} is nested too deeply to be read.") from error
    items = told.get("citationItems") if isinstance(told, dict) else None
    for item in items if isinstance(items, list) else []:
        if isinstance(item, dict):
            yield _csl_item(item, line=line)


def _csl_item(item: dict[str, Any], *, line: int) -> SourceRecord | RowError:
    data = item.get("itemData")
    told = csl_json.described(data if isinstance(data, dict) else item, line=line)
    uris = item.get("uris") or item.get("uri")
    keys = [found[1] for uri in (uris if isinstance(uris, list) else [uris]) if (found := _ZOTERO_KEY.search(str(uri)))]
    told.ref = keys[0] if keys else told.ref
    return told.item()


def _endnote(xml: str, *, line: int) -> Works:
    if "<!" in xml.replace("<![CDATA[", ""):
        raise Unreadable(f"The EndNote field in paragraph {line} declares a document type. It was not read.")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(xml.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as error:
        raise Unreadable(f"The EndNote field in paragraph {line} is damaged: {error.msg}") from error
    for record in root.iter("record"):
        yield endnote_xml.described(record, line=line).item()


def _decoded(data: str) -> str:
    packed = re.sub(r"\s+", "", data).replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(packed + "=" * (-len(packed) % 4), validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""
