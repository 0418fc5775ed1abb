"""One work while a reader gathers its fields, and the record that comes of it."""

import re
from dataclasses import dataclass, field

from sources.core.catalog import CitationStatus
from sources.core.credentials import without_credentials
from sources.core.entries import Author, SourceRecord
from sources.core.identifiers import UnusableUrl, identity_of_url
from sources.core.kinds import Authority, Classification, Sensitivity
from sources.core.lines import one_line
from sources.core.records import RowError
from sources.core.retraction import RetractionStatus, read_keywords, read_mark, told_by
from sources.formats.identifying import Identifiers

_RETRACTED_TITLE = re.compile(
    r"\W*(?:retracted(?: article| paper| chapter)?|withdrawn|retraction(?: of| to)?)\s*:", re.I
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_PARTS = frozenset(
    {"chapter", "paper-conference", "entry", "entry-dictionary", "entry-encyclopedia", "article-journal"}
    | {"article-magazine", "article-newspaper"}
)
_PERIODICALS = frozenset({"periodical", "collection"})
# Where formats keep a short form of the title: better than none.
_SHORT_TITLES = frozenset({"shorttitle", "title-short", "short title", "%!"})
_LONGEST_TITLE = 2_000
_LONGEST_TEXT = 100_000
_SPELLING = 200
NOTHING_NAMED = (
    "This entry has neither a title nor an identifier, so nobody could tell which work it means. "
    "Add a title, a DOI or an address to it, or delete it."
)


@dataclass(slots=True)
class Description:
    """The fields of one entry, as they are gathered; `item` makes the record, once. Every field is text as written."""

    line: int
    ref: str = ""
    title: str = ""
    kind: str = ""
    authors: list[Author] = field(default_factory=list)
    editors: list[Author] = field(default_factory=list)
    date: str = ""
    publisher: str = ""
    container_title: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    language: str = ""
    abstract: str = ""
    note: str = ""
    rights: str = ""
    version: str = ""
    tags: dict[str, None] = field(default_factory=dict)
    section: str = ""
    project_version: str = ""
    uuid: str = ""
    status: CitationStatus = CitationStatus.FOUND_IN_RESEARCH
    authority: Authority | None = None
    classification: Classification | None = None
    sensitivity: Sensitivity | None = None
    retracted: bool | None = None
    retraction_note: str = ""
    rejected_because: str = ""
    last_checked_at: str = ""
    details: list[tuple[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    ids: Identifiers = field(default_factory=Identifiers)

    def add_url(self, text: str, *, name: str = "url") -> None:
        """An address. One that another identifier stands for already is kept in the details under `name`."""
        self.ids.add_url(text)
        try:
            known = self.ids.holds_address(identity_of_url(text.strip()).request_url)
        except UnusableUrl:
            known = False
        # The place inside a page is no part of its identity, but the way back needs it.
        if not known or "#" in text:
            self.keep(name, text)

    def keep(self, name: str, text: str) -> None:
        """Keeps what has no field of its own, under its name in the format; empty text is not kept."""
        told = without_credentials(_text(text))
        if told:
            self.details.append((name, told))

    def add_tags(self, *tags: str) -> None:
        """Keywords, each once, in order. The keyword “retracted” by itself states the status."""
        for tag in tags:
            told = one_line(tag[:_LONGEST_TITLE]).strip(" ;,")
            if told:
                self.tags.setdefault(told)
            # How exports carry the status where the format has no field for it.
            if told.lower() == "retracted":
                self.retracted = True

    def tell_retraction(self, status: RetractionStatus, note: str = "") -> None:
        """What the file says of a retraction in a field of its own; a finer word than “retracted” goes into the
        details."""
        retracted, details = told_by(status)
        if retracted is not None:
            self.retracted = retracted
        self.details += [one for one in details if one not in self.details]
        self.retraction_note = self.retraction_note or note

    def _read_mark(self) -> None:
        """Takes the mark of an export off the note, and the keywords that say the same off the tags."""
        status, note, rest = read_mark(self.note)
        if status is RetractionStatus.UNKNOWN:
            return
        self.note = rest
        self.tags = dict.fromkeys(read_keywords(self.tags)[1])
        self.tell_retraction(status, note)

    def item(self) -> SourceRecord | RowError:
        """The record, or an error where nothing names a work."""
        self._read_mark()
        short = (value for name, value in self.details if name.lower() in _SHORT_TITLES)
        title = one_line((self.title or next(short, ""))[:_LONGEST_TITLE])
        warnings = [*self.warnings, *self.ids.warnings]
        identities = self.ids.identities(
            is_part=self.kind in _PARTS, is_named=bool(title) and self.kind not in _PERIODICALS
        )
        spelling = without_credentials(one_line((self.ids.first_written or title or self.ref)[:2_000]))[:_SPELLING]
        if not title and not identities:
            shown = without_credentials(one_line(self.container_title or self.note or self.ref)[:2_000])
            # What was repaired or left out above may be why.
            return RowError(self.line, shown[:_SPELLING], " ".join([NOTHING_NAMED, *warnings[:1]]))
        if _RETRACTED_TITLE.match(title):
            self.details.append(("title-prefix", title.partition(":")[0].strip(" [(")))
            if self.retracted is None:
                warnings.append("The title begins like that of a retracted work; the file itself does not say so.")
        return SourceRecord(
            line=self.line,
            spelling=spelling,
            ref=one_line(self.ref[:500]),
            uuid=_short(self.uuid)[:200],
            identities=identities,
            title=title,
            kind=self.kind,
            authors=tuple(dict.fromkeys(self.authors)),
            editors=tuple(dict.fromkeys(self.editors)),
            published_date=self.date,
            publisher=_short(self.publisher),
            container_title=_short(self.container_title),
            volume=_short(self.volume),
            issue=_short(self.issue),
            pages=_short(self.pages).replace("--", "–"),
            issn="; ".join(self.ids.issns),
            isbn="; ".join(dict.fromkeys(self.ids.isbns)),
            language=_short(self.language),
            abstract=_text(self.abstract),
            note=without_credentials(_text(self.note)),
            rights=_text(self.rights),
            version=_short(self.version),
            tags=tuple(self.tags),
            section=_short(self.section)[:300],
            project_version=_short(self.project_version)[:300],
            status=self.status,
            authority=self.authority,
            classification=self.classification,
            sensitivity=self.sensitivity,
            retracted=self.retracted,
            retraction_note=_text(self.retraction_note),
            rejected_because=_text(self.rejected_because),
            last_checked_at=_short(self.last_checked_at),
            details=tuple(self.details),
            warnings=tuple(dict.fromkeys(warnings)),
        )


def row_error(line: int, spelling: str, message: str) -> RowError:
    """An error at `line`, its spelling on one line, short and without a password."""
    return RowError(line, without_credentials(one_line(spelling[:2_000]))[:_SPELLING], message)


def _short(text: str) -> str:
    return one_line(text[:_LONGEST_TITLE])


def _text(text: str) -> str:
    return _CONTROL.sub("", text[:_LONGEST_TEXT]).strip()
