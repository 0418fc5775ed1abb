"""Weighs findings against earlier checks of their sources, before they are written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sources.core.findings import SourceFinding
from sources.core.freshness import Freshness, PastCheck, freshness_of, reads_history, weighed
from sources.queries.freshness import earlier_checks


@dataclass(frozen=True, slots=True)
class Weighed:
    """A finding with what earlier checks add to it, and how far it carries."""

    told: SourceFinding
    carries: Freshness


def weigh(findings: Sequence[SourceFinding]) -> list[Weighed]:
    """The findings in their order, each as it is to be written. Twice is safe.

    Earlier checks are read only for findings on which they have a say: one query, or none.
    """
    wanted = [told.source_id for told in findings if reads_history(told.finding)]
    history: Mapping[int, list[PastCheck]] = earlier_checks(wanted) if wanted else {}
    return [_weighed(told, history.get(told.source_id, [])) for told in findings]


def _weighed(told: SourceFinding, earlier: Sequence[PastCheck]) -> Weighed:
    finding = weighed(told.finding, earlier)
    return Weighed(told=replace(told, finding=finding), carries=freshness_of(finding, earlier))
