"""Identifiers of works in one normal form each: DOI, arXiv, PMID, ISBN, ISSN, Handle, URN, and URLs that carry one.

Rules: DOI Handbook 2 (case-insensitive in ASCII), arXiv identifier scheme (1991, 2007, 2015), ISO 2108 and ISO 3297
check digits, RFC 3650 handles, RFC 8141 URNs.
"""

import re
from html import unescape
from urllib.parse import unquote

from sources.core.endings import without_sentence_end
from sources.core.kinds import IdentifierType
from sources.core.publisher_dois import doi_in_address
from sources.core.records import Identity
from sources.core.resolvers import resolver_address
from sources.core.urls import UnusableUrl, WebAddress, parse_request

__all__ = ["NOTHING_NAMED", "BadIdentifier", "UnusableUrl", "identify", "identity_of_url", "normal_doi"]

_DOI = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)*/\S+", re.ASCII)
_DOI_PREFIX = re.compile(r"(?:info:|urn:)?doi(?:\s*[:=/]\s*|\s+|(?=10\.))", re.IGNORECASE)
# A DOI behind the name of another identifier, glued to it or not: `isbn10.1234/x`, `PMID: 10.1234/x`.
_MISNAMED_DOI = re.compile(
    r"(?:e?isbn(?:-?1[03])?|[ep]?-?issn|pmc?id|arxiv|url)[\s:=]{0,3}(?=10\.[0-9]{4,9}(?:\.[0-9]+)*(?:/|%2f))",
    re.IGNORECASE | re.ASCII,
)
_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
_ARXIV_NEW = re.compile(r"([0-9]{2})([0-9]{2})\.([0-9]{4,5})(v[0-9]{1,3})?", re.ASCII)
_ARXIV_OLD = re.compile(
    r"([a-z]+(?:-[a-z]+)?)(?:\.[A-Za-z-]{2,})?/([0-9]{2})([0-9]{2})([0-9]{3})(v[0-9]{1,3})?", re.ASCII
)
_ARXIV_PREFIX = re.compile(r"arxiv\s*[:\s]\s*", re.IGNORECASE)
_ARXIV_PATH = re.compile(r"/(?:abs|pdf|html|format|e-print)/(.+?)(?:\.pdf)?/?", re.IGNORECASE)
_PMID = re.compile(r"0*([1-9][0-9]{0,7})", re.ASCII)
_PMID_PREFIX = re.compile(r"pmid\s*:?\s*", re.IGNORECASE)
_PUBMED_PATH = re.compile(r"/(?:pubmed/)?([0-9]{1,8})/?", re.ASCII)
_ISBN_PREFIX = re.compile(r"(?:urn:)?isbn(?:-?1[03])?\s*[:=]?\s*", re.IGNORECASE)
_BARE_ISBN = re.compile(r"97[89](?:[- ]?[0-9]){10}|[0-9]{1,5}-[0-9]+-[0-9]+-[0-9Xx]", re.ASCII)
_ISSN_PREFIX = re.compile(r"(?:urn:)?[ep]?-?issn(?:-l)?\s*[:=]?\s*", re.IGNORECASE)
_ISSN = re.compile(r"([0-9]{4})[-–]?([0-9]{3}[0-9Xx])", re.ASCII)
_HANDLE_PREFIX = re.compile(r"(?:info:)?hdl[:/]\s*", re.IGNORECASE)
_HANDLE = re.compile(r"[0-9A-Za-z_-]+(?:\.[0-9A-Za-z_-]+)*/\S+", re.ASCII)
_URN = re.compile(r"urn:([a-z0-9][a-z0-9-]{0,30}[a-z0-9]):([^\s?#]+)", re.IGNORECASE | re.ASCII)
_BARE_HOST = re.compile(
    r"(?:[a-z0-9_-]+\.)+[a-z]{2,24}(?::[0-9]{1,5})?/\S*|www\.[^\s/@]+\.[^\s@]+", re.IGNORECASE | re.ASCII
)
_OTHER_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?://|\\|\S+$)", re.IGNORECASE | re.ASCII)
_MAIL = re.compile(r"[^\s/@]+@[^\s/@]+\.[^\s/@]+")
_WRAPPING = ' \t\r\n\u00a0\u200b\u2060\ufeff<>"“”«»`'
_LONGEST = 2_000
NOTHING_NAMED = (
    "There is no web address (https://…) and no identifier (DOI, arXiv, PMID, ISBN) here. Add one, or delete this."
)


class BadIdentifier(ValueError):
    """The text is no identifier of a work, or an impossible one; the message says why and what to do."""


def identify(text: str) -> Identity:
    """The identity that one token names: a URL, or an identifier with or without its prefix.

    Bare are taken: DOIs (`10.…/…`), 13-digit ISBNs and hyphenated ISBNs with a right check digit, and addresses without
    `https://` that cannot be anything else (`www.…`, `host.tld/path`). A bare arXiv number, PMID or ISSN could be any
    number: those need their prefix. Raises UnusableUrl for addresses, BadIdentifier for all else.
    """
    token = text.strip(_WRAPPING)
    lowered = token[:12].lower()
    if lowered.startswith(("http:", "https:")):
        return identity_of_url(token)
    if len(token) > _LONGEST:
        raise BadIdentifier(f"This is {len(token):,} characters long and no web address. Put one source on a line.")
    for prefix, read in _READERS:
        found = prefix.match(token)
        if found:
            return read(token[found.end() :].strip())
    return _without_prefix(token)


def identity_of_url(url: str) -> Identity:
    """The identity of an address. An address of a DOI, arXiv, PubMed or handle resolver, or of a publisher that writes
    the DOI into its addresses, has the identity of that identifier; any other is its own canonical URL.

    `request_url` is the user's address made legal, in every case. An impossible identifier inside makes no error: the
    address then stands for itself, so that a check can say what is wrong with it. Raises UnusableUrl.
    """
    address = parse_request(url)
    kind, value = _carried(address)
    return Identity(kind, value or address.canonical, address.request)


def normal_doi(text: str) -> str:
    """A DOI in normal form: no prefix, escapes and HTML entities decoded once, no punctuation after it, lower case.

    The prefix may be that of another identifier. Raises BadIdentifier where no DOI can be meant (registrants have four
    to nine digits).
    """
    prefix = _DOI_PREFIX.match(text.strip()) or _MISNAMED_DOI.match(text.strip())
    bare = text.strip()[prefix.end() :] if prefix else text.strip()
    return _doi(_unescaped(bare))


def _doi(bare: str) -> str:
    if "&" in bare:
        bare = re.sub(r"&(?:lt|gt|amp);", lambda found: unescape(found[0]), bare)
    bare = without_sentence_end(re.split(r"[?#](?=[A-Za-z_]+=)", bare, maxsplit=1)[0], also="/")
    if not _DOI.fullmatch(bare) or len(bare) > _LONGEST or not bare.isprintable():
        raise BadIdentifier(f"“{_shown(bare)}” is not a DOI. A DOI reads 10., four to nine digits, a slash and a name.")
    return bare.translate(_ASCII_LOWER)


def _carried(address: WebAddress) -> tuple[IdentifierType, str]:
    host, path = address.host.removeprefix("www."), address.path
    try:
        if host in ("doi.org", "dx.doi.org"):
            return _doi_or_arxiv(normal_doi(path[1:]))
        if host in ("arxiv.org", "export.arxiv.org") and (found := _ARXIV_PATH.fullmatch(path)):
            return IdentifierType.ARXIV, _arxiv(_unescaped(found[1]))[0]
        if host == "hdl.handle.net" and path.count("/") > 1:
            return _handle_or_doi(_unescaped(path[1:]))
        if host == "pubmed.ncbi.nlm.nih.gov" or (host == "ncbi.nlm.nih.gov" and path.startswith("/pubmed/")):
            found = _PUBMED_PATH.fullmatch(path)
            return (IdentifierType.PMID, _pmid(found[1])) if found else (IdentifierType.URL, "")
        doi = doi_in_address(host, path, address.query or "")
        return _doi_or_arxiv(_doi(doi)) if doi else (IdentifierType.URL, "")
    except BadIdentifier:
        return IdentifierType.URL, ""


def _doi_or_arxiv(doi: str) -> tuple[IdentifierType, str]:
    if doi.startswith("10.48550/arxiv."):
        try:
            return IdentifierType.ARXIV, _arxiv(doi.removeprefix("10.48550/arxiv."))[0]
        except BadIdentifier:
            return IdentifierType.DOI, doi
    return IdentifierType.DOI, doi


def _handle_or_doi(handle: str) -> tuple[IdentifierType, str]:
    if _DOI.fullmatch(handle):
        return _doi_or_arxiv(_doi(handle))
    if not _HANDLE.fullmatch(handle) or not handle.isprintable():
        raise BadIdentifier(f"“{_shown(handle)}” is not a handle. A handle reads prefix/name, such as hdl:10037/12345.")
    return IdentifierType.HANDLE, handle


def _arxiv(text: str) -> tuple[str, str]:
    """The id without version and class, and the version (`v2`, '' where none is given)."""
    new, old = _ARXIV_NEW.fullmatch(text), _ARXIV_OLD.fullmatch(text)
    if new:
        month, number, version = new[1] + new[2], new[3], new[4]
        possible = 1 <= int(new[2]) <= 12 and month >= "0704" and (len(number) == 5) == (month >= "1501")
        name = f"{month}.{number}"
    elif old:
        month, version = old[2] + old[3], old[5]
        possible = 1 <= int(old[3]) <= 12 and (old[2] >= "91" or month <= "0703")
        name = f"{old[1]}/{month}{old[4]}"
    else:
        raise BadIdentifier(
            f"“{_shown(text)}” is not an arXiv id. Write it like arXiv:2604.03173 or arXiv:math/0309136."
        )
    if not possible:
        raise BadIdentifier(f"There can be no arXiv id “{_shown(text)}”: it begins with year and month. Correct it.")
    return name, version or ""


def _pmid(text: str) -> str:
    found = _PMID.fullmatch(text)
    if not found:
        raise BadIdentifier(f"“{_shown(text)}” is not a PubMed id. Write one to eight digits, such as PMID:12345678.")
    return found[1]


def _isbn(text: str) -> str:
    digits = re.sub(r"[\s–-]", "", text).upper()
    if not re.fullmatch(r"[0-9]{9}[0-9X]|97[89][0-9]{10}", digits, re.ASCII):
        raise BadIdentifier(
            f"“{_shown(text)}” is not an ISBN. An ISBN has 10 digits, or 13 that begin with 978 or 979."
        )
    if len(digits) == 10:
        weighed = sum((10 - at) * (10 if digit == "X" else int(digit)) for at, digit in enumerate(digits))
        right, core = weighed % 11 == 0, "978" + digits[:9]
    else:
        right, core = digits[12] == _isbn13_check(digits[:12]), digits[:12]
    if not right:
        raise BadIdentifier(
            f"The check digit of ISBN {_shown(text)} does not fit. Compare it with the book and correct it."
        )
    return core + _isbn13_check(core)


def _isbn13_check(core: str) -> str:
    return str(-sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(core)) % 10)


def _issn(text: str) -> str:
    found = _ISSN.fullmatch(text)
    if not found:
        raise BadIdentifier(f"“{_shown(text)}” is not an ISSN. An ISSN has eight digits, such as ISSN 0378-5955.")
    digits = (found[1] + found[2]).upper()
    weighed = sum((8 - at) * (10 if digit == "X" else int(digit)) for at, digit in enumerate(digits))
    if weighed % 11:
        raise BadIdentifier(
            f"The check digit of ISSN {_shown(text)} does not fit. Compare it with the journal and correct it."
        )
    return f"{digits[:4]}-{digits[4:]}"


def _read_doi(text: str) -> Identity:
    if text.lower().startswith(("http://", "https://")):
        return identity_of_url(text)
    kind, value = _doi_or_arxiv(normal_doi(text))
    return Identity(kind, value, resolver_address(kind, value))


def _read_arxiv(text: str) -> Identity:
    value, version = _arxiv(without_sentence_end(text))
    return Identity(IdentifierType.ARXIV, value, resolver_address(IdentifierType.ARXIV, value + version))


def _read_pmid(text: str) -> Identity:
    value = _pmid(without_sentence_end(text))
    return Identity(IdentifierType.PMID, value, resolver_address(IdentifierType.PMID, value))


def _read_handle(text: str) -> Identity:
    kind, value = _handle_or_doi(without_sentence_end(text))
    return Identity(kind, value, resolver_address(kind, value))


def _read_isbn(text: str) -> Identity:
    return Identity(IdentifierType.ISBN, _isbn(without_sentence_end(text)), "")


def _read_issn(text: str) -> Identity:
    return Identity(IdentifierType.ISSN, _issn(without_sentence_end(text)), "")


_READERS = (
    (_MISNAMED_DOI, _read_doi),
    (_ISBN_PREFIX, _read_isbn),
    (_ISSN_PREFIX, _read_issn),
    (_DOI_PREFIX, _read_doi),
    (re.compile(r"(?=10\.[0-9]+(?:\.[0-9]+)*(?:/|%2f))", re.IGNORECASE), _read_doi),
    (_ARXIV_PREFIX, _read_arxiv),
    (_PMID_PREFIX, _read_pmid),
    (_HANDLE_PREFIX, _read_handle),
)


def _without_prefix(token: str) -> Identity:
    urn = _URN.match(token)
    if urn:
        return Identity(IdentifierType.URN, f"urn:{urn[1].lower()}:{without_sentence_end(urn[2])}", "")
    if _BARE_ISBN.fullmatch(token):
        return _read_isbn(token)
    if _BARE_HOST.fullmatch(token):
        return identity_of_url("https://" + token)
    if token.startswith("//"):
        return identity_of_url("https:" + token)
    if not token:
        raise BadIdentifier("There is nothing here. Give a web address (https://…) or an identifier such as a DOI.")
    if token.replace("-", "").replace(" ", "").replace(".", "").isdecimal():
        raise BadIdentifier(
            f"“{_shown(token)}” is only a number. Say what it is: DOI, arXiv:, PMID:, ISBN or ISSN in front of it."
        )
    if _MAIL.fullmatch(token):
        raise BadIdentifier("This is an e-mail address, not a source. Delete it, or give a page's https:// address.")
    if _OTHER_SCHEME.match(token):
        return identity_of_url(token)
    raise BadIdentifier(NOTHING_NAMED)


def _unescaped(text: str) -> str:
    """Percent escapes decoded once; text that does not decode to UTF-8 stays as it is."""
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return text


def _shown(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"
