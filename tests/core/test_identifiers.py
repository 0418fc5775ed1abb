"""Identifiers in every spelling that is met, and the ones that cannot exist."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.identifiers import BadIdentifier, UnusableUrl, identify, identity_of_url, normal_doi
from sources.core.kinds import IdentifierType
from sources.core.records import Identity

SICI = "10.1002/(sici)1097-4571(199806)49:8<693::aid-asi4>3.0.co;2-o"


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("http://dx.doi.org/10.1002/(SICI)1097-4571(199806)49:8%3C693::AID-ASI4%3E3.0.CO;2-O", "doi", SICI),
        ("10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O", "doi", SICI),
        ("doi:10.1002/(SICI)1097-4571(199806)49:8&lt;693::AID-ASI4&gt;3.0.CO;2-O", "doi", SICI),
        ("https://onlinelibrary.wiley.com/doi/abs/10.1029/2019AV000130?af=R", "doi", "10.1029/2019av000130"),
        ("https://arxiv.org/pdf/2604.03173v2.pdf", "arxiv", "2604.03173"),
        ("arXiv:2604.03173v2", "arxiv", "2604.03173"),
        ("https://doi.org/10.48550/arXiv.2604.03173", "arxiv", "2604.03173"),
        ("https://www.arxiv.org/abs/math.GT/0309136v1", "arxiv", "math/0309136"),
        ("arXiv:hep-th/9901001", "arxiv", "hep-th/9901001"),
        ("https://export.arxiv.org/html/1706.03762", "arxiv", "1706.03762"),
        ("ISBN 0-306-40615-2", "isbn", "9780306406157"),
        ("9780306406157", "isbn", "9780306406157"),
        ("978-0-306-40615-7", "isbn", "9780306406157"),
        ("isbn: 080442957x", "isbn", "9780804429573"),
        ("https://hdl.handle.net/10037/12345", "handle", "10037/12345"),
        ("hdl:10037/12345", "handle", "10037/12345"),
        ("hdl:10.1000/182", "doi", "10.1000/182"),
        ("10.1000/182.", "doi", "10.1000/182"),
        ("https://www.doi.org/10.1000/182?utm_source=x", "doi", "10.1000/182"),
        ("DOI 10.1000/182)", "doi", "10.1000/182"),
        ("doi: https://doi.org/10.1000/ABC", "doi", "10.1000/abc"),
        ("doi.org/10.1000/182", "doi", "10.1000/182"),
        ("urn:doi:10.1000/182", "doi", "10.1000/182"),
        ("info:doi/10.1000/182", "doi", "10.1000/182"),
        ("10.1000%2F182", "doi", "10.1000/182"),
        ("10.1000.10/ab(c)", "doi", "10.1000.10/ab(c)"),
        ("isbn10.1000/182", "doi", "10.1000/182"),
        ("ISBN-10: 10.1000/182", "doi", "10.1000/182"),
        ("pmid10.1000/182", "doi", "10.1000/182"),
        ("arXiv:10.48550/arXiv.2604.03173", "arxiv", "2604.03173"),
        ("PMID: 0012345", "pmid", "12345"),
        ("https://pubmed.ncbi.nlm.nih.gov/12345/", "pmid", "12345"),
        ("https://www.ncbi.nlm.nih.gov/pubmed/12345", "pmid", "12345"),
        ("eISSN 03785955", "issn", "0378-5955"),
        ("ISSN 2434-561X", "issn", "2434-561X"),
        ("urn:issn:0378-5955", "issn", "0378-5955"),
        ("URN:NBN:de:101:1-201512", "urn", "urn:nbn:de:101:1-201512"),
        ("www.example.org/a", "url", "https://example.org/a"),
        ("example.org/a", "url", "https://example.org/a"),
        ("<https://example.org/a>", "url", "https://example.org/a"),
    ],
)
def test_every_spelling_has_one_normal_form(text: str, kind: str, value: str) -> None:
    identity = identify(text)
    assert (identity.type, identity.value) == (kind, value)


@pytest.mark.parametrize(
    ("address", "doi"),
    [
        ("https://link.springer.com/article/10.1007/s00134-020-05991-x#Sec1", "10.1007/s00134-020-05991-x"),
        ("https://link.springer.com/content/pdf/10.1007/s00134-020-05991-x.pdf", "10.1007/s00134-020-05991-x"),
        ("https://www.frontiersin.org/articles/10.3389/fpsyg.2020.00001/full", "10.3389/fpsyg.2020.00001"),
        ("https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0000001", "10.1371/journal.pone.0000001"),
        ("https://www.biorxiv.org/content/10.1101/2020.01.01.123456v2.full.pdf", "10.1101/2020.01.01.123456"),
        ("https://www.emerald.com/insight/content/doi/10.1108/JX-01-2020-0001/full/html", "10.1108/jx-01-2020-0001"),
        ("https://agupubs.onlinelibrary.wiley.com/doi/epdf/10.1029/2019AV000130", "10.1029/2019av000130"),
        ("https://iopscience.iop.org/article/10.1088/1748-9326/ab0c95/meta", "10.1088/1748-9326/ab0c95"),
    ],
)
def test_a_publishers_page_joins_its_doi_and_keeps_its_own_address(address: str, doi: str) -> None:
    identity = identity_of_url(address)
    assert (identity.type, identity.value) == (IdentifierType.DOI, doi)
    assert identity.request_url == address.partition("#")[0]
    assert identity.link == f"https://doi.org/{doi}"


@pytest.mark.parametrize(
    "address",
    [
        "https://metrics.example.com/details/doi/10.1000/182",
        "https://dl.acm.org/doi/10.5555/3292500",
        "https://pubs.acs.org/doi/suppl/10.1021/abc.0c00001/suppl_file/x.pdf",
        "https://doi.org/10.12/abc",
        "https://doi.org/",
        "https://doi.org/10.xxxx",
        "https://arxiv.org/abs/2613.99999",
        "https://arxiv.org/list/cs/new",
        "https://pubmed.ncbi.nlm.nih.gov/?term=harbour",
        "https://hdl.handle.net/",
        "https://notarxiv.org/abs/1706.03762",
    ],
)
def test_a_page_that_is_not_the_work_itself_stands_for_itself(address: str) -> None:
    assert identity_of_url(address).type is IdentifierType.URL


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("10.12/abc", "four to nine digits"),
        ("doi:abc", "not a DOI"),
        ("arXiv:2613.99999", "no arXiv id"),
        ("arXiv:2600.12345", "no arXiv id"),
        ("arXiv:1706.0376", "no arXiv id"),
        ("arXiv:0612.0001", "no arXiv id"),
        ("arXiv:hep-th/0813001", "no arXiv id"),
        ("arXiv:hello", "not an arXiv id"),
        ("ISBN 0-306-40615-3", "check digit"),
        ("ISBN 123", "not an ISBN"),
        ("9780306406158", "check digit"),
        ("ISSN 0378-5954", "check digit"),
        ("ISSN 12", "not an ISSN"),
        ("PMID: many", "not a PubMed id"),
        ("hdl:nothing", "not a handle"),
        ("12345", "only a number"),
        ("2604.03173", "arXiv:"),
        ("0378-5955", "only a number"),
        ("me@example.org", "e-mail"),
        ("", "nothing here"),
        ("not a source", "no web address"),
        ("x" * 5_000, "5,000 characters"),
    ],
)
def test_an_impossible_identifier_says_what_is_wrong_and_what_to_do(text: str, says: str) -> None:
    with pytest.raises(BadIdentifier, match=says) as refused:
        identify(text)
    assert str(refused.value).endswith(".")
    assert len(str(refused.value)) < 300


def test_another_scheme_is_an_unusable_address() -> None:
    for text in ("javascript:alert(1)", "file:///etc/hosts", "ftp://example.org/x", "C:\\x.pdf"):
        with pytest.raises(UnusableUrl):
            identify(text)


@pytest.mark.parametrize(
    ("text", "fetched", "link"),
    [
        ("10.1000/A<b>#c", "https://doi.org/10.1000/a%3Cb%3E%23c", "https://doi.org/10.1000/a%3Cb%3E%23c"),
        ("arXiv:2604.03173v2", "https://arxiv.org/abs/2604.03173v2", "https://arxiv.org/abs/2604.03173"),
        ("PMID:12345", "https://pubmed.ncbi.nlm.nih.gov/12345/", "https://pubmed.ncbi.nlm.nih.gov/12345/"),
        ("hdl:10037/12345", "https://hdl.handle.net/10037/12345", "https://hdl.handle.net/10037/12345"),
        ("ISBN 9780306406157", "", ""),
        ("ISSN 0378-5955", "", ""),
        ("urn:nbn:de:101:1-201512", "", ""),
        ("http://www.example.org/a/?b&a#x", "http://www.example.org/a/?b&a", "https://example.org/a?a&b"),
        ("http://www.example.org:8010/a/", "http://www.example.org:8010/a/", "http://example.org:8010/a"),
        ("https://example.org:8443/a", "https://example.org:8443/a", "https://example.org:8443/a"),
        ("http://[2001:db8::1]:8010/a", "http://[2001:db8::1]:8010/a", "http://[2001:db8::1]:8010/a"),
    ],
)
def test_an_identity_knows_what_to_fetch_and_what_to_show(text: str, fetched: str, link: str) -> None:
    identity = identify(text)
    assert identity.request_url == fetched
    assert identity.link == link


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("https://www.Example.org:8010/a", "example.org"),
        ("https://[2001:db8::1]:8010/a", "[2001:db8::1]"),
        ("10.1000/182", "doi.org"),
        ("ISBN 9780306406157", ""),
    ],
)
def test_an_identity_knows_its_host(text: str, host: str) -> None:
    assert identify(text).host == host


def test_a_key_is_the_hash_of_type_and_value() -> None:
    key = identify("doi:10.1000/182").key
    assert key == identify("https://doi.org/10.1000/182").key == identify("10.1000/182").key
    assert key == "1365c7772c1131f970323a892ec9a9ddcec35024735c8ab375df7fb16d0bc019"
    assert key != identify("hdl:10000/182").key
    assert Identity(IdentifierType.NONE, "", "").key == ""


@given(st.text(alphabet="abcXYZ019.-_;()/:<>%&é", min_size=1, max_size=20))
@settings(max_examples=60, deadline=None)
def test_the_address_of_a_doi_leads_back_to_it(suffix: str) -> None:
    try:
        identity = identify(f"10.1000/x{suffix}")
    except BadIdentifier:
        return
    again = identity_of_url(identity.link)
    assert (again.type, again.value) == (identity.type, identity.value)
    assert again.key == identity.key


@given(st.integers(min_value=0, max_value=999_999_999))
@settings(max_examples=60, deadline=None)
def test_both_lengths_of_an_isbn_are_one_book(core: int) -> None:
    digits = f"{core:09d}"
    check = -sum((10 - at) * int(digit) for at, digit in enumerate(digits)) % 11
    short = f"ISBN {digits}{'X' if check == 10 else check}"
    long = identify(short).value
    assert len(long) == 13
    assert identify(f"ISBN {long}").value == long


@given(st.text(max_size=40))
@settings(max_examples=60, deadline=None)
def test_any_token_is_identified_or_refused(text: str) -> None:
    try:
        identity = identify(text)
    except (BadIdentifier, UnusableUrl):
        return
    assert identity.value
    assert len(identity.key) == 64


def test_a_doi_is_lower_case_in_ascii_only() -> None:
    assert normal_doi("10.1000/ÀB") == "10.1000/Àb"
