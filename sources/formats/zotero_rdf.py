"""Zotero RDF, by rdflib: identifiers are words in `dc:identifier`, for articles on the journal they are part of."""

import logging
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urldefrag
from xml.sax import SAXParseException

from rdflib import RDF, Graph, Literal, Namespace, URIRef
from rdflib.exceptions import ParserError
from rdflib.term import Node

from sources.core.entries import Author, Item
from sources.formats.dates import date_of
from sources.formats.description import Description, row_error
from sources.formats.extra import read_extra
from sources.formats.format import Format, Head, Unreadable
from sources.formats.opened import opened
from sources.formats.xml_records import root_of, xml_positions
from sources.formats.zotero_items import CSL_TYPES, NOT_WORKS

# Names that are no addresses are common in these files and do no harm; the log would only repeat them.
logging.getLogger("rdflib.term").setLevel(logging.CRITICAL)

_Z = Namespace("http://www.zotero.org/namespaces/export#")
_BIB = Namespace("http://purl.org/net/biblio#")
_DC = Namespace("http://purl.org/dc/elements/1.1/")
_TERMS = Namespace("http://purl.org/dc/terms/")
_PRISM = Namespace("http://prismstandard.org/namespaces/1.2/basic/")
_FOAF = Namespace("http://xmlns.com/foaf/0.1/")
_BASE = "file:///import"
_TYPE_TAG = re.compile(r"<(?:[\w.-]+:)?itemType(?:\s[^<>]*)?>\s*([A-Za-z]*)\s*<")
_READ = frozenset(
    {_Z.itemType, _BIB.authors, _BIB.editors, _DC.title, _DC.date, _TERMS.abstract, _BIB.pages, _Z.language,
     _DC.subject, _DC.description, _DC.identifier, _TERMS.isPartOf, _DC.publisher, _DC.rights, _PRISM.volume,
     _PRISM.number, _PRISM.edition, _TERMS.dateSubmitted, RDF.type, _Z.citationKey}
)  # fmt: skip


def _recognises(head: Head) -> bool:
    return root_of(head) == "RDF" and "zotero.org/namespaces/export" in head.text


def _read(path: Path) -> Iterator[Item]:
    places = xml_positions(path, "itemType")
    graph = Graph(bind_namespaces="none")
    try:
        graph.parse(data=_xml(path), format="xml", publicID=_BASE)
    except SAXParseException as error:
        # rdflib reads by expat, which allows fewer characters in names than libxml2, by which the lines were found.
        place = f"The XML of this file breaks in line {error.getLineNumber()}: {error.getMessage()}."
        raise Unreadable(f"{place} Export it anew from Zotero.") from None
    except (ParserError, ValueError, AssertionError) as error:
        raise Unreadable(
            f"This RDF cannot be read: {str(error)[:200]}. Export the collection anew from Zotero."
        ) from None
    shared = _shared(graph)
    seen: dict[Node, int] = {}
    for line, about, kind in places:
        if kind in NOT_WORKS:
            continue
        subject = URIRef(_absolute(about)) if about else None
        if subject is None or (subject, _Z.itemType, None) not in graph:
            yield row_error(line, about, "This item has no name of its own (rdf:about). Export it anew from Zotero.")
        elif subject in seen:
            yield row_error(
                line, about, f"The name {about} stands in line {seen[subject]} already. Give this item its own."
            )
        else:
            seen[subject] = line
            yield _Reader(graph, subject).described(line, shared).item()


def _xml(path: Path) -> bytes:
    """The file as UTF-8, whatever it was in, without its declaration and what XML does not allow; lines stay."""
    text = re.sub(r"^\s*<\?xml[^>]*\?>", lambda told: "\n" * told[0].count("\n"), opened(path).text.lstrip("\ufeff"))
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "", text).encode()


def _absolute(about: str) -> str:
    base, fragment = urldefrag(about)
    return about if base else f"{_BASE}#{fragment}"


def _shared(graph: Graph) -> set[Node]:
    """What more than one item is part of: its DOI is nobody's."""
    met: dict[Node, int] = {}
    for container in graph.objects(None, _TERMS.isPartOf):
        met[container] = met.get(container, 0) + 1
    return {container for container, number in met.items() if number > 1}


class _Reader:
    """One item of the graph."""

    def __init__(self, graph: Graph, subject: Node) -> None:
        self._graph = graph
        self._subject = subject

    def described(self, line: int, shared: set[Node]) -> Description:
        told = Description(line=line)
        kind = self._text(_Z.itemType)
        told.kind = CSL_TYPES.get(kind, "")
        if not told.kind:
            told.keep("itemType", kind)
        told.ref = self._text(_Z.citationKey) or urldefrag(str(self._subject))[1]
        told.title, told.date = self._text(_DC.title), date_of(self._text(_DC.date))
        told.authors, told.editors = self._people(_BIB.authors), self._people(_BIB.editors)
        told.abstract, told.pages = self._text(_TERMS.abstract), self._text(_BIB.pages)
        told.language, told.rights, told.version = (
            self._text(_Z.language),
            self._text(_DC.rights),
            self._text(_PRISM.edition),
        )
        told.note = self._text(_DC.description)
        told.volume, told.issue = self._text(_PRISM.volume), self._text(_PRISM.number)
        told.last_checked_at = date_of(self._text(_TERMS.dateSubmitted))
        for publisher in self._graph.objects(self._subject, _DC.publisher):
            told.publisher = str(publisher) if isinstance(publisher, Literal) else self._text(_FOAF.name, of=publisher)
        for subject in self._graph.objects(self._subject, _DC.subject):
            told.add_tags(str(subject) if isinstance(subject, Literal) else self._text(RDF.value, of=subject))
        self._identify(told, self._subject)
        for container in self._graph.objects(self._subject, _TERMS.isPartOf):
            self._contained(told, container, is_shared=container in shared)
        read_extra(told, told.note)
        for predicate, value in self._graph.predicate_objects(self._subject):
            if predicate not in _READ and isinstance(value, Literal):
                told.keep(re.split(r"[#/]", str(predicate))[-1], str(value))
        return told

    def _contained(self, told: Description, container: Node, *, is_shared: bool) -> None:
        told.container_title = told.container_title or self._text(_DC.title, of=container)
        told.volume = told.volume or self._text(_PRISM.volume, of=container)
        told.issue = told.issue or self._text(_PRISM.number, of=container)
        if str(container).startswith("urn:issn:"):
            told.ids.add_issn(str(container)[9:])
        if str(container).startswith("urn:isbn:"):
            told.ids.add_isbn(str(container)[9:])
        self._identify(told, container, only_serials=is_shared)

    def _identify(self, told: Description, subject: Node, *, only_serials: bool = False) -> None:
        if str(subject).startswith("urn:isbn:") and subject == self._subject:
            told.ids.add_isbn(str(subject)[9:])
        for value in self._graph.objects(subject, _DC.identifier):
            word = str(value) if isinstance(value, Literal) else ""
            if not word:
                address = self._text(RDF.value, of=value)
                if address:
                    told.add_url(address)
                continue
            name, _, rest = word.partition(" ")
            match name.upper():
                case "ISSN":
                    told.ids.add_issn(rest)
                case "ISBN":
                    told.ids.add_isbn(rest)
                case "DOI" if only_serials:
                    told.warnings.append(
                        f"The DOI {rest[:80]} stands on a journal that several items share; it was left out."
                    )
                case "DOI":
                    told.ids.add_doi(rest)
                case _:
                    if only_serials or not told.ids.add_any(word):
                        told.keep("identifier", word)

    def _text(self, predicate: Node, *, of: Node | None = None) -> str:
        for value in self._graph.objects(of or self._subject, predicate):
            if isinstance(value, Literal):
                return str(value)
        return ""

    def _people(self, predicate: Node) -> list[Author]:
        people = []
        for seq in self._graph.objects(self._subject, predicate):
            for person in _members(self._graph, seq):
                family = self._text(_FOAF.surname, of=person) or self._text(_FOAF.name, of=person)
                given = self._text(_FOAF.givenName, of=person) or self._text(_FOAF.givenname, of=person)
                if family or given:
                    people.append(Author(family=family or given, given=given if family else ""))
        return people


def _members(graph: Graph, seq: Node) -> list[Node]:
    """The members of an rdf:Seq by their number (as text, `_10` comes before `_2`)."""
    numbered = []
    for predicate, value in graph.predicate_objects(seq):
        found = re.fullmatch(r".*#_([0-9]{1,6})", str(predicate))
        if found:
            numbered.append((int(found[1]), value))
    return [value for _, value in sorted(numbered, key=lambda one: one[0])]


def _count(path: Path) -> int:
    """Item types in the text, without those of attachments and notes."""
    return sum(1 for found in _TYPE_TAG.finditer(opened(path).text) if found[1] not in NOT_WORKS)


FORMAT = Format(name="zotero_rdf", label="Zotero RDF", recognises=_recognises, read=_read, count=_count)
