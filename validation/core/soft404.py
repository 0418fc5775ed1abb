"""Pages that say «not here» with a status that says «here»: not-found texts, redirects away, parked domains."""

import re
from urllib.parse import urlsplit

from sources.core.findings import Cause, Verdict
from validation.core.archives import HOSTS as ARCHIVE_HOSTS
from validation.core.archives import archived_url
from validation.core.facts import MarkOf
from validation.core.phrases import phrase_book
from validation.core.reading import PageText
from validation.core.rulings import Ruling, clipped, quoted
from validation.core.statements import Statement, heads, statements

# How much main text a page may have and still be a not-found page, by the place where it says so. A title says it
# for the whole page; a line in the middle may be anything. Articles about errors are longer than all of these.
_LIMITS = {"title": 200, "part": 110, "h1": 150, "heading": 100, "line": 60}
_SAID_LIMIT = 100
_FULL_LIMIT = 500  # teasers and «most read» lists under a not-found message; no article bears such a title
_FULLEST_LIMIT = 2_000
_PARKED_LIMIT = 200
_LONGEST_HEADING = 14  # words
_ROOT_FILES = re.compile(r"(?:index|default|home|main)(?:\.\w{2,5})?", re.IGNORECASE)
_LOCALE = re.compile(r"[a-z]{2}(?:[-_][a-z]{2,4})?|int|intl|global|www|home", re.IGNORECASE)
_ERROR_SEGMENT = re.compile(
    r"(?:error|err|fehler|erreur|errore|erro)?[-_]?(?:404|410|40[03])(?:[-_]?(?:error|page|not[-_]?found))?"
    r"|(?:page|file|document)[-_]?missing|(?:(?:page|file|document|seite|p[aá]gina)[-_]?)?(?:not[-_]?found|introuvable|nicht[-_]?gefunden|no[-_]?encontrada)"
    r"|errors?|error[-_]?pages?|page[-_]?error|oops|fehler(?:seite)?|erreur|page[-_]?unavailable|no[-_]?longer[-_]?available",
    re.IGNORECASE,
)
_EXTENSION = re.compile(r"\.(?:html?|php\d?|aspx?|jsp|jsf|do|cfm|shtml|xhtml)$", re.IGNORECASE)
# Addresses that only pass on: landing on a front page may be just what the short link stands for.
_SHORTENERS = frozenset(
    {
        "bit.ly",
        "t.co",
        "tinyurl.com",
        "goo.gl",
        "ow.ly",
        "buff.ly",
        "lnkd.in",
        "is.gd",
        "rb.gy",
        "cutt.ly",
        "amzn.to",
        "w.wiki",
    }
)
# The second is the sample site's own agency, which exists on loopback only.
_DOI_RESOLVERS = frozenset({"doi.org", "dx.doi.org", "doi.sample.localhost"})
_FOR_SALE_HOSTS = frozenset({"hugedomains.com", "dan.com", "sedo.com", "afternic.com", "sedoparking.com", "bodis.com"})


def missing_in_statement(one: Statement, text: PageText, excuse: str) -> Ruling | None:
    """A ruling where a title or heading says that the work is not there; `excuse` is the folded claimed title."""
    words, not_found = text.word_count, phrase_book().not_found
    if words > _LIMITS[one.place]:
        return None
    said = heads(not_found, one, words, _LIMITS)
    if one.code in {404, 410} and (said or not one.bare):
        phrase = str(one.code)
    elif said:
        phrase = one.bare or one.folded
    elif one.folded.count(" ") < _LONGEST_HEADING:
        phrase = phrase_book().says_missing(one.folded)
    else:
        phrase = ""
    if not phrase or phrase in excuse:
        return None
    return Ruling(Verdict.SOFT_404_GRACEFUL, Cause.SAYS_GONE, f"not-found-in-{one.place}", one.text, quoted(one.text))


def missing_on_full_page(text: PageText, excuse: str) -> Ruling | None:
    """A ruling where a page with much text says in its own name that the work is not there; the text is then teasers.

    Only whole phrases count («Page not found», not a heading that begins so). The more text there is, the more places
    must say it: title or h1 up to `_FULL_LIMIT` words, title and a heading or line up to `_FULLEST_LIMIT`.
    """
    words = text.word_count
    if words > _FULLEST_LIMIT:
        return None
    said: dict[str, Statement] = {}
    for one in statements(text):
        if one.place not in {"title", "part"} and "title" not in said and words > _FULL_LIMIT:
            return None  # most pages end here, after their title
        if one.place in {"heading", "line"} and not said:
            return None
        if one.place != "part" and one.place not in said and _is_missing(one) and not _is_excused(one, excuse):
            said[one.place] = one
    first = said.get("title") or said.get("h1")
    if first is None or (words > _FULL_LIMIT and len(said) < 2):
        return None
    return Ruling(
        Verdict.SOFT_404_GRACEFUL, Cause.SAYS_GONE, f"not-found-in-{first.place}", first.text, quoted(first.text)
    )


def _is_missing(one: Statement) -> bool:
    """True where a statement says nothing but that a page is not there: in several words, or with the code beside."""
    if not one.bare:
        return one.code in {404, 410} and (one.place in {"title", "h1"} or len(one.folded.split()) > 1)
    telling = " " in one.bare or one.code in {404, 410}
    return telling and phrase_book().not_found.is_whole(one.folded, one.bare)


def _is_excused(one: Statement, excuse: str) -> bool:
    return (one.bare or str(one.code)) in excuse


def missing_in_sentence(sentence: str, folded: str, text: PageText, excuse: str) -> Ruling | None:
    """The same for a sentence of a page with little text."""
    if text.word_count > _SAID_LIMIT:
        return None
    phrase = phrase_book().not_found.said_in(folded) or phrase_book().says_missing(folded)
    if not phrase or phrase in excuse:
        return None
    return Ruling(Verdict.SOFT_404_GRACEFUL, Cause.SAYS_GONE, "not-found-in-text", sentence, quoted(sentence))


def error_in_statement(one: Statement, text: PageText, excuse: str) -> Ruling | None:
    """A ruling where a title or heading reports a fault of the server; that says nothing of the work."""
    if text.word_count > _LIMITS[one.place] or (one.bare and one.bare in excuse):
        return None
    is_code = one.code is not None and not one.bare
    if is_code or heads(phrase_book().groups["server_error"], one, text.word_count, _LIMITS):
        return Ruling(Verdict.FETCH_FAILED, Cause.SERVER_ERROR, f"server-error-in-{one.place}", one.text)
    return None


def error_in_sentence(sentence: str, folded: str, text: PageText, excuse: str) -> Ruling | None:
    """The same for a sentence of a page with little text."""
    phrase = phrase_book().groups["server_error"].said_in(folded) if text.word_count <= _SAID_LIMIT else ""
    if not phrase or phrase in excuse:
        return None
    return Ruling(Verdict.FETCH_FAILED, Cause.SERVER_ERROR, "server-error-in-text", sentence)


def parked_by_source(text: PageText, mark_of: MarkOf, final_url: str) -> Ruling | None:
    """A ruling where a domain dealer's host or script shows that the domain is parked: never the work."""
    host = _host(final_url)
    if any(host == name or host.endswith(f".{name}") for name in _FOR_SALE_HOSTS):
        return _parked("for-sale-host", host)
    if text.prose_words >= _SAID_LIMIT:
        return None
    mark = mark_of("parked")
    return _parked("parking-service", mark) if mark else None


def parked_in_statement(one: Statement, text: PageText, excuse: str) -> Ruling | None:
    """A ruling where a title or heading offers the domain for sale."""
    if text.word_count > _PARKED_LIMIT or one.place == "line" or (one.bare and one.bare in excuse):
        return None
    group = phrase_book().groups["parked"]
    said = group.is_whole(one.folded, one.bare) or group.begins(one.bare)
    return _parked(f"parked-in-{one.place}", one.text) if said else None


def parked_in_sentence(sentence: str, folded: str, text: PageText, excuse: str) -> Ruling | None:
    """The same for a sentence of a page with little text."""
    phrase = phrase_book().groups["parked"].said_in(folded) if text.word_count <= _PARKED_LIMIT else ""
    return _parked("parked-in-text", sentence) if phrase and phrase not in excuse else None


def _parked(rule: str, text: str) -> Ruling:
    return Ruling(Verdict.TITLE_SWAPPED, Cause.PARKED, rule, text)


def sent_away(requested_url: str, final_url: str) -> Ruling | None:
    """A ruling where redirects led from the cited page to the site's front page or to an error page, by URLs alone."""
    # Between captures the captured addresses count: the archive's own paths are all deep.
    requested_url, final_url = archived_url(requested_url) or requested_url, archived_url(final_url) or final_url
    if requested_url == final_url:
        return None
    asked, came = _path(requested_url), _path(final_url)
    if _error_segment(final_url) and not _error_segment(requested_url):
        return Ruling(
            Verdict.SOFT_404_GRACEFUL, Cause.REDIRECT_TO_ERROR, "redirect-to-error", final_url, clipped(final_url)
        )
    if _is_root(came) and not _is_root(asked) and _host(requested_url) not in _SHORTENERS:
        return Ruling(
            Verdict.SOFT_404_GRACEFUL, Cause.REDIRECT_TO_ROOT, "redirect-to-root", final_url, clipped(final_url)
        )
    return None


def unregistered_doi(final_url: str, status: int) -> bool:
    """True where the DOI resolver itself answers 404: it knows no such DOI (DOI handbook, 3.8)."""
    return status == 404 and _host(final_url) in _DOI_RESOLVERS


def passes_on(url: str) -> bool:
    """True for hosts that hold no pages of their own: DOI resolvers, short links, web archives."""
    host = _host(url)
    return host in _SHORTENERS or host in _DOI_RESOLVERS or host in ARCHIVE_HOSTS


def is_root_url(url: str) -> bool:
    """True where `url` is a site's front page: no path, an index file, or only a language («/en-gb/»)."""
    return _is_root(_path(url))


def _is_root(path: list[str]) -> bool:
    return len(path) <= 2 and all(_LOCALE.fullmatch(part) or _ROOT_FILES.fullmatch(part) for part in path)


def _error_segment(url: str) -> str:
    parts = _path(url)
    for part in (*parts[-2:], *parts[:1]):
        if _ERROR_SEGMENT.fullmatch(_EXTENSION.sub("", part)):
            return part
    query = _split(url)[2].lower()
    return "query" if "aspxerrorpath=" in query or "error=404" in query or "errorcode=404" in query else ""


def _path(url: str) -> list[str]:
    _, path, query = _split(url)
    parts = [part for part in path.split("/") if part]
    # `/?p=17` names a page although its path is the root's.
    return parts if parts or not re.search(r"(?:^|&)(?:p|page_id|id|q|doi|article|story|post)=", query) else ["?"]


def _host(url: str) -> str:
    return _split(url)[0].removeprefix("www.")


def _split(url: str) -> tuple[str, str, str]:
    try:
        parts = urlsplit(url)
        return (parts.hostname or "").lower(), parts.path, parts.query
    except ValueError:
        return "", "", ""
