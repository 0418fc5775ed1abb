"""Which works a person of the workspace has rejected, so that no search brings them back."""

from collections.abc import Collection

from sources.core.kinds import DecisionKind
from sources.queries import decisions, known


def rejected_before(*, workspace_id: int, keys: Collection[str]) -> dict[str, str]:
    """Why each of these works (`Identity.key`) stays out, by key, for those that a person rejected. Two queries."""
    there = known.sources_by_key(workspace_id=workspace_id, keys=list(keys))
    rejected = {key: source.pk for key, source in there.items() if source.decided == DecisionKind.DROP}
    told = decisions.holding(rejected.values()) if rejected else {}
    reasons = {}
    for key, pk in rejected.items():
        decision = told.get(pk)
        reason = f"{decision.at:%Y-%m-%d}, {decision.by}: {decision.reason}" if decision else "no reason is kept"
        reasons[key] = f"A person rejected it before ({reason})."[:500]
    return reasons
