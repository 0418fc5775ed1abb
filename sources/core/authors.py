"""Authors as a person types them, one a line, and as records keep them: structured, and as one text."""

import re
from collections.abc import Iterable, Sequence

from sources.core.entries import Author

_ORCID = re.compile(r"[(\[]?(?:https?://orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dXx])[)\]]?\s*$", re.ASCII)


def read_authors(lines: str) -> tuple[Author, ...]:
    """The authors of a text with one a line: `Family, Given`, with an ORCID behind where it is known.

    A line without a comma stands whole in `family`: an organisation, or a name that nobody could split. Empty lines are
    left out.
    """
    return tuple(author for line in lines.splitlines() if (author := _author(line.strip())) is not None)


def _author(line: str) -> Author | None:
    orcid = ""
    # Only the end of a line is looked at, so that a long one costs no more.
    found = _ORCID.search(line[-60:])
    if found:
        orcid = found[1].upper()
        line = line[: len(line) - len(line[-60:]) + found.start()].rstrip(" ,;")
    family, _, given = line.partition(",")
    family, given = family.strip(), given.strip()
    if not family and not given:
        return None
    return Author(family=family or given, given=given if family else "", orcid=orcid)


def as_lines(authors: Iterable[Author]) -> str:
    """The lines that `read_authors` reads as these authors."""
    return "\n".join(f"{author} ({author.orcid})" if author.orcid else str(author) for author in authors)


def as_text(authors: Iterable[Author]) -> str:
    """`Family, Given; Family, Given`."""
    return "; ".join(str(author) for author in authors)


def as_list(authors: Iterable[Author]) -> list[dict[str, str]]:
    """Objects with family, given and orcid, as `Source.author_list` keeps them; empty parts are left out."""
    pairs = [{"family": one.family, "given": one.given, "orcid": one.orcid} for one in authors]
    return [{name: value for name, value in pair.items() if value} for pair in pairs]


def kept_authors(author_list: Sequence[object], text: str) -> tuple[Author, ...]:
    """The authors that a source keeps: those of its list, or where it has none those of its text."""
    structured = [
        Author(**{name: str(one.get(name, "")) for name in ("family", "given", "orcid")})
        for one in author_list
        if isinstance(one, dict) and (one.get("family") or one.get("given"))
    ]
    if structured:
        return tuple(structured)
    return read_authors("\n".join(text.split(";")))


def first_author(author_list: Sequence[object], text: str) -> str:
    """`Family, Given` of the first author, '' where there is none."""
    authors = kept_authors(author_list, text)
    return str(authors[0]) if authors else ""
