"""What an ingest does to the passages of a store, as a plan: nothing is written here.

A passage is its source and the SHA-256 of its content. Same source and same hash: unchanged. A hash that its source no
longer has is replaced by one that is new to it, or removed. Source: Harvey's ingest rule.
"""

import hashlib
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

_ENDING = re.compile(r"\.(?:db|sqlite3?)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, order=True)
class Passage:
    """One passage: where it comes from ('' where unknown) and the lower-case hex SHA-256 of its content."""

    source: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class Ingest:
    """The plan of one ingest. Each stored passage of the sources concerned is unchanged, replaced or removed; each new
    one is unchanged, a replacement or added. `replaced` holds pairs (old, new): the old row takes the new content and
    `indexed_at` is renewed. What is removed leaves a tombstone."""

    unchanged: tuple[Passage, ...]
    replaced: tuple[tuple[Passage, Passage], ...]
    added: tuple[Passage, ...]
    removed: tuple[Passage, ...]

    @property
    def stale(self) -> tuple[str, ...]:
        """The sources of which something was replaced or removed: whoever cached their passages holds old ones."""
        gone = [old.source for old, _ in self.replaced] + [old.source for old in self.removed]
        return tuple(dict.fromkeys(gone))


def document_key(store: str, path: str) -> str:
    """Lower-case hex SHA-256 of a store's name and a path in it: the key of one document of one store."""
    return hashlib.sha256(f"{store}\n{path}".encode()).hexdigest()


def ingest(stored: Iterable[Passage], new: Iterable[Passage], *, sources: Collection[str] | None = None) -> Ingest:
    """The plan that makes the passages of some sources those of `new`.

    `sources` says which sources `new` speaks for: all of `stored` for a whole store, one for a file (so that a file
    without any passage empties its source); by default the sources that `new` names. Passages of other sources are left
    alone and stand nowhere in the plan. Repeated passages count once. Within a source the first hash that is gone is
    replaced by the first that is new, and so on; what is left over is removed, or added. A stored row without a hash
    equals none. Twice is safe: the second plan has only unchanged passages. Raises ValueError for a new passage without
    a hash, or of a source outside `sources`.
    """
    wanted = list(dict.fromkeys(new))
    concerned = {passage.source for passage in wanted} if sources is None else set(sources)
    for passage in wanted:
        if not passage.content_hash:
            raise ValueError(f"A new passage of “{passage.source}” has no hash.")
        if passage.source not in concerned:
            raise ValueError(f"A new passage is of “{passage.source}”, which this ingest does not speak for.")
    held = [passage for passage in dict.fromkeys(stored) if passage.source in concerned]
    is_held, is_wanted = set(held), set(wanted)
    fresh: dict[str, list[Passage]] = {}
    for passage in wanted:
        if passage not in is_held:
            fresh.setdefault(passage.source, []).append(passage)
    waiting = {source: iter(passages) for source, passages in fresh.items()}
    replaced, removed = [], []
    for passage in held:
        if passage in is_wanted:
            continue
        successor = next(waiting.get(passage.source, iter(())), None)
        if successor is None:
            removed.append(passage)
        else:
            replaced.append((passage, successor))
    taken = {successor for _, successor in replaced}
    return Ingest(
        unchanged=tuple(passage for passage in wanted if passage in is_held),
        replaced=tuple(replaced),
        added=tuple(passage for passage in wanted if passage not in is_held and passage not in taken),
        removed=tuple(removed),
    )


def hash_of(content: str) -> str:
    """Lower-case hex SHA-256 of the content as UTF-8: what Harvey stores in `content_hash`."""
    return hashlib.sha256(content.encode()).hexdigest()


def store_name(written: str) -> str:
    """A store's name from its file's name or path, or from a session's note: no folder, no `.db`.

    Sessions name a store with its ending (`sparqlset.db`), imports by its file: this makes both one.
    """
    return _ENDING.sub("", re.split(r"[/\\]", written.strip())[-1])


def title_from(source: str) -> str:
    """The title of a passage that nobody gave one: the stem of its file's name, or the last part of its address."""
    name = re.split(r"[/\\]", re.split(r"[?#]", source.strip(), maxsplit=1)[0].rstrip("/\\"))[-1]
    return re.sub(r"(?<=.)\.[A-Za-z0-9]{1,10}$", "", name)
