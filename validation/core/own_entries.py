"""A workspace's own publishers and patterns: what may be entered, and the form in which the validator takes it.

An own entry is believed like a built-in one, so it is held to the same rules as the data files: a domain that strangers
share would make all of them reputable, and a pattern without examples that pass would flag a publisher.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from sources.core.credentials import holds_credentials, without_credentials
from sources.core.findings import Cause, Verdict
from sources.core.hosts import UnusableHost, legal_host
from sources.core.identifiers import BadIdentifier, identify
from sources.core.urls import UnusableUrl
from validation.core.classify import Judgement
from validation.core.expressions import Expression, UnknownExpression, compiled
from validation.core.patterns import MAX_URL, Pattern
from validation.core.publishers import Publisher, gated_publisher

MOST_LINES = 20
_LONGEST_NAME = 100
_LONGEST_NOTE = 300
_LONGEST_HINT = 200
# Labels under which countries register everybody (`co.uk`, `com.au`); with a two-letter ending they are no publisher.
_SHARED_LABELS = frozenset(
    {
        "ac", "co", "com", "edu", "go", "gob", "gouv", "gov", "govt", "gv", "ltd", "mil", "ne", "net", "nom", "or",
        "org", "plc", "sch",
    }
)  # fmt: skip
# Hosts below which anybody may publish: one site there is a publisher, all of them together are none.
_PLATFORMS = frozenset(
    {
        "amazonaws.com", "azurewebsites.net", "blogspot.com", "cloudfront.net", "ghost.io", "github.io", "gitlab.io",
        "googleusercontent.com", "herokuapp.com", "livejournal.com", "medium.com", "netlify.app", "notion.site",
        "pages.dev", "readthedocs.io", "sites.google.com", "substack.com", "tumblr.com", "vercel.app", "web.app",
        "weebly.com", "wixsite.com", "wordpress.com",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class OwnRules:
    """What a workspace adds to the built-in lists, for the validator. Publishers are asked first, patterns last."""

    publishers: tuple[Publisher, ...] = ()
    patterns: tuple[Pattern, ...] = ()


NO_OWN_RULES = OwnRules()


@dataclass(frozen=True, slots=True)
class PublisherEntry:
    """A publisher as a person enters it; the fields of `gated_publishers.yaml`."""

    name: str
    domains: tuple[str, ...]
    path_hints: tuple[str, ...] = ()
    access_note: str = ""
    notes: str = ""


@dataclass(frozen=True, slots=True)
class PatternEntry:
    """A fabricated pattern as a person enters it, searched in the whole address; its cause is always `pattern`."""

    name: str
    pattern: str
    hits: tuple[str, ...]
    passes: tuple[str, ...]
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with one field ('' for the entry as a whole), and the way out."""

    field: str
    message: str


class EntryRefused(ValueError):
    """The entry cannot be taken; `problems` name each field."""

    def __init__(self, *problems: Problem) -> None:
        self.problems = problems
        super().__init__(" ".join(problem.message for problem in problems))


def checked_publisher(entry: PublisherEntry) -> PublisherEntry:
    """The entry in normal form: domains as bare hosts, each once; an access note where none was given.

    Raises EntryRefused with every problem found. Twice is the same as once.
    """
    found = _Findings()
    name = found.take("name", _name, entry.name)
    domains = found.take_each("domains", _domain, entry.domains)
    hints = found.take_each("path_hints", _hint, entry.path_hints)
    note = found.take("access_note", _note, entry.access_note)
    notes = found.take("notes", _long_note, entry.notes)
    if not domains and not found.problems:
        found.problems.append(Problem("domains", "Write at least one domain, such as gazette.org."))
    found.refuse_if_any()
    return PublisherEntry(name, domains, hints, note or f"{name}: requires a subscription", notes)


def checked_pattern(entry: PatternEntry) -> PatternEntry:
    """The entry in normal form: examples as they are requested, each once.

    Every hit must match and no pass may. Raises EntryRefused with every problem found. Twice is the same as once.
    """
    found = _Findings()
    name = found.take("name", _name, entry.name)
    notes = found.take("notes", _long_note, entry.notes)
    hits = found.take_each("hits", _example, entry.hits)
    passes = found.take_each("passes", _example, entry.passes)
    pattern = entry.pattern.strip()
    expression = _expression(pattern, found)
    if not entry.hits:
        found.problems.append(Problem("hits", "Give at least one invented address that the pattern must match."))
    if not entry.passes:
        found.problems.append(
            Problem("passes", "Give at least one real address of the same site that the pattern must let pass.")
        )
    if expression is not None:
        found.problems += _broken_examples(expression, hits, passes)
    found.refuse_if_any()
    return PatternEntry(name, pattern, hits, passes, notes)


def with_own_publishers(judgement: Judgement, reached: Iterable[str], publishers: Iterable[Publisher]) -> Judgement:
    """The judgement as `classify` would give it if `publishers` were on the built-in list.

    A paywall stub at one of them is a wall like at any reputable publisher's: it proves nothing by itself, and a
    witness may lift it. A wall gets the entry's access note. `reached` are the addresses to know the publisher by.
    """
    own = tuple(publishers)
    if not own or not judgement.cause.is_wall:
        return judgement
    known = next((found for url in reached if (found := gated_publisher(url, extra=own)) in own), None)
    if known is None:
        return judgement
    verdict = Verdict.FETCH_FAILED if judgement.verdict is Verdict.PAYWALL_STUB else judgement.verdict
    return replace(judgement, verdict=verdict, access_note=known.access_note)


def publisher_from(entry: PublisherEntry) -> Publisher:
    """The entry as the validator takes it."""
    return Publisher(entry.name, entry.domains, entry.path_hints, entry.access_note, entry.notes)


def pattern_from(entry: PatternEntry, *, key: str) -> Pattern:
    """The entry as the validator takes it; `key` names it in the evidence. Raises UnknownExpression."""
    return Pattern(
        name=key,
        cause=Cause.PATTERN,
        target="url",
        expression=compiled(entry.pattern),
        hits=entry.hits,
        passes=entry.passes,
    )


class _Findings:
    """Problems by field, gathered so that a person sees all of them at once."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def take(self, field: str, read: Callable[[str], str], given: str) -> str:
        try:
            return read(given)
        except ValueError as wrong:
            self.problems.append(Problem(field, str(wrong)))
            return ""

    def take_each(self, field: str, read: Callable[[str], str], given: Sequence[str]) -> tuple[str, ...]:
        if len(given) > MOST_LINES:
            self.problems.append(Problem(field, f"There are {len(given)} lines; at most {MOST_LINES} are taken."))
            return ()
        taken = (self.take(field, read, one) for one in given if one.strip())
        return tuple(dict.fromkeys(one for one in taken if one))

    def refuse_if_any(self) -> None:
        if self.problems:
            raise EntryRefused(*self.problems)


def _line(text: str, *, longest: int, what: str) -> str:
    line = without_credentials(" ".join(text.split()))
    if not line.isprintable():
        raise ValueError(f"{what} holds a control character. Type it again instead of pasting it.")
    if len(line) > longest:
        raise ValueError(f"{what} is {len(line):,} characters long; at most {longest} are taken.")
    return line


def _name(text: str) -> str:
    name = _line(text, longest=_LONGEST_NAME, what="The name")
    if not name:
        raise ValueError("Give it a name: it is shown with each source that it decides.")
    return name


def _note(text: str) -> str:
    return _line(text, longest=_LONGEST_NOTE, what="The access note")


def _long_note(text: str) -> str:
    return _line(text, longest=2_000, what="The note")


def _domain(text: str) -> str:
    """A bare host. A pasted address gives its host: that is what people have at hand."""
    given = text.strip()
    shown = given if len(given) <= 60 else given[:59] + "…"
    bare = given.partition("://")[2] or given
    host = bare.partition("/")[0].rpartition("@")[2].partition(":")[0].removeprefix("*.")
    try:
        name = legal_host(host).removeprefix("www.")
    except UnusableHost as unusable:
        raise ValueError(f"{shown}: {unusable}") from None
    labels = name.split(".")
    if len(labels) < 2:
        raise ValueError(f"“{shown}” is no publisher's domain: strangers share it. Write it with the name before it.")
    if name.replace(".", "").isdigit():
        raise ValueError(f"“{shown}” is the address of a machine. Write the publisher's domain.")
    if len(labels) == 2 and len(labels[1]) == 2 and labels[0] in _SHARED_LABELS:
        raise ValueError(f"Everybody has names below “{name}”. Write the publisher's own, such as gazette.{name}.")
    if name in _PLATFORMS:
        raise ValueError(f"Anybody may publish below “{name}”. Write the one site, such as gazette.{name}.")
    return name


def _hint(text: str) -> str:
    hint = _line(text, longest=_LONGEST_HINT, what="The path")
    if not hint.startswith("/") or " " in hint:
        raise ValueError(f"“{hint}” is no beginning of a path. Write it like /articles/.")
    return hint


def _example(text: str) -> str:
    shown = text.strip() if len(text.strip()) <= 80 else text.strip()[:79] + "…"
    try:
        address = identify(text).request_url
    except (UnusableUrl, BadIdentifier) as unusable:
        raise ValueError(f"{without_credentials(shown)}: {unusable}") from None
    if not address:
        raise ValueError(f"“{shown}” has no web address. Give examples that begin with https://.")
    return address


def _expression(pattern: str, found: _Findings) -> Expression | None:
    if not pattern:
        found.problems.append(Problem("pattern", "Write the pattern that invented addresses have."))
        return None
    if holds_credentials(pattern):
        found.problems.append(Problem("pattern", "A user name and password stand in the pattern. Take them out."))
        return None
    try:
        expression = compiled(pattern)
    except UnknownExpression as unknown:
        found.problems.append(Problem("pattern", str(unknown)))
        return None
    if expression.search("") is not None:
        found.problems.append(Problem("pattern", "The pattern matches every address, even an empty one. Say more."))
        return None
    return expression


def _broken_examples(expression: Expression, hits: Iterable[str], passes: Iterable[str]) -> list[Problem]:
    return [
        Problem("hits", f"{address} is not matched. Mend the pattern, or the example.")
        for address in hits
        if expression.search(address[:MAX_URL]) is None
    ] + [
        Problem("passes", f"{address} is matched although it is real. Make the pattern narrower.")
        for address in passes
        if expression.search(address[:MAX_URL]) is not None
    ]
