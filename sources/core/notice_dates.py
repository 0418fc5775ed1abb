"""Dates of notices as they come: a year, a month or a day, and what lies surely before what."""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta

_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?", re.ASCII)
# Of 1665 is the first scholarly journal; what is dated earlier is a slip.
_EARLIEST = 1665
# Time zones: where the notice appears it may be tomorrow already.
_AHEAD = timedelta(days=1)


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The days on which something may have happened, from `first` to `last`, both included."""

    first: date
    last: date

    def is_before(self, other: "Span") -> bool:
        """True where every day of this one lies before every day of `other`."""
        return self.last < other.first


def span_of(text: str, *, latest: date) -> Span | None:
    """The days that `2010`, `2010-02` or `2010-02-06` may mean; None for any other text, and for what begins after
    `latest`: a notice of tomorrow is a slip, and would win over all others."""
    found = _DATE.fullmatch(text.strip())
    if not found:
        return None
    year, month, day = (int(part) if part else 0 for part in found.groups())
    if year < _EARLIEST or month > 12 or (found[2] and not month):
        return None
    first_month, last_month = (month, month) if month else (1, 12)
    days = monthrange(year, last_month)[1]
    if day > days or (found[3] and not day):
        return None
    first = date(year, first_month, day or 1)
    return Span(first, date(year, last_month, day or days)) if first <= latest + _AHEAD else None


def is_date(text: str) -> bool:
    """True for `2010`, `2010-02` and `2010-02-06` where there is such a day, whenever it is."""
    return span_of(text, latest=date.max - _AHEAD) is not None
