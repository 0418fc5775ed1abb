"""BibTeX and BibLaTeX: entries in braces or parentheses, macros, fields inherited from other entries.

Every entry is parsed by itself (bibtexparser 2 leaves repeated keys, repeated fields and unbalanced entries out of its
list), so the file is held as text, not as a list of entries.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from sources.core.entries import Item
from sources.formats.bibtex.blocks import NOT_ENTRIES, Block, Broken, Fields, blocks_of, macro, parsed
from sources.formats.bibtex.fields import described
from sources.formats.bibtex.values import MONTH_MACROS, value_of
from sources.formats.description import row_error
from sources.formats.format import Format, Head
from sources.formats.opened import Opened, lines_of, opened

_RECOGNISED = re.compile(r"^[ \t]*@(\w+)\s*[{(]\s*(?:[^\s{}()=,\"]*\s*[,})]|\w+\s*=)", re.MULTILINE)
_LENDS = re.compile(r"\b(?:crossref|xdata)\s*=\s*[{\"]?([^{}\"\n]*)", re.IGNORECASE)
_OPENS = re.compile(r"[ \t]*@(\w+)\s*(?:[{(]|$)")
_ON_THE_SAME_LINE = re.compile(r"(?<=[})])[ \t]*,?[ \t]*@(\w+)[ \t]*[{(][^\s{}(),=\"]*[ \t]*,")
_NO_WORKS = {
    "xdata": "“{key}” is an entry of the type @xdata: it only lends its fields to other entries, which have them. "
    "There is nothing to do.",
    "set": "“{key}” is an entry of the type @set: it only names other entries, which are read by themselves. "
    "There is nothing to do.",
}
_GENERATIONS = 5
# What a child takes under another name (BibLaTeX manual, appendix B).
_RENAMED = {"title": "booktitle", "subtitle": "booksubtitle", "titleaddon": "booktitleaddon"}
_NOT_INHERITED = frozenset({"crossref", "xdata", "xref", "entryset", "ids", "keywords", "shorttitle", "sortkey", "doi",
                            "url", "eprint", "abstract", "note", "label", "pages"})  # fmt: skip
_Parents = dict[str, tuple[tuple[str, str], ...]]


def _recognises(head: Head) -> bool:
    # JSON, XML and prose may hold entries too, as text; a BibTeX file begins with one, or with comments.
    if head.text.lstrip()[:1] in ("{", "[", "<", "#"):
        return False
    found = _RECOGNISED.search(head.text)
    return bool(found) and not re.search(r"^(?:```|~~~)", head.text[: found.start() if found else 0], re.MULTILINE)


def _read(path: Path) -> Iterator[Item]:
    file = opened(path)
    macros, parents = _prepared(file.text)
    seen: dict[str, int] = {}
    for block in blocks_of(file.text):
        if block.kind not in NOT_ENTRIES:
            yield _item(block, file, macros, parents, seen)


def _item(block: Block, file: Opened, macros: dict[str, str], parents: _Parents, seen: dict[str, int]) -> Item:
    entry = parsed(block)
    if isinstance(entry, Broken):
        return row_error(block.line, f"@{block.kind}{{{block.key}", entry.message)
    if why := _NO_WORKS.get(block.kind):
        return row_error(block.line, entry.key, why.format(key=entry.key))
    told = described(line=block.line, kind=entry.kind, key=entry.key, fields=_inherited(entry, parents), macros=macros)
    told.warnings += entry.warnings
    told.warnings += file.warnings(block.line, block.last_line)
    if entry.key:
        if entry.key in seen:
            told.warnings.append(
                f"The key “{entry.key}” stands in line {seen[entry.key]} already; both entries are kept."
            )
        seen.setdefault(entry.key, block.line)
    return told.item()


def _prepared(text: str) -> tuple[dict[str, str], _Parents]:
    """The macros of the file, expanded, and the raw fields of the entries that others inherit from."""
    wanted = {key.strip().lower() for found in _LENDS.finditer(text) for key in found[1].split(",")}
    macros, parents = dict(MONTH_MACROS), _Parents()
    if not wanted and "@string" not in text.lower():
        return macros, parents
    for block in blocks_of(text):
        if block.kind == "string":
            told = macro(block)
            if told:
                macros[told[0]] = value_of(told[1], macros)[0]
        elif block.key.lower() in wanted and block.kind not in NOT_ENTRIES:
            entry = parsed(block)
            if isinstance(entry, Fields):
                parents.setdefault(entry.key.lower(), (("@", block.kind), *entry.fields))
    return macros, parents


def _inherited(entry: Fields, parents: _Parents) -> tuple[tuple[str, str], ...]:
    """The entry's fields, then those of its parents that it has not."""
    fields = list(entry.fields)
    names = {name for name, _ in fields}
    waiting = [(name, value) for name, value in entry.fields if name in ("crossref", "xdata")]
    met = {entry.key.lower()}
    for _ in range(_GENERATIONS):
        following = []
        for how, value in waiting:
            for key in value.strip('{}" ').split(","):
                parent = parents.get(key.strip().lower())
                if parent is None or key.strip().lower() in met:
                    continue
                met.add(key.strip().lower())
                for name, raw in parent:
                    if name in ("crossref", "xdata"):
                        following.append((name, raw))
                        continue
                    taken = name if how == "xdata" else _RENAMED.get(name, name)
                    if name == "@" or taken in names or (how == "crossref" and name in _NOT_INHERITED):
                        continue
                    names.add(taken)
                    fields.append((taken, raw))
        waiting = following
    return tuple(fields)


def _count(path: Path) -> int:
    """Lines that open an entry, without @comment, @string and @preamble, and entries that open behind another."""
    entries, waits = 0, ""
    for line in lines_of(path):
        if waits and line.text.strip():
            entries += line.text.lstrip()[0] in "{("
            waits = ""
        found = _OPENS.match(line.text)
        if found and found[1].lower() not in NOT_ENTRIES:
            if found[0].rstrip()[-1] in "{(":
                entries += 1
            else:
                waits = found[1]
        entries += sum(1 for more in _ON_THE_SAME_LINE.finditer(line.text) if more[1].lower() not in NOT_ENTRIES)
    return entries


FORMAT = Format(name="bibtex", label="BibTeX or BibLaTeX", recognises=_recognises, read=_read, count=_count)
