"""Word documents: field codes of reference managers, footnotes, links, typed lists, and hostile XML."""

import base64
import json
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from sources.formats.format import Unreadable
from sources.formats.opened import head_of
from sources.formats.readers import recognise
from tests.formats.given import errors, format_of, named, read, records, zipped
from tests.growth import assert_linear

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def part(body: str, root: str = "document") -> str:
    """One part of a document."""
    inner = f"<w:body>{body}</w:body>" if root == "document" else body
    return f'<?xml version="1.0"?><w:{root} xmlns:w="{W}" xmlns:r="{R}">{inner}</w:{root}>'


def document(body: str, **more: str) -> bytes:
    """A document with this body; `more` are further parts by their names with `_` for `/`."""
    types = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
    parts = {name.replace("__", "/") + ".xml": text for name, text in more.items()}
    rels = parts.pop("rels.xml", None)
    members = {"[Content_Types].xml": types, "word/document.xml": part(body), **parts}
    if rels:
        members["word/_rels/document.xml.rels"] = (
            f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{rels}</Relationships>'
        )
    return zipped(members)


def run(text: str) -> str:
    """A run of text."""
    return f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def paragraph(*inner: str, style: str = "") -> str:
    """A paragraph of runs."""
    told = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{told}{''.join(inner)}</w:p>"


def field(code: str, shown: str, *, pieces: int = 1, data: str = "") -> str:
    """A complex field whose instruction is cut into runs, as Word does."""
    size = max(1, len(code) // pieces)
    cut = [code[at : at + size] for at in range(0, len(code), size)]
    held = f'<w:fldData xml:space="preserve">{data}</w:fldData>' if data else ""
    return (
        f'<w:r><w:fldChar w:fldCharType="begin">{held}</w:fldChar></w:r>'
        + "".join(f'<w:r><w:instrText xml:space="preserve">{escape(piece)}</w:instrText></w:r>' for piece in cut)
        + f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{run(shown)}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def item(number: int, **told: object) -> dict[str, object]:
    """One citation item of CSL-JSON."""
    data = {
        "id": number,
        "type": "article-journal",
        "title": f"Storm gates {number}",
        "DOI": f"10.1000/gates.{number}",
        "container-title": "J Harb",
        "volume": "12",
        "issue": "3",
        "page": "45-67",
        "author": [{"family": "Okoro", "given": "Ada"}, {"literal": "Board of Tides"}],
        "issued": {"date-parts": [["2020", 5, 4]]},
        **told,
    }
    return {"id": number, "uris": [f"http://zotero.org/users/1/items/ABCD000{number}"], "itemData": data}


def citation(*items: dict[str, object], lead: str = "ADDIN ZOTERO_ITEM CSL_CITATION") -> str:
    """The instruction of a citation field."""
    return f" {lead} {json.dumps({'citationID': 'x', 'citationItems': items})} "


def test_a_citation_of_zotero_is_joined_over_its_runs(tmp_path: Path) -> None:
    body = paragraph(run("The gates hold "), field(citation(item(1)), "(Okoro, 2020)", pieces=9), run(". Fog is rare."))
    (found,) = records(read(document(body), tmp_path))
    assert (named(found), found.title, found.ref, found.published_date) == (
        "10.1000/gates.1",
        "Storm gates 1",
        "ABCD0001",
        "2020-05-04",
    )
    assert [str(author) for author in found.authors] == ["Okoro, Ada", "Board of Tides"]
    assert (found.container_title, found.volume, found.issue, found.pages) == ("J Harb", "12", "3", "45-67")
    assert found.context == "The gates hold (Okoro, 2020)."
    assert found.kind == "article-journal"


def test_a_work_cited_often_is_one_record_with_its_contexts(tmp_path: Path) -> None:
    body = paragraph(run("Gates hold "), field(citation(item(1), item(2)), "(1, 2)"), run("."))
    body += paragraph(run("They held before "), field(citation(item(1)), "(1)"), run("."))
    body += paragraph(
        field(" ADDIN ZOTERO_BIBL {} CSL_BIBLIOGRAPHY ", "Okoro A (2020) https://a.example/made-by-zotero")
    )
    found = records(read(document(body), tmp_path))
    assert [named(one) for one in found] == ["10.1000/gates.1", "10.1000/gates.2"]
    assert found[0].details == (("times_cited", "2"), ("context", "They held before (1)."))


@pytest.mark.parametrize(
    "inner",
    [
        field(citation(item(1), lead="ADDIN CSL_CITATION"), "(Okoro, 2020)"),
        f'<w:fldSimple w:instr="{escape(citation(item(1)), {chr(34): "&quot;"})}">{run("(Okoro)")}</w:fldSimple>',
        "<w:sdt><w:sdtPr><w:tag w:val=\"MENDELEY_CITATION_v3_"
        + base64.b64encode(json.dumps({"citationItems": [item(1)]}).encode()).decode()
        + f'"/></w:sdtPr><w:sdtContent>{run("(Okoro)")}</w:sdtContent></w:sdt>',
        "<w:ins>" + field(citation(item(1)), "(Okoro)") + "</w:ins>",
    ],
    ids=["mendeley", "simple-field", "mendeley-cite", "inserted"],
)  # fmt: skip
def test_other_ways_to_hold_a_citation_are_read(inner: str, tmp_path: Path) -> None:
    found = records(read(document(paragraph(run("Gates hold "), inner)), tmp_path))
    assert [(named(one), one.title) for one in found] == [("10.1000/gates.1", "Storm gates 1")]


ENDNOTE = (
    "<EndNote><Cite><Author>Okoro</Author><Year>2020</Year><RecNum>7</RecNum><record><rec-number>7</rec-number>"
    '<ref-type name="Journal Article">17</ref-type><contributors><authors><author>Okoro, Ada</author>'
    '</authors></contributors><titles><title><style face="normal">Storm </style><style face="italic">gates</style>'
    "</title><secondary-title>J Harb</secondary-title></titles><volume>12</volume><number>3</number>"
    "<pages>45-67</pages>"
    "<dates><year>2020</year></dates><isbn>0378-5955</isbn><electronic-resource-num>10.1000/gates.1"
    "</electronic-resource-num></record></Cite></EndNote>"
)


@pytest.mark.parametrize("packed", [False, True], ids=["in-the-code", "as-data"])
def test_a_citation_of_endnote_is_read_from_code_and_from_data(packed: bool, tmp_path: Path) -> None:
    if packed:
        data = base64.b64encode(ENDNOTE.encode()).decode()
        inner = field(" ADDIN EN.CITE ", "x", data=data) + field(" ADDIN EN.CITE.DATA ", "", data=data)
    else:
        inner = field(f" ADDIN EN.CITE {ENDNOTE}", "(Okoro)", pieces=3)
    (found,) = records(read(document(paragraph(run("Gates hold "), inner)), tmp_path))
    assert (named(found), found.title, found.published_date) == ("10.1000/gates.1", "Storm gates", "2020")
    assert [str(author) for author in found.authors] == ["Okoro, Ada"]
    assert found.details == ()


def test_words_own_sources_are_read_with_what_the_text_cites(tmp_path: Path) -> None:
    sources = (
        '<b:Sources xmlns:b="http://schemas.openxmlformats.org/officeDocument/2006/bibliography"><b:Source>'
        "<b:Tag>Oko20</b:Tag><b:SourceType>Book</b:SourceType><b:Author><b:Author><b:NameList><b:Person><b:Last>Okoro"
        "</b:Last><b:First>Ada</b:First></b:Person></b:NameList></b:Author></b:Author><b:Title>The long harbour"
        "</b:Title>"
        "<b:Year>2020</b:Year><b:Publisher>Gazette Press</b:Publisher></b:Source><b:Source><b:Tag>X</b:Tag>"
        "<b:Title>Uncited</b:Title></b:Source></b:Sources>"
    )
    body = paragraph(run("So it is "), field(r" CITATION Oko20 \l 1033 ", "(Okoro, 2020)"))
    found = records(read(document(body, customXml__item1=sources), tmp_path))
    assert [(one.ref, one.title, one.status.value) for one in found] == [
        ("Oko20", "The long harbour", "included"),
        ("X", "Uncited", "valid-not-cited"),
    ]
    assert (str(found[0].authors[0]), found[0].publisher, found[0].kind) == ("Okoro, Ada", "Gazette Press", "book")


def test_links_notes_tables_and_bare_identifiers_are_found_and_deletions_are_not(tmp_path: Path) -> None:
    body = paragraph(run("Fish"), style="Heading1")
    body += paragraph(
        run("See "), f'<w:hyperlink r:id="r1">{run("Herring by sound")}</w:hyperlink>', run(" and 10.1000/182.")
    )
    body += paragraph(field('HYPERLINK "https://a.example/field"', "the tide"))
    body += f"<w:tbl><w:tr><w:tc>{paragraph(run('https://a.example/cell'))}</w:tc></w:tr></w:tbl>"
    body += paragraph(
        f"<w:del><w:r><w:delText>https://a.example/gone</w:delText></w:r>{run('https://a.example/gone2')}</w:del>"
    )
    body += paragraph(f"<w:ins>{run('https://a.exam')}</w:ins>", run("ple/inserted"))
    notes = part(f'<w:footnote w:id="2">{paragraph(run("Tides, https://a.example/note."))}</w:footnote>', "footnotes")
    rels = (
        f'<Relationship Id="r1" Type="{R}/hyperlink" Target="https://a.example/link" TargetMode="External"/>'
        f'<Relationship Id="r2" Type="{R}/attachedTemplate" Target="https://a.example/no" TargetMode="External"/>'
    )
    found = records(read(document(body, word__footnotes=notes, rels=rels), tmp_path))
    assert [(named(one), one.title, one.section) for one in found] == [
        ("https://a.example/link", "Herring by sound", "Fish"),
        ("10.1000/182", "", "Fish"),
        ("https://a.example/field", "", "Fish"),
        ("https://a.example/cell", "", "Fish"),
        ("https://a.example/inserted", "", "Fish"),
        ("https://a.example/note", "", "Footnotes"),
    ]
    assert found[0].context == "See Herring by sound and 10.1000/182."


MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"


def box(address: str, shape: str = "pict") -> str:
    """A text box with one paragraph, in a drawing or in an old picture, with an address beside it that is no text."""
    inner = f"<w:txbxContent>{paragraph(run(address))}</w:txbxContent>"
    return f"<w:r><w:{shape}><shape><t>https://a.example/alt</t>{inner}</shape></w:{shape}></w:r>"


def test_text_boxes_are_read_once_and_pictures_are_not(tmp_path: Path) -> None:
    twice = (
        f'<mc:AlternateContent xmlns:mc="{MC}"><mc:Choice>{box("https://a.example/new", "drawing")}</mc:Choice>'
        f"<mc:Fallback>{box('https://a.example/old')}</mc:Fallback></mc:AlternateContent>"
    )
    body = paragraph(run("Before "), twice, run("10.1000/after")) + paragraph(box("https://a.example/pict"))
    body += paragraph(
        f"<w:del>{box('https://a.example/gone')}</w:del>", f"<w:r><w:drawing>{run('x.io')}</w:drawing></w:r>"
    )
    body += paragraph(box("") + run("https://a.example/end"))
    found = records(read(document(body), tmp_path))
    assert [(named(one), one.line) for one in found] == [
        ("https://a.example/new", 2),
        ("10.1000/after", 1),
        ("https://a.example/pict", 4),
        ("https://a.example/end", 6),
    ]


def test_comments_headers_and_footers_are_read_as_not_cited(tmp_path: Path) -> None:
    def only(address: str, root: str) -> str:
        inner = paragraph(run(address))
        return part(f'<w:comment w:id="1">{inner}</w:comment>' if root == "comments" else inner, root)

    data = document(
        paragraph(run("See https://a.example/cited")),
        word__comments=only("Better: https://a.example/better and https://a.example/cited", "comments"),
        word__header1=only("https://a.example/journal", "hdr"),
        word__footer2=only("10.1000/own", "ftr"),
        word__commentsExtended=only("https://a.example/no", "comments"),
    )
    found = records(read(data, tmp_path))
    assert [(named(one), one.section, one.status.value) for one in found] == [
        ("https://a.example/cited", "", "included"),
        ("https://a.example/better", "Comments", "found-in-research"),
        ("10.1000/own", "Footers", "found-in-research"),
        ("https://a.example/journal", "Headers", "found-in-research"),
    ]


def test_a_typed_reference_list_is_one_record_an_entry(tmp_path: Path) -> None:
    body = paragraph(run("Gates hold (Okoro 2020)."))
    body += paragraph(run("References"), style="Heading1")
    body += paragraph(run("[1] Okoro, A. (2020). Storm gates. J Harb, 12(3), 45–67. https://doi.org/10.1000/gates.1"))
    body += paragraph(run("[2] Marek, J. (2005). Fog over the harbour. J Harb, 4(2), 1–9."))
    found = records(read(document(body), tmp_path))
    assert [(named(one), one.title, one.published_date) for one in found] == [
        ("10.1000/gates.1", "Storm gates", "2020"),
        ("", "Fog over the harbour", "2005"),
    ]


def test_a_damaged_field_and_a_hostile_link_are_told_with_their_paragraph(tmp_path: Path) -> None:
    body = paragraph(field(' ADDIN ZOTERO_ITEM CSL_CITATION {"citationItems": [', "(?)"))
    body += paragraph(field('HYPERLINK "https://127.1/"', "here"), field('HYPERLINK "javascript:alert(1)"', "there"))
    items = read(document(body), tmp_path)
    assert records(items) == []
    assert [error.line for error in errors(items)] == [1, 2]


@pytest.mark.parametrize(
    ("xml", "says"),
    [
        ('<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>' + part("").partition("?>")[2], "document type"),
        ('<!DOCTYPE x SYSTEM "file:///etc/passwd">' + part("").partition("?>")[2], "document type"),
        (part("<w:p>" * 100_000), "broken"),
        (part(paragraph(run("x")))[:-20], "broken"),
        ("", "broken"),
    ],
    ids=["entities", "external", "depth", "cut", "empty"],
)  # fmt: skip
def test_hostile_xml_is_refused_with_its_part_and_reason(xml: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match=says):
        read(zipped({"[Content_Types].xml": "<Types/>", "word/document.xml": xml}), tmp_path)


def test_a_workbook_is_no_word_document() -> None:
    data = zipped({"[Content_Types].xml": "<Types/>", "xl/workbook.xml": "<workbook/>"})
    assert recognise(head_of(data, is_whole=True)) is None


@pytest.mark.parametrize(
    "piece",
    [
        paragraph(run("https://a.example/ ")),
        field("HYPERLINK", "x"),
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>',
        run("10.1000/x "),
        f'<w:hyperlink r:id="r1">{run("x")}</w:hyperlink>',
        paragraph(field(citation(item(1)), "(1)")),
        box("https://a.example/"),
    ],
    ids=["paragraphs", "fields", "open-fields", "identifiers", "links", "citations", "boxes"],
)
def test_long_documents_grow_linearly(piece: str, tmp_path: Path) -> None:
    path = tmp_path / "file"

    def work(text: str) -> None:
        path.write_bytes(document(text + "</w:p>"))
        list(format_of(path.read_bytes()).read(path))

    assert_linear(work, piece, 200_000, before="<w:p>")
