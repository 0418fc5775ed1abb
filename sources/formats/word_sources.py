"""The list of sources that Word keeps (`b:Sources`, ECMA-376 part 1, 22.6)."""

from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from sources.core.entries import Author, Item
from sources.formats.dates import date_of, dated
from sources.formats.description import Description
from sources.formats.format import Format, Head
from sources.formats.xml_items import xml_items
from sources.formats.xml_records import count_elements, elements, root_of, text, whole_text

_NAMES = frozenset({"Source"})
_KINDS = {
    "Book": "book", "BookSection": "chapter", "JournalArticle": "article-journal",
    "ArticleInAPeriodical": "article-magazine",
    "ConferenceProceedings": "paper-conference", "Report": "report", "InternetSite": "webpage",
    "DocumentFromInternetSite": "webpage", "ElectronicSource": "document", "Art": "graphic", "SoundRecording": "song",
    "Performance": "performance", "Film": "motion_picture", "Interview": "interview", "Patent": "patent",
    "Case": "legal_case",
    "Misc": "document",
}  # fmt: skip
_CONTAINERS = ("JournalName", "PeriodicalTitle", "BookTitle", "ConferenceName", "InternetSiteTitle", "PublicationTitle")
_READ = frozenset(
    {"SourceType", "Tag", "Title", "Author", "Year", "Month", "Day", "Publisher", "Volume", "Issue", "Pages", "URL",
    "DOI",
     "StandardNumber", "Comments", "LCID", "BIBTEX_KeyWords", "BIBTEX_Abstract", "YearAccessed", "MonthAccessed",
     "DayAccessed", "Edition", "Guid", "RefOrder", "Version", *_CONTAINERS}
)  # fmt: skip


def _recognises(head: Head) -> bool:
    return root_of(head) == "Sources" and "officeDocument/2006/bibliography" in head.text


def _read(path: Path) -> Iterator[Item]:
    return xml_items(path, _NAMES, described)


def described(source: etree._Element, *, line: int) -> Description:
    """The work that one `b:Source` describes, in a file of its own or in a document."""
    told = Description(line=line, ref=text(source, "Tag"))
    told.kind = _KINDS.get(text(source, "SourceType"), "")
    told.title = text(source, "Title")
    told.authors = _people(source, "Author/Author")
    told.editors = _people(source, "Author/Editor")
    told.date = dated(text(source, "Year"), text(source, "Month"), text(source, "Day")) or date_of(text(source, "Year"))
    told.container_title = text(source, *_CONTAINERS)
    told.publisher = text(source, "Publisher")
    told.volume, told.issue, told.pages = text(source, "Volume"), text(source, "Issue"), text(source, "Pages")
    told.version = text(source, "Edition", "Version")
    told.abstract, told.note = text(source, "BIBTEX_Abstract"), text(source, "Comments")
    told.add_tags(*text(source, "BIBTEX_KeyWords").split(";"))
    told.last_checked_at = dated(*(text(source, f"{part}Accessed") for part in ("Year", "Month", "Day")))
    if doi := text(source, "DOI"):
        told.ids.add_doi(doi)
    number = text(source, "StandardNumber")
    told.ids.add_serial(number)
    if url := text(source, "URL"):
        told.add_url(url)
    for child in source:
        name = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else ""
        if name not in _READ:
            told.keep(name, whole_text(child))
    return told


def _people(source: etree._Element, path: str) -> list[Author]:
    people = []
    for person in elements(source, f"{path}/NameList/Person"):
        family = text(person, "Last")
        given = " ".join(filter(None, (text(person, "First"), text(person, "Middle"))))
        if family or given:
            people.append(Author(family=family or given, given=given if family else ""))
    return people + [
        Author(family=whole_text(body)) for body in elements(source, f"{path}/Corporate") if whole_text(body)
    ]


def _count(path: Path) -> int:
    """`<Source>` elements."""
    return count_elements(path, "Source")


FORMAT = Format(name="word_sources", label="Word sources XML", recognises=_recognises, read=_read, count=_count)
