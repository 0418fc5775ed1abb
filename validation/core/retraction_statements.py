"""What providers say of a work's retraction, and the ports behind which they are asked; pure.

A statement is one provider's word about one work, with the raw word kept. A provider that could not be asked has said
nothing: its works stand in `Told.failed`, never among those of which nothing is known.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sources.core.retraction_status import Nature, Provider
from validation.core.ports import Unavailable
from validation.core.preprint_relations import Version
from validation.core.retraction_ids import WorkId


@dataclass(frozen=True, slots=True)
class Statement:
    """One word of one provider about one work.

    `record_id` tells it from the provider's other words, so that hearing it again adds nothing. `raw_nature` is the
    word as given. Dates are ISO, as exact as they were given (`2010`, `2010-02`, `2010-02-06`), '' where none was.
    `notice` names the notice (`10.…`, `pmid:…`), '' where unknown. `snapshot` is the SHA-256 of the file it was in.
    """

    work: WorkId
    provider: Provider
    record_id: str
    nature: Nature
    raw_nature: str
    notice: str = ""
    notice_date: str = ""
    original_date: str = ""
    reasons: tuple[str, ...] = ()
    url: str = ""
    snapshot: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """What came of one question about several works; each work asked about is in exactly one of the three.

    `answered`: the provider knows the work and has said all it knows, which may be nothing. `unknown`: it holds no such
    work, so others must be asked. `failed`: it could not be asked, with the reason. `statements` may be about other
    works too: the notice of a retraction, or the work that a notice is about. `titles` are those of works that were
    answered, as registered there, where it tells them. `versions` say which preprint belongs to which published work.
    """

    statements: tuple[Statement, ...] = ()
    answered: frozenset[WorkId] = frozenset()
    unknown: frozenset[WorkId] = frozenset()
    failed: Mapping[WorkId, Unavailable] = field(default_factory=dict)
    titles: Mapping[WorkId, str] = field(default_factory=dict)
    versions: tuple[Version, ...] = ()


@dataclass(frozen=True, slots=True)
class UpdatesPage:
    """One page of what changed. `next_cursor` is '' on the last one; `seen` counts the records of the page."""

    statements: tuple[Statement, ...]
    next_cursor: str
    seen: int


class RetractionProvider(Protocol):
    """Asks one provider about works."""

    @property
    def name(self) -> Provider:
        """Who it is."""
        ...

    @property
    def at_once(self) -> int:
        """How many works may stand in one question."""
        ...

    def takes(self, work: WorkId) -> bool:
        """True for works that this provider can know."""
        ...

    async def ask(self, works: Sequence[WorkId]) -> Told:
        """What it says of these works, at most `at_once`, all of which it takes. Never raises for a network."""
        ...


class UpdatesFeed(Protocol):
    """Tells what changed since a day."""

    @property
    def name(self) -> Provider:
        """Who it is."""
        ...

    async def since(self, day: str, *, cursor: str) -> UpdatesPage | Unavailable:
        """One page of notices indexed on `day` (ISO) or later; `cursor` is '' for the first page."""
        ...


def all_failed(works: Sequence[WorkId], why: Unavailable) -> Told:
    """The answer of a provider that gave none."""
    return Told(failed=dict.fromkeys(works, why))


def joined(parts: Sequence[Told]) -> Told:
    """Several answers as one."""
    failed: dict[WorkId, Unavailable] = {}
    titles: dict[WorkId, str] = {}
    for part in parts:
        failed.update(part.failed)
        titles.update(part.titles)
    return Told(
        statements=tuple(dict.fromkeys(statement for part in parts for statement in part.statements)),
        answered=frozenset().union(*(part.answered for part in parts)),
        unknown=frozenset().union(*(part.unknown for part in parts)),
        failed=failed,
        titles=titles,
        versions=tuple(dict.fromkeys(version for part in parts for version in part.versions)),
    )
