"""What one entry of a reference list says: authors, year, title, container, volume, pages, by the styles in use.

Styles: APA 7, Harvard, Chicago (notes and author-date), MLA 9, IEEE, Vancouver, and what economists and lawyers mix of
them. Where no style is clear nothing is guessed: the whole entry stands for the title.
"""

import re
from dataclasses import dataclass, replace

from sources.core.entries import Author
from sources.core.extraction.people import are_names, authors_in
from sources.core.extraction.wording import MAX_TITLE, plain

_LONGEST = 4_000
_YEAR = r"(?:1[5-9]|20)\d\d"
_DATE = rf"({_YEAR})[a-z]?(?:,? ?[A-Z][a-z]{{2,8}}\.?(?: \d{{1,2}})?(?:[–/-]\w{{1,9}})?)?"
# `Okoro, A. (2020, May 4). Title` and `Okoro, A. (2020): “Title”`; also (in press), (n.d.).
_IN_PARENTHESES = re.compile(
    rf"^(.{{2,1500}}?) ?\((?:{_DATE}|in press|forthcoming|n\.d\.)\)\s*[.,:]?\s*(.+)$", re.DOTALL
)
_YEAR_FIRST = re.compile(rf"^\((?:{_DATE}|n\.d\.)\)\s*[.,:]?\s*(.+)$", re.DOTALL)
_YEAR_BETWEEN = re.compile(rf"^(.{{2,1500}}?[.,]) ({_YEAR})[a-z]?\. (.+)$", re.DOTALL)
_QUOTED = re.compile(
    r"[“\"„«]([^“”\"„«»]{5,300}?)[,.?!]?[”\"»](?!\w)|(?<!\w)[‘'](?=[A-ZÀ-Þ0-9])([^“”\"]{8,200}?)[,.?!]?[’'](?!\w)"
)
_YEAR_AND_VOLUME = re.compile(rf"[. ]({_YEAR})[^;:]{{0,20}}[;:]")
_SURNAME = r"[\w'’-]+(?: [\w'’-]+){0,3}"
_VANCOUVER_NAMES = re.compile(
    rf"^((?:{_SURNAME} [A-ZÀ-Þ]{{1,3}}(?: Jr)?(?:, |(?=[.:])))+(?:et al)?)[.:] (.{{5,}})$", re.DOTALL
)
_EMPHASISED = re.compile(r"(?<![\w*_])([*_])(?![*_\s])([^*\n]{5,300}?)(?<!\s)\1(?![\w*_])")
_SENTENCE_END = re.compile(r"(?:[^\W\d_]{2}[)\]\"”’]?|\d[)\]])[.?!]\.?(?=\s+[A-ZÀ-Þ\"“(*_\d]|$)")
# `How many? A guide to counting deer. Publisher` is one title; a journal after `?` has capitals and few words.
_SUBTITLE = re.compile(r" [A-ZÀ-Þ][^.?!]{0,60}(?: [a-zà-ÿ]{2,30}){2}[^.?!]{0,200}[.?!] ")
_GOES_ON = re.compile(r" (?!in\b)[a-zà-ÿ]{2}")
_END_OF_NAMES = re.compile(r"(?:(?<=[^\W\d_]{2})\.|(?<=[A-ZÀ-Þ])\.|:) (?=[A-ZÀ-Þ\"“¿¡\d])")
# Where a style takes for the title what only follows one, the next style is tried.
_NO_TITLE = re.compile(
    rf"(?:[Ee]dited|[Tt]ranslated|[Ss]elected) by\b|[Tt]rans\b|[Pp]p?\b|and [A-Z]\b|{_YEAR}[a-z]?$|\d+ vols?\b"
)
_WORD = re.compile(r"[^\W\d_]{2}")
_INITIAL_AT_END = re.compile(r"(?:^|[\s.-])[A-ZÀ-Þ]\.$")
_FAMILY_FIRST = re.compile(r"^[^\s.]{2}.*, ?(?:[A-ZÀ-Þ]\.[ -]?)+$", re.DOTALL)
_LONE_LETTER = re.compile(r"(?<!\w)[A-ZÀ-Þ](?!\w)")
_PLACE = re.compile(r"[A-ZÀ-Þ][\w ,.-]{1,40}: ")
_ABBREVIATION = re.compile(r"\b(?:vs|St|Dr|Mr|Mrs|Ms|No|Vol|U\.S|ed|eds|cf|Inc|Corp|Ltd|Co)\.$")
_ANY_YEAR = re.compile(rf"(?<![\d/.–-])({_YEAR})[a-z]?(?![\d/–-])")
_VOLUME = re.compile(r"\b(\d{1,4})\s?\((\d{1,4}(?:[–/-]\d{1,4})?)\)")
_VOLUME_AHEAD = re.compile(r"\b(\d{1,4}), (?:no|issue)\. ?(\d{1,4})", re.IGNORECASE)
_VOLUME_WORD = re.compile(r"\bvol(?:ume)?\.? ?(\d{1,4})", re.IGNORECASE)
_ISSUE_WORD = re.compile(r"\b(?:no|issue|iss)\.? ?(\d{1,4})", re.IGNORECASE)
_PAGES = re.compile(r"(?:\bpp?\. ?|[:,] ?)([A-Za-z]?\d{1,6}\s?[–—-]+\s?[A-Za-z]?\d{1,6})(?![\d/])")
_LOCATOR = re.compile(
    r"(?:\b(?:retrieved|accessed|available|last accessed|abgerufen|consulté)\b[^:]{0,80}:?\s*)?"
    r"(?:\b(?:doi|url|arxiv|pmid|pmcid|isbn|issn|hdl)\b\s*[:.]?\s*|https?://|www\.|10\.\d{4,9}/)\S.*$",
    re.IGNORECASE | re.DOTALL,
)
_EDITION = re.compile(r"\s*\([^()]{0,60}\b(?:ed|eds|vol|rev)\b\.?[^()]{0,40}\)$", re.IGNORECASE)
_IMPRINT = re.compile(r"\s*\([A-ZÀ-Þ][^():]{1,60}: [^()]{2,100}\)$")
_STATUS = re.compile(r"\s*\[(?:[^\[\]]{3,60})\]\s*$")
_NUMBERS_AHEAD = re.compile(r"(?: \d{1,4})?,? \(?(?:[Vv]ol|[Nn]o)\.? ?\d|, \d{1,4}(?: ?\(|,)")
_END_OF_NAME = re.compile(rf"[,.;:(] ?(?:\d|{_YEAR}|pp?\.|[Ee]ds?\b)| \d{{1,4}} ?[(,:]|\. | \d+$")
_IN = re.compile(r"^\W*\b[Ii]n[:\s]\s*")
_REFERENCE_MARKS = re.compile(
    rf"\({_YEAR}[a-z]?[),]|\b\d{{1,4}}\s?\(\d{{1,4}}\)|\b[Vv]ol\. ?\d|\bpp?\. ?\d|\bno\. ?\d|{_YEAR};\s?\d|\b[Ee]t al\b"
    r"|\b(?:doi|pmid|isbn|arxiv)\b|10\.\d{4,9}/"
)
_OPENS_WITH_NAME = re.compile(
    r"[*_\"“]{0,2}(?:[A-ZÀ-Þ][\w'’.-]{0,40}(?: [A-ZÀ-Þ][\w'’-]*){0,3},? "
    r"(?:[A-ZÀ-Þ]\.|[A-ZÀ-Þ]{1,3}[,.]|[A-ZÀ-Þ][\w-]+[,.])|[A-ZÀ-Þ]\.[ -]?)"
)
_OPENS_WITH_DATE = re.compile(rf"[^.!?(]{{2,150}}\({_DATE}\)\s?[.:,]?\s[“\"'‘*_A-ZÀ-Þ]")


@dataclass(frozen=True, slots=True)
class Citation:
    """The parts of an entry; '' and () for what it does not tell clearly. `is_clear` is False where `title` is only the
    entry as it stands."""

    title: str
    authors: tuple[Author, ...] = ()
    published_date: str = ""
    container_title: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    is_clear: bool = True


def looks_like_reference(text: str) -> bool:
    """True where an entry has what only references have together: a year or identifier, beside a name, volume or pages.

    An address with a title beside it is a line of a list and none.
    """
    text = text[:_LONGEST]
    words = len(text.split())
    if words < 4 or words > 150:
        return False
    marks = len(_REFERENCE_MARKS.findall(text))
    dated = bool(_ANY_YEAR.search(_LOCATOR.sub("", text)))
    named = bool(_OPENS_WITH_NAME.match(text) or _OPENS_WITH_DATE.match(text))
    if not dated:
        return False
    sentences = words < 60 and text.rstrip().endswith((".", ")")) and text.count(". ") >= 2
    if marks >= 2 or (named and (marks >= 1 or sentences or bool(_QUOTED.search(text)))):
        return True
    told = read_citation(text) if words < 60 else None
    return told is not None and told.is_clear and bool(told.authors and told.published_date)


def read_citation(text: str) -> Citation:
    """The parts of one entry, without its number. Total and linear: at most its first 4,000 characters are read."""
    text = text[:_LONGEST].strip()
    emphasised = [plain(found[2]) for found in _EMPHASISED.finditer(text)]
    whole = plain(text)
    core = _LOCATOR.sub("", whole).strip(" ,;(<[") or whole
    for style in (_author_date, _quoted, _vancouver, _year_between, _emphasis, _sentences):
        found = style(core, emphasised)
        if found is not None and _WORD.search(found.title) and not _NO_TITLE.match(found.title):
            return _with_numbers(replace(found, title=_clean(found.title)), core)
    year = _years(core)
    return Citation(_shortened(core), (), year, is_clear=False)


def _author_date(text: str, emphasised: list[str]) -> Citation | None:
    found = _IN_PARENTHESES.match(text)
    if found and not _QUOTED.search(found[1]) and found[1].count(". ") < 40 and _VOLUME.search(found[1]) is None:
        title, container = _title_ahead(found[3])
        if title:
            return Citation(title, authors_in(found[1]), found[2] or "", container)
        return None
    first = _YEAR_FIRST.match(text)
    if first:
        title, container = _title_ahead(first[2])
        return Citation(title, (), first[1] or "", container) if title else None
    return None


def _quoted(text: str, emphasised: list[str]) -> Citation | None:
    found = _QUOTED.search(text)
    if not found:
        return None
    title = found[1] or found[2]
    before, after = text[: found.start()], text[found.end() :]
    if len(title.split()) < 2 or before.count(". ") > 8:
        return None
    authors = authors_in(re.sub(rf"\(?{_YEAR}[a-z]?\)?", "", before)) if before.strip(" ,.") else ()
    return Citation(title, authors, _years(after) or _years(before), _container(after))


def _vancouver(text: str, emphasised: list[str]) -> Citation | None:
    dated = _YEAR_AND_VOLUME.search(text)
    people, _, rest = text[: dated.start()].partition(". ") if dated else ("", "", "")
    parts = re.split(r"(?<=[.?!]) ", rest)
    if dated and len(parts) > 1 and len(parts[0]) > 4 and are_names(people):
        title = 2 if len(parts) > 2 and parts[0][-1] in "?!" else 1
        return Citation(" ".join(parts[:title]), authors_in(people), dated[1], " ".join(parts[title:]).strip(" ."))
    found = _VANCOUVER_NAMES.match(text)
    words, container = _title_ahead(found[2]) if found else ("", "")
    if not found or are_names(words):
        return None
    return Citation(words, authors_in(found[1]), _years(found[2][len(words) :]), container)


def _year_between(text: str, emphasised: list[str]) -> Citation | None:
    found = _YEAR_BETWEEN.match(text)
    if not found or not are_names(found[1]):
        return None
    title, container = _title_ahead(found[3])
    return Citation(title, authors_in(found[1]), found[2], container) if title else None


def _sentences(text: str, emphasised: list[str]) -> Citation | None:
    """`Authors. Title. Where it stands, year.` and `Authors: Title. …`: the first part that is made of names, then the
    sentence after it."""
    for found in _END_OF_NAMES.finditer(text, 0, 1_500):
        names, rest = text[: found.start() + 1].rstrip(":"), text[found.end() :]
        if not are_names(names):
            return None
        if _more_names(names, rest[:80].partition(". ")[0]) and not found[0].startswith(":"):
            continue
        if not _WORD.search(names):
            return None
        title, container = _title_ahead(rest)
        years = _years(text[found.end() + len(title) :]) or _years(names)
        if len(title.split()) < 2 or not years or are_names(title) or _PLACE.match(title):
            return None
        return Citation(title, authors_in(names), years, container)
    return None


def _more_names(names: str, following: str) -> bool:
    """True where `names` end in an initial that belongs to what follows: `Ada B. Okoro`, `A. Okoro and J. Marek`."""
    if not _INITIAL_AT_END.search(names) or not are_names(following):
        return False
    return not _FAMILY_FIRST.search(names) or bool(_LONE_LETTER.search(following))


def _emphasis(text: str, emphasised: list[str]) -> Citation | None:
    """`Okoro, Ada. *Title of a book*. Publisher, 2019.` A journal in italics comes after the title, so that then the
    sentence before it is the title."""
    if not emphasised:
        return None
    title = emphasised[0]
    place = text.find(title)
    if place < 0:
        return None
    before = text[:place].strip()
    sentences = [part for part in re.split(r"(?<=[^\W\d_]{2})\. ", before) if part.strip(" .")]
    if len(sentences) > 1 and len(sentences[-1].split()) >= 3:
        return Citation(sentences[-1], authors_in(". ".join(sentences[:-1])), _years(text[place:]), title)
    return Citation(title, authors_in(before), _years(text[place + len(title) :]) or _years(before))


def _title_ahead(text: str) -> tuple[str, str]:
    """The title with which `text` begins, and what it stands in."""
    quoted = _QUOTED.match(text)
    if quoted and not _GOES_ON.match(text, quoted.end()):
        return quoted[1] or quoted[2], _container(text[quoted.end() :])
    for found in _SENTENCE_END.finditer(text):
        if text[found.end() - 1] == "?" and _SUBTITLE.match(text, found.end()):
            continue
        if not _ABBREVIATION.search(text[max(0, found.end() - 12) : found.end()]):
            return text[: found.end()].strip(), _container(text[found.end() :])
    head = re.split(r", (?=[A-Z][^,]{2,80}, \d)", text, maxsplit=1)
    return head[0].strip(), _container(head[1]) if len(head) > 1 else ""


def _container(text: str) -> str:
    """The journal, book or publisher with which `text` begins, up to its volume, year or pages."""
    text = _IN.sub("", text.strip(" ,.;:"))
    end = _NUMBERS_AHEAD.search(text, 0, 150) or _END_OF_NAME.search(text)
    name = text[: end.start()] if end else text
    return name.strip(" ,.;:(")[:MAX_TITLE] if any(letter.isalpha() for letter in name) else ""


def _with_numbers(found: Citation, text: str) -> Citation:
    place = text.find(found.title[:40])
    rest = text[place + len(found.title) :] if place >= 0 else text
    volume = _VOLUME_AHEAD.search(rest) or _VOLUME.search(rest)
    pages = _PAGES.search(rest)
    word, issue = _VOLUME_WORD.search(rest), _ISSUE_WORD.search(rest)
    return replace(
        found,
        volume=volume[1] if volume and not re.fullmatch(_YEAR, volume[1]) else word[1] if word else "",
        issue=volume[2] if volume and not re.fullmatch(_YEAR, volume[2]) else issue[1] if issue else "",
        pages=re.sub(r"\s?[–—-]+\s?", "–", pages[1]) if pages else "",
    )


def _years(text: str) -> str:
    """The last year that stands alone: what a style puts at the end."""
    years = _ANY_YEAR.findall(text)
    return years[-1] if years else ""


def _clean(title: str) -> str:
    return _shortened(
        _EDITION.sub("", _IMPRINT.sub("", _STATUS.sub("", title.strip(" .")))).strip(' \t,;:*_"“”').rstrip(".")
    )


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MAX_TITLE else text[: MAX_TITLE - 1].rstrip() + "…"
