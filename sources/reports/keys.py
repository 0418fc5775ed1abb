"""Citation keys: what a text cites a source by, each once in a file."""

import re

from sources.core.exported import ExportedSource
from sources.reports.plain_text import line

# Everything else ends a key in one of the tools, or is a command there (`%`, `#`, `~`, `\`, quotes, braces, commas).
_NOT_IN_KEYS = re.compile(r"[^\w.:+/-]+")
_LONGEST = 100


class Keys:
    """Gives every source of one file its key.

    The key of the file that the source came from, so that texts which cite it still do; else its stable id, by which
    drafts cite it. The second source with the same key gets its stable id behind it: the order of the file decides, and
    that is the order of stable ids, which are never used again. Keys that differ in capitals only are one to BibTeX.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, source: ExportedSource) -> str:
        """The next source's key; every call takes one."""
        own = _NOT_IN_KEYS.sub("-", line(source.record.ref)).strip("-")[:_LONGEST]
        stable = _NOT_IN_KEYS.sub("-", line(source.stable_id)).strip("-") or "source"
        for key in (own, f"{own}-{stable}" if own else stable):
            if key and key.casefold() not in self._taken:
                self._taken.add(key.casefold())
                return key
        number = 2
        while f"{stable}-{number}".casefold() in self._taken:
            number += 1
        self._taken.add(f"{stable}-{number}".casefold())
        return f"{stable}-{number}"
