"""The fields of one BibTeX entry, as the description of a work."""

import re
from collections.abc import Mapping

from sources.formats.bibtex.kinds import CSL_TYPES
from sources.formats.bibtex.latex import plain, verbatim
from sources.formats.bibtex.values import names_of, value_of
from sources.formats.dates import date_of, dated, month_of
from sources.formats.description import Description
from sources.formats.extra import read_extra
from sources.formats.people import orcid_of

_TAG = re.compile(r"\s*[,;]\s*")
# First named that is there wins; the others go into the details.
_TEXTS = (
    ("container_title", ("journaltitle", "journal", "booktitle", "maintitle", "shortjournal", "howpublished")),
    ("publisher", ("publisher", "institution", "school", "organization")),
    ("volume", ("volume",)),
    ("issue", ("number", "issue")),
    ("pages", ("pages", "eid", "articleno")),
    ("language", ("langid", "language")),
    ("abstract", ("abstract",)),
    ("note", ("note", "annotation", "annote")),
    ("rights", ("rights", "copyright", "license")),
    ("version", ("version", "edition")),
)
_SUBTYPES = {("article", "magazine"): "article-magazine", ("article", "newspaper"): "article-newspaper"}
_VERBATIM = frozenset({"url", "doi", "eprint", "file", "pdf", "isbn", "issn", "pmid", "pmcid", "urn", "hdl", "arxivid"})
_READ = frozenset(
    {"title", "subtitle", "author", "editor", "year", "month", "day", "date", "keywords", "keyword", "orcid", "eprint",
     "eprinttype", "archiveprefix", "doi", "url", "isbn", "issn", "pmid", "arxivid", "hdl", "handle", "urn", "urldate",
     "crossref", "xdata"}
)  # fmt: skip


def described(
    *, line: int, kind: str, key: str, fields: tuple[tuple[str, str], ...], macros: Mapping[str, str]
) -> Description:
    """The work that an entry describes. `fields` are raw and may repeat: the first counts, the others are told."""
    values = _values(told := Description(line=line, ref=key), fields, dict(macros))
    told.kind = _SUBTYPES.get((kind, values.get("entrysubtype", "").lower()), CSL_TYPES.get(kind, ""))
    _identify(told, values)
    told.title = _title(values)
    for name, people in (("author", told.authors), ("editor", told.editors)):
        authors, warnings = names_of(values.get(name, ""))
        people.extend(authors)
        told.warnings += warnings
    _date(told, values)
    used = set(_READ)
    for target, names in _TEXTS:
        name = next((name for name in names if values.get(name) and not _is_address(name, values[name])), "")
        if name:
            used.add(name)
            setattr(told, target, _text(values[name]))
    if orcid := orcid_of(values.get("orcid", "")):
        told.keep("orcid", orcid)
    for name in ("keywords", "keyword"):
        told.add_tags(*_TAG.split(plain(values.get(name, ""))))
    if told.note:
        read_extra(told, values.get("note", ""))
    if not CSL_TYPES.get(kind):
        told.keep("entrytype", kind)
    for name, value in values.items():
        if name not in used:
            told.keep(name, verbatim(value) if name in _VERBATIM else _text(value))
    return told


def _values(told: Description, fields: tuple[tuple[str, str], ...], macros: dict[str, str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for name, raw in fields:
        value, unknown = value_of(raw, macros)
        for word in unknown[:3] if name != "month" or not month_of(value) else ():
            told.warnings.append(
                f"“{word}” in the field “{name}” is no @string of this file; it was taken as it stands."
            )
        if not value.strip():
            continue
        if name not in values:
            values[name] = value
        elif " ".join(value.split()) != " ".join(values[name].split()):
            told.warnings.append(f"The field “{name}” stands more than once; the first one counts.")
            told.keep(name, value)
            if name == "doi":
                told.ids.add_doi(verbatim(value))
            elif name == "url":
                told.ids.add_url(verbatim(value))
            elif name == "isbn":
                told.ids.add_isbn(verbatim(value))
    return values


def _identify(told: Description, values: dict[str, str]) -> None:
    ids = told.ids
    repeated = list(ids.identities())
    if repeated:
        # The first field of a name counts, so what a repeat named must not stand before it.
        told.ids = ids = type(ids)()
    if doi := verbatim(values.get("doi", "")):
        ids.add_doi(doi)
    eprint = verbatim(values.get("eprint", ""))
    archive = values.get("eprinttype", values.get("archiveprefix", "")).strip().lower()
    if eprint and (archive == "arxiv" or (not archive and re.match(r"(?:arxiv:)?\d{4}\.\d{4,5}", eprint, re.I))):
        ids.add_arxiv(eprint)
    elif eprint and archive in ("pubmed", "pmid"):
        ids.add_pmid(eprint)
    elif eprint and archive in ("hdl", "handle"):
        ids.add_handle(eprint)
    elif eprint:
        told.keep("eprint", eprint)
        told.keep("eprinttype", archive)
    for name, add in (
        ("arxivid", ids.add_arxiv),
        ("pmid", ids.add_pmid),
        ("hdl", ids.add_handle),
        ("handle", ids.add_handle),
        ("isbn", ids.add_isbn),
        ("issn", ids.add_issn),
        ("urn", ids.add_urn),
    ):
        if value := verbatim(values.get(name, "")):
            add(value)
    if url := verbatim("".join(line.strip() for line in values.get("url", "").split("\n"))):
        told.add_url(url)
    how = values.get("howpublished", "")
    if "url" not in values and (found := re.search(r"https?://[^\s{}]+", how)):
        told.add_url(verbatim(found[0]))
    for again in repeated:
        ids.add_identity(again)
    if urldate := values.get("urldate", ""):
        told.last_checked_at = date_of(plain(urldate))


def _is_address(name: str, value: str) -> bool:
    """True for an address in `howpublished`, which is read as one and names no container."""
    return name == "howpublished" and ("://" in value or "\\url" in value)


def _title(values: dict[str, str]) -> str:
    title = _text(values.get("title", "")) or _text(values.get("maintitle", ""))
    subtitle = _text(values.get("subtitle", ""))
    return f"{title}: {subtitle}" if title and subtitle else title or subtitle


def _date(told: Description, values: dict[str, str]) -> None:
    told.date = date_of(plain(values.get("date", "")))
    if told.date:
        return
    year = plain(values.get("year", "")).strip()
    told.date = dated(year, plain(values.get("month", "")), plain(values.get("day", ""))) or date_of(year)
    if year and not told.date:
        told.warnings.append(f"“{year[:40]}” is no year; the date was left empty.")
        told.keep("year", year)


def _text(value: str) -> str:
    told = plain(value)
    # Managers break long lines; only an empty line is a paragraph.
    return (
        told.strip()
        if "\n" not in told or "\n\n" in told
        else " ".join(line.strip() for line in told.split("\n")).strip()
    )
