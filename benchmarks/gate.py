"""`python -m benchmarks.gate [--out FILE]`: the writer gate on a draft of 1 MB with 2,000 citations.

The draft is made here: prose with ids, every tenth citation unknown, every tenth a link or an address from outside,
fences, tables and list items. `--out` writes the gated draft. To reach: under a second, a gated draft that the gate
leaves as it is, and a quarter of the draft in no less than a fifth of its share. Exit code 1 where one is missed.
"""

import argparse
import json
import random
import sys
import time
from pathlib import Path

from sources.core.citations import CorpusItem, gate, marker_rate

LIMIT_S = 1.0
GROWTH = 8.0
"""How many times longer four times the draft may take; linear work takes four."""
_WORDS = "harbour tide quay ferry rent wharf bread light report figure year share market price north south rises falls"


def main() -> None:
    """Makes the drafts, gates them, prints a table and one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    corpus = corpus_of(400)
    draft = draft_of(size=1_000_000, citations=2_000)
    whole, gated = seconds(draft, corpus)
    quarter, _ = seconds(draft_of(size=250_000, citations=500), corpus)
    again = gate(gated, corpus=corpus).text
    told = {
        "draft_1mb_2000_citations_s": round(whole, 3),
        "idempotent": again == gated,
        "growth_250kb_to_1mb": round(whole / quarter, 2),
        "marker_share": round(marker_rate(gated).share, 3),
    }
    print(f"{'draft':<28}{'seconds':>10}")
    print(f"{'250 kB, 500 citations':<28}{quarter:>10.3f}")
    print(f"{'1 MB, 2,000 citations':<28}{whole:>10.3f}")
    if asked.out:
        asked.out.write_text(gated, encoding="utf-8", newline="")
    print(json.dumps(told))
    if whole > LIMIT_S or not told["idempotent"] or whole / quarter > GROWTH:
        sys.exit("The gate is slower than it may be, or changes what it has gated.")


def corpus_of(sources: int) -> list[CorpusItem]:
    """Sources with addresses of their own."""
    return [
        CorpusItem(
            f"src-{number:03}", address, address, f"Report {number} of the harbour", "Harbour Office", "2024-04-25"
        )
        for number in range(1, sources + 1)
        for address in [f"https://site{number}.example/reports/{number}"]
    ]


def draft_of(*, size: int, citations: int) -> str:
    """A draft of about `size` bytes, the same for the same numbers."""
    chance = random.Random(size)
    words = _WORDS.split()
    parts: list[str] = []
    length = size // citations
    for number in range(citations):
        said = " ".join(chance.choices(words, k=length // 6 - 4)).capitalize()
        known = f"[src-{chance.randint(1, 400):03}]"
        match number % 10:
            case 3:
                cited = f"{said} [src-{number + 500}]."
            case 5:
                cited = f"{said}, says [the log](https://out.example/{number})."
            case 7:
                cited = f"- {said} {known}"
            case 8:
                cited = f"```\n{said} {known}\n```\n\n| {said[:80]} | {known} |\n|---|---|"
            case _:
                cited = f"{said} {known}."
        parts.append(cited + ("\n\n" if number % 3 == 2 or number % 10 > 5 else "\n"))
    return "".join(parts)


def seconds(draft: str, corpus: list[CorpusItem]) -> tuple[float, str]:
    """The shortest of three readings, and the gated draft."""
    readings = []
    text = ""
    for _ in range(3):
        begun = time.perf_counter()
        text = gate(draft, corpus=corpus).text
        readings.append(time.perf_counter() - begun)
    return min(readings), text


if __name__ == "__main__":
    main()
