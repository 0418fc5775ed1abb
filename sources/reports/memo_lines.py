"""The lines of memo pipelines' source lists, which their tools read by these very words. Pure."""

from collections.abc import Iterable, Iterator

from sources.core.exported import Export, ExportedSource
from sources.reports.markdown import link, moment, plain


def head(export: Export, *, title: str, count: int) -> Iterator[str]:
    """The lines before the first heading; `title` is escaped already."""
    yield f"# {title}"
    yield ""
    yield f"**Firm**: {plain(export.firm) or '—'}"
    yield f"**Generated**: {moment(export.as_of)}"
    yield versions(export.versions)
    yield f"**Unique sources**: {count}"
    yield from left_out(export)


def left_out(export: Export) -> Iterator[str]:
    """The line that says how many internal sources are missing; none where none is."""
    if export.left_out_internal:
        yield f"**Left out (internal)**: {export.left_out_internal}"


def versions(labels: Iterable[str]) -> str:
    """`**Versions merged** (2): v0.0.1, v0.0.2`."""
    names = [plain(label) for label in labels]
    return f"**Versions merged** ({len(names)}): {', '.join(names)}".rstrip()


def entry(source: ExportedSource) -> Iterator[str]:
    """The source's link, its HTTP status and, where there is one to tell, the status of its retraction. Tools that do
    not know the line pass over it as over every other."""
    title = source.record.title or source.link
    yield f"- **{link(title, source.link)}**" + ("" if source.link else " (no URL)")
    yield f"  - HTTP: {source.http_status if source.http_status is not None else 'not fetched'}"
    if source.retraction.label:
        note = f", {plain(source.retraction_note)}" if source.retraction_note else ""
        yield f"  - Retraction: {source.retraction.value}{note}"


def places(source: ExportedSource) -> Iterator[str]:
    """Where the source is used and how else it is written; no line where nothing is known."""
    yield from counted("Sections", source.sections)
    yield from counted("Versions", source.versions)
    if source.variants:
        yield f"  - Variants: {', '.join(plain(variant) for variant in source.variants)}"


def counted(name: str, values: tuple[str, ...]) -> Iterator[str]:
    """`  - Sections (2): a, b`; no line where there is no value."""
    if values:
        yield f"  - {name} ({len(values)}): {', '.join(plain(value) for value in values)}"


def text(lines: Iterable[str]) -> str:
    """Lines as one piece of a file."""
    return "".join(f"{one}\n" for one in lines)
