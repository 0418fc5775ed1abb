"""References as a BibTeX file that BibTeX, biber and reference managers read alike. Pure: same sources, same bytes.

One field a line, in braces. What the standard styles do not know (online, dataset, software, doi, eprint) they pass
over. Text is escaped for LaTeX; addresses and DOIs stand raw, as biblatex's verbatim fields ask. A brace without its
partner is written `\\textbraceleft{}`: BibTeX counts `\\{` as a brace too, and would look for its end beyond the field.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from sources.core.entries import Author
from sources.core.exported import Export, ExportedSource
from sources.core.kinds import IdentifierType
from sources.reports.keys import Keys
from sources.reports.plain_text import date_parts, day_of, line
from sources.reports.work import keywords_of, note_of, one_keyword, other_identifiers, title_of, web_address_of

FILE_NAME = "references.bib"

_TYPES = {
    "article-journal": "article",
    "article-magazine": "article",
    "article-newspaper": "article",
    "book": "book",
    "chapter": "incollection",
    "paper-conference": "inproceedings",
    "report": "techreport",
    "thesis": "thesis",
    "webpage": "online",
    "post": "online",
    "post-weblog": "online",
    "dataset": "dataset",
    "software": "software",
    "manuscript": "unpublished",
    "patent": "patent",
    "periodical": "periodical",
}
_SUBTYPES = {"article-magazine": "magazine", "article-newspaper": "newspaper"}
_CONTAINERS = {"article": "journal", "incollection": "booktitle", "inproceedings": "booktitle"}
_PUBLISHERS = {"techreport": "institution", "thesis": "school"}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# The @ in braces: a reader that looks for entries anywhere must not find one inside a title.
_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "\x01": r"\textbraceleft{}",
        "\x02": r"\textbraceright{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "@": "{@}",
        **{letter: f"\\{letter}" for letter in "$%&#_{}"},
    }
)
# Signs that TeX makes into one other sign: -- `` '' ,, << >> ?` !`
_LIGATURE = re.compile(r"([-`',<>])(?=\1)|[?!](?=`)")
# Whatever may have to be escaped; most texts hold none of it.
_SPECIAL = re.compile(r"[\\{}~^@$%&#_]|([-`',<>])\1|[?!]`")
_BRACE = re.compile(r"[{}]")
_WORD = re.compile(r"[^\W_]+")
_UNSAFE_IN_DOI = re.compile(r"[\s{}\\]")
_AND = re.compile(r"(?<!\S)and(?!\S)", re.IGNORECASE)


def stream(sources: Iterable[ExportedSource], export: Export, *, title_prefix: bool = False) -> Iterator[str]:
    """The file in pieces: a comment on what it holds, then one entry a piece.

    Keys are unique (`reports.keys`). A work that is retracted says so in `note` and `keywords`; `title_prefix` puts it
    before the title as well.
    """
    yield _head(export)
    keys = Keys()
    for source in sources:
        yield _entry(source, key=keys.of(source), title_prefix=title_prefix)


def escaped(text: str) -> str:
    """`text` on one line as LaTeX reads it: the same letters, no command of its own, and braces in pairs."""
    told = line(text)
    if not _SPECIAL.search(told):
        return told
    parted = _LIGATURE.sub(lambda found: f"{found[0]}\x00", _paired(told))
    return parted.translate(_ESCAPES).replace("\x00", "{}")


def _paired(text: str) -> str:
    """`text` with \\x01 and \\x02 for braces without a partner."""
    lone: dict[int, str] = {}
    opened: list[int] = []
    for found in _BRACE.finditer(text):
        if found[0] == "{":
            opened.append(found.start())
        elif opened:
            opened.pop()
        else:
            lone[found.start()] = "\x02"
    lone |= dict.fromkeys(opened, "\x01")
    if not lone:
        return text
    letters = list(text)
    for place, sign in lone.items():
        letters[place] = sign
    return "".join(letters)


def _head(export: Export) -> str:
    left = export.left_out_internal
    # Whatever stands outside entries is a comment, but an @ would open one.
    words = [f"{line(export.project).replace('@', '(at)')}: references."]
    if left:
        words.append(f"{left} internal {'source was' if left == 1 else 'sources were'} left out.")
    return f"% {' '.join(words)}\n"


def _entry(source: ExportedSource, *, key: str, title_prefix: bool) -> str:
    kind = _TYPES.get(source.record.kind, "misc")
    told = [f"@{kind}{{{key}"]
    told += [f"  {name} = {value}" for name, value in _fields(source, kind, title_prefix=title_prefix)]
    return "\n" + ",\n".join(told) + "\n}\n"


def _fields(source: ExportedSource, kind: str, *, title_prefix: bool) -> Iterator[tuple[str, str]]:
    record, url = source.record, web_address_of(source)
    texts = (
        ("title", _with_capitals(escaped(title_of(source, prefix=title_prefix)))),
        ("author", _names(record.authors)),
        ("editor", _names(record.editors)),
        ("entrysubtype", _SUBTYPES.get(record.kind, "")),
        (_CONTAINERS.get(kind, "howpublished"), escaped(record.container_title)),
        (_PUBLISHERS.get(kind, "publisher"), escaped(record.publisher)),
        ("volume", escaped(record.volume)),
        ("number", escaped(record.issue)),
        ("pages", _pages(record.pages)),
        ("version", escaped(record.version)),
        ("doi", _UNSAFE_IN_DOI.sub(lambda found: quote(found[0]), line(source.value_of(IdentifierType.DOI)))),
        ("url", url),
        ("urldate", str(day_of(source.checked_at) or "") if url else ""),
        ("isbn", escaped(source.value_of(IdentifierType.ISBN))),
        ("issn", escaped(source.value_of(IdentifierType.ISSN))),
    )
    yield from ((name, f"{{{text}}}") for name, text in texts if text)
    yield from _dates(record.published_date)
    for other, value in other_identifiers(source):
        if other is IdentifierType.ARXIV:
            yield "eprint", f"{{{escaped(value)}}}"
            yield "archiveprefix", "{arXiv}"
        else:
            yield other.value, f"{{{escaped(value)}}}"
    more = (
        ("language", escaped(record.language)),
        ("copyright", escaped(record.rights)),
        ("abstract", escaped(record.abstract)),
        ("note", escaped(note_of(source))),
        ("keywords", ", ".join(escaped(one_keyword(word)) for word in keywords_of(source))),
    )
    yield from ((name, f"{{{text}}}") for name, text in more if text)


def _dates(published: str) -> Iterator[tuple[str, str]]:
    """`year` and `month` for BibTeX, and the whole date for biber where there is a day."""
    parts = date_parts(published)
    if not parts:
        if published:
            yield "year", f"{{{escaped(published)}}}"
        return
    yield "year", f"{{{parts[0]:04d}}}"
    if len(parts) > 1 and 1 <= parts[1] <= len(_MONTHS):
        yield "month", _MONTHS[parts[1] - 1]
    if len(parts) > 2:
        yield "date", f"{{{published}}}"


def _pages(text: str) -> str:
    """A range with the two hyphens that BibTeX takes for a dash."""
    first, dash, last = line(text).replace("–", "-").partition("-")
    if dash and "-" not in last:
        return f"{escaped(first.strip())}--{escaped(last.strip())}"
    return escaped(text)


def _names(people: Sequence[Author]) -> str:
    return " and ".join(name for name in map(_name, people) if name)


def _name(person: Author) -> str:
    """`Family, Given`; an organisation in braces of its own, so that nobody splits it."""
    family, given = line(person.family), line(person.given)
    if not family or not given:
        whole = escaped(family or given)
        return f"{{{whole}}}" if whole else ""
    return f"{_part(family)}, {_part(given)}"


def _part(name: str) -> str:
    return f"{{{escaped(name)}}}" if "," in name or _AND.search(name) else escaped(name)


def _with_capitals(text: str) -> str:
    """Braces around words with a capital after their first letter: styles write the others small."""
    return _WORD.sub(lambda found: f"{{{found[0]}}}" if found[0][1:] != found[0][1:].lower() else found[0], text)
