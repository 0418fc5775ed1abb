"""Takes in what providers assert about retractions, for all workspaces at once, and has the sources follow."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db import transaction

from provenance_site.kit.rows import in_parts, insert_columns, insert_rows
from sources.core.kinds import IdentifierType
from sources.core.records import Identity
from sources.core.retraction_status import Nature, Provider
from sources.models import RetractionAssertion, RetractionCheck
from sources.services import retraction_standings

__all__ = ["AssertionFacts", "Recorded", "record", "record_checks"]

# So many are one transaction: with what follows from them, it holds SQLite's write lock for about a second.
STEP = 5_000
_AS_GIVEN = (
    "identifier_type", "identifier_value", "provider", "record_id", "nature", "raw_nature", "notice_identifier",
    "notice_date", "original_date", "url", "snapshot", "workspace_id",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class AssertionFacts:
    """What one record of a provider says of one identifier.

    `identifier_type` is a value of `sources.core.kinds.IdentifierType`, `identifier_value` normalised as
    `sources.core.identifiers` does it. Dates are '', 2010, 2010-02 or 2010-02-06. `snapshot` says of what it was read:
    a SHA-256 or a name of the fetch, at most 100 characters. `workspace_id` is given exactly for what a file says that
    was imported there.
    """

    identifier_type: str
    identifier_value: str
    provider: Provider
    record_id: str
    nature: Nature
    raw_nature: str
    notice_identifier: str = ""
    notice_date: str = ""
    original_date: str = ""
    reasons: tuple[str, ...] = ()
    url: str = ""
    snapshot: str = ""
    workspace_id: int | None = None

    @property
    def identifier_key(self) -> str:
        """The key by which sources have this identifier, see `Identity.key`."""
        return Identity(IdentifierType(self.identifier_type), self.identifier_value, "").key

    @property
    def key(self) -> str:
        """Lower-case hex SHA-256 of what makes it this assertion. Reasons are reworded now and then: no part of it."""
        parts = [
            self.provider.value, self.record_id, self.nature.value, self.identifier_type, self.identifier_value,
            self.notice_identifier, self.notice_date,
        ]  # fmt: skip
        if self.workspace_id is not None:
            parts.append(str(self.workspace_id))
        return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Recorded:
    """What came of it: assertions that are new, those said before, and sources whose status or evidence changed."""

    new: int = 0
    seen_again: int = 0
    changed_sources: int = 0


def record(*, assertions: Iterable[AssertionFacts], at: datetime) -> Recorded:
    """Keeps what is new, and has every source of every workspace that it is about follow: status, mark, chunks, graph,
    questions to editors, notices. In transactions of 5,000 assertions, each whole. Twice adds nothing.

    Raises ValueError for an identifier type that is none, and for an assertion about no identifier.
    """
    total = Recorded()
    for part in in_parts(assertions, STEP):
        with transaction.atomic():
            new, again = _keep(part, at=at)
            changed = retraction_standings.follow_identifiers(identifier_keys=set(new), at=at)
        total = Recorded(total.new + len(new), total.seen_again + again, total.changed_sources + changed)
    return total


def record_checks(
    *,
    identifiers: Iterable[tuple[str, str]],
    provider: Provider,
    outcome: Literal["answered", "failed"],
    at: datetime,
) -> None:
    """Keeps that the provider answered, or could not be asked, about these (type, normalised value) at `at`.

    So that “none found” has a date and “not checked” is told apart from it. Call it after `record` for an answer.
    Twice is safe; an older moment than the one kept changes nothing.
    """
    column = "answered_at" if outcome == "answered" else "failed_at"
    keys = {Identity(IdentifierType(kind), value, "").key for kind, value in identifiers} - {""}
    for part in in_parts(sorted(keys), STEP):
        with transaction.atomic():
            for some in in_parts(part):
                known = RetractionCheck.objects.filter(identifier_key__in=some, provider=provider)
                here = set(known.values_list("identifier_key", flat=True))
                known.exclude(**{f"{column}__gte": at}).update(**{column: at})
                insert_rows(
                    [
                        RetractionCheck(identifier_key=key, provider=provider, **{column: at})
                        for key in some
                        if key not in here
                    ],
                    ignore_conflicts=True,
                )
            retraction_standings.follow_identifiers(identifier_keys=set(part), at=at)


def _keep(part: Sequence[AssertionFacts], *, at: datetime) -> tuple[list[str], int]:
    """Writes what is new of these; gives the keys of the identifiers it is about, and how many were known."""
    by_key = {facts.key: facts for facts in part}
    known: set[str] = set()
    for keys in in_parts(sorted(by_key)):
        held = RetractionAssertion.objects.filter(key__in=keys)
        here = set(held.values_list("key", flat=True))
        known |= here
        if here:
            held.filter(last_seen_at__lt=at).update(last_seen_at=at)
    new = [(key, facts) for key, facts in by_key.items() if key not in known]
    about = [facts.identifier_key for _, facts in new]
    if not all(about):
        raise ValueError("an assertion must be about an identifier")
    # Column by column: an export has 130,000 of them, and a model's instance costs more than its row.
    insert_columns(
        RetractionAssertion,
        {
            "key": [key for key, _ in new],
            "identifier_key": about,
            "reasons": [list(facts.reasons) for _, facts in new],
            **{name: [getattr(facts, name) for _, facts in new] for name in _AS_GIVEN},
        },
        same={"first_seen_at": at, "last_seen_at": at},
        ignore_conflicts=True,
    )
    return about, len(by_key) - len(new)
