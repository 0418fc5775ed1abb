"""Names of authors as reference lists write them: APA, MLA, Chicago, IEEE, Vancouver, organisations."""

import re

from sources.core.entries import Author

_INITIALS = r"(?:[A-ZÀ-Þ]\.?(?:[ -]?[A-ZÀ-Þ]\.?){0,4})"
_ONLY_INITIALS = re.compile(rf"{_INITIALS}(?:,? (?:Jr|Sr|II|III)\.?)?")
_VANCOUVER = re.compile(
    r"((?:[a-zà-ÿ]{2,4} ){0,2}[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+){0,2}) ([A-ZÀ-Þ]{1,3})(?: (?:Jr|Sr|2nd|3rd)\.?)?"
)
_PARTICLE = "(?:de|van|von|der|den|la|le|da|di|dos)"
_IEEE = re.compile(rf"((?:[A-ZÀ-Þ]\.[ -]?){{1,4}}) ?((?:{_PARTICLE} )*[A-ZÀ-Þ][\w'’ -]+)")
_GIVEN_FIRST = re.compile(
    r"([A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ]\.?| [A-ZÀ-Þ][\w'’-]+)?) "
    rf"((?:{_PARTICLE} )*[A-ZÀ-Þ][\w'’-]+)"
)
_GIVEN = re.compile(r"[A-ZÀ-Þ][\w'’-]+\.?(?: [A-ZÀ-Þ]\.?| [A-ZÀ-Þ][\w'’-]+){0,2}")
_ET_AL = re.compile(r",?\s*(?:\bet\.? al\b\.?|\band others\b|…|\.\.\.|\bu\. ?a\.)", re.IGNORECASE)
_ENDS_IN_INITIAL = re.compile(r"(?:^|[\s,.-])[A-ZÀ-Þ]\.$")
_ROLE = re.compile(
    r"\s*\((?:eds?|editors?|hrsg|trans|directors?|producers?|host)\.?\)|,? \b(?:eds?|editors?|hrsg|trans)\b\.?\s*$",
    re.IGNORECASE,
)
_AND = re.compile(r"\s*,?\s+(?:&|and|und|y|et|e)\s+|\s*&\s*")
_SMALL = frozenset(
    {"and", "und", "y", "et", "e", "&", "de", "van", "von", "der", "den", "la", "le", "da", "di", "dos", "del", "al"}
    | {"el", "ter", "ten", "of", "for", "the", "on", "eds", "ed", "editors", "editor"}
)
_MOST = 200
_LONGEST = 6_000


def are_names(text: str) -> bool:
    """True where a text has only what names of people and bodies are made of: words with capitals, initials, particles.

    One plain word in five may be something else (`Board of Tides`, `y colaboradores`). Digits make no name.
    """
    words = _ET_AL.sub(" ", text[:_LONGEST]).replace(",", " ").replace(";", " ").split()
    if not words or len(words) > _MOST or any(letter.isdigit() for letter in text[:_LONGEST]) or ":" in text[:-1]:
        return False
    plain = [word for word in words if word[0].islower() and word.strip(".()") not in _SMALL]
    return len(plain) * 5 <= len(words) and len(plain) < 3 and any(word[0].isupper() for word in words)


def authors_in(text: str) -> tuple[Author, ...]:
    """The people or bodies that `text` names as authors, in order; () where it names none. “et al.” adds nobody.

    A name that no style explains stands whole in `family`. Reads at most 6,000 characters and 200 names.
    """
    text = _ROLE.sub("", _ET_AL.sub("", text[:_LONGEST])).strip(" ,;:—–-")
    text = text if _ENDS_IN_INITIAL.search(text) else text.rstrip(" .,;")
    if not any(letter.isalpha() for letter in text):
        return ()
    if ";" in text:
        return tuple(_one(part) for part in text.split(";")[:_MOST] if part.strip(" ,."))
    people = [part for piece in _AND.split(text) if piece for part in piece.split(",")]
    parts = [part.strip() for part in people if part.strip(" .")]
    if len(parts) == len(_AND.split(text)) == 1:
        return (_alone(parts[0]),)
    return tuple(_walked(parts[: 2 * _MOST]))[:_MOST]


def _walked(parts: list[str]) -> list[Author]:
    found: list[Author] = []
    at = 0
    while at < len(parts):
        part, after = parts[at], parts[at + 1] if at + 1 < len(parts) else ""
        at += 1
        if _ONLY_INITIALS.fullmatch(after) and not _ONLY_INITIALS.fullmatch(part):
            found.append(Author(family=part, given=after))
            at += 1
        elif not found and after and " " not in part and _GIVEN.fullmatch(after) and not _VANCOUVER.fullmatch(after):
            # MLA and Chicago turn only the first name round: `Okoro, Ada, and Jan Marek`.
            found.append(Author(family=part, given=after))
            at += 1
        elif part.rstrip(".") in ("Jr", "Sr", "II", "III") and found:
            last = found.pop()
            found.append(Author(family=last.family, given=f"{last.given} {part}".strip()))
        else:
            found.append(_one(part))
    return found


def _one(text: str) -> Author:
    name = " ".join(text.split()).strip(" ,")
    family, comma, given = name.partition(",")
    if comma:
        return Author(family=family.strip(), given=given.strip())
    vancouver = _VANCOUVER.fullmatch(name.rstrip("."))
    if vancouver:
        return Author(family=vancouver[1], given=vancouver[2])
    initials_first = _IEEE.fullmatch(name)
    if initials_first:
        return Author(family=initials_first[2].strip(), given=initials_first[1].strip())
    given_first = _GIVEN_FIRST.fullmatch(name)
    if given_first:
        return Author(family=given_first[2], given=given_first[1])
    return Author(family=name)


def _alone(text: str) -> Author:
    """A name that stands alone without a comma may be a body's: only initials tell that it is a person's."""
    name = text.rstrip(".") if not _ONLY_INITIALS.fullmatch(text.rpartition(" ")[2]) else text
    vancouver = _VANCOUVER.fullmatch(name)
    if vancouver and len(vancouver[2]) < 4 and not vancouver[1].isupper():
        return Author(family=vancouver[1], given=vancouver[2])
    initials_first = _IEEE.fullmatch(name)
    if initials_first:
        return Author(family=initials_first[2].strip(), given=initials_first[1].strip())
    return Author(family=name)
