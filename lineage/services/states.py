"""The state of a node, from its four moments. Written by the statement that sets a moment, so they never disagree."""

from django.db.models import Case, Value, When

from lineage.core.relations import EntityState

# The state that is shown is the first of these whose moment is set.
_MOMENTS = {
    "tombstoned_at": EntityState.TOMBSTONED,
    "retracted_at": EntityState.RETRACTED,
    "stale_at": EntityState.STALE,
    "superseded_at": EntityState.SUPERSEDED,
}


def derived(*, setting: str = "", clearing: str = "") -> Case:
    """The state of a row in an UPDATE that sets or clears one of its moments; the others are read as they are."""
    whens = []
    default = EntityState.CURRENT
    for moment, state in _MOMENTS.items():
        if moment == setting:
            default = state
            break
        if moment != clearing:
            whens.append(When(**{f"{moment}__isnull": False}, then=Value(state.value)))
    return Case(*whens, default=Value(default.value))
