"""Sources.md, the list that an analyst codifies: YAML front matter, then prose with examined and rejected addresses."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

import yaml

from sources.core import extract
from sources.core.entries import Item, ProjectRecord, SourceRecord
from sources.core.extraction.gathering import row_error
from sources.core.extraction.spans import SpanKind, spans_in
from sources.core.extraction.wording import plain
from sources.core.identifiers import BadIdentifier, UnusableUrl, identify
from sources.core.kinds import Sensitivity
from sources.core.retraction import read_mark, told_by
from sources.formats.format import Format, Head, Unreadable
from sources.formats.naming import identities_of
from sources.formats.plain_text import is_codified_list, text_of

_FRONT = re.compile(r"\s*---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_ITEM = re.compile(r"[ \t]{0,8}[-*+][ \t]+(.*)")
_REASON = re.compile(r"\s*(?:[—–:|]|-{1,3})\s*(.*)", re.DOTALL)
_REJECTED = re.compile(r"reject|exclud|examined|do not use|not used|discard|dropped", re.IGNORECASE)
# The YAML reader takes about 10 s for a megabyte; a list of 2,000 sources has a third of one.
_MAX_FRONT = 1_048_576
_MAX_DEPTH = 20


class _Loader(yaml.SafeLoader):
    """YAML without aliases: three lines of them unfold to gigabytes. Lines are kept with every mapping of `sources`."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """The next node; refuses aliases and what nests deeper than a list of sources does."""
        if self.check_event(yaml.AliasEvent):
            self._refuse("aliases (*name) are not read")
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            self._refuse("it nests too deeply")
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def _refuse(self, why: str) -> NoReturn:
        mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
        raise yaml.constructor.ConstructorError(None, None, why, mark)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """The mapping, with the line it begins in under the key None."""
        made = super().construct_mapping(node, deep=True)
        made[None] = node.start_mark.line
        return made


def read_text(text: str, *, file: str = "") -> Iterator[Item]:
    """The deal, then a record for each codified source and for each rejected address with its reason.

    `rejected_because` holds the reason as written, “rejected” where none is. Sections stand in `details`, one pair each
    (`section`), the first in `section` too; `rank` is a detail. Raises `Unreadable`, with the line, for front matter
    that is no YAML.
    """
    text = "\n".join(extract.lines_of(text))
    front, body, above = _split(text)
    told = _front_matter(front, above)
    yield ProjectRecord(
        line=1,
        name=_words(told.get("deal")) or "Unnamed",
        firm=_words(told.get("firm")),
        description=f"Curated by {_words(told['curated_by'])}" if told.get("curated_by") else "",
    )
    sources = told.get("sources") or []
    for place, source in enumerate(sources if isinstance(sources, list) else [sources], 1):
        yield _source(source, place=place, above=above, mode=_words(told.get("mode")), file=file)
    yield from _rejected(body.split("\n"), first=text.count("\n", 0, len(text) - len(body)) + 1, file=file)


def _split(text: str) -> tuple[str, str, int]:
    found = _FRONT.match(text)
    if not found:
        raise Unreadable("The front matter between two lines of --- does not end. Close it with a line of --- .")
    if len(found[1]) > _MAX_FRONT:
        raise Unreadable("The front matter is over 1 MB. Split the list.")
    return found[1], text[found.end() :], text.count("\n", 0, found.start(1))


def _front_matter(front: str, above: int) -> dict[Any, Any]:
    try:
        told = yaml.load(front, Loader=_Loader)  # noqa: S506 -- a SafeLoader with fewer rights still
    except yaml.MarkedYAMLError as error:
        line = (error.problem_mark.line if error.problem_mark else 0) + above + 1
        raise Unreadable(f"Line {line}: the front matter is no YAML that can be read: {error.problem}.") from error
    except (yaml.YAMLError, ValueError, RecursionError, TypeError) as error:
        raise Unreadable(f"The front matter is no YAML that can be read: {error}"[:300]) from error
    if not isinstance(told, dict):
        raise Unreadable("Line 2: the front matter has no fields. Write `mode:`, `deal:` and `sources:` there.")
    return told


def _source(source: Any, *, place: int, above: int, mode: str, file: str) -> Item:
    if isinstance(source, str):
        source = {"url": source, None: None}
    if not isinstance(source, Mapping):
        return row_error(
            above + 1, str(source)[:200], f"Source {place} of the front matter has no `url:`. Give it one."
        )
    line = above + 1 + source[None] if isinstance(source.get(None), int) else above + 1
    url = _words(source.get("url") or source.get("doi"))
    title = _words(source.get("title"))
    identities, warnings = identities_of([url, _words(source.get("doi"))])
    if not identities and not title:
        return row_error(line, url, warnings[0] if warnings else f"Source {place} has no `url:`. Give it one.")
    told = source.get("sections") or source.get("section") or []
    sections = [_words(one) for one in (told if isinstance(told, list) else [told])]
    sensitivity = _words(source.get("sensitivity"))
    known = sensitivity in tuple(Sensitivity)
    if sensitivity and not known:
        warnings = (*warnings, f"Sensitivity “{sensitivity[:40]}” is neither citable_externally nor internal_only.")
    status, retraction_note, note = read_mark(_words(source.get("note")))
    retracted, finer = told_by(status)
    other = [(str(key), _words(value)) for key, value in source.items() if key is not None and str(key) not in _FIELDS]
    return SourceRecord(
        line=line,
        spelling=(url or title)[:200],
        identities=identities,
        title=title,
        section=sections[0] if sections else "",
        note=note,
        retracted=retracted,
        retraction_note=retraction_note,
        # What cannot be read as a wish to keep something inside is not made public by a slip of the pen.
        sensitivity=Sensitivity(sensitivity) if known else Sensitivity.INTERNAL_ONLY if sensitivity else None,
        rejected_because=_words(source.get("rejected_because")),
        details=(
            *(("section", section) for section in sections),
            *([("mode", mode)] if mode else []),
            *((key, value) for key, value in other if value),
            *finer,
            *((("file", file),) if file else ()),
        ),
        warnings=warnings,
    )


_FIELDS = frozenset({"url", "doi", "title", "section", "sections", "note", "sensitivity", "rejected_because"})


def _rejected(lines: list[str], *, first: int, file: str) -> Iterator[Item]:
    """`- `address` — reason` anywhere below; items with an address under a heading that speaks of rejecting."""
    rejecting = False
    for number, line in enumerate(lines, first):
        if line.startswith("#") or (line.rstrip().endswith(":") and not _ITEM.match(line)):
            rejecting = bool(_REJECTED.search(line))
        item = _ITEM.match(line)
        if not item:
            continue
        text = item[1]
        code = re.match(r"[*~]{0,2}`([^`]{4,8000})`[*~]{0,2}", text)
        if code:
            token, end = code[1].strip(), code.end()
        else:
            span = next((each for each in spans_in(text) if each.kind in _NAMED), None) if rejecting else None
            if span is None:
                continue
            token, end = span.target, span.end
        try:
            identity = identify(token)
        except (UnusableUrl, BadIdentifier) as error:
            if "/" in token or "." in token:
                yield row_error(number, token, str(error))
            continue
        reason = _REASON.match(text[end:])
        yield SourceRecord(
            line=number,
            spelling=token[:200],
            identities=(identity,),
            rejected_because=plain(reason[1] if reason else text[end:])[:2_000] or "rejected",
            context=plain(text)[:300],
            details=(("file", file),) if file else (),
        )


_NAMED = frozenset({SpanKind.LINK, SpanKind.BARE, SpanKind.IDENTIFIER})


def _words(value: Any) -> str:
    """A value of the front matter as one line; '' for None. Lists are joined by commas."""
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(_words(one) for one in value)
    return " ".join(str(value).split())[:8_000]


def _recognises(head: Head) -> bool:
    return is_codified_list(head.text)


def _read(path: Path) -> Iterator[Item]:
    yield from read_text(text_of(path))


def _count(path: Path) -> int:
    """The deal, lines with `url:` in the front matter, and items below that begin with an address in code ticks."""
    text = text_of(path).replace("\r\n", "\n")
    front, _, body = text.lstrip("\ufeff \n").removeprefix("---").partition("\n---")
    urls = len(re.findall(r"(?m)^\s*(?:-\s+)?(?:\{[^\n]*?)?\burl\s*:", front))
    return 1 + urls + len(re.findall(r"(?m)^[ \t]*[-*+][ \t]+[*~]{0,2}`[^`\n]*[./][^`\n]*`", body))


FORMAT = Format(
    name="sources-md",
    label="Codified list (Sources.md)",
    recognises=_recognises,
    read=_read,
    count=_count,
)
