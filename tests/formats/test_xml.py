"""EndNote, PubMed, MODS, MARC, Word and Zotero RDF: XML of records."""

import pytest

from sources.formats.format import Unreadable
from tests.formats.files import failed, names, one, read, sources
from tests.growth import assert_linear

RECORD = (
    '<record><rec-number>7</rec-number><ref-type name="Journal Article">17</ref-type><contributors><authors><author>'
    '<style face="normal">Müller, Jörg</style></author></authors></contributors><titles><title><style>On </style>'
    '<style face="italic">Homo sapiens</style><style> in harbours</style></title><secondary-title>Journal'
    "</secondary-title></titles><dates><year><style>2019</style></year></dates><electronic-resource-num><style>"
    "https://doi.org/10.1234/a</style></electronic-resource-num><isbn>0378-5955 (print)</isbn><keywords><keyword>boats"
    "</keyword></keywords><notes>PMID: 123</notes><custom1>mine</custom1></record>\n"
)


def endnote(inner: str, prolog: str = '<?xml version="1.0" encoding="UTF-8"?>\n') -> str:
    return f"{prolog}<xml><records>{inner}</records></xml>"


def test_an_endnote_record_is_read_across_its_styles() -> None:
    record = one(endnote(RECORD), as_format="endnote_xml")
    assert record.title == "On Homo sapiens in harbours"
    assert [str(author) for author in record.authors] == ["Müller, Jörg"]
    assert names(record) == ["doi:10.1234/a", "pmid:123"]
    assert (record.kind, record.published_date, record.issn) == ("article-journal", "2019", "0378-5955")
    assert ("custom1", "mine") in record.details


@pytest.mark.parametrize(
    "content",
    [
        endnote(RECORD, "").encode("utf-8-sig"),
        endnote(RECORD, "").encode("utf-16"),
        endnote(RECORD, '<?xml version="1.0" encoding="ISO-8859-1"?>').encode("latin-1"),
        endnote(RECORD).encode("latin-1"),
        endnote(RECORD).replace("Homo", "Ho\x00mo").encode(),
    ],
)
def test_xml_in_any_encoding_is_read(content: bytes) -> None:
    assert one(content, as_format="endnote_xml").authors[0].family == "Müller"


@pytest.mark.parametrize(
    "declared",
    [
        '<!ENTITY a "x"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">',
        '<!ENTITY c SYSTEM "file:///etc/hostname">',
        '<!ENTITY % p SYSTEM "http://127.0.0.1:9/p.dtd">%p;',
    ],
)
def test_a_file_that_declares_entities_is_refused(declared: str) -> None:
    text = endnote(RECORD.replace("harbours", "&c;"), f'<?xml version="1.0"?>\n<!DOCTYPE xml [{declared}]>\n')
    with pytest.raises(Unreadable, match="DOCTYPE"):
        read(text, as_format="endnote_xml")


@pytest.mark.parametrize(
    "broken", ["<titles><title>B</titles>", "<titles><title>B & C</title></titles>", "<a" * 50, "<b>" * 1_000]
)
def test_xml_that_breaks_costs_at_most_the_broken_record(broken: str) -> None:
    items = read(endnote(f"{RECORD}<record>{broken}</record>\n{RECORD}"), as_format="endnote_xml")
    assert len(items) == 3
    assert [names(record) for record in (sources(items)[0], sources(items)[-1])] == [["doi:10.1234/a", "pmid:123"]] * 2


def test_nesting_without_end_is_an_error_with_its_line() -> None:
    items = read(endnote(f"{RECORD}<record>{'<style>' * 100_000}</record>"), as_format="endnote_xml")
    assert failed(items)[0].line == 3
    assert "depth" in failed(items)[0].message


def test_a_file_that_is_cut_off_is_read_up_to_there() -> None:
    items = read(endnote(RECORD + RECORD)[:-400], as_format="endnote_xml")
    assert sources(items)[0].title == "On Homo sapiens in harbours"
    assert len(items) == 2


@pytest.mark.parametrize("text", ["<xml><records><!-- never closed", "<xml><records><a></records></xml>"])
def test_xml_that_breaks_before_any_record_is_refused(text: str) -> None:
    with pytest.raises(Unreadable, match="Export it anew"):
        read(text, as_format="endnote_xml")


def test_a_record_in_a_comment_is_no_entry() -> None:
    assert len(read(endnote(f"<!-- {RECORD} -->{RECORD}"), as_format="endnote_xml")) == 1


PUBMED = """<?xml version="1.0"?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle//EN" "http://127.0.0.1:9/pubmed.dtd">
<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>123</PMID><Article><Journal><ISSN>0378-5955</ISSN><JournalIssue>
<Volume>3</Volume><PubDate><Year>2019</Year><Month>Mar</Month><Day>4</Day></PubDate></JournalIssue><Title>Journal</Title>
</Journal><ArticleTitle>On <i>Homo</i> in harbours.</ArticleTitle><ELocationID EIdType="doi">10.1234/a</ELocationID>
<AuthorList><Author><LastName>Carberry</LastName><ForeName>Josiah</ForeName>
<Identifier Source="ORCID">https://orcid.org/0000-0002-1825-0097</Identifier></Author>
<Author><CollectiveName>Harbour Group</CollectiveName></Author></AuthorList>
<PublicationTypeList><PublicationType>Retracted Publication</PublicationType></PublicationTypeList></Article>
<CommentsCorrectionsList><CommentsCorrections RefType="RetractionIn">
<RefSource>Journal. 2020;4:5</RefSource><PMID>456</PMID>
</CommentsCorrections></CommentsCorrectionsList></MedlineCitation></PubmedArticle></PubmedArticleSet>"""


def test_a_pubmed_article_is_read_with_its_retraction() -> None:
    record = one(PUBMED, as_format="pubmed_xml")
    assert record.title == "On Homo in harbours."
    assert names(record) == ["doi:10.1234/a", "pmid:123"]
    assert [str(author) for author in record.authors] == ["Carberry, Josiah", "Harbour Group"]
    assert record.authors[0].orcid == "0000-0002-1825-0097"
    assert (record.published_date, record.retracted) == ("2019-03-04", True)
    assert record.retraction_note == "Journal. 2020;4:5 PMID: 456"


def test_a_mods_collection_is_read() -> None:
    text = """<modsCollection xmlns="http://www.loc.gov/mods/v3"><mods ID="m1"><titleInfo>
    <nonSort>The</nonSort><title>Harbour
    </title><subTitle>a study</subTitle></titleInfo><name type="personal"><namePart type="family">Müller</namePart>
    <namePart type="given">Jörg</namePart></name><name type="corporate"><namePart>Harbour Group</namePart></name>
    <originInfo><dateIssued>c2011</dateIssued><publisher>House</publisher><issuance>monographic</issuance></originInfo>
    <identifier type="isbn">978-3-16-148410-0</identifier><identifier type="doi">10.1234/a</identifier></mods>
    <mods><titleInfo><title>B</title></titleInfo><relatedItem type="host"><titleInfo><title>Journal</title></titleInfo>
    <identifier type="doi">10.1234/whole</identifier><part><detail type="volume"><number>3</number></detail></part>
    </relatedItem></mods></modsCollection>"""
    whole, part = sources(read(text, as_format="mods"))
    assert whole.title == "The Harbour: a study"
    assert [str(author) for author in whole.authors] == ["Müller, Jörg", "Harbour Group"]
    assert names(whole) == ["doi:10.1234/a", "isbn:9783161484100"]
    assert (whole.kind, whole.published_date) == ("book", "2011")
    assert (part.container_title, part.volume, part.identities) == ("Journal", "3", ())


def test_a_marc_record_is_read_alone_and_in_an_answer() -> None:
    record = (
        '<record><controlfield tag="001">x1</controlfield><datafield tag="020"><subfield code="a">9783161484100 (pbk)'
        '</subfield></datafield><datafield tag="100"><subfield code="a">Müller, Jörg.</subfield></datafield><datafield '
        'tag="245"><subfield code="a">Harbours :</subfield><subfield code="b">a study /</subfield></datafield>'
        '<datafield tag="264"><subfield code="b">House,</subfield><subfield code="c">[2019]</subfield></datafield>'
        "</record>"
    )
    answer = (
        '<z:searchRetrieveResponse xmlns:z="urn:z"><z:records><z:record><z:recordData>'
        f"{record}</z:recordData></z:record></z:records></z:searchRetrieveResponse>"
    )
    for text in (record, f"<collection>{record}</collection>", answer):
        told = one(text, as_format="marc_xml")
        assert (told.title, told.publisher, told.published_date) == ("Harbours: a study", "House", "2019")
        assert names(told) == ["isbn:9783161484100"]


def test_an_answer_in_pica_is_refused_with_the_way_out() -> None:
    text = "<searchRetrieveResponse><records><recordSchema>picaxml</recordSchema></records></searchRetrieveResponse>"
    with pytest.raises(Unreadable, match="marcxml"):
        read(text, as_format="marc_xml")


def test_words_own_list_of_sources_is_read() -> None:
    text = """<b:Sources xmlns:b="http://schemas.openxmlformats.org/officeDocument/2006/bibliography"><b:Source><b:Tag>k1</b:Tag>
    <b:SourceType>Book</b:SourceType><b:Title>Harbours</b:Title><b:Year>2019</b:Year><b:Author><b:Author><b:NameList><b:Person>
    <b:Last>Müller</b:Last><b:First>Jörg</b:First></b:Person></b:NameList></b:Author></b:Author>
    <b:StandardNumber>978-3-16-148410-0</b:StandardNumber><b:URL>https://a.example/1</b:URL></b:Source></b:Sources>"""
    record = one(text, as_format="word_sources")
    assert (record.ref, record.title, str(record.authors[0])) == ("k1", "Harbours", "Müller, Jörg")
    assert names(record) == ["isbn:9783161484100", "url:https://a.example/1"]


def rdf(inner: str, prolog: str = "") -> str:
    spaces = (
        'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:z="http://www.zotero.org/namespaces/export#" '
        'xmlns:bib="http://purl.org/net/biblio#" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:dcterms="http://purl.org/dc/terms/" xmlns:foaf="http://xmlns.com/foaf/0.1/" '
        'xmlns:prism="http://prismstandard.org/namespaces/1.2/basic/"'
    )
    return f"{prolog}<rdf:RDF {spaces}>\n{inner}\n</rdf:RDF>"


ARTICLE = """<bib:Article rdf:about="#item_1"><z:itemType>journalArticle</z:itemType><dcterms:isPartOf><bib:Journal>
<dc:title>Journal</dc:title><prism:volume>3</prism:volume><dc:identifier>DOI 10.1234/A</dc:identifier>
<dc:identifier>ISSN 0378-5955</dc:identifier></bib:Journal></dcterms:isPartOf><bib:authors><rdf:Seq>
<rdf:li><foaf:Person>
<foaf:surname>Müller</foaf:surname><foaf:givenName>Jörg</foaf:givenName></foaf:Person></rdf:li></rdf:Seq></bib:authors>
<dc:title>Harbours</dc:title><dc:date>2019-03-04</dc:date><dc:subject>boats</dc:subject>
<dc:description>PMID: 123</dc:description><dc:identifier><dcterms:URI><rdf:value>https://a.example/1</rdf:value></dcterms:URI>
</dc:identifier></bib:Article>
<z:Attachment rdf:about="#item_2"><z:itemType>attachment</z:itemType></z:Attachment>
<bib:Book rdf:about="urn:isbn:978-3-16-148410-0"><z:itemType>book</z:itemType><dc:title>Boats</dc:title></bib:Book>"""


def test_zotero_rdf_finds_the_identifiers_on_the_journal() -> None:
    article, book = sources(read(rdf(ARTICLE), as_format="zotero_rdf"))
    assert names(article) == ["doi:10.1234/a", "pmid:123", "url:https://a.example/1"]
    assert (article.title, article.container_title, article.volume, article.issn) == (
        "Harbours",
        "Journal",
        "3",
        "0378-5955",
    )
    assert str(article.authors[0]) == "Müller, Jörg"
    assert (article.line, article.tags) == (2, ("boats",))
    assert names(book) == ["isbn:9783161484100"]


def test_the_doi_of_a_journal_that_two_items_share_is_given_to_neither() -> None:
    item = (
        '<bib:Article rdf:about="#i{n}"><z:itemType>journalArticle</z:itemType><dc:title>T{n}</dc:title>{part}'
        "</bib:Article>"
    )
    part = '<dcterms:isPartOf rdf:resource="#j"/>'
    journal = '<bib:Journal rdf:about="#j"><dc:identifier>DOI 10.1234/a</dc:identifier></bib:Journal>'
    text = rdf(item.format(n=1, part=part) + item.format(n=2, part=part) + journal)
    for record in sources(read(text, as_format="zotero_rdf")):
        assert record.identities == ()
        assert "share" in record.warnings[0]


@pytest.mark.parametrize(
    "text",
    [
        rdf(ARTICLE, '<!DOCTYPE rdf:RDF [<!ENTITY a "x">]>'),
        rdf(ARTICLE, '<!DOCTYPE rdf:RDF [<!ENTITY a SYSTEM "file:///etc/hostname">]>'),
        rdf("<z:a>" * 100_000),
        rdf(ARTICLE)[:-60],
    ],
)
def test_rdf_that_is_broken_or_declares_entities_is_refused(text: str) -> None:
    with pytest.raises(Unreadable, match="ine "):
        read(text, as_format="zotero_rdf")


@pytest.mark.parametrize(
    "piece", ["<record>", "<style>", "<!--", "<record><titles><title>a</titles></record>\n", "&x;"]
)
def test_hostile_xml_takes_linear_time(piece: str) -> None:
    assert_linear(lambda text: read(text, as_format="endnote_xml"), piece, 40_000, before=f"<xml><records>{RECORD}")


@pytest.mark.parametrize("piece", [".", " ", "/ ", ":;", "a. ", "(", "[20", ", "])
def test_a_hostile_field_of_a_catalogue_takes_linear_time(piece: str) -> None:
    places = [("100", "a"), ("245", "a"), ("245", "b"), ("264", "b"), ("264", "c"), ("650", "a"), ("773", "g")]

    def work(text: str) -> None:
        told = "".join(
            f'<datafield tag="{tag}"><subfield code="{code}">a{text}b</subfield></datafield>' for tag, code in places
        )
        read(f'<record><controlfield tag="001">x1</controlfield>{told}</record>', as_format="marc_xml")

    assert_linear(work, piece, 40_000)
