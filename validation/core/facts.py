"""What the rules ask of one answer: a page that was just read, or what was stored of one long ago.

Everything a rule may look at stands here, so that a stored reading can be judged like the page it was made from.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from validation.core.fetching import Page
from validation.core.phrases import phrase_book
from validation.core.reading import PageText, read_page

MARKS = ("challenge", "widget", "parked")
_MARK_REACH = 300_000  # bytes of the source that are searched for marks of walls

MarkOf = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Facts:
    """One answer as the rules see it; fields as in `fetching.Page`, with what was read instead of the body.

    `is_blank`: there was no byte but white space. `mark_of` gives the first mark of a kind (`MARKS`) in the page's
    source, '' where there is none; it searches only when asked, since few pages are ever asked.
    """

    requested_url: str
    final_url: str
    status: int
    headers: Mapping[str, str]
    text: PageText = field(repr=False)
    byte_count: int
    is_blank: bool
    mark_of: MarkOf = field(repr=False, compare=False)
    truncated: bool = False
    retry_after_s: int | None = None


def facts_of(page: Page) -> Facts:
    """What the rules see of `page`. Reading is the whole cost: no rule looks at the body itself."""
    body = page.body
    return Facts(
        requested_url=page.requested_url,
        final_url=page.final_url,
        status=page.status,
        headers=page.headers,
        text=read_page(page),
        byte_count=len(body),
        is_blank=not body[:_MARK_REACH].strip() and not body.strip(),
        mark_of=lambda kind: _first_mark(kind, body),
        truncated=page.truncated,
        retry_after_s=page.retry_after_s,
    )


def _first_mark(kind: str, body: bytes) -> str:
    """Marks of walls stand in the head of a page, a widget's in any case; a dealer's stand anywhere."""
    match kind:
        case "widget":
            body = body[:_MARK_REACH].lower()
        case "challenge":
            body = body[:_MARK_REACH]
    return next((mark.decode() for mark in phrase_book().marks[kind] if mark in body), "")
