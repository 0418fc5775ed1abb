"""The corpus pack for a writer: ids, titles, summaries; whole excerpts only where they are asked for."""

import json
import re
from collections.abc import Collection, Sequence
from typing import Any

from sources.core.citations.corpus import CorpusItem, Standing

RULES = (
    "Cite only what stands in this list, by its id in square brackets: [src-007]; several: [src-007, src-012].",
    "Put the id behind the sentence that it supports. One sentence, one claim, its own ids.",
    "Write no web address and no link, not even one that you are sure of: those are taken out.",
    'Invent no id. For a claim that nothing here supports write <needs-source claim="the claim in your words">.',
    "Do not say more than the source says: no rounder figure, no later year, no wider place.",
    'Where a summary is not enough, write <needs-deeper-grounding id="src-007">; the next pack carries that text.',
)
"""How to write from a closed set of sources."""

_SPACELESS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_WARNINGS = {
    Standing.RETRACTED: "Retracted: do not cite.",
    Standing.DROPPED: "Dropped: do not cite.",
    Standing.INTERNAL_ONLY: "Internal: do not cite in what leaves the house.",
    Standing.STALE: "Not checked for long.",
}


def token_estimate(text: str) -> int:
    """Roughly how many tokens a model reads: one for four characters, one for each of a script without spaces.

    An estimate for planning; tokenizers differ by a fifth and more.
    """
    spaceless = len(_SPACELESS.findall(text))
    return spaceless + (len(text) - spaceless + 3) // 4


def pack_markdown(corpus: Sequence[CorpusItem], *, excerpts_for: Collection[str] = ()) -> str:
    """The pack as Markdown: the rules, then a heading for each source in the order given.

    `excerpts_for` are ids whose excerpt stands there whole, beside the summary. Texts of strangers stand as quotations,
    so that no heading or instruction of theirs is one of the pack's.
    """
    entries = [_entry(item, with_excerpt=item.id in excerpts_for) for item in corpus]
    rules = "\n".join(f"{number}. {rule}" for number, rule in enumerate(RULES, start=1))
    tokens = token_estimate(rules + "\n\n".join(entries))
    size = f"{len(corpus)} source{'' if len(corpus) == 1 else 's'}, about {tokens:,} tokens."
    return "\n\n".join(["# Sources you may cite", size, "## Rules", rules, "## Sources", *entries]) + "\n"


def pack_json(corpus: Sequence[CorpusItem], *, excerpts_for: Collection[str] = ()) -> dict[str, Any]:
    """The same for JSON: `rules` [str], `tokens` int, `sources` [{id, title, publisher, published, section, verdict,
    access_note, warnings, summary, excerpt, tokens, excerpt_tokens}]. `excerpt` is null where it is not asked for;
    `tokens` counts what stands here, `excerpt_tokens` what the excerpt has. No address: a writer is to cite by id."""
    sources = [_fields(item, with_excerpt=item.id in excerpts_for) for item in corpus]
    rules = list(RULES)
    return {
        "rules": rules,
        "tokens": token_estimate("\n".join(rules)) + sum(each["tokens"] for each in sources),
        "sources": sources,
    }


def _fields(item: CorpusItem, *, with_excerpt: bool) -> dict[str, Any]:
    told: dict[str, Any] = {
        "id": item.id,
        "title": item.title,
        "publisher": item.publisher,
        "published": item.published,
        "section": item.section,
        "verdict": item.verdict,
        "access_note": item.access_note,
        "warnings": [_WARNINGS[each] for each in sorted(item.standing)],
        "summary": item.summary,
        "excerpt": item.excerpt if with_excerpt else None,
    }
    told["tokens"] = token_estimate(json.dumps(told, ensure_ascii=False))
    told["excerpt_tokens"] = token_estimate(item.excerpt)
    return told


def _entry(item: CorpusItem, *, with_excerpt: bool) -> str:
    told = (item.publisher, item.published, item.section_title or item.section, item.access_note)
    facts = [_line(each) for each in told if each.strip()]
    warnings = [_WARNINGS[each] for each in sorted(item.standing)]
    parts = [f"### [{item.id}] {_line(item.title) or 'Untitled'}"]
    if facts or warnings:
        parts.append(" · ".join([*facts, *warnings]))
    if item.summary.strip():
        parts.append(_quoted(item.summary))
    if with_excerpt and item.excerpt.strip():
        parts.append(f"Full text (about {token_estimate(item.excerpt):,} tokens):\n\n{_quoted(item.excerpt)}")
    elif item.excerpt.strip():
        parts.append(f"Full text on request: about {token_estimate(item.excerpt):,} tokens.")
    return "\n\n".join(parts)


def _line(text: str) -> str:
    return " ".join(text.split())


def _quoted(text: str) -> str:
    return "\n".join(f"> {line.rstrip()}".rstrip() for line in text.strip().splitlines())
