"""Entries of source lists as memo pipelines write them: `- **[Title](address)**` and the fields under it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sources.core.catalog import CitationStatus
from sources.core.extraction.blocks import heading_of
from sources.core.extraction.spans import Span, SpanKind, spans_in
from sources.core.extraction.targets import unescaped
from sources.core.extraction.wording import MAX_TITLE
from sources.core.retraction import RetractionStatus, status_named

_ENTRY = re.compile(r" {0,1}[-*+] +(?=\*\*|\[)")
_FIELD = re.compile(r"(?: {2,12}|\t{1,3})[-*+] +([A-Z][\w ()/-]{0,40}?|RETRACTED)(?: \((\d{1,6})\))?: ?(.*)")
_DECISION = re.compile(
    r"(?: {2,12}|\t{1,3})[-*+] +([A-Z][\w ]{2,24} by .{1,200}? on \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:: (.*))?)$"
)
_BOLD = re.compile(r"\*\*(.*)\*\*(.*)", re.DOTALL)
_COUNT = re.compile(r"(?<!\s)\s*\((\d{1,7})\)\s*$")
_LINKS = frozenset({SpanKind.LINK, SpanKind.BROKEN})
_NOTHING = re.compile(r"\s*(?:none|nothing|n/a|—|-)\.?\s*", re.IGNORECASE)
_LONGEST = 20_000
_NO_NOTE = "no note given"
LABELS = frozenset(status.label.lower() for status in RetractionStatus if status.label)
"""The words of retractions' marks, as names of fields."""


@dataclass(slots=True)
class ListEntry:
    """One entry: the line it opens (from 1), the heading above it, what it is called, its address ('' without one), the
    rest of its line, and its fields in order: name in lower case, number in parentheses, value as written. A person's
    decision stands under `decision`, with its reason in place of the number."""

    line: int
    heading: str
    title: str
    address: str
    rest: str = ""
    fields: list[tuple[str, str, str]] = field(default_factory=list)

    def told(self, *names: str) -> str:
        """The value of the first field of one of these names, without Markdown's escapes; '' where there is none."""
        return next((unescaped(value).strip() for name, _, value in self.fields if name in names), "")

    def several(self, name: str) -> tuple[str, ...]:
        """The comma-separated values of a field. A name may hold a comma: where the number of values that the field
        gives is not theirs, the field is one value."""
        for given, number, value in self.fields:
            if given == name:
                parts = [unescaped(part).strip() for part in value.split(", ") if part.strip()]
                return tuple(parts) if not number or int(number) == len(parts) else (unescaped(value).strip(),)
        return ()

    @property
    def retraction(self) -> tuple[RetractionStatus, str]:
        """Status and note of `Retraction: concern, note` or of `EXPRESSION OF CONCERN: note`; UNKNOWN and '' without
        either."""
        for name, _, value in self.fields:
            told = unescaped(value).strip()
            if name == "retraction":
                status, _, note = told.partition(",")
                return status_named(status), note.strip()
            if name in LABELS:
                return status_named(name), "" if told == _NO_NOTE else told
        return RetractionStatus.UNKNOWN, ""


@dataclass(frozen=True, slots=True)
class Head:
    """What stands above the first part: the title line, and fields such as `**Firm**: …` by name in lower case."""

    title: str
    fields: dict[str, str]


def head_of(lines: Sequence[str]) -> Head:
    """The title (after `# `) and bold fields of a list, read up to its first `## ` heading, at most 60 lines."""
    title, fields = "", {}
    for line in lines[:60]:
        text = line.strip()
        if text.startswith("## "):
            break
        if text.startswith("# ") and not title:
            title = unescaped(text[2:].strip())
        found = re.fullmatch(r"\*\*([^*]{1,60})\*\*(?: \((\d{1,6})\))?\s*:\s*(.{0,4000})", text)
        if found:
            fields[found[1].strip().lower()] = unescaped(found[3].strip())
    return Head(title, fields)


def entries_of(lines: Sequence[str]) -> Iterator[ListEntry]:
    """All entries under `## ` headings, in order. Prose, rules and “None.” are passed over. Linear."""
    heading, entry = "", None
    for number, line in enumerate(lines, 1):
        title = heading_of(line)
        if title is not None:
            if entry:
                yield entry
            heading, entry = (title, None) if line.startswith("##") else ("", None)
            continue
        found = _FIELD.match(line) if entry and not _DECISION.match(line) else None
        if found and entry:
            entry.fields.append((found[1].strip().lower(), found[2] or "", found[3][:_LONGEST]))
        elif entry and (decided := _DECISION.match(line)):
            entry.fields.append(("decision", decided[2] or "", decided[1][:_LONGEST]))
        elif heading and _ENTRY.match(line):
            if entry:
                yield entry
            entry = _entry(number, heading, line)
    if entry:
        yield entry


def status_of(heading: str) -> CitationStatus | None:
    """The status that a heading stands for, with or without its count; None for the headings of what a run left out,
    and for any other."""
    words = plain_heading(heading)
    if words.startswith("included"):
        return CitationStatus.INCLUDED
    if words.startswith("added"):
        return CitationStatus.ADDED_BY_CORRECTION
    if words.startswith(("valid", "defined")):
        return CitationStatus.VALID_NOT_CITED
    return CitationStatus.FOUND_IN_RESEARCH if words.startswith("found") else None


def is_left_out(heading: str) -> bool:
    """True for `Excluded — Uncertain`, `Excluded — Invalid URL`, `Excluded — Hallucinated`, `Hallucinated`."""
    return plain_heading(heading).startswith(("excluded", "hallucinated", "invalid"))


def plain_heading(heading: str) -> str:
    """A heading in lower case without its count and marks."""
    return _COUNT.sub("", heading).strip("#*_: \t").lower()


def _entry(number: int, heading: str, line: str) -> ListEntry | None:
    text = line[:_LONGEST].lstrip(" ")[1:].strip()
    bold = _BOLD.fullmatch(text)
    inner, rest = (bold[1], bold[2]) if bold else (text, "")
    if _NOTHING.fullmatch(inner):
        return None
    span = next((each for each in spans_in(inner) if each.kind in _LINKS), None)
    if span:
        rest = inner[span.end :] + rest
    title = _title(span, inner)
    return ListEntry(number, heading, title, span.target if span else "", rest.strip())


def _title(span: Span | None, inner: str) -> str:
    words = span.text if span else re.sub(r"\s*\(no URL\)\s*$", "", inner)
    title = " ".join(unescaped(words).split())
    if span and title in (span.target, unescaped(span.target)):
        return ""
    return title if len(title) <= MAX_TITLE else title[: MAX_TITLE - 1].rstrip() + "…"
