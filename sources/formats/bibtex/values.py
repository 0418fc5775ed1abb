"""Values of BibTeX fields: their braces, quotes and macros undone, and lists of names split."""

import re
from collections.abc import Iterator

from bibtexparser.middlewares.names import InvalidNameError, parse_single_name_into_parts, split_multiple_persons_names

from sources.core.entries import Author
from sources.formats.bibtex.latex import plain
from sources.formats.people import MOST, orcid_of

MONTH_MACROS = {
    name: name for name in ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
}
_LONGEST_MACRO = 20_000
_PART = re.compile(r'[{"#]|[^{"#]+')
_MARK = re.compile(r'\\.|[{}"]', re.DOTALL)
_NEXT_FIELD = re.compile(r"\s*([A-Za-z][\w-]*)\s*=(?=\s*[\w{\"])")
_LONGEST_NAMES = 400_000
_EXTENDED = re.compile(r"\b(family|given|prefix|suffix|given-i|useprefix)\s*=", re.IGNORECASE)
_ORCID_HINT = re.compile(r"\s*[\[(]?\s*(?:orcid|https?://orcid\.org/)[^\s\])]*[\s:]*[0-9X-]*\s*[\])]?", re.IGNORECASE)


def value_of(raw: str, macros: dict[str, str]) -> tuple[str, list[str]]:
    """The text of a raw value such as `{a}`, `"a"`, `2001` or `jan # "~1"`, and the macros in it that nobody defined.

    An expansion ends at 20,000 characters, so that macros that double each other stay harmless.
    """
    if raw[:1] == "{" and raw[-1:] == "}" and "#" not in raw:
        return raw[1:-1], []
    if raw.isalnum() and raw.isascii():
        return _bare(raw, macros)
    out: list[str] = []
    unknown: list[str] = []
    length = 0
    for part, is_bare in _parts(raw):
        told = part
        if is_bare:
            told, missing = _bare(part.strip(), macros)
            unknown += missing
        length += len(told)
        if is_bare and length > _LONGEST_MACRO:
            continue
        out.append(told)
    return "".join(out), unknown


def _bare(word: str, macros: dict[str, str]) -> tuple[str, list[str]]:
    if not word or word.isdigit():
        return word, []
    known = macros.get(word.lower())
    # `year = c2001` and the like: what is no macro is what the author meant to write.
    return (known, []) if known is not None else (word, [word])


def _parts(raw: str) -> Iterator[tuple[str, bool]]:
    at = 0
    while at < len(raw):
        found = _PART.match(raw, at)
        if not found:
            return
        if found[0] == "#":
            at += 1
        elif found[0] in '{"':
            end = _closing(raw, at + 1, found[0])
            yield raw[at + 1 : end], False
            at = end + 1
        else:
            if found[0].strip():
                yield found[0], True
            at = found.end()


def _closing(raw: str, at: int, opened: str) -> int:
    depth = 0
    for mark in _MARK.finditer(raw, at):
        if mark[0] == "{":
            depth += 1
        elif mark[0] == "}":
            if depth == 0 and opened == "{":
                return mark.start()
            depth -= 1
        elif mark[0] == '"' and opened == '"' and depth <= 0:
            return mark.start()
    return len(raw)


def without_comma(raw: str) -> tuple[str, str, str] | None:
    """Value, and name and raw value of the next field, where the comma in `{a} year = {2000}` is missing; else None."""
    if "=" not in raw or raw[:1] not in ("{", '"'):
        return None
    end = _closing(raw, 1, raw[0]) + 1
    following = _NEXT_FIELD.match(raw, end)
    return (raw[:end], following[1], raw[following.end() :].strip()) if following else None


def names_of(text: str) -> tuple[list[Author], list[str]]:
    """The people of an `author` or `editor` field, and warnings.

    Names are split before LaTeX is decoded: `{{World Health Organization}}` is one organisation. `and others` is no
    name. A name that BibTeX's rules cannot split stands whole in `family`.
    """
    if len(text) > _LONGEST_NAMES:
        return [], [
            f"The list of names has {len(text):,} characters and was left out: shorten it and import the file again."
        ]
    authors: list[Author] = []
    warnings: list[str] = []
    # The field was braced as a whole, or one name was: either way it is one name.
    for name in [text] if _is_one_group(text) else split_multiple_persons_names(text):
        if len(authors) == MOST:
            warnings.append(f"There are more than {MOST:,} names; the rest was left out.")
            break
        if name.strip().lower() == "others":
            continue
        author = _author(name.strip())
        if author:
            authors.append(author)
    return authors, warnings


def _author(name: str) -> Author | None:
    if not name:
        return None
    if _is_one_group(name):
        return _whole(plain(name))
    if _EXTENDED.search(name):
        return _extended(name)
    orcid = ""
    if "orcid" in name.lower():
        orcid = orcid_of(name)
        name = _ORCID_HINT.sub("", name).strip()
    try:
        parts = parse_single_name_into_parts(name)
    except InvalidNameError:
        return _whole(plain(name))
    family = _clean(" ".join([*parts.von, *parts.last]))
    given = _clean(" ".join(parts.first))
    suffix = _clean(" ".join(parts.jr))
    if not family:
        return _whole(plain(name))
    return Author(family=family, given=f"{given}, {suffix}" if given and suffix else given or suffix, orcid=orcid)


def _extended(name: str) -> Author | None:
    """BibLaTeX's `family=Berg, given=Jan, prefix=van der`."""
    told: dict[str, str] = {}
    for part in name.split(","):
        key, _, value = part.partition("=")
        told[key.strip().lower()] = _clean(value.strip().strip('"'))
    family = " ".join(filter(None, (told.get("prefix", ""), told.get("family", ""))))
    given = ", ".join(filter(None, (told.get("given", ""), told.get("suffix", ""))))
    return Author(family=family, given=given) if family else _whole(plain(name))


def _whole(name: str) -> Author | None:
    family = " ".join(name.split())
    return Author(family=family) if family else None


def _clean(text: str) -> str:
    return " ".join(plain(text).split())


def _is_one_group(text: str) -> bool:
    """True where one pair of braces holds all of `text`."""
    bare = text.strip()
    # `{\"O}zg{\"u}r` begins and ends with braces too; `{\"O}` is a letter.
    if not (bare.startswith("{") and bare.endswith("}")) or bare.startswith("{\\"):
        return False
    return _closing(bare, 1, "{") == len(bare) - 1
