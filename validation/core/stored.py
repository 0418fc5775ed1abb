"""A reading in the form in which it is stored: small, plain JSON, and enough to be judged again like the page.

Measured on 608 pages: 5 KB in the median, of which the main text's beginning is most. What is kept follows from what
the rules look at: titles and counts always; of the text its beginning (titles are sought there), headings, and on
pages with little text also the short lines, the end (offers stand there) and the marks of walls in the source.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from sources.core.findings import Cause, Verdict
from validation.core.archives import archived_url
from validation.core.blocks import Block, words_in
from validation.core.classify import FailedFetch, Read
from validation.core.documents import Obstacle
from validation.core.facts import MARKS, Facts
from validation.core.metadata import Title
from validation.core.reading import PageText

FORMAT = 1
MAX_BYTES = 20_000
_MAIN_CHARS = 4_000
_REST_CHARS = 4_000
_TAIL_CHARS = 6_000
_SCARCE = 250  # words of main text up to which a page may be a message; see `classify`
_OFFERED = 750  # words of main text up to which an offer at the end counts; see `gates.paywall`
_LONGEST_OFFER = 90
_TAIL_WORDS = 160  # of prose from the end, twice what `gates.paywall` passes over
_SHELL_WORDS = 50
_MOST_LINES = 60
_MOST_HEADINGS = 12
_ARCHIVE_LEAD = 12
_HEADERS = ("cf-mitigated", "x-amzn-waf-action", "x-archive-orig-status", "x-archive-orig-:status", "content-type")
_LONGEST_HEADER = 200
_ALWAYS = frozenset({"status", "bytes", "text"})
_COUNTS = ("word_count", "prose_words", "visible_words", "loose_words", "password_fields", "frames", "scripts")
_SURROGATES = re.compile("[\ud800-\udfff]")
# Tried in turn until the whole is small enough; letters outside ASCII take two to four bytes.
_SCALES = (1.0, 0.6, 0.35, 0.2, 0.1)


def pack(read: Read) -> dict[str, Any]:
    """The reading behind a judgement as JSON, at most `MAX_BYTES` bytes, with what was judged of it then."""
    return _pack(read)[0]


def written(read: Read) -> str:
    """What `pack` gives, as JSON text: to fit it into its limit it was written once already."""
    return _pack(read)[1]


def _pack(read: Read) -> tuple[dict[str, Any], str]:
    judged: dict[str, Any] = {"v": FORMAT, "judged": [str(read.verdict), str(read.cause)]}
    if isinstance(read.facts, FailedFetch):
        failure = {name: value for name, value in asdict(read.facts).items() if value not in (None, "")}
        return _legal(judged | {"failure": failure})
    packed, text = _legal(judged | _packed(read.facts, _SCALES[0]))
    for scale in _SCALES[1:]:
        # As it is written there are spaces in it, which do not count.
        if _bytes_of(text) <= MAX_BYTES or size_of(packed) <= MAX_BYTES:
            break
        packed, text = _legal(judged | _packed(read.facts, scale))
    return packed, text


def page_of(reading: str) -> PageText:
    """What was read of the page, from the JSON text of a stored reading; an empty page where nothing was."""
    facts = unpack(json.loads(reading)) if reading else None
    return facts.text if isinstance(facts, Facts) else PageText("")


def unpack(reading: Mapping[str, Any]) -> Facts | FailedFetch | None:
    """What the rules see of a stored reading; None where it was written in a form that this release does not know."""
    if reading.get("v") != FORMAT:
        return None
    if "failure" in reading:
        failure = reading["failure"]
        return FailedFetch(**(failure | {"cause": Cause(failure["cause"])}))
    marks: Mapping[str, str] = reading.get("marks", {})
    return Facts(
        requested_url=reading["asked"],
        final_url=reading.get("came", reading["asked"]),
        status=reading["status"],
        headers=reading.get("headers", {}),
        text=_text_of(reading["text"]),
        byte_count=reading["bytes"],
        is_blank=reading.get("blank", False),
        mark_of=lambda kind: marks.get(kind, ""),
        truncated=reading.get("truncated", False),
        retry_after_s=reading.get("retry_after_s"),
    )


def judged_as(reading: Mapping[str, Any]) -> tuple[Verdict, Cause]:
    """What the page itself was judged to be when it was read, before any witness or search had a say in it."""
    verdict, cause = reading["judged"]
    return Verdict(verdict), Cause(cause)


def size_of(reading: Mapping[str, Any]) -> int:
    """Bytes of a reading as compact JSON in UTF-8."""
    return len(json.dumps(reading, ensure_ascii=False, separators=(",", ":")).encode("utf-8", errors="replace"))


def _legal(reading: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The reading without what no database takes as JSON text (NUL, halves of surrogate pairs: pages have either), and
    that text."""
    text = json.dumps(reading, ensure_ascii=False)
    if "\\u0000" not in text and (text.isascii() or not _SURROGATES.search(text)):
        return reading, text
    clean = {name: _clean(value) for name, value in reading.items()}
    return clean, json.dumps(clean, ensure_ascii=False)


def _bytes_of(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def legal_text(text: str) -> str:
    """The text without what JSON can spell and no database takes: a blank for NUL, U+FFFD for half a surrogate pair."""
    return text if text.isprintable() else _SURROGATES.sub("\ufffd", text.replace("\x00", " "))


def _clean(value: Any) -> Any:
    match value:
        case str():
            return legal_text(value)
        case list():
            return [_clean(one) for one in value]
        case dict():
            return {name: _clean(one) for name, one in value.items()}
        case _:
            return value


def _packed(facts: Facts, scale: float) -> dict[str, Any]:
    text = facts.text
    found: dict[str, Any] = {
        "asked": facts.requested_url,
        "status": facts.status,
        "bytes": facts.byte_count,
        "headers": {name: facts.headers[name][:_LONGEST_HEADER] for name in _HEADERS if name in facts.headers},
        "blank": facts.is_blank,
        "truncated": facts.truncated,
        "retry_after_s": facts.retry_after_s,
        "text": _packed_text(facts, scale),
    }
    if facts.final_url != facts.requested_url:
        found["came"] = facts.final_url
    if text.word_count <= _SCARCE or text.prose_words < _SCARCE or not 200 <= facts.status <= 299:
        found["marks"] = {kind: mark for kind in MARKS if (mark := facts.mark_of(kind))}
    return {name: value for name, value in found.items() if value or name in _ALWAYS}


def _packed_text(facts: Facts, scale: float) -> dict[str, Any]:
    text = facts.text
    longest_title = 1_000 if scale == 1.0 else 300
    found: dict[str, Any] = {name: getattr(text, name) for name in _COUNTS}
    found |= {
        "type": text.media_type,
        "charset": text.charset,
        "titles": [[title.source, title.text[:longest_title]] for title in text.titles],
        "site": text.site_name[:300],
        "publisher": text.publisher[:300],
        "published": text.published[:40],
        "tier": text.content_tier[:100],
        "link_share": round(text.link_share, 3),
        "app_root": text.app_root,
        "obstacle": str(text.obstacle or ""),
        "noscript": text.noscript[:2_000] if text.word_count < _SHELL_WORDS else "",
        "blocks": [_packed_block(*kept) for kept in _kept(facts, scale)],
    }
    kept = {name: value for name, value in found.items() if value}
    return kept if text.free is None else kept | {"free": text.free}


def _kept(facts: Facts, scale: float) -> Iterator[tuple[Block, bool]]:
    """The blocks worth keeping, in order, each with whether it is main text; main text cut at its budget."""
    text = facts.text
    main = set(map(id, text.main))
    wanted = {id(block) for block in _wanted(facts, scale)}
    left = int(_MAIN_CHARS * scale)
    for block in text.blocks:
        if id(block) in main and left > 0:
            yield _cut(block, max(left, 200)), True
            left -= len(block.text) + 1
        elif id(block) in wanted:
            yield _cut(block, _MAIN_CHARS), id(block) in main


def _wanted(facts: Facts, scale: float) -> Iterator[Block]:
    """Blocks beside the beginning of the main text that a rule may look at."""
    text = facts.text
    shown = [block for block in text.blocks if block.region <= 1]
    yield from text.headings[:1]
    yield from [block for block in shown if 1 <= block.level <= 3][:_MOST_HEADINGS]
    if archived_url(facts.final_url):
        yield from text.blocks[:_ARCHIVE_LEAD]
    if text.word_count <= _SCARCE:
        yield from _within(_REST_CHARS * scale, [block for block in shown if not block.level][:_MOST_LINES])
    if text.word_count <= _OFFERED:
        yield from _within(_TAIL_CHARS * scale, _end(text, shown))
    if max(text.word_count, text.loose_words) < _SHELL_WORDS:
        yield from _within(_REST_CHARS * scale, text.blocks)


def _end(text: PageText, shown: list[Block]) -> Iterator[Block]:
    """From the end backwards, as far as an offer is looked for."""
    main, prose = set(map(id, text.main)), 0
    for block in reversed(shown):
        if block.words <= _LONGEST_OFFER or id(block) in main:
            yield block
        if id(block) in main and block.words >= 12 and not block.gate:
            prose += block.words
            if prose > _TAIL_WORDS:
                return


def _within(chars: float, blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        chars -= len(block.text)
        if chars < 0:
            return
        yield block


def _cut(block: Block, chars: int) -> Block:
    """The block cut at `chars` characters; its words stay counted whole, its share of links as it was."""
    if len(block.text) <= chars:
        return block
    return block._replace(text=block.text[:chars], link_chars=round(chars * block.link_share))


def _packed_block(block: Block, is_main: bool) -> str | list[Any]:
    """Plain main text is its own text; any other block a list of its fields."""
    text, words, level, link_chars, region, gate = block
    if is_main and not (level or link_chars or region or gate) and words == words_in(text):
        return text
    return [text, words, level, link_chars, region, int(gate), int(is_main)]


def _text_of(stored: Mapping[str, Any]) -> PageText:
    blocks: list[Block] = []
    main: list[Block] = []
    for one in stored.get("blocks", ()):
        if isinstance(one, str):
            block, is_main = Block(one, words_in(one)), True
        else:
            block, is_main = Block(one[0], one[1], one[2], one[3], one[4], bool(one[5])), bool(one[6])
        blocks.append(block)
        if is_main:
            main.append(block)
    return PageText(
        media_type=stored.get("type", ""),
        charset=stored.get("charset", ""),
        titles=tuple(Title(source, text) for source, text in stored.get("titles", ())),
        site_name=stored.get("site", ""),
        publisher=stored.get("publisher", ""),
        published=stored.get("published", ""),
        blocks=tuple(blocks),
        main=tuple(main),
        link_share=stored.get("link_share", 0.0),
        noscript=stored.get("noscript", ""),
        app_root=stored.get("app_root", False),
        free=stored.get("free"),
        content_tier=stored.get("tier", ""),
        obstacle=Obstacle(stored["obstacle"]) if stored.get("obstacle") else None,
        **{name: stored.get(name, 0) for name in _COUNTS},
    )
