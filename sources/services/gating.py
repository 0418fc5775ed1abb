"""The gate over a draft and the corpus of its project, and what it says as JSON that is kept with a version."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sources.core import citations
from sources.core.citations import Action, Change, Citation, CorpusItem, Gated, Mode, Policy, Problem, Standing
from sources.models import Draft
from sources.queries.corpora import corpus_of


def policy_of(draft: Draft) -> Policy:
    """The draft's policy: what it says of a standing, else the default of all drafts."""
    told = {Standing(name): Action(action) for name, action in draft.policy.items()}
    default = citations.DEFAULT_POLICY
    return Policy(mode=Mode(draft.mode), by_standing={**default.by_standing, **told})


def gated(*, draft: Draft, text: str, at: datetime) -> tuple[Gated, list[CorpusItem]]:
    """What the gate makes of `text` under the draft's policy and the corpus as it is at `at`, and that corpus.
    Reads only."""
    corpus = corpus_of(project=draft.project, at=at)
    return citations.gate(text, corpus=corpus, policy=policy_of(draft)), corpus


def reconciled(*, draft: Draft, text: str, at: datetime) -> citations.Reconciled:
    """`text` with its own citations held against what the project's corpus really has. Reads only."""
    return citations.reconcile(text, retrieved=corpus_of(project=draft.project, at=at))


def problem_facts(problems: Sequence[Problem]) -> list[dict[str, Any]]:
    """Problems as they are kept: place in the text as given (from 1), what is wrong, and the way out."""
    return [
        {
            "code": str(one.code),
            "severity": str(one.severity),
            "line": one.line,
            "column": one.column,
            "end_column": one.end_column,
            "message": one.message,
            "id": one.id,
            "claim": one.claim,
            "url": one.url,
        }
        for one in problems
    ]


def citation_facts(told: Sequence[Citation]) -> list[dict[str, Any]]:
    """The notes of a gated text as they are kept; `places` counts how often each is cited."""
    return [
        {"number": one.number, "id": one.id, "definition": one.definition, "places": len(one.places)} for one in told
    ]


def change_facts(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """What a reconciliation did to each citation, as it is kept."""
    return [
        {
            "kind": str(one.kind),
            "line": one.line,
            "label": one.label,
            "before": one.before,
            "after": one.after,
            "reason": one.reason,
        }
        for one in changes
    ]
