"""Identifiers that reference managers hide in free text: Zotero's Extra, a `note` of CSL, `N1` of RIS."""

import re

from sources.formats.description import Description

_PAIR = re.compile(
    r"^[ \t]*(pmid|pmcid|doi|arxiv(?: id)?|isbn|issn|handle|url|original[ -]date|tex\.[\w.-]+)[ \t]*[:=][ \t]*(\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_LONGEST = 20_000


def read_extra(told: Description, text: str) -> None:
    """Takes `PMID: 1`, `DOI: 10.…`, `arXiv: …` and the like out of lines of `text` as identifiers of `told`."""
    for found in _PAIR.finditer(text[:_LONGEST]):
        value = found[2].strip()
        match found[1].lower():
            case "pmid":
                told.ids.add_pmid(value)
            case "doi":
                told.ids.add_doi(value)
            case "arxiv" | "arxiv id":
                told.ids.add_arxiv(value)
            case "isbn":
                told.ids.add_isbn(value)
            case "issn":
                told.ids.add_issn(value)
            case "handle":
                told.ids.add_handle(value)
            case "url":
                told.ids.add_url(value)
            case name:
                told.keep(name, value)
