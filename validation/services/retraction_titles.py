"""Rows of Retraction Watch's export that name no identifier: their titles hint, and never mark."""

from collections.abc import Mapping
from datetime import datetime

from sources.core.retraction_status import Nature, Provider
from sources.core.retraction_terms import HintKind
from sources.queries.titles import sources_titled, telling_title
from sources.services import retraction_hints
from sources.services.retraction_hints import HintFacts
from validation.core.retraction_watch import WatchRow
from validation.core.retraction_words import bare_title

# Some thousands of rows in 2026, each with its title as publishers rename a work that fell, and citations with it.
_MOST_TITLES = 100_000
_TITLE_MARKS = ("", "Retracted: ", "Retracted article: ", "Withdrawn: ")
_WORTH_A_LOOK = frozenset({Nature.RETRACTED, Nature.REPLACED, Nature.CONCERN})


def gather(row: WatchRow, titles: dict[str, WatchRow]) -> None:
    """Adds the row to `titles` where its title is all that it tells of its work, by the title as it is compared."""
    if row.works or row.nature not in _WORTH_A_LOOK or len(titles) >= _MOST_TITLES:
        return
    for mark in _TITLE_MARKS:
        if title := telling_title(f"{mark}{bare_title(row.title)}"):
            titles.setdefault(title, row)


def hint(rows: Mapping[str, WatchRow], *, at: datetime) -> None:
    """Has people look at sources of these titles; in the caller's transaction. Twice asks once."""
    hints = [
        HintFacts(
            pk,
            HintKind.TITLE,
            Provider.RETRACTION_WATCH,
            rows[title].record_id,
            f"{rows[title].title} ({rows[title].raw_nature}, {rows[title].notice_date or 'without a date'})",
        )
        for title, ids in sources_titled(rows).items()
        for pk in ids
    ]
    retraction_hints.keep(hints=hints, at=at)
