"""What stands around a reference: the sentence that uses it, and the title that the text gives it."""

import re

from sources.core.extraction.targets import unescaped

MAX_TITLE = 300
MAX_CONTEXT = 300
_WINDOW = 320
# A paragraph of over 50,000 characters is a machine's; there a narrow look keeps 100,000 links in one line affordable.
_NARROW_WINDOW = 100
_LONG_TEXT = 50_000

_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+[\"'][^\"']*[\"'])?\)")
_LABELLED = re.compile(r"!?\[([^\[\]]*)\]\[[^\[\]]{0,40}\]")
_MARKERS = re.compile(r"\s*\[(?:\^?[\w-]{1,20}|\d[\d\s,;^–-]{0,40})\](?!\()")
_EMPHASIS = re.compile(r"(?<!\\)(?:\*{1,3}|`+|~~|(?<!\w)_{1,3}|_{1,3}(?!\w))")
_TAG = re.compile(r"</?[A-Za-z][\w-]*(?:\s[^<>]{0,400})?/?>")
_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]*:[^\s<>]+)>")
_BLANKS = re.compile(r"\s*\n[>\s]*|\s+")

_BOUNDARY = re.compile(r"[.!?…][\"”’)\]*]*\s+|[。！？]|\n\s*(?:[-*+•]|\d{1,4}[.)])\s+")
_SENTENCE_END = re.compile(r"[.!?…][\"”’)\]*]*(?=\s|$)|[。！？]|\n\s*(?:[-*+•]|\d{1,4}[.)])\s")
_SENTENCE_MARKS = (".", "!", "?", "…", "。", "！", "？")
_NUMBER_OF_ITEM = re.compile(r"(?:^|\n)[ \t>]*\d{1,4}\.$")
_MARKER = re.compile(r"\[(?:\^?[\w-]{1,20}|\d[\d\s,;^–-]{0,40})\]")
_CITATION_AT_END = re.compile(r"\[[^\[\]]{1,80}\](?:\[[^\[\]]{1,20}\]|\([^()\s]{1,150}\)?)?$")
_FOLLOWS = re.compile(r"[ \t)\].,;*_\"”’]*(?:\[[^\[\]]{1,20}\][ \t)\].,;]*)*[^\s\[]")

_BULLET = re.compile(
    r"\s*(?:(?:[-*+•‣·–—>]|\(?\d{1,4}[.)\]]|\[\^?[\w-]{1,12}\]:?|#{1,6})\s+|\[\d{1,4}\]:?\s*|\[[ xX]\]\s+)*"
)
_FIELD = re.compile(r"^(?:title|url|link|source|website|web|doi|available|online|ref|reference)\s*:\s*", re.IGNORECASE)
_FIELD_AT_END = re.compile(
    r"(?:^|[\s,;.(\[])(?:url|link|source|doi|isbn(?:-?1[03])?|issn|pmc?id|arxiv|website"
    r"|available(?: at| from| online)?)\s*:?\s*$",
    re.IGNORECASE,
)
_ACCESSED = re.compile(
    # From the first sign of a run only: a long one would be tried from each of its signs.
    r"(?<![\s,;.(\[|–—-])[\s,;.(\[|–—-]*\b"
    r"(?:accessed|retrieved|available (?:at|from|online)|last (?:accessed|visited)|abgerufen|consulté)\b.*$",
    re.IGNORECASE | re.DOTALL,
)
_QUOTED = re.compile(r"[\"“«„]([^\"“”«»„]{5,300})[\"”»“]")
_BIBLIOGRAPHIC = re.compile(
    r"\b[A-Z]\.[^()]{0,100}\((?:19|20)\d{2}[a-z]?\)|\b[Ee]t al\b"
    r"|\b(?:[Vv]ol|pp|[Nn]o)\.\s*\d|\b\d+\s*\(\d+\)\s*[:,]"
)
_LEADS_ON = re.compile(
    r"\b(?:at|see|via|from|on|in|by|to|and|or|of|the|a|is|are|here|with|for|as|per|visit|read)[\s:,(]*$", re.IGNORECASE
)
_ADDRESS_LIKE = re.compile(
    r"(?:https?://|www\.)\S*|[\w-]+(?:\.[\w-]+)+(?:/\S*)?|(?:doi:?\s*)?10\.\d{4,9}/.*", re.IGNORECASE
)
_NO_TITLES = re.compile(
    r"(?:click |read |see |link )?"
    r"(?:see also|see|cf|i found(?: this)?"
    r"|undefined|untitled|null|article|doi|download|here|html|link|more|online|page|paper|pdf|ref|reference|report|sites?|sources?|study|this|url|web|website)",
    re.IGNORECASE,
)
# Behind an address: words in lower case that are no part of what a list says of a source.
_GOES_ON = re.compile(
    r"[)\]>\"”]{0,4}\s+(?!(?:by|from|accessed|retrieved|last|via|in|on|p|pp|vol|no|doi|abgerufen|consulté)\b"
    r"|(?:and|or)\s+\S{0,50}[:./])[a-zß-ÿ]"
)
_OUTER = " \t\r\n\"'“”„«»‘’*_`~|,;:–—-•·"
_MOST_WORDS = 30


def plain(text: str) -> str:
    """Markdown as a person reads it: links are their text, marks and markers are gone, blanks are single."""
    if "<" in text:
        text = _TAG.sub(" ", _AUTOLINK.sub(_first, text))
    if "[" in text:
        if "](" in text:
            text = _LINK.sub(_first, text)
            text = _LINK.sub(_first, text) if "](" in text else text
        text = _MARKERS.sub("", _LABELLED.sub(_first, text) if "][" in text else text)
    return unescaped(_BLANKS.sub(" ", _EMPHASIS.sub("", text))).strip()


def sentence_around(text: str, start: int, end: int) -> str:
    """The sentence that holds `start` to `end`; for a marker, or a link in parentheses, that follows a full stop, the
    sentence before it.

    At most 300 characters, cut around the place. Looks at most 320 characters far, so that many places stay linear.
    """
    window = _WINDOW if len(text) <= _LONG_TEXT else _NARROW_WINDOW
    before, after = text[max(0, start - window) : start], text[end : end + window]
    ended = _without_markers_at_end(before)
    if _closes_a_sentence(ended) and (
        "(" in before[len(ended) :] or _MARKER.fullmatch(text, start, end) or not _FOLLOWS.match(after)
    ):
        begin = _last_boundary(ended[:-1])
        sentence = plain(without_bullet(ended[begin:]))
        return sentence if len(sentence) <= MAX_CONTEXT else "…" + sentence[1 - MAX_CONTEXT :]
    begin = _last_boundary(before)
    stop = _SENTENCE_END.search(after)
    tail = after[: stop.end() if stop and not stop[0].startswith("\n") else stop.start() if stop else len(after)]
    head = without_bullet(before[begin:])
    whole = plain(f"{head}{text[start : min(end, start + window)]}{tail}")
    if len(whole) <= MAX_CONTEXT:
        return whole
    skip = max(0, min(len(plain(head)) - MAX_CONTEXT // 2, len(whole) - MAX_CONTEXT))
    return ("…" if skip else "") + whole[skip + bool(skip) :][: MAX_CONTEXT - 1 - bool(skip)].rstrip() + "…"


def title_of_link(text: str) -> str:
    """The title that a link's text gives; '' for an address, a number, a marker, or a word such as `here`."""
    if "oaicite" in text or text.startswith("oai_citation"):
        return ""
    return _title(plain(text))


def title_beside(before: str, after: str) -> str:
    """The title in a line of a list or bibliography, from the text before its address, else from the text after it.

    '' where that text is no title: a whole citation with year and authors (its quoted part is taken), an over-long
    sentence, or words that only lead on to the address (`see also at`).
    """
    return _title_in(_before(before)) or _title_in(_ACCESSED.sub("", plain(after)))


def goes_on(after: str) -> bool:
    """True where the words behind an address end the sentence that it stands in: `… shows that tides rise.`"""
    return bool(_GOES_ON.match(after)) and after.rstrip(' \t"”)').endswith(_SENTENCE_MARKS)


def title_before_access(before: str) -> str:
    """The title in `1. Title, accessed 3 May 2025,`: all of it, however long, since the form itself says so."""
    return _title(_before(before))


def without_bullet(line: str) -> str:
    """A list's line without its bullet, number or quote mark."""
    found = _BULLET.match(line)
    return line[found.end() :] if found else line


def _before(text: str) -> str:
    text = plain(without_bullet(text).rstrip(" \t([<"))
    return _FIELD_AT_END.sub("", _ACCESSED.sub("", text)).rstrip(" ([<")


def _title_in(text: str) -> str:
    quoted = _QUOTED.search(text)
    if quoted and len(quoted[1].split()) > 1:
        return _title(quoted[1])
    if _BIBLIOGRAPHIC.search(text) or len(text.split()) > _MOST_WORDS or _LEADS_ON.search(text):
        return ""
    return _title(_FIELD.sub("", text.strip(_OUTER)))


def _title(text: str) -> str:
    title = re.sub(r"\+\d+$", "", text.strip(_OUTER)).strip(_OUTER).rstrip(" .…")
    if title.startswith("(") and title.endswith(")"):
        title = title[1:-1].strip(_OUTER)
    letters = sum(char.isalpha() for char in title[:100])
    if letters < 2 or _NO_TITLES.fullmatch(title) or _ADDRESS_LIKE.fullmatch(title):
        return ""
    return title if len(title) <= MAX_TITLE else title[: MAX_TITLE - 1].rstrip() + "…"


def _first(found: re.Match[str]) -> str:
    return found[1]


def _closes_a_sentence(text: str) -> bool:
    return text.endswith(_SENTENCE_MARKS) and not _NUMBER_OF_ITEM.search(text, max(0, len(text) - 20))


def _without_markers_at_end(text: str) -> str:
    while True:
        text = text.rstrip(' \t\n([*_"”’),;')
        marker = _CITATION_AT_END.search(text, max(0, len(text) - 200))
        if not marker:
            return text
        text = text[: marker.start()]


def _last_boundary(text: str) -> int:
    last = 0
    for boundary in _BOUNDARY.finditer(text):
        last = boundary.end()
    return last
