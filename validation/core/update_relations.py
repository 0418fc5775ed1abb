"""Crossref's relations between a work and what was published about it, read in the right direction; pure.

`updated-by` stands on the damaged work and names its notices; `update-to` stands on the notice and names the works. A
work that was retracted in place names itself in both: a fifth of all retracted DOIs. The same event may come from
`publisher` and from `retraction-watch`, with another notice and date; both are kept.
"""

from collections.abc import Iterator
from typing import Any

from sources.core.retraction_status import Nature, Provider
from validation.core.retraction_ids import Unusable, WorkId, doi_of
from validation.core.retraction_statements import Statement
from validation.core.retraction_words import crossref_nature

_LONGEST_ID = 200


def statements_in(record: dict[str, Any]) -> tuple[Statement, ...]:
    """All that one record of a work says, about itself and about the works that it is a notice of.

    An event told on both sides gives equal statements. Total: what cannot be read says nothing.
    """
    own = _doi(record.get("DOI"))
    if own is None:
        return ()
    told = [
        _statement(own, entry, notice=_doi(entry.get("DOI")) or own) for entry in _objects(record.get("updated-by"))
    ]
    named: list[WorkId] = []
    for entry in _objects(record.get("update-to")):
        target = _doi(entry.get("DOI"))
        if target is None:
            continue
        told.append(_statement(target, entry, notice=own))
        if target != own and crossref_nature(_text(entry.get("type"))) is not None:
            named.append(target)
    if named:
        told.append(_notice(own, named))
    return tuple(dict.fromkeys(one for one in told if one is not None))


def doi_in(record: dict[str, Any]) -> WorkId | None:
    """The work of a record, None where it has no DOI that can be read."""
    return _doi(record.get("DOI"))


def _statement(work: WorkId, entry: dict[str, Any], *, notice: WorkId) -> Statement | None:
    raw = _text(entry.get("type"))
    nature = crossref_nature(raw)
    if nature is None:
        return None
    source, record = _text(entry.get("source")) or "publisher", _text(entry.get("record-id"))
    name = f"{source} {record}" if record else f"{source} {raw.lower()} {notice.value}"
    return Statement(
        work=work,
        provider=Provider.CROSSREF,
        record_id=name[:_LONGEST_ID],
        nature=nature,
        raw_nature=raw,
        notice=notice.name,
        notice_date=_day(entry.get("updated")),
        url=f"https://doi.org/{notice.value}" if notice.value.startswith("10.") else "",
    )


def _notice(own: WorkId, named: list[WorkId]) -> Statement:
    """That the work is a notice, once for all works that it is about; it leads to the work where there is one."""
    only = named[0] if len(set(named)) == 1 else None
    return Statement(
        work=own,
        provider=Provider.CROSSREF,
        record_id=f"notice {own.name}"[:_LONGEST_ID],
        nature=Nature.NOTICE,
        raw_nature="update-to",
        url=f"https://doi.org/{only.value}" if only and only.value.startswith("10.") else "",
    )


def _doi(value: Any) -> WorkId | None:
    try:
        return doi_of(_text(value))
    except Unusable:
        return None


def _day(updated: Any) -> str:
    """As exact as it is told: year, year and month, or the day."""
    match updated:
        case {"date-parts": [[int(year), *more], *_]} if 1500 <= year <= 2200:
            parts = [part for part in more[:2] if isinstance(part, int) and 1 <= part <= 31]
            return "-".join([f"{year:04d}", *(f"{part:02d}" for part in parts)])
        case _:
            return ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    return (one for one in value if isinstance(one, dict)) if isinstance(value, list) else iter(())
