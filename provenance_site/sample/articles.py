"""The articles as data: `pages/<publisher>.txt`, records of `name: value` lines, an empty line, paragraphs."""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

PAGES = Path(__file__).parent / "pages"


class Kind(StrEnum):
    """How a publisher shows an article; plain where nothing is said."""

    PLAIN = "plain"
    SLOW = "slow"
    COLD = "cold"
    LATIN1 = "latin1"
    HIDDEN_OFFER = "hidden-offer"
    THIN = "thin"
    SHELL = "shell"
    PAYWALL = "paywall"
    SUBSCRIBERS = "subscribers"
    REFUSED = "refused"
    CHALLENGE = "challenge"
    HANG_UP = "hang-up"

    @property
    def is_in_search(self) -> bool:
        """True for what a search engine has seen: readable pages, and a reputable publisher's that lets robots in."""
        return self in _INDEXED


_INDEXED = {Kind.PLAIN, Kind.SLOW, Kind.COLD, Kind.LATIN1, Kind.HIDDEN_OFFER, Kind.SUBSCRIBERS, Kind.REFUSED}


@dataclass(frozen=True, slots=True)
class Article:
    """One article. `date` is `YYYY-MM-DD`; `authors` are separated by `; `; `table` holds rows of cells or nothing."""

    host: str
    path: str
    title: str
    authors: str
    date: str
    kind: Kind
    doi: str
    table: tuple[tuple[str, ...], ...]
    paragraphs: tuple[str, ...]

    @property
    def text(self) -> str:
        """All words a reader would see."""
        return " ".join((self.title, *self.paragraphs))


@lru_cache(maxsize=1)
def articles() -> tuple[Article, ...]:
    """All articles of all publishers, in the order of the files."""
    return tuple(
        _article(f"{file.stem}.sample.localhost", record)
        for file in sorted(PAGES.glob("*.txt"))
        for record in file.read_text(encoding="utf-8").split("\n----\n")
    )


def article_at(host: str, path: str) -> Article | None:
    """The article that lives at `path` of `host`, None where there is none."""
    return _by_address().get((host, path))


@lru_cache(maxsize=1)
def _by_address() -> dict[tuple[str, str], Article]:
    return {(article.host, article.path): article for article in articles()}


def _article(host: str, record: str) -> Article:
    head, _, text = record.strip().partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    rows = fields.get("table", "")
    return Article(
        host=host,
        path=fields["path"],
        title=fields["title"],
        authors=fields["author"],
        date=fields["date"],
        kind=Kind(fields.get("kind", "plain")),
        doi=fields.get("doi", ""),
        table=tuple(tuple(row.split(",")) for row in rows.split("|")) if rows else (),
        paragraphs=tuple(text.split("\n\n")),
    )
