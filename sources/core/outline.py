"""An outline of a text as YAML: sections with the questions they answer and the sources they would rather have.

Both shapes that are met are read: `sections:` with a list of sections (`title:`), and sections by name. Written is the
first.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NoReturn

import yaml

from sources.core.lines import one_line

MAX_SECTIONS = 100
MAX_LINES = 50
MAX_LINE = 500
MAX_TITLE = 300
# The YAML reader takes some ten seconds a megabyte; a hundred sections have a twentieth of one.
MAX_TEXT = 200_000
_MAX_DEPTH = 8
_TITLES = ("title", "name", "section", "heading")
_QUESTIONS = ("guiding_questions", "questions")
_PREFERRED = ("preferred_sources", "preferred", "sources")


@dataclass(frozen=True, slots=True)
class Part:
    """A section of the text: what it is called, what it asks, and which sources (domains, publishers, kinds) it would
    rather have. `slug` names a section that is there under another title, '' for one that goes by its title."""

    title: str
    guiding_questions: tuple[str, ...] = ()
    preferred_sources: tuple[str, ...] = ()
    slug: str = ""


class OutlineRefused(ValueError):
    """The text is no outline; the message says why and what to do, `line` counts from 1 (0: the whole)."""

    def __init__(self, message: str, *, line: int = 0) -> None:
        super().__init__(f"Line {line}: {message}" if line else message)
        self.line = line


def read(text: str) -> list[Part]:
    """The sections that YAML tells, in its order. Raises `OutlineRefused` with the line of the first fault."""
    if len(text) > MAX_TEXT:
        raise OutlineRefused(f"An outline has at most {MAX_TEXT:,} characters; this has {len(text):,}. Split it.")
    root = _root(text)
    if root is None:
        raise OutlineRefused("There is no section here. Write `sections:` and below it `- title: Market context`.")
    parts = checked(_parts(root))
    if not parts:
        raise OutlineRefused("There is no section under `sections:`. Write one: `- title: Market context`.", line=1)
    return parts


def write(parts: Sequence[Part]) -> str:
    """The outline as YAML, which `read` reads back as it was."""
    told = [
        {
            "title": part.title,
            "guiding_questions": list(part.guiding_questions),
            "preferred_sources": list(part.preferred_sources),
        }
        for part in parts
    ]
    return yaml.safe_dump({"sections": told}, allow_unicode=True, sort_keys=False, width=110)


def checked(parts: Iterable[Part]) -> list[Part]:
    """The sections with every text on one line, empty ones left out and each said once. Raises `OutlineRefused`."""
    found: list[Part] = []
    titles: set[str] = set()
    for place, part in enumerate(parts, 1):
        title = one_line(part.title)
        if not 0 < len(title) <= MAX_TITLE:
            raise OutlineRefused(f"Section {place}: a title has 1 to {MAX_TITLE} characters, not {len(title)}.")
        if title.casefold() in titles:
            raise OutlineRefused(f"Section {place}: there is a section “{title}” above. Give one another title.")
        titles.add(title.casefold())
        found.append(
            Part(
                title=title,
                guiding_questions=_lines(part.guiding_questions, what=f"Section “{title}”, guiding questions"),
                preferred_sources=_lines(part.preferred_sources, what=f"Section “{title}”, preferred sources"),
                slug=part.slug,
            )
        )
    if len(found) > MAX_SECTIONS:
        raise OutlineRefused(f"An outline has at most {MAX_SECTIONS} sections; this has {len(found)}. Join some.")
    return found


def _lines(texts: Iterable[str], *, what: str) -> tuple[str, ...]:
    lines = list(dict.fromkeys(line for text in texts if (line := one_line(text))))
    if len(lines) > MAX_LINES:
        raise OutlineRefused(f"{what}: at most {MAX_LINES}, not {len(lines)}.")
    for line in lines:
        if len(line) > MAX_LINE:
            raise OutlineRefused(f"{what}: “{line[:40]}…” is longer than {MAX_LINE} characters. Shorten it.")
    return tuple(lines)


class _Loader(yaml.SafeLoader):
    """YAML as nodes, without aliases: three lines of them unfold to gigabytes."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """The next node; refuses aliases and what nests deeper than an outline does."""
        if self.check_event(yaml.AliasEvent):
            self._refuse("aliases (*name) are not read. Write it out.")
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            self._refuse("it nests too deeply for an outline.")
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def _refuse(self, why: str) -> NoReturn:
        mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
        raise OutlineRefused(why, line=mark.line + 1)


def _root(text: str) -> yaml.Node | None:
    try:
        loader = _Loader(text)
        try:
            return loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        is_tab = "'\\t'" in str(error.problem)
        way_out = "Indent with spaces, not with a tab." if is_tab else "Put quotes around a text with : ? [ ] in it."
        why = f"this is no YAML that can be read: {error.problem}. {way_out}"
        raise OutlineRefused(why, line=line) from error
    except (yaml.YAMLError, ValueError) as error:
        if isinstance(error, OutlineRefused):
            raise
        raise OutlineRefused(f"This is no YAML that can be read: {error}"[:300]) from error


def _parts(root: yaml.Node) -> Iterator[Part]:
    if isinstance(root, yaml.MappingNode):
        fields = dict(_fields(root))
        inner = fields.get("sections") or fields.get("outline")
        root = inner if inner is not None else root
    match root:
        case yaml.SequenceNode():
            for node in root.value:
                yield _listed(node)
        case yaml.MappingNode():
            for name, node in _fields(root):
                yield _named(name, node)
        case _:
            raise OutlineRefused("sections are a list or names with fields below them.", line=_line(root))


def _listed(node: yaml.Node) -> Part:
    if isinstance(node, yaml.ScalarNode):
        return Part(title=str(node.value))
    if not isinstance(node, yaml.MappingNode):
        raise OutlineRefused("a section has a `title:`, not a list. Write `- title: …`.", line=_line(node))
    fields = dict(_fields(node))
    titled = next((fields[name] for name in _TITLES if name in fields), None)
    if titled is None or not isinstance(titled, yaml.ScalarNode) or not str(titled.value).strip():
        raise OutlineRefused("this section has no `title:`. Give it one.", line=_line(node))
    return _told(str(titled.value), node)


def _named(name: str, node: yaml.Node) -> Part:
    if isinstance(node, yaml.ScalarNode) and not str(node.value).strip():
        return Part(title=name)
    if not isinstance(node, yaml.MappingNode):
        raise OutlineRefused(
            f"below “{name[:60]}” stand `guiding_questions:` and `preferred_sources:`.", line=_line(node)
        )
    return _told(name, node)


def _told(title: str, node: yaml.MappingNode) -> Part:
    fields = dict(_fields(node))
    _check_spelling(node)
    questions = [text for name in _QUESTIONS if name in fields for text in _texts(fields[name], name)]
    preferred = [text for name in _PREFERRED if name in fields for text in _texts(fields[name], name)]
    return Part(title=title, guiding_questions=tuple(questions), preferred_sources=tuple(preferred))


def _check_spelling(node: yaml.MappingNode) -> None:
    """Fields of others are passed over; one that is nearly ours would lose what it says."""
    known = [*_TITLES, *_QUESTIONS, *_PREFERRED]
    for key, _ in node.value:
        near = get_close_matches(key.value[:60], known, n=1, cutoff=0.8)
        if near and key.value not in known:
            raise OutlineRefused(f"“{key.value[:60]}” is not read. Write `{near[0]}:`.", line=_line(key))


def _texts(node: yaml.Node, field: str) -> list[str]:
    """A list of texts; one text is a list of its lines."""
    if isinstance(node, yaml.ScalarNode):
        return [] if node.tag == "tag:yaml.org,2002:null" else str(node.value).splitlines()
    if isinstance(node, yaml.MappingNode):  # `domains: [...]`, `publishers: [...]`, `kinds: [...]`
        return [text for _, inner in _fields(node) for text in _texts(inner, field)]
    found: list[str] = []
    for one in node.value:
        if not isinstance(one, yaml.ScalarNode):
            raise OutlineRefused(f"`{field}` is a list of texts; put quotes around one with a colon.", line=_line(one))
        found.append(str(one.value))
    return found


def _fields(node: yaml.MappingNode) -> Iterator[tuple[str, yaml.Node]]:
    seen: set[str] = set()
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise OutlineRefused("a name stands before the colon, not a list.", line=_line(key))
        if key.value in seen:
            raise OutlineRefused(f"“{key.value[:60]}” stands here twice. Join the two.", line=_line(key))
        seen.add(key.value)
        yield str(key.value), value


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
