"""The writer gate: ids of the corpus become notes, everything else from outside is stopped and said aloud."""

from collections.abc import Sequence

from sources.core.citations.corpus import CorpusItem
from sources.core.citations.outcome import Gated
from sources.core.citations.policy import DEFAULT_POLICY, Policy


def gate(draft: str, *, corpus: Sequence[CorpusItem], policy: Policy = DEFAULT_POLICY) -> Gated:
    """The resolved draft, its citations, its problems and its claims."""
    raise NotImplementedError
