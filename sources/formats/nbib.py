"""NBIB, the MEDLINE format of PubMed (field descriptions of the National Library of Medicine)."""

import re
from collections.abc import Iterator
from pathlib import Path

from sources.core.entries import Author, Item
from sources.formats.dates import date_of
from sources.formats.description import Description
from sources.formats.format import Format, Head
from sources.formats.opened import lines_of
from sources.formats.people import author_of, author_with_initials, orcid_of
from sources.formats.tagged import Tagged, records

_TAG = re.compile(r"([A-Z][A-Z0-9]{1,3}) *-(?: (.*)|(.*))$")
_OWN = re.compile(r"^(?:PMID|FAU |JT  |DP  |AID |LID |PHST|MHDA|BTI |FED |STAT|OWN |PMC )-", re.MULTILINE)
_LINKS = {
    "RIN": "Retraction in", "ROF": "Retraction of", "RPI": "Republished in", "RPF": "Republished from",
    "EIN": "Erratum in", "EFR": "Erratum for", "ECI": "Expression of concern in", "ECF": "Expression of concern for",
    "UIN": "Update in", "UOF": "Update of", "CRI": "Corrected and republished in", "CON": "Comment on",
    "CIN": "Comment in", "RRI": "Retracted and republished in", "RRF": "Retracted and republished from",
}  # fmt: skip
_KINDS = {
    "journal article": "article-journal", "review": "article-journal", "preprint": "article", "book": "book",
    "book chapter": "chapter", "dataset": "dataset", "letter": "article-journal", "editorial": "article-journal",
    "news": "article-newspaper", "newspaper article": "article-newspaper", "technical report": "report",
}  # fmt: skip
_READ = frozenset(
    {"PMID", "TI", "BTI", "CTI", "AB", "AU", "FAU", "AUID", "CN", "FED", "ED", "JT", "TA", "DP", "VI", "IP", "PG",
     "IS", "ISBN", "LID", "AID", "PT", "LA", "PB", "MH", "OT"}
)  # fmt: skip


def _recognises(head: Head) -> bool:
    if re.search(r"^[ \ufeff]{0,3}TY[ \t]{0,4}-", head.text, re.MULTILINE) or head.text.lstrip()[:1] in ("<", "{", "["):
        return False
    found = set(_OWN.findall(head.text))
    return "PMID-" in found or len(found) > 2


def split(text: str) -> tuple[str, str] | None:
    """Tag and value of one line."""
    found = _TAG.match(text)
    if not found or text[4:5] != "-":
        return None
    return found[1], (found[2] or found[3] or "").strip()


def _read(path: Path) -> Iterator[Item]:
    for record in records(lines_of(path), split, opens="PMID", blank_ends=True):
        yield _item(record)


def _item(record: Tagged) -> Item:
    told = Description(line=record.line, ref=record.first("PMID"), warnings=list(record.warnings))
    told.title = record.first("TI", "BTI", "CTI")
    types = [value.lower() for value in record.all("PT")]
    told.kind = next(
        (_KINDS[name] for name in types if name in _KINDS), "article-journal" if record.first("JT") else ""
    )
    told.authors = _authors(record) or [one for name in record.all("AU") if (one := author_with_initials(name))]
    told.authors += [Author(family=name) for name in record.all("CN")]
    told.editors = [one for name in record.all("FED") if (one := author_of(name))]
    told.date = date_of(record.first("DP"))
    told.container_title = record.first("JT", "TA") or (record.first("BTI") if record.first("TI") else "")
    told.volume, told.issue, told.pages = record.first("VI"), record.first("IP"), record.first("PG")
    told.publisher, told.language = record.first("PB"), record.first("LA")
    told.abstract = "\n".join(record.all("AB"))
    told.add_tags(*record.all("OT"), *(heading.replace("*", "") for heading in record.all("MH")))
    for value in record.all("LID", "AID"):
        bare, _, kind = value.rpartition(" [")
        if kind.startswith("doi"):
            told.ids.add_doi(bare)
        elif bare:
            told.keep("AID", value)
    told.ids.add_pmid(record.first("PMID"))
    for value in record.all("ISBN"):
        told.ids.add_isbn(value)
    for value in record.all("IS"):
        told.ids.add_issn(value)
    notices = record.all("RIN", "RRI")
    if "retracted publication" in types or notices:
        told.retracted = True
        told.retraction_note = "; ".join(" ".join(notice.split()) for notice in notices)
    for value in record.all("PT"):
        told.keep("PT", value)
    for tag, value in record.others(_READ):
        told.keep(tag, " ".join(value.split()) if tag in _LINKS else value)
    return told.item()


def _authors(record: Tagged) -> list[Author]:
    """Full names; the ORCID iD stands in a line of its own behind its author."""
    authors: list[Author] = []
    for tag, lines in record.fields:
        told = " ".join(lines)
        if tag == "FAU":
            author = author_of(told)
            if author:
                authors.append(author)
        elif tag == "AUID" and authors and (orcid := orcid_of(told)):
            authors[-1] = Author(family=authors[-1].family, given=authors[-1].given, orcid=orcid)
    return authors


def _is_tag(word: str) -> bool:
    return len(word) > 1 and word.isascii() and word.isupper() and word.isalnum() and word[0].isalpha()


def _count(path: Path) -> int:
    """`PMID-` lines, and blocks between blank lines that have none at their beginning."""
    entries, is_open, after_blank = 0, False, False
    for line in lines_of(path):
        if not line.text.strip():
            after_blank = True
            continue
        tag = line.text[:4]
        if line.text[4:5] == "-" and _is_tag(tag.rstrip()):
            entries += after_blank or not is_open or tag == "PMID"
            is_open = True
        after_blank = False
    return entries


FORMAT = Format(name="nbib", label="NBIB (PubMed)", recognises=_recognises, read=_read, count=_count)
