"""What the writers for reference managers say of a source in common."""

from collections.abc import Iterable

from sources.core.exported import ExportedSource
from sources.core.kinds import IdentifierType
from sources.core.retraction import mark, read_keywords, read_mark
from sources.reports.plain_text import address, line, paragraphs


def title_of(source: ExportedSource, *, prefix: bool) -> str:
    """The title, '' where there is none. `prefix` puts `RETRACTED: ` before it where that is so: people see it in every
    list, but tools no longer find the work by its title."""
    title = line(source.record.title)
    return f"{source.retraction.label}: {title}" if prefix and source.retraction.label else title


def own_note(source: ExportedSource) -> str:
    """The note in its own lines. The mark of an earlier export is taken off where the registry itself knows of a
    retraction, so that no file says it twice."""
    told = paragraphs(source.record.note).strip()
    return read_mark(told)[2] if source.retraction.label else told


def own_tags(source: ExportedSource) -> tuple[str, ...]:
    """The tags, each once; without the words of a retraction where the registry itself knows of one."""
    tags = tuple(dict.fromkeys(tag for tag in map(line, source.record.tags) if tag))
    return read_keywords(tags)[1] if source.retraction.label else tags


def note_of(source: ExportedSource) -> str:
    """The note with the mark of a retraction before it; '' where neither is known."""
    return " ".join(part for part in (mark_of(source), own_note(source)) if part)


def mark_of(source: ExportedSource) -> str:
    """The mark of its retraction, '' where there is nothing to tell."""
    return mark(source.retraction, line(source.retraction_note))


def keywords_of(source: ExportedSource) -> list[str]:
    """The words of a retraction, then the tags, each once."""
    return list(dict.fromkeys((*source.retraction.keywords, *own_tags(source))))


def one_keyword(word: str) -> str:
    """A keyword for a field of several: commas part them, semicolons in many managers, and braces protect neither."""
    return " ".join(word.replace(",", " ").replace(";", " ").split())


def addresses_of(source: ExportedSource) -> list[str]:
    """The addresses that name the work besides its DOI, today's first; [] where the DOI alone does."""
    found = [source.address] if source.is_recovered else []
    found += [
        one.link
        for one in source.record.identities
        if one.link and one.type is not IdentifierType.DOI and not (source.is_recovered and one.link == source.link)
    ]
    return list(dict.fromkeys(address(one) for one in found))


def web_address_of(source: ExportedSource) -> str:
    """The one address for a field `url`: a page of the work itself before a resolver's; '' where a DOI says it all."""
    own = (one.link for one in source.record.identities if one.type is IdentifierType.URL)
    first = source.address if source.is_recovered else next(own, "")
    return address(first) if first else next(iter(addresses_of(source)), "")


def other_identifiers(source: ExportedSource) -> Iterable[tuple[IdentifierType, str]]:
    """Identifiers that are neither DOI, URL, ISBN nor ISSN, each kind once."""
    for kind in (IdentifierType.ARXIV, IdentifierType.PMID, IdentifierType.HANDLE, IdentifierType.URN):
        if value := source.value_of(kind):
            yield kind, line(value)
