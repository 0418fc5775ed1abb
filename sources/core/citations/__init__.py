"""Closed-corpus writing: a draft and a corpus in, the resolved draft and everything that is wrong with it out. Pure."""

from sources.core.citations.corpus import CorpusItem, Standing
from sources.core.citations.gating import gate
from sources.core.citations.markers import (
    Marker,
    MarkerKind,
    MarkerRate,
    RateDecision,
    counted_rate,
    marker_rate,
    markers_of,
    resolve_marker,
)
from sources.core.citations.outcome import Change, ChangeKind, Citation, CitedClaim, Gated, Place, Reconciled
from sources.core.citations.pack import pack_json, pack_markdown, token_estimate
from sources.core.citations.policy import DEFAULT_POLICY, Action, Mode, Policy
from sources.core.citations.problems import Problem, ProblemCode, Severity
from sources.core.citations.reconciling import reconcile
from sources.core.citations.summaries import Passage, best_passage, summarise

__all__ = [
    "DEFAULT_POLICY",
    "Action",
    "Change",
    "ChangeKind",
    "Citation",
    "CitedClaim",
    "CorpusItem",
    "Gated",
    "Marker",
    "MarkerKind",
    "MarkerRate",
    "Mode",
    "Passage",
    "Place",
    "Policy",
    "Problem",
    "ProblemCode",
    "RateDecision",
    "Reconciled",
    "Severity",
    "Standing",
    "best_passage",
    "counted_rate",
    "gate",
    "marker_rate",
    "markers_of",
    "pack_json",
    "pack_markdown",
    "reconcile",
    "resolve_marker",
    "summarise",
    "token_estimate",
]
