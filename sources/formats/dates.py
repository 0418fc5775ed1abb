"""Dates as bibliographies write them, to YYYY, YYYY-MM or YYYY-MM-DD."""

import re

MONTHS = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11,
    "dec": 12,
}  # fmt: skip
# Longer names of other languages that do not begin like the English ones.
_OTHER_MONTHS = {
    "maerz": 3, "märz": 3, "mär": 3, "mai": 5, "juin": 6, "juil": 7, "okt": 10, "dez": 12, "févr": 2, "fév": 2,
    "avr": 4, "août": 8, "déc": 12, "ene": 1, "abr": 4, "ago": 8, "dic": 12, "gen": 1, "mag": 5, "giu": 6, "lug": 7,
    "set": 9, "ott": 10,
}  # fmt: skip
_NUMBERS = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?!\d)", re.ASCII)
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?!\d)", re.ASCII)
_DAY_FIRST = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4})(?!\d)", re.ASCII)
_YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|20[0-9]{2})(?!\d)", re.ASCII)
_WORD = re.compile(r"[^\W\d_]{3,12}")
_DAY = re.compile(r"(?<!\d)(\d{1,2})(?!\d)", re.ASCII)
_LONGEST = 200


def month_of(text: str) -> int:
    """1 to 12 for a month by number or name in several languages, 0 where there is none."""
    word = text.strip().strip("{}.").lower()
    if word.isdecimal() and len(word) <= 2:
        return int(word) if 1 <= int(word) <= 12 else 0
    for found in _WORD.finditer(word[:_LONGEST]):
        if month := _named(found[0]):
            return month
    return 0


def date_of(text: str) -> str:
    """The first date in `text` (`2015/09/10`, `1948/07//`, `2010 Jan 5`, `12 March 2009`, `[c2011]`, ranges: their
    beginning); '' where there is no year, as in `n.d.` or `in press`."""
    text = text.strip()[:_LONGEST]
    if found := _COMPACT.match(text):
        whole = dated(found[1], found[2], found[3])
        if len(whole) == 10:
            return whole
    if (found := _NUMBERS.match(text)) and (found[2] or found.end() == len(text) or text[found.end()] in "/-–T~?"):
        return dated(found[1], found[2] or "", found[3] or "")
    if found := _DAY_FIRST.search(text):
        # 13/5/2020 is a day first, 5/13/2020 a month; where both could be, only the year is sure.
        first, second = int(found[1]), int(found[2])
        if first > 12 or "." in found[0]:
            return dated(found[3], str(second), str(first))
        return dated(found[3], str(first), str(second)) if second > 12 else found[3]
    year = _YEAR.search(text)
    if not year:
        return ""
    rest = text[: year.start()] + " " + text[year.end() :]
    month = next((named for word in _WORD.finditer(rest) if (named := _named(word[0]))), 0)
    day = _DAY.search(rest) if month else None
    return dated(year[1], str(month or ""), day[1] if day else "")


def dated(year: str, month: str = "", day: str = "") -> str:
    """One date of its parts; a month or day that cannot be is dropped, and without a year there is none."""
    number = re.search(r"(?<!\d)\d{4}(?!\d)", year, re.ASCII)
    if not number or int(number[0]) == 0:
        return ""
    in_year = month_of(month)
    if not in_year:
        return number[0]
    days = _DAY.match(day.strip())
    if not days or not 1 <= int(days[1]) <= 31:
        return f"{number[0]}-{in_year:02}"
    return f"{number[0]}-{in_year:02}-{int(days[1]):02}"


def _named(word: str) -> int:
    lowered = word.lower()
    return MONTHS.get(lowered[:3], 0) or next(
        (month for name, month in _OTHER_MONTHS.items() if lowered.startswith(name)), 0
    )
