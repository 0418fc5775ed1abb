"""How a source stands in a draft's list: `[^1]: 2024, Apr 25. [Title](https://…). Publisher. Published: 2024-04-25`."""

import re

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DATE = re.compile(r"([0-9]{4})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12][0-9]|3[01]))?)?", re.ASCII)
# What Markdown would read as more than a letter. An underscore inside a word is only a letter.
_MARKUP = re.compile(r"[\\`*\[\]<>|]|~(?=~)|(?<!\w)_|_(?!\w)|&(?=#?\w{1,32};)")
_ENDS = (".", "!", "?", "…", "。")


def definition_text(*, title: str, url: str, publisher: str, published: str) -> str:
    """One line without its `[^1]: `. What is not known is left out; a source without a title is named by its address.

    `published` that is no YYYY, YYYY-MM or YYYY-MM-DD is left out.
    """
    date = _DATE.fullmatch(published.strip())
    words = _MARKUP.sub(r"\\\g<0>", " ".join(title.split()) or url)
    address = link_address(url)
    named = f"[{words}]({address})" if address else words
    parts = [_sentence(_day(date))] if date else []
    parts.append(f"{named}." if address else _sentence(named))
    house = _MARKUP.sub(r"\\\g<0>", " ".join(publisher.split()))
    if house:
        parts.append(_sentence(house))
    if date:
        parts.append(f"Published: {date[0]}")
    return " ".join(parts)


def _day(date: re.Match[str]) -> str:
    year, month, day = date.groups()
    if not month:
        return year
    return f"{year}, {_MONTHS[int(month) - 1]}" + (f" {int(day)}" if day else "")


def _sentence(text: str) -> str:
    return text if text.endswith(_ENDS) else text + "."


def link_address(url: str) -> str:
    """The address as it may stand between the parentheses of a link."""
    address = re.sub(
        r"[\s<>\\`|*\[\]]", lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), url.strip()
    )
    depth = 0
    for char in address:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            break
    return address.replace("(", "%28").replace(")", "%29") if depth else address
