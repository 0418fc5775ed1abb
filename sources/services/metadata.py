"""What a record says of a source, as the columns of its row; an import fills what is empty and overwrites nothing.

Of words that keep something in the house the stricter holds: an import raises a classification and never lowers one.
"""

from collections.abc import Mapping
from typing import Any

from sources.core import authors
from sources.core.entries import SourceRecord, details_by_name
from sources.core.fingerprint import fingerprint
from sources.core.kinds import Authority, Classification, Sensitivity
from sources.models import Source

_BIBLIOGRAPHY = (
    "kind",
    "container_title",
    "volume",
    "issue",
    "pages",
    "issn",
    "isbn",
    "language",
    "abstract",
    "note",
)
_TEXTS = ("title", "published_date", "publisher", "rights", "version", "origin_host")
_LONGEST = {"published_date": 10, "version": 100, "origin_host": 255}
# Of these a record may have many, and they say where it is used, not what it is.
OF_A_PLACE = frozenset({"section", "version", "variant", "context", "times_cited", "file", "deal"})
# What `fill` may change, for `update_rows`.
FILLED = (
    *_TEXTS,
    "authors",
    "author_list",
    "bibliography",
    "fingerprint",
    "authority",
    "classification",
    "sensitivity",
)


def values_of(record: SourceRecord) -> dict[str, Any]:
    """The columns of a source that the record says something about. Editors stand in where there is no author.

    What it says of a retraction is none of them: `imported_marks` takes that in.
    """
    people = record.authors or record.editors
    values: dict[str, Any] = {name: value[: _LONGEST.get(name)] for name in _TEXTS if (value := getattr(record, name))}
    if people:
        values["authors"], values["author_list"] = authors.as_text(people), authors.as_list(people)
    if record.authority:
        values["authority"] = record.authority.value
    if record.classification:
        values["classification"] = record.classification.value
    if record.sensitivity is Sensitivity.INTERNAL_ONLY:
        values["sensitivity"] = record.sensitivity.value
    bibliography: dict[str, Any] = {name: value for name in _BIBLIOGRAPHY if (value := getattr(record, name))}
    details = {name: told for name, told in details_by_name(record).items() if name not in OF_A_PLACE}
    if details:
        bibliography["details"] = details
    if bibliography:
        values["bibliography"] = bibliography
    return values


def missing_of(source: Source, values: Mapping[str, Any]) -> dict[str, Any]:
    """Of `values` what `source` does not know yet; for the bibliography the whole, with what is new in it.

    A source that nobody has entered yet takes the classification as it is told; later only a stricter one is news. An
    authority is news where the source has the one that every source begins with.
    """
    missing = {name: value for name, value in values.items() if name != "bibliography" and not getattr(source, name)}
    missing = {name: value for name, value in missing.items() if value != getattr(source, name)}
    # The one word that is stricter than the usual one.
    if values.get("sensitivity") not in {None, source.sensitivity}:
        missing["sensitivity"] = values["sensitivity"]
    if source.authority == Authority.USER_PROVIDED and values.get("authority") not in {None, source.authority}:
        missing["authority"] = values["authority"]
    told = values.get("classification")
    if told and (source.pk is None or is_stricter(told, source.classification)) and told != source.classification:
        missing["classification"] = told
    known: Mapping[str, Any] = source.bibliography
    more = {name: value for name, value in values.get("bibliography", {}).items() if not known.get(name)}
    if more:
        missing["bibliography"] = {**known, **more}
    return missing


def is_stricter(one: str, other: str) -> bool:
    """True where the classification `one` lets fewer people see a source than `other`."""
    return Classification(one).level > Classification(other).level


def fill(source: Source, missing: Mapping[str, Any]) -> dict[str, Any]:
    """Sets what was missing, and the fingerprint that follows from it; gives the values before, by column.

    The row is not written; `update_rows(sources, FILLED)` does that for many.
    """
    before = {name: getattr(source, name) for name in missing}
    for name, value in missing.items():
        setattr(source, name, value)
    new = fingerprint_of(source)
    if new != source.fingerprint:
        before["fingerprint"] = source.fingerprint
        source.fingerprint = new
    return before


def fingerprint_of(source: Source) -> str:
    """The fingerprint that the source's title, date and first author give; '' where they tell too little."""
    return fingerprint(title=source.title, published_date=source.published_date, first_author=first_author_of(source))


def first_author_of(source: Source) -> str:
    """The family name of the first author, '' where none is known."""
    kept = authors.kept_authors(source.author_list, source.authors)
    return kept[0].family if kept else ""
