"""What a page says, in its own sentences: summaries and the passage that fits a claim best. No model."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """`text[start:end]` of what was searched; `score` from 0 to 1. All empty where nothing fits."""

    text: str
    score: float
    start: int
    end: int


def summarise(excerpt: str, *, query: str, limit: int = 600) -> str:
    """The first and the best-matching sentences, in the order of the text, at most `limit` characters."""
    raise NotImplementedError


def best_passage(text: str, *, claim: str) -> Passage:
    """The passage of one to three sentences that shares most of what the claim says."""
    raise NotImplementedError
