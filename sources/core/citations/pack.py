"""The corpus pack for a writer: ids, titles, summaries; full excerpts only where they are asked for."""

from collections.abc import Collection, Sequence
from typing import Any

from sources.core.citations.corpus import CorpusItem


def token_estimate(text: str) -> int:
    """Roughly how many tokens a model reads: a quarter of the characters, one for each of a script without spaces."""
    raise NotImplementedError


def pack_markdown(corpus: Sequence[CorpusItem], *, excerpts_for: Collection[str] = ()) -> str:
    """The pack as Markdown, with the rules of writing at its top."""
    raise NotImplementedError


def pack_json(corpus: Sequence[CorpusItem], *, excerpts_for: Collection[str] = ()) -> dict[str, Any]:
    """The same as values for JSON: `rules`, `tokens`, `sources`."""
    raise NotImplementedError
