"""Makes weighed findings ready to be written, before the transaction in which that happens.

Writers of SQLite go one after another, so whatever is computed inside is waited for by all. What is made here rests on
the source as it stood a moment ago; `registry.apply_ready` makes it anew for what has changed since.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from provenance_site.kit.values import stored_json, stored_moment
from sources.queries.states import SourceState, states_of
from sources.services import versions
from sources.services.weighing import Weighed


class Ready(NamedTuple):
    """A weighed finding with the source it was made for, and its parts as the database takes them.

    `check` goes from the verdict to the evidence, `carries` has the times of `Freshness`; `reading` is '' where
    nothing was read.
    """

    weighed: Weighed
    state: SourceState
    version: versions.Planned | None
    check: tuple[Any, ...]
    reading: str
    carries: tuple[Any, ...]


def made_ready(weighed: Sequence[Weighed], *, at: datetime) -> list[Ready]:
    """The findings in their order, without those whose source is gone. One query, or none."""
    if not weighed:
        return []
    states = states_of({one.told.source_id for one in weighed})
    return [ready(one, states[one.told.source_id], at=at) for one in weighed if one.told.source_id in states]


def ready(weighed: Weighed, state: SourceState, *, at: datetime) -> Ready:
    """One finding, made ready for a source as it stands in `state`."""
    finding, carries = weighed.told.finding, weighed.carries
    evidence = finding.evidence
    return Ready(
        weighed=weighed,
        state=state,
        version=versions.plan(weighed.told, state, at=at),
        check=(
            finding.verdict.value,
            finding.cause.value,
            stored_moment(finding.at),
            finding.rules_version,
            stored_json(evidence.as_json()),
        ),
        reading=evidence.reading,
        carries=(stored_moment(carries.fresh_until), stored_moment(carries.retry_at), carries.is_final),
    )
