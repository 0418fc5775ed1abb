"""Reading a plain list: one source a line, with a bullet, number or title around it, under headings."""

import re
from collections.abc import Sequence

from sources.core.catalog import CitationStatus
from sources.core.extraction.gathering import Found, once_per_line, read_spans, row_error
from sources.core.extraction.spans import Span, SpanKind, spans_in
from sources.core.extraction.wording import (
    MAX_CONTEXT,
    MAX_TITLE,
    goes_on,
    plain,
    title_beside,
    title_of_link,
    without_bullet,
)
from sources.core.identifiers import NOTHING_NAMED, BadIdentifier, UnusableUrl, identify
from sources.core.records import Extraction, Reference, RowError

_RULE = re.compile(r"\s*+(?:[-*_=~+#|:]\s*+)*+")
_LABEL = re.compile(r"[^:]{1,80}:|\*\*[^*]{1,80}\*\*:?|__[^_]{1,80}__:?")
_WRONG_SCHEME = re.compile(r"(?<![\w/])[A-Za-z][A-Za-z0-9+.-]*:(?://\S+|[^\s/]\S*)", re.ASCII)
_MAIL_OR_LOGIN = re.compile(r"(?<!\S)[^\s:/@]+:[^\s/@]+@")
_MAY_NAME = re.compile(r"[0-9./:@\\]")
_LONGEST_TOKEN = 2_000


def read_list(lines: Sequence[str]) -> Extraction:
    """References and errors of a list. Every line that is not blank, a rule or a heading gives one or the other."""
    references: list[Reference] = []
    errors: list[RowError] = []
    section = ""
    for number, line in enumerate(lines, 1):
        if _RULE.fullmatch(line):
            continue
        found, refused = read_spans((number, span) for span in spans_in(line, markdown=False))
        if not found and not refused:
            heading = _heading(line)
            if heading is not None:
                section = heading or section
                continue
            outcome = _whole_line(number, line)
            if isinstance(outcome, RowError):
                errors.append(outcome)
                continue
            found = [outcome]
        errors.extend(refused)
        references.extend(once_per_line(_reference(each, line, section, alone=len(found) == 1) for each in found))
    return Extraction(tuple(references), tuple(errors))


def _heading(line: str) -> str | None:
    text = line.strip()
    if text.startswith("#") or _LABEL.fullmatch(text):
        return plain(text.strip("# \t")).rstrip(":")[:MAX_TITLE]
    return None


def _whole_line(number: int, line: str) -> Found | RowError:
    """A line in which nothing was recognised by its beginning may be one token: `host.org/page`, a 13-digit ISBN."""
    token = without_bullet(line).strip()
    if not _MAY_NAME.search(token):
        return row_error(number, line.strip()[:_LONGEST_TOKEN], NOTHING_NAMED)
    try:
        identity = identify(token)
    except (UnusableUrl, BadIdentifier) as error:
        message = str(error)
    else:
        at = line.index(token)
        spelling = token.strip('<>"“”«»`')
        return Found(number, Span(SpanKind.BARE, at, at + len(token), token, spelling, at), identity)
    other = _WRONG_SCHEME.search(token[:_LONGEST_TOKEN])
    if other and len(token.split()) > 1:
        try:
            identify(other[0])
        except (UnusableUrl, BadIdentifier) as error:
            message = str(error)
    return row_error(number, _MAIL_OR_LOGIN.sub("***@", line.strip()[:_LONGEST_TOKEN]), message)


def _reference(found: Found, line: str, section: str, *, alone: bool) -> Reference:
    span = found.span
    title = title_of_link(span.text) or span.title
    if alone and not title and len(line) <= _LONGEST_TOKEN and not goes_on(line[span.end :]):
        title = title_beside(line[: span.start], line[span.end :])
    context = (
        line.strip()
        if len(line) <= MAX_CONTEXT
        else line[max(0, span.start - MAX_CONTEXT // 2) :][:MAX_CONTEXT].strip()
    )
    return Reference(
        line=found.line,
        spelling=span.spelling,
        identity=found.identity,
        title=title,
        section=section,
        status=CitationStatus.FOUND_IN_RESEARCH,
        context=context,
    )
