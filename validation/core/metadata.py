"""What a page says of itself beside its text: titles, publisher and date, whether it is free, where it sends on."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_MAX_TITLE = 1_000
_MAX_NODES = 2_000
_SLOWEST_REFRESH_S = 10.0
_REFRESH = re.compile(
    r"""^\s*(\d{1,6}(?:\.\d{0,6})?)\s*[;,]?\s*(?:url\s*=\s*)?['"]?\s*([^'"]{0,4000})""", re.IGNORECASE
)
_NOT_FREE = re.compile(r'"isAccessibleForFree"\s{0,9}:\s{0,9}"?false', re.IGNORECASE)
_FREE = re.compile(r'"isAccessibleForFree"\s{0,9}:\s{0,9}"?true', re.IGNORECASE)
_HEADLINE = re.compile(r'"headline"\s{0,9}:\s{0,9}"((?:[^"\\]|\\.){1,600})"')
_PUBLISHERS = (
    "citation_journal_title",
    "citation_publisher",
    "prism.publicationname",
    "dc.publisher",
    "dcterms.publisher",
)
_DATES = (
    "citation_publication_date", "citation_date", "dc.date.issued", "dcterms.issued", "dc.date", "dcterms.date",
    "article:published_time", "datepublished",
)  # fmt: skip
_WORKS = ("article", "posting", "report", "book", "dataset", "thesis", "chapter", "creativework", "review", "recipe")


@dataclass(frozen=True, slots=True)
class Title:
    """One title of a page and where it stands (`citation_title`, `og:title`, `headline`, `title`, `h1` …)."""

    source: str
    text: str


@dataclass(frozen=True, slots=True)
class Metadata:
    """The metadata that bears on a verdict, and what a citation says of publisher and date, as the page writes it; ''
    and None where the page says nothing."""

    named: Mapping[str, str]
    headline: str = ""
    site_name: str = ""
    publisher: str = ""
    published: str = ""
    free: bool | None = None
    content_tier: str = ""

    @classmethod
    def of(cls, metadata: Sequence[Mapping[str, str]], json_ld: Sequence[str]) -> "Metadata":
        """The metadata of a page from its `<meta>` attributes and JSON-LD texts; the first of a name counts."""
        named: dict[str, str] = {}
        for attributes in metadata:
            name = attributes.get("property") or attributes.get("name") or attributes.get("itemprop") or ""
            content = " ".join(attributes.get("content", "").split())
            if name and content:
                named.setdefault(name.strip().lower(), content)
        linked = _linked_data(json_ld)
        said = named.get("isaccessibleforfree", "").lower()
        return cls(
            named=named,
            headline=linked.headline,
            site_name=named.get("og:site_name") or named.get("application-name", ""),
            publisher=_first(named, _PUBLISHERS) or linked.publisher or named.get("og:site_name", ""),
            published=_first(named, _DATES) or linked.published,
            free=linked.free if linked.free is not None else {"false": False, "true": True}.get(said),
            content_tier=(named.get("article:content_tier") or named.get("content_tier", "")).lower(),
        )


def metadata_titles(meta: Metadata, *, document_title: str, headings: Sequence[str]) -> tuple[Title, ...]:
    """The titles of a page, most believed first, each text once. Scholarly tags are made for citing: they lead."""
    candidates = [
        ("citation_title", meta.named.get("citation_title", "")),
        ("dc.title", meta.named.get("dc.title", "") or meta.named.get("dcterms.title", "")),
        ("og:title", meta.named.get("og:title", "")),
        ("headline", meta.headline),
        ("twitter:title", meta.named.get("twitter:title", "")),
        ("title", document_title),
        *(("h1", text) for text in headings[:4]),
    ]
    seen: set[str] = set()
    titles = []
    for source, text in candidates:
        plain = " ".join(text.split())[:_MAX_TITLE]
        if plain and (plain not in seen or source == "title"):
            seen.add(plain)
            titles.append(Title(source, plain))
    return tuple(titles)


def refresh_target(metadata: Sequence[Mapping[str, str]]) -> str | None:
    """The target of the first `http-equiv=refresh` that acts within 10 seconds, None where there is none."""
    for attributes in metadata:
        if attributes.get("http-equiv", "").strip().lower() != "refresh":
            continue
        found = _REFRESH.match(attributes.get("content", ""))
        if found and float(found.group(1)) <= _SLOWEST_REFRESH_S and found.group(2).strip():
            return found.group(2).strip()
    return None


@dataclass(frozen=True, slots=True)
class _Linked:
    """What JSON-LD tells."""

    headline: str
    free: bool | None
    publisher: str
    published: str


def _first(named: Mapping[str, str], names: Sequence[str]) -> str:
    return next((named[name] for name in names if name in named), "")


def _linked_data(texts: Sequence[str]) -> _Linked:
    """What stands nearest the root counts. One «not free» outweighs any «free»."""
    headline, free, publisher, published = "", None, "", ""
    for text in texts:
        try:
            tree = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            # Broken JSON-LD is common (raw line breaks, stray commas); the two facts are still in plain sight.
            found = _HEADLINE.search(text)
            headline = headline or (found.group(1).replace('\\"', '"') if found else "")
            free = False if _NOT_FREE.search(text) else (free if free is not None else _FREE.search(text) and True)
            continue
        for node in _nodes(tree):
            value = node.get("isAccessibleForFree")
            if value is not None:
                is_free = str(value).strip().lower() not in {"false", "0", "no"}
                free = is_free if free is None else free and is_free
            headline = headline or _headline(node)
            publisher = publisher or _name(node.get("publisher"))
            published = published or _name(node.get("datePublished"))
    return _Linked(_as_text(headline), free, _as_text(publisher), _as_text(published))


def _as_text(told: str) -> str:
    """JSON can spell what is no text: NUL, halves of surrogate pairs."""
    return told.replace("\x00", " ").encode("utf-8", errors="replace").decode()


def _name(value: object) -> str:
    if isinstance(value, dict):
        value = value.get("name")
    return " ".join(value.split()) if isinstance(value, str) else ""


def _headline(node: Mapping[str, object]) -> str:
    headline = node.get("headline")
    if isinstance(headline, str):
        return headline
    kinds, name = str(node.get("@type", "")).lower(), node.get("name")
    return name if isinstance(name, str) and any(work in kinds for work in _WORKS) else ""


def _nodes(tree: object) -> Iterator[Mapping[str, object]]:
    """The objects in a JSON tree, nearest the root first, at most 2,000."""
    level: list[object] = [tree]
    met = 0
    while level and met < _MAX_NODES:
        below: list[object] = []
        for item in level:
            if isinstance(item, dict):
                met += 1
                yield item
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
        level = below[:_MAX_NODES]
