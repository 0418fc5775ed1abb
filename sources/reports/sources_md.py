"""Sources.md, the codified list: YAML front matter for tools, then prose with what was examined and rejected. Pure.

The front matter names every source that may be used and has an address; one without an address stands in the prose,
since the format knows a source by its `url`. Rejected addresses are the memory of the house: a later import reads the
reason here. Values are written as JSON strings, which YAML 1.2 (and PyYAML) read as they are.
"""

import json
from collections.abc import Iterator

from sources.core.exported import Export, ExportedSource
from sources.core.findings import Disposition
from sources.core.holdings import Holdings
from sources.core.kinds import Sensitivity
from sources.reports.markdown import plain
from sources.reports.plain_text import address, line
from sources.reports.work import mark_of, own_note

FILE_NAME = "Sources.md"


def stream(sources: Holdings, export: Export) -> Iterator[str]:
    """The file, one source a piece, ending in one newline.

    `rank` is a person's own order, else that of the status (1: included in the final draft). `note` begins with the
    mark of a retraction. The keys of the format stand first; `id`, `verdict`, `title`, `access_note`
    and `recovered_from` are ours, and tools that read by key pass over them.
    """
    usable: list[int] = []
    unaddressed: list[int] = []
    rejected: list[int] = []
    for position, brief in enumerate(sources.briefs()):
        if brief.disposition is Disposition.DROP:
            rejected.append(position)
        else:
            (usable if brief.link else unaddressed).append(position)
    yield (
        f"---\nmode: codified\ndeal: {_quoted(export.project)}\nfirm: {_quoted(export.firm)}\n"
        f"curated_by: {_quoted(export.curated_by)}\n"
    )
    yield "sources:\n" if usable else "sources: []\n"
    for source in sources.read(usable):
        yield _listed(source)
    yield f"---\n\n# Sources — {plain(export.project)}\n"
    if export.left_out_internal:
        yield f"\n{export.left_out_internal} internal source(s) were left out of this copy.\n"
    if unaddressed:
        yield "\n## Without an address\n\n"
        for source in sources.read(unaddressed):
            note = _note(source)
            yield f"- {plain(source.record.title or source.stable_id)}" + (f" — {plain(note)}" if note else "") + "\n"
    yield "\n## Examined and rejected\n\n"
    yield "" if rejected else "None.\n"
    for source in sources.read(rejected):
        named = _code(address(source.link)) if source.link else plain(source.record.title or source.stable_id)
        yield f"- {named} — {plain(_why_rejected(source))}\n"


def _listed(source: ExportedSource) -> str:
    sections = ", ".join(map(_quoted, source.sections))
    sensitivity = source.record.sensitivity or Sensitivity.CITABLE_EXTERNALLY
    rank = source.rank if source.rank is not None else source.status.rank + 1
    told = (
        f"  - url: {_quoted(address(source.address))}\n"
        f"    sections: [{sections}]\n"
        f"    rank: {rank}\n"
        f"    sensitivity: {sensitivity.value}\n"
        f"    note: {_quoted(_note(source))}\n"
        f"    id: {_quoted(source.stable_id)}\n"
        f"    verdict: {_quoted(source.verdict.value if source.verdict else '')}\n"
    )
    more = (
        ("title", line(source.record.title)),
        ("access_note", line(source.access_note)),
        ("recovered_from", address(source.recovered_from)),
    )
    return told + "".join(f"    {name}: {_quoted(text)}\n" for name, text in more if text)


def _note(source: ExportedSource) -> str:
    """The mark of a retraction and the words of people. What the machine says has keys of its own, so that a note comes
    back as it was written."""
    return " ".join(part for part in (mark_of(source), line(own_note(source))) if part)


def _why_rejected(source: ExportedSource) -> str:
    if source.record.rejected_because:
        return source.record.rejected_because
    if source.decision and source.decision.reason:
        return source.decision.reason
    return f"{source.verdict.label}: {source.reason}" if source.verdict else source.reason or "no reason given"


def _quoted(text: str) -> str:
    """A JSON string. A viewer that does not know front matter shows it as Markdown, so no tag and no link may
    stand in it."""
    return json.dumps(line(text), ensure_ascii=False).replace("<", "\\u003c").replace("](", "]\\u0028")


def _code(url: str) -> str:
    """An address as code. It holds no backtick: `address` encodes them."""
    return f"`{url}`"
