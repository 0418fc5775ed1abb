"""Reconciling a draft that already cites with what was truly retrieved."""

from collections.abc import Sequence

from sources.core.citations.changes import Reconciled
from sources.core.citations.corpus import CorpusItem


def reconcile(draft: str, *, retrieved: Sequence[CorpusItem]) -> Reconciled:
    """The draft with the citations that hold, and every change."""
    raise NotImplementedError
