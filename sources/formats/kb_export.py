"""What Harvey's `kb export` writes: JSON Lines, one project, concept, source, observation or link a line.

Lines may come in any order and files may be concatenated, even without a line end between them. An entry is known by
its uuid. Nothing is collected: memory is that of one line.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from sources.core.entries import Item, LinkKind, LinkRecord, Record, Relationship
from sources.core.kb_lines import FIELDS, LONGEST_LINE
from sources.core.lines import one_line
from sources.core.records import RowError
from sources.formats.format import Format, Head
from sources.formats.harvey_rows import (
    BadRow,
    Fields,
    concept_from,
    observation_from,
    project_from,
    ref_of,
    relationship_from,
    source_from,
)
from sources.formats.opened import lines_of

_BLANK = re.compile(r"[ \t\r\n\ufeff]*")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_TYPE = re.compile(r'^\ufeff?[ \t]*\{.*"type"\s*:\s*"(?:' + "|".join(FIELDS) + r')"', re.MULTILINE)
_OPENS = re.compile(r"^\ufeff?\s*\{")
_SHOWN = 200


def _recognises(head: Head) -> bool:
    return bool(_OPENS.match(head.text) and _TYPE.search(head.text))


def read(path: Path) -> Iterator[Item]:
    """Each object of each line as a record, in the order of the file.

    Refs are `project:<uuid>`, `concept:<uuid>`, `source:<uuid>` and `observation:<uuid>`, uuids in lower case. The same
    entry may come again, and a link before what it links, or to what the file does not hold. A line with several
    objects is taken whole or not at all.
    """
    for line in lines_of(path, longest=LONGEST_LINE):
        # Identity is spelled letter by letter here, so nothing is mended.
        if line.problem or line.repaired:
            mend = f"{line.repaired} Save the file as UTF-8 and import it again." if line.repaired else ""
            yield RowError(line.number, "", line.problem or mend)
        elif line.text.strip(" \t\ufeff"):
            try:
                yield from [_record(told, line.number) for told in _objects(line.text)]
            except BadRow as error:
                yield RowError(line.number, one_line(line.text[: 2 * _SHOWN])[:_SHOWN], str(error))


def _objects(text: str) -> list[object]:
    decoder = json.JSONDecoder()
    told: list[object] = []
    at = _end(text, 0)
    while at < len(text):
        try:
            one, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            raise BadRow(
                f"This line is no JSON from character {error.pos + 1} on ({error.msg}). Correct it, or delete the line."
            ) from None
        except RecursionError:
            raise BadRow("This line is nested too deep to be read. An export is not; delete the line.") from None
        except ValueError:
            raise BadRow("This line holds a number that is too long. An export has none; correct it.") from None
        told.append(one)
        at = _end(text, at)
    return told


def _end(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _record(told: object, line: int) -> Record:
    if not isinstance(told, dict):
        raise BadRow("This line is no JSON object. An export has one object a line: {…}.")
    kind = told.get("type")
    if not isinstance(kind, str) or kind not in FIELDS:
        shown = one_line(str(kind)[:80])[:40] if isinstance(kind, str) else "nothing"
        raise BadRow(f"The type is “{shown}”. Known types: {', '.join(FIELDS)}.")
    return _MAKERS[kind]({name: _text(told, name) for name in FIELDS[kind]}, line)


def _text(told: dict[str, object], name: str) -> str:
    value = told.get(name)
    match value:
        case None:
            return ""
        case bool():
            return "1" if value else "0"
        case str():
            if _UNSTORABLE.search(value):
                raise BadRow(f"The field “{name}” holds a NUL character or half a surrogate pair. Correct it.")
            return value
        case int() | float():
            return str(value)
        case _:
            raise BadRow(f"The field “{name}” is no text. Write it in quotation marks.")


def _project(row: Fields, line: int) -> Record:
    return project_from(row, line=line, ref=ref_of("project", row["uuid"]))


def _concept(row: Fields, line: int) -> Record:
    return concept_from(row, line=line, ref=ref_of("concept", row["uuid"]))


def _source(row: Fields, line: int) -> Record:
    return source_from(row, line=line, ref=ref_of("source", row["uuid"]))


def _observation(row: Fields, line: int) -> Record:
    return observation_from(
        row,
        line=line,
        ref=ref_of("observation", row["uuid"]),
        project_ref=ref_of("project", row["project_uuid"]),
    )


def _observation_concept(row: Fields, line: int) -> Record:
    return _link(row, line, LinkKind.OBSERVATION_CONCEPT, "observation", "concept")


def _project_concept(row: Fields, line: int) -> Record:
    return _link(row, line, LinkKind.PROJECT_CONCEPT, "project", "concept")


def _observation_source(row: Fields, line: int) -> Record:
    relationship = relationship_from(row["relationship"])
    return _link(row, line, LinkKind.OBSERVATION_SOURCE, "observation", "source", relationship)


def _link(
    row: Fields, line: int, kind: LinkKind, begins: str, ends: str, relationship: Relationship | None = None
) -> LinkRecord:
    from_ref, to_ref = (ref_of(one, row[f"{one}_uuid"]) for one in (begins, ends))
    if not from_ref or not to_ref:
        raise BadRow(f"The field “{begins if not from_ref else ends}_uuid” is empty. Name what is linked.")
    return LinkRecord(line=line, kind=kind, from_ref=from_ref, to_ref=to_ref, relationship=relationship)


_MAKERS: Final[dict[str, Callable[[Fields, int], Record]]] = {
    "project": _project,
    "concept": _concept,
    "source": _source,
    "observation": _observation,
    "observation_concept": _observation_concept,
    "project_concept": _project_concept,
    "observation_source": _observation_source,
}

FORMAT = Format(name="kb-export", label="Harvey kb export (JSON Lines)", recognises=_recognises, read=read)
