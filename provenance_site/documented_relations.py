"""The page of the relations of lineage, from the vocabulary itself."""

from collections.abc import Iterable, Iterator

from lineage.core.pairs import ALLOWED_PAIRS, OUTPUTS, is_dependence
from lineage.core.relations import EntityState, EntityType, Label, Relation


def lines() -> Iterator[str]:
    """The page without its first note, line by line."""
    yield "# The relations of lineage"
    yield ""
    yield "A relation leads from the dependent to what it rests on. Questions walk along dependences: what rests on"
    yield "a stale node becomes stale, and inherits its label. The others tell of succession or of structure."
    yield "[lineage.md](lineage.md) says what it is for."
    yield ""
    yield "| relation | leads from | to | is a dependence |"
    yield "|---|---|---|---|"
    for relation, (dependents, others) in ALLOWED_PAIRS.items():
        if relation is Relation.SUPERSEDES:
            yield f"| `{relation}` | anything | the same type | {_walked(relation, dependents)} |"
        else:
            yield f"| `{relation}` | {_listed(dependents)} | {_listed(others)} | {_walked(relation, dependents)} |"
    yield ""
    yield "`RELATED_TO` and its spellings are refused: an edge that does not say how cannot be followed."
    yield ""
    yield "## Types of nodes"
    yield ""
    yield ", ".join(f"`{one}`" for one in EntityType) + "."
    yield ""
    yield "## States"
    yield ""
    yield ", ".join(f"`{state}`" for state in EntityState) + "."
    yield ""
    yield "## Labels, least restrictive first"
    yield ""
    yield ", ".join(f"`{label}`" for label in Label) + "."


def _walked(relation: Relation, dependents: Iterable[EntityType]) -> str:
    own = {is_dependence(relation, one) for one in dependents}
    if own == {True, False}:
        return f"from {_listed(OUTPUTS)}"
    return "yes" if own == {True} else "no"


def _listed(types: Iterable[EntityType]) -> str:
    wanted = set(types)
    return ", ".join(one.value for one in EntityType if one in wanted)
