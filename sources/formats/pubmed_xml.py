"""PubMed's XML: `PubmedArticle` and `PubmedBookArticle`, with the links to retractions and corrections."""

from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from sources.core.entries import Author, Item
from sources.formats.dates import date_of, dated
from sources.formats.description import Description
from sources.formats.format import Format, Head
from sources.formats.people import orcid_of
from sources.formats.xml_items import xml_items
from sources.formats.xml_records import (
    count_elements,
    elements,
    root_of,
    text,
    texts,
    whole_text,
)

_NAMES = frozenset({"PubmedArticle", "PubmedBookArticle"})
_ROOTS = _NAMES | {"PubmedArticleSet", "PubmedBookArticleSet"}
_RETRACTED_BY = ("RetractionIn", "RetractedandRepublishedIn")


def _recognises(head: Head) -> bool:
    return root_of(head) in _ROOTS


def _read(path: Path) -> Iterator[Item]:
    return xml_items(path, _NAMES, _described)


def _described(top: etree._Element, *, line: int) -> Description:
    told = Description(line=line)
    is_book = top.tag == "PubmedBookArticle"
    part = next(iter(elements(top, "BookDocument" if is_book else "MedlineCitation")), top)
    article = part if is_book else next(iter(elements(part, "Article")), part)
    told.kind = "chapter" if is_book else "article-journal"
    told.ref = text(part, "PMID")
    told.title = text(article, "ArticleTitle", "Book/BookTitle", "VernacularTitle")
    told.authors = _people(article, "AuthorList/Author")
    if is_book:
        told.authors = told.authors or _people(article, "Book/AuthorList/Author")
        told.container_title = text(article, "Book/BookTitle") if text(article, "ArticleTitle") else ""
    else:
        told.container_title = text(article, "Journal/Title", "Journal/ISOAbbreviation")
    told.publisher = text(article, "Book/Publisher/PublisherName")
    issue = "Journal/JournalIssue"
    told.volume, told.issue = text(article, f"{issue}/Volume"), text(article, f"{issue}/Issue")
    told.pages = text(article, "Pagination/MedlinePgn") or "–".join(
        filter(None, (text(article, "Pagination/StartPage"), text(article, "Pagination/EndPage")))
    )
    told.language = text(article, "Language")
    told.abstract = "\n".join(texts(article, "Abstract/AbstractText"))
    told.rights = text(article, "Abstract/CopyrightInformation")
    told.date = _date(article, f"{issue}/PubDate") or _date(article, "ArticleDate") or _date(article, "Book/PubDate")
    told.add_tags(*texts(part, "KeywordList/Keyword"), *texts(part, "MeshHeadingList/MeshHeading/DescriptorName"))
    _identify(told, top, part, article)
    _status(told, part, article)
    return told


def _identify(told: Description, top: etree._Element, part: etree._Element, article: etree._Element) -> None:
    data = "PubmedBookData" if top.tag == "PubmedBookArticle" else "PubmedData"
    found = [(one.get("EIdType", ""), whole_text(one)) for one in elements(article, "ELocationID")]
    for where in (f"{data}/ArticleIdList/ArticleId", "BookDocument/ArticleIdList/ArticleId"):
        found += [(one.get("IdType", ""), whole_text(one)) for one in elements(top, where)]
    for kind, value in found:
        if kind == "doi" and value:
            told.ids.add_doi(value)
        elif kind not in ("pubmed", "doi"):
            told.keep(kind or "ArticleId", value)
    told.ids.add_pmid(text(part, "PMID"))
    for value in texts(article, "Book/Isbn"):
        told.ids.add_isbn(value)
    for value in [*texts(article, "Journal/ISSN"), *texts(part, "MedlineJournalInfo/ISSNLinking")]:
        told.ids.add_issn(value)


def _status(told: Description, part: etree._Element, article: etree._Element) -> None:
    types = texts(article, "PublicationTypeList/PublicationType") + texts(article, "PublicationType")
    for value in types:
        told.keep("PublicationType", value)
    notices = []
    for link in elements(part, "CommentsCorrectionsList/CommentsCorrections"):
        kind = link.get("RefType", "")
        pmid = text(link, "PMID")
        notice = text(link, "RefSource") + (f" PMID: {pmid}" if pmid else "")
        told.keep(kind or "CommentsCorrections", notice)
        if kind in _RETRACTED_BY:
            notices.append(notice)
    if notices or "retracted publication" in (value.lower() for value in types):
        told.retracted = True
        told.retraction_note = "; ".join(notices)


def _people(article: etree._Element, path: str) -> list[Author]:
    people = []
    for one in elements(article, path):
        family = text(one, "LastName", "CollectiveName")
        given = text(one, "ForeName", "Initials")
        suffix = text(one, "Suffix")
        orcid = next((orcid_of(whole_text(found)) for found in elements(one, "Identifier")), "")
        if family or given:
            given = f"{given}, {suffix}" if given and suffix else given
            people.append(Author(family=family or given, given=given if family else "", orcid=orcid))
    return people


def _date(article: etree._Element, path: str) -> str:
    year = text(article, f"{path}/Year")
    if year:
        return dated(year, text(article, f"{path}/Month"), text(article, f"{path}/Day"))
    return date_of(text(article, f"{path}/MedlineDate"))


def _count(path: Path) -> int:
    """`<PubmedArticle>` and `<PubmedBookArticle>` elements."""
    return count_elements(path, "PubmedArticle", "PubmedBookArticle")


FORMAT = Format(name="pubmed_xml", label="PubMed XML", recognises=_recognises, read=_read, count=_count)
