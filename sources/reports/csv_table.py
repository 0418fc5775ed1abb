"""Sources as a table: RFC 4180, every cell quoted, UTF-8. Pure: same sources, same bytes.

Cells are guarded against computing (`core.spreadsheet`); what has several values parts them by `; `. COLUMNS says
what stands where; columns are only ever added at the end.
"""

import csv
import io
from collections.abc import Iterable, Iterator

from lineage.core.spreadsheet import neutral
from sources.core.entries import Author
from sources.core.exported import ExportedSource
from sources.core.kinds import IdentifierType
from sources.core.records import Identity
from sources.core.retraction import RetractionStatus
from sources.reports.plain_text import address, iso_moment, line, paragraphs
from sources.reports.work import own_note, own_tags

FILE_NAME = "sources.csv"
_COLUMN_OF_ITS_OWN = frozenset(
    {IdentifierType.DOI, IdentifierType.ARXIV, IdentifierType.PMID, IdentifierType.ISBN, IdentifierType.ISSN}
)
BOM = "\ufeff"

COLUMNS: dict[str, str] = {
    "id": "stable id in the project, never used again",
    "title": "title of the work",
    "authors": "`Family, Given` each; an organisation whole",
    "editors": "as the authors",
    "published": "YYYY, YYYY-MM or YYYY-MM-DD",
    "type": "CSL type (`article-journal`, `webpage`), empty where unknown",
    "container_title": "journal, book or site",
    "publisher": "publisher",
    "volume": "volume",
    "issue": "issue",
    "pages": "pages",
    "url": "address at which a reader finds the work today",
    "identifier_type": "`doi`, `url`, `isbn`, `arxiv` …: what names the work best; `none` where only the title does",
    "identifier": "the identifier in normal form",
    "doi": "DOI",
    "arxiv": "arXiv id",
    "pmid": "PubMed id",
    "other_identifiers": "`type:value` each, where no column holds it",
    "isbn": "ISBN",
    "issn": "ISSN of the journal",
    "retracted": "`yes`, `no`; empty where nobody asked",
    "retraction_status": "`retracted`, `concern`, `corrected` …; `none-found` and `unknown` differ",
    "retraction_note": "what the notice says",
    "verdict": "the verdict that holds, empty before the first check",
    "reason": "the verdict's cause in words",
    "disposition": "`keep`, `review`, `drop` or `unchecked`",
    "http_status": "status of the last fetch",
    "access_note": "what reading a gated page takes",
    "checked_at": "UTC",
    "recovered_from": "the dead address that `url` replaces",
    "status": "how the text uses it, best of all versions",
    "sections": "sections that use it",
    "versions": "versions that use it",
    "variants": "other addresses of the work",
    "decision": "what a person decided",
    "decided_by": "who",
    "decided_at": "UTC",
    "decision_reason": "why",
    "sensitivity": "`internal_only` sources never stand in an export for others",
    "language": "language of the work",
    "rights": "rights",
    "version": "version of the work",
    "tags": "tags",
    "note": "note",
    "abstract": "abstract",
    "key": "citation key in the file it came from",
    "uuid": "the same in every desk",
    "authority": "whose word it is: `official`, `primary`, `secondary`, `user-provided`, `generated` or `inferred`",
    "classification": "who may see it: `public`, `internal`, `confidential` or `restricted`",
}


def stream(sources: Iterable[ExportedSource], *, bom: bool = False) -> Iterator[str]:
    """The file, one row a piece. `bom` puts a byte order mark first, by which Excel knows UTF-8."""
    out = io.StringIO(newline="")
    rows = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    rows.writerow(COLUMNS)
    yield (BOM if bom else "") + out.getvalue()
    for source in sources:
        out.seek(0)
        out.truncate()
        rows.writerow([neutral(cell) if cell else "" for cell in _cells(source)])
        yield out.getvalue()


def _cells(source: ExportedSource) -> Iterator[str]:
    record, decision = source.record, source.decision
    best, *others = record.identities or (Identity(IdentifierType.NONE, "", ""),)
    unnamed = [one for one in others if source.value_of(one.type) != one.value or one.type not in _COLUMN_OF_ITS_OWN]
    yield source.stable_id
    yield line(record.title)
    yield _joined(map(_name, record.authors))
    yield _joined(map(_name, record.editors))
    yield line(record.published_date)
    yield line(record.kind)
    yield line(record.container_title)
    yield line(record.publisher)
    yield line(record.volume)
    yield line(record.issue)
    yield line(record.pages)
    yield address(source.address)
    yield best.type.value
    yield line(best.value)
    yield line(source.value_of(IdentifierType.DOI))
    yield line(source.value_of(IdentifierType.ARXIV))
    yield line(source.value_of(IdentifierType.PMID))
    yield _joined(f"{one.type}:{one.value}" for one in unnamed)
    yield line(source.value_of(IdentifierType.ISBN))
    yield line(source.value_of(IdentifierType.ISSN))
    yield _retracted(source)
    yield source.retraction.value
    yield line(source.retraction_note)
    yield source.verdict.value if source.verdict else ""
    yield line(source.reason)
    yield source.disposition.value
    yield "" if source.http_status is None else str(source.http_status)
    yield line(source.access_note)
    yield iso_moment(source.checked_at)
    yield address(source.recovered_from)
    yield source.status.value
    yield _joined(source.sections)
    yield _joined(source.versions)
    yield _joined(source.variants)
    yield decision.label if decision else ""
    yield line(decision.by) if decision else ""
    yield iso_moment(decision.at) if decision else ""
    yield line(decision.reason) if decision else ""
    yield record.sensitivity.value if record.sensitivity else ""
    yield line(record.language)
    yield paragraphs(record.rights)
    yield line(record.version)
    yield _joined(own_tags(source))
    yield own_note(source)
    yield paragraphs(record.abstract)
    yield line(record.ref)
    yield line(record.uuid)
    yield record.authority.value if record.authority else ""
    yield record.classification.value if record.classification else ""


def _retracted(source: ExportedSource) -> str:
    if source.retraction is RetractionStatus.UNKNOWN:
        return ""
    return "yes" if source.retraction.is_retracted else "no"


def _name(person: Author) -> str:
    return f"{person.family}, {person.given}" if person.family and person.given else person.family or person.given


def _joined(parts: Iterable[str]) -> str:
    """Parts with `; ` between them; inside one it becomes `, `, so that the parts can be told again. Addresses and
    DOIs hold semicolons, but never a blank behind one."""
    return "; ".join(told.replace("; ", ", ") for told in map(line, parts) if told)
