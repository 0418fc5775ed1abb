"""A small file of every format that can be imported: what the suites over all formats begin with."""

import base64
import json
import tempfile
from pathlib import Path

from sources.reports import csv_table
from tests.factories.sqlite_files import NEW_KNOWLEDGE, NEW_STORE, database
from tests.formats import (
    test_docx,
    test_harvey_session,
    test_json,
    test_memo_files,
    test_nep,
    test_tables,
    test_tagged,
    test_xml,
)
from tests.formats.given import zipped
from tests.unit.sources.exports import source

_UUID = "0190f3c2-7b1a-7c3d-8e4f-00000000000"
_MANAGED = json.dumps(
    {
        "citationItems": [
            {
                "id": 1,
                "uris": ["http://zotero.org/users/1/items/AB12CD34"],
                "itemData": {"id": 1, "type": "book", "title": "Tides", "DOI": "10.1234/a"},
            }
        ]
    }
)


def _sqlite(schema: str, **tables: list[dict[str, object]]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return database(Path(folder) / "made.db", schema, **tables).read_bytes()


def _knowledge() -> bytes:
    return _sqlite(
        NEW_KNOWLEDGE,
        projects=[{"id": 1, "name": "Harbour", "uuid": f"{_UUID}1"}],
        sources=[{"id": 1, "title": "Tides", "identifier_type": "doi", "identifier_value": "10.1234/a"}],
        observations=[{"id": 1, "project_id": 1, "body": "Silt moves.", "source_doi": "10.1234/A"}],
        observation_sources=[{"observation_id": 1, "source_id": 1}],
    )


def _lines(*told: dict[str, str]) -> str:
    return "".join(json.dumps(one) + "\n" for one in told)


_TEXTS = {
    "bibtex": "% Harbours\n@article{k1,\n  title = {Tides},\n  author = {Müller, Jörg},\n  doi = {10.1234/a}\n}\n",
    "ris": test_tagged.RIS,
    "nbib": test_tagged.NBIB,
    "isi": "FN Clarivate Analytics\nVR 1.0\nPT J\nAU Mueller, J\nTI Tides\nPY 2019\nDI 10.1234/a\nER\n\nEF\n",
    "nep": test_nep.REPORT,
    "endnote_tagged": "%0 Book\n%A Müller, Jörg\n%T Tides\n%D 2019\n",
    "biblioscape": "--RT-- Book\n--TI-- Tides\n--YP-- 2019\n------\n",
    "csl_json": test_json.csl(DOI="10.1234/a", issued={"date-parts": [[2019]]}),
    "zotero_json": test_json.zotero(),
    "endnote_xml": test_xml.endnote(test_xml.RECORD),
    "pubmed_xml": test_xml.PUBMED,
    "mods": '<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>Tides</title></titleInfo></mods>',
    "marc_xml": '<record><datafield tag="245"><subfield code="a">Tides</subfield></datafield></record>',
    "word_sources": '<b:Sources xmlns:b="http://schemas.openxmlformats.org/officeDocument/2006/bibliography"><b:Source>'
    "<b:Tag>k1</b:Tag><b:Title>Tides</b:Title><b:Year>2019</b:Year></b:Source></b:Sources>",
    "zotero_rdf": test_xml.rdf(test_xml.ARTICLE),
    "zotero_csv": test_tables.ZOTERO.removeprefix("\ufeff")
    + '"AB12","book","2019","Müller, Jörg","Tides","","","","10.1234/a","","2019-03-04","2020-01-01","","",""\n',
    "desk-table": "".join(csv_table.stream([source(1), source(2, record_tags=("tides",))])).replace("\r\n", "\n"),
    "csv_table": "title,url\nTides,https://a.example/1\n",
    "kb-export": _lines(
        {"type": "project", "uuid": f"{_UUID}1", "name": "Harbour"},
        {"type": "source", "uuid": f"{_UUID}2", "title": "Tides", "identifier_type": "doi", "identifier_value": "10.1"},
        {"type": "observation", "uuid": f"{_UUID}3", "project_uuid": f"{_UUID}1", "body": "Silt moves."},
        {"type": "observation_source", "observation_uuid": f"{_UUID}3", "source_uuid": f"{_UUID}2"},
    ),
    "sourced-corpus": '[{"id": "src-001", "url": "https://a.example/1", "canonical_url": "https://a.example/1",'
    ' "title": "Tides"}]',
    "recovery-log": '[{"original_url": "https://a.example/1", "recovered_url": "https://b.example/1"}]',
    "harvey-session": test_harvey_session.SESSION,
    "sources-md": "---\nmode: codified\ndeal: Harbour\nsources:\n  - url: https://a.example/1\n    note: Tides\n---\n\n"
    "# Rejected\n\n- `https://b.example/1` — out of date\n",
    "master-sources": "# Master Source List — Harbour\n\n## Included in Final Draft (1)\n\n"
    "- **[Tides](https://a.example/1)**\n  - HTTP: 200\n",
    "source-list": test_memo_files.SOURCE_LIST,
    "web-page": "<!DOCTYPE html><html><body><p>Read <a href='https://a.example/1'>Tides</a>.</p></body></html>",
    "reference-list": "Okoro, A. (2004). Storm gates. J Harb, 48(1), 617-43.\n\n"
    "Müller, J. (2019). Tides. J Harb, 3(2), 1-20. https://doi.org/10.1234/a\n",
    "list": "https://a.example/1\n10.1234/a\nTides\n",
    "draft": "# Notes\n\nThe harbour [grew](https://a.example/1) by three per cent in a year, it is said.\n",
}  # fmt: skip


def _all() -> dict[str, bytes]:
    docx = test_docx.document(
        test_docx.paragraph(test_docx.field(f"ADDIN ZOTERO_ITEM CSL_CITATION {_MANAGED}", "[1]"))
        + test_docx.paragraph(test_docx.run("See https://a.example/1 for all of it."))
    )
    outputs = zipped(
        {
            "Harbour-v0.0.1/2-sections/01-a.md": test_memo_files.SECTION,
            "Harbour-v0.0.1/3-source-catalog/01-A-Complete-Source-List.md": test_memo_files.SOURCE_LIST,
        }
    )
    return {
        **{name: text.encode() for name, text in _TEXTS.items()},
        "docx": docx,
        "memo-outputs": outputs,
        "harvey-knowledge": _knowledge(),
        "rag-store": _sqlite(NEW_STORE, chunks=[{"id": 1, "content": "Silt moves.", "source": "tide.md"}]),
    }


SAMPLES: dict[str, bytes] = _all()
TEXTS: tuple[str, ...] = tuple(_TEXTS)

# Files that no reader takes, by what they are.
NO_FORMAT: dict[str, bytes] = {
    "nothing": b"",
    "blanks": b" \n\t\n",
    "a PDF document": b"%PDF-1.7\n%more\n",
    "a PNG image": b"\x89PNG\r\n\x1a\n\x00\x00",
    "a JPEG image": b"\xff\xd8\xff\xe0\x00\x10JFIF\x00",
    "an old Word document": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 40,
    "a gzip archive": b"\x1f\x8b\x08\x00" + b"\x00" * 40,
    "an archive of other things": zipped({"xl/workbook.xml": "<w/>", "photo.txt": "x"}),
    "JSON of something else": b'{"colour": "blue", "boats": [1, 2]}',
    "XML of something else": b'<?xml version="1.0"?><boats><boat/></boats>',
    "bytes": base64.b64decode("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="),
}
