"""References as CSL-JSON, the form that citation processors and reference managers share. Pure.

An array with one object a line. Texts are what they are: a processor that writes HTML has to escape them. Identifiers
and rights without a CSL variable stand under `custom`, where the schema keeps such things.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any

from sources.core.entries import Author
from sources.core.exported import ExportedSource
from sources.core.kinds import IdentifierType
from sources.reports.keys import Keys
from sources.reports.plain_text import date_parts, day_of, line, paragraphs
from sources.reports.work import keywords_of, note_of, one_keyword, other_identifiers, title_of, web_address_of

FILE_NAME = "references.csl.json"


def stream(sources: Iterable[ExportedSource], *, title_prefix: bool = False) -> Iterator[str]:
    """The file, one entry a piece.

    A work that is retracted says so in `status`, `note` and `keyword`; `title_prefix` puts it before the title as well.
    """
    keys = Keys()
    between = "[\n"
    for source in sources:
        told = _item(source, key=keys.of(source), title_prefix=title_prefix)
        yield between + json.dumps(told, ensure_ascii=False)
        between = ",\n"
    yield "[]\n" if between == "[\n" else "\n]\n"


def _item(source: ExportedSource, *, key: str, title_prefix: bool) -> dict[str, Any]:
    record, url = source.record, web_address_of(source)
    others = dict(other_identifiers(source))
    pmid = others.pop(IdentifierType.PMID, "")
    custom = {kind.value: value for kind, value in others.items()}
    if rights := paragraphs(record.rights):
        custom["rights"] = rights
    told: dict[str, Any] = {
        "title": title_of(source, prefix=title_prefix),
        "author": _names(record.authors),
        "editor": _names(record.editors),
        "issued": _issued(record.published_date),
        "container-title": line(record.container_title),
        "publisher": line(record.publisher),
        "volume": line(record.volume),
        "issue": line(record.issue),
        "page": line(record.pages),
        "version": line(record.version),
        "DOI": line(source.value_of(IdentifierType.DOI)),
        "URL": url,
        "accessed": _day(day_of(source.checked_at)) if url else {},
        "ISBN": line(source.value_of(IdentifierType.ISBN)),
        "ISSN": line(source.value_of(IdentifierType.ISSN)),
        "PMID": pmid,
        "language": line(record.language),
        "abstract": paragraphs(record.abstract),
        "note": note_of(source),
        "keyword": ", ".join(one_keyword(word) for word in keywords_of(source)),
        "status": source.retraction.label.lower(),
        "custom": custom,
    }
    # `type` is the one field that processors cannot do without; `document` is the schema's word for not knowing.
    return {
        "id": key,
        "type": line(record.kind) or "document",
        **{name: value for name, value in told.items() if value},
    }


def _names(people: Iterable[Author]) -> list[dict[str, str]]:
    return [name for name in map(_name, people) if name]


def _name(person: Author) -> dict[str, str]:
    family, given = line(person.family), line(person.given)
    if family and given:
        return {"family": family, "given": given}
    return {"literal": family or given} if family or given else {}


def _issued(published: str) -> dict[str, Any]:
    parts = date_parts(published)
    if parts:
        return {"date-parts": [list(parts)]}
    return {"literal": line(published)} if published else {}


def _day(day: date | None) -> dict[str, Any]:
    return {"date-parts": [[day.year, day.month, day.day]]} if day else {}
