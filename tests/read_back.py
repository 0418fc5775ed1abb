"""Readers of exported files: the project's own, and other tools' libraries, so that a writer's fault hides behind no
reader of the same hand."""

import csv
import io
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import bibtexparser
import rispy
import yaml
from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db

from lineage.core.spreadsheet import restored
from sources.core.catalog import CitationStatus
from sources.core.entries import Author, SourceRecord
from sources.core.kinds import Authority, Classification, IdentifierType, Sensitivity
from sources.core.records import Identity, RowError
from sources.core.retraction import RetractionStatus, read_keywords, read_mark
from sources.formats.readers import reading_of


def _record(**fields: Any) -> SourceRecord:
    return SourceRecord(line=0, spelling="", **fields)


@dataclass(slots=True)
class _Read:
    """Fields as a reader gathers them."""

    fields: dict[str, Any]
    ids: list[tuple[IdentifierType, str]]

    def record(self) -> SourceRecord:
        filled = {name: value for name, value in self.fields.items() if value}
        return _record(**filled, identities=tuple(Identity(kind, value, "") for kind, value in self.ids if value))


def _of_bibtex(text: str) -> list[SourceRecord]:
    library = bibtexparser.parse_string(text)
    assert library.failed_blocks == []
    return [_bibtex_entry(entry) for entry in library.entries]


_FROM_BIBTEX = {
    "article": "article-journal",
    "online": "webpage",
    "incollection": "chapter",
}


def _bibtex_entry(entry: Any) -> SourceRecord:
    raw = {field.key: str(field.value) for field in entry.fields}
    told = {name: unlatex(value) for name, value in raw.items()}
    status, retraction_note, note = read_mark(told.get("note", ""))
    by_word, tags = read_keywords(told.get("keywords", "").split(", "))
    months = dict(zip(("jan", "feb", "mar", "apr", "nov"), ("01", "02", "03", "04", "11"), strict=True))
    month = months.get(raw.get("month", "")[:3].lower(), "")
    return _Read(
        {
            "ref": entry.key,
            "title": told.get("title"),
            "kind": _FROM_BIBTEX.get(entry.entry_type),
            "authors": _bibtex_names(raw.get("author", "")),
            "editors": _bibtex_names(raw.get("editor", "")),
            "published_date": told.get("date") or "-".join(part for part in (told.get("year", ""), month) if part),
            "publisher": told.get("publisher"),
            "container_title": told.get("journal") or told.get("booktitle") or told.get("howpublished"),
            "volume": told.get("volume"),
            "issue": told.get("number"),
            "pages": told.get("pages"),
            "isbn": told.get("isbn"),
            "issn": told.get("issn"),
            "language": told.get("language"),
            "abstract": told.get("abstract"),
            "note": note,
            "rights": told.get("copyright"),
            "version": told.get("version"),
            "tags": tuple(tags) if tags != ("",) else (),
            "retracted": status.is_retracted and by_word.is_retracted,
            "retraction_note": retraction_note,
        },
        [
            (IdentifierType.DOI, raw.get("doi", "")),
            (IdentifierType.URL, raw.get("url", "")),
            (IdentifierType.ARXIV, told.get("eprint", "")),
            (IdentifierType.PMID, told.get("pmid", "")),
            (IdentifierType.URN, told.get("urn", "")),
        ],
    ).record()


_MACROS = get_default_latex_context_db()
_MACROS.add_context_category(
    "letters",
    prepend=True,
    macros=[
        MacroTextSpec("textbraceleft", simplify_repl="{"),
        MacroTextSpec("textbraceright", simplify_repl="}"),
        MacroTextSpec("textasciicircum", simplify_repl="^"),
    ],
)
_DECODER = LatexNodes2Text(latex_context=_MACROS, math_mode="verbatim", strict_latex_spaces=True)


def unlatex(text: str) -> str:
    """The letters that LaTeX shows for `text`."""
    return str(_DECODER.latex_to_text(text))


def _bibtex_names(text: str) -> tuple[Author, ...]:
    return tuple(_bibtex_name(name) for name in _split(text, " and ") if name)


def _bibtex_name(name: str) -> Author:
    family, *given = _split(name, ", ")
    return Author(family=unlatex(family), given=unlatex(", ".join(given)))


def _split(text: str, sign: str) -> list[str]:
    """The parts between `sign` outside braces."""
    parts: list[str] = []
    depth = begun = at = 0
    while at < len(text):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0 and text.startswith(sign, at):
            parts.append(text[begun:at])
            begun = at = at + len(sign)
            continue
        at += 1
    return [*parts, text[begun:]]


def _of_ris(text: str) -> list[SourceRecord]:
    return [_ris_entry(entry) for entry in rispy.loads(text)]


def _ris_entry(entry: dict[str, Any]) -> SourceRecord:
    kinds = {"JOUR": "article-journal", "ELEC": "webpage", "CHAP": "chapter"}
    notes = [read_mark(note) for note in entry.get("notes", [])]
    marks = [(status, words) for status, words, _ in notes if status is not RetractionStatus.UNKNOWN]
    by_word, tags = read_keywords(entry.get("keywords", []))
    day = "-".join(part for part in entry.get("date", "").split("/") if part)
    pages = "–".join(part for part in (entry.get("start_page", ""), entry.get("end_page", "")) if part)
    kind = kinds.get(entry["type_of_reference"], "")
    return _Read(
        {
            "ref": entry.get("id"),
            "title": entry.get("title"),
            "kind": kind,
            "authors": tuple(map(_comma_name, entry.get("authors", []))),
            "editors": tuple(map(_comma_name, entry.get("unknown_tag", {}).get("ED", []))),
            "published_date": day or entry.get("year"),
            "publisher": entry.get("publisher"),
            "container_title": entry.get("secondary_title"),
            "volume": entry.get("volume"),
            "issue": entry.get("number"),
            "pages": pages,
            "isbn" if kind == "chapter" else "issn": entry.get("issn"),
            "language": entry.get("language"),
            "abstract": entry.get("abstract"),
            "note": " ".join(rest for _, _, rest in notes if rest),
            "version": entry.get("edition"),
            "tags": tags,
            "retracted": bool(marks) and by_word.is_retracted,
            "retraction_note": marks[0][1] if marks else "",
        },
        [(IdentifierType.DOI, entry.get("doi", "")), *map(_by_address, entry.get("urls", []))],
    ).record()


def _by_address(url: str) -> tuple[IdentifierType, str]:
    for kind, host in (
        (IdentifierType.ARXIV, "https://arxiv.org/abs/"),
        (IdentifierType.PMID, "https://pubmed.ncbi.nlm.nih.gov/"),
    ):
        if url.startswith(host):
            return kind, url.removeprefix(host).strip("/")
    return IdentifierType.URL, url


def _comma_name(name: str) -> Author:
    family, _, given = name.partition(", ")
    return Author(family=family, given=given)


def _of_csl(text: str) -> list[SourceRecord]:
    return [_csl_item(item) for item in json.loads(text)]


def _csl_item(item: dict[str, Any]) -> SourceRecord:
    status, retraction_note, note = read_mark(item.get("note", ""))
    by_word, tags = read_keywords(item.get("keyword", "").split(", "))
    parts = item.get("issued", {}).get("date-parts", [[]])[0]
    custom = item.get("custom", {})
    copied = ("title", "publisher", "volume", "issue", "language", "abstract", "version")
    return _Read(
        {
            **{name: item.get(name) for name in copied},
            "ref": item["id"],
            "kind": item["type"],
            "authors": tuple(map(_csl_name, item.get("author", []))),
            "editors": tuple(map(_csl_name, item.get("editor", []))),
            "published_date": "-".join(f"{part:02d}" for part in parts),
            "container_title": item.get("container-title"),
            "pages": item.get("page"),
            "isbn": item.get("ISBN"),
            "issn": item.get("ISSN"),
            "note": note,
            "rights": custom.get("rights"),
            "tags": tags if tags != ("",) else (),
            "retracted": status.is_retracted and by_word.is_retracted and item.get("status") == status.value,
            "retraction_note": retraction_note,
        },
        [
            (IdentifierType.DOI, item.get("DOI", "")),
            (IdentifierType.URL, item.get("URL", "")),
            (IdentifierType.PMID, item.get("PMID", "")),
            (IdentifierType.ARXIV, custom.get("arxiv", "")),
            (IdentifierType.URN, custom.get("urn", "")),
        ],
    ).record()


def _csl_name(name: dict[str, str]) -> Author:
    return Author(family=name.get("literal") or name["family"], given=name.get("given", ""))


def _of_csv(text: str) -> list[SourceRecord]:
    return [_csv_row(row) for row in csv.DictReader(io.StringIO(text, newline=""))]


def _csv_row(row: dict[str, str]) -> SourceRecord:
    told = {name: restored(cell) for name, cell in row.items()}
    copied = (
        "title",
        "publisher",
        "container_title",
        "volume",
        "issue",
        "pages",
        "isbn",
        "issn",
        "language",
        "abstract",
    )
    others = [pair.partition(":") for pair in told["other_identifiers"].split("; ") if pair]
    return _Read(
        {
            **{name: told[name] for name in (*copied, "abstract", "note", "rights", "version", "retraction_note")},
            "kind": told["type"],
            "authors": tuple(_comma_name(name) for name in told["authors"].split("; ") if name),
            "editors": tuple(_comma_name(name) for name in told["editors"].split("; ") if name),
            "published_date": told["published"],
            "tags": tuple(tag for tag in told["tags"].split("; ") if tag),
            "section": told["sections"],
            "status": CitationStatus(told["status"]),
            "authority": Authority(told["authority"]) if told["authority"] else None,
            "classification": Classification(told["classification"]) if told["classification"] else None,
            "sensitivity": Sensitivity(told["sensitivity"]) if told["sensitivity"] else None,
            "retracted": told["retracted"] == "yes" and RetractionStatus(told["retraction_status"]).is_retracted,
        },
        [
            (IdentifierType.DOI, told["doi"]),
            (IdentifierType.ARXIV, told["arxiv"]),
            (IdentifierType.PMID, told["pmid"]),
            *_named_best(IdentifierType(told["identifier_type"]), told["identifier"]),
            *((IdentifierType(kind), value) for kind, _, value in others),
        ],
    ).record()


def _named_best(kind: IdentifierType, value: str) -> list[tuple[IdentifierType, str]]:
    has_a_column = kind in {IdentifierType.DOI, IdentifierType.ARXIV, IdentifierType.PMID}
    return [] if has_a_column else [(kind, value)]


def _of_sources_md(text: str) -> list[SourceRecord]:
    front = yaml.safe_load(text.split("---\n")[1])
    statuses = list(CitationStatus)
    records = []
    for told in front["sources"]:
        status, retraction_note, note = read_mark(told["note"])
        records.append(
            _Read(
                {
                    "section": ", ".join(told["sections"]),
                    "status": statuses[told["rank"] - 1],
                    "sensitivity": Sensitivity(told["sensitivity"]),
                    "note": note,
                    "retracted": status.is_retracted,
                    "retraction_note": retraction_note,
                },
                [_by_address(told["url"])]
                if "doi.org" not in told["url"]
                else [(IdentifierType.DOI, unquote(told["url"].removeprefix("https://doi.org/")))],
            ).record()
        )
    return records


def _of_json_lines(text: str) -> list[SourceRecord]:
    records = []
    for told in map(json.loads, text.splitlines()):
        copied = ("uuid", "title", "publisher", "published_date", "rights", "version", "retracted", "retraction_note")
        kind = IdentifierType(told["identifier_type"] or "none")
        fields = {name: told[name] for name in copied}
        fields["authors"] = tuple(_comma_name(name) for name in told["authors"].split("; ") if name)
        records.append(_Read(fields, [(kind, told["identifier_value"])]).record())
    return records


def own(text: str) -> list[SourceRecord]:
    """The sources of a file by the project's own reader, whichever takes it; nothing in it may be an error."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export"
        path.write_bytes(text.encode())
        items = list(reading_of(path).items)
    errors = [item for item in items if isinstance(item, RowError)]
    assert errors == []
    return [item for item in items if isinstance(item, SourceRecord)]


# Formats that no other library reads.
_OWN_ONLY = ("Master-Sources.md (memo)", "Master-Sources.md (verdict)", "Best-Sources", "sourced_corpus.json")

OTHERS: dict[str, Callable[[str], list[SourceRecord]]] = {
    "BibTeX": _of_bibtex,
    "RIS": _of_ris,
    "CSL-JSON": _of_csl,
    "CSV": _of_csv,
    "Sources.md": _of_sources_md,
    "JSON Lines": _of_json_lines,
}
READERS: dict[str, Callable[[str], list[SourceRecord]]] = dict.fromkeys((*OTHERS, *_OWN_ONLY), own)
