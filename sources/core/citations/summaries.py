"""What a page says, in its own sentences: summaries and the passage that fits a claim best. No model."""

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sources.core.similarity import telling_forms

_END = re.compile(r"[.!?…]+|[。！？]+[”’」』）]*|[\r\n]+")
_CLOSES = re.compile(r"[\"”’»)\]]*+(?=\s|\Z)")
_SHORT = re.compile(
    r"(?:^|[\s(])(?:[A-Z](?:\.[A-Z])*|e\.g|i\.e|vs|cf|al|Dr|Mrs?|Ms|Prof|St|Inc|Ltd|Co|Corp|No|Fig|approx)\.$"
)
_WHOLE = re.compile(r"[.!?…。！？][\"”’»)\]」』）]*$")
_LONGEST_READ = 200_000
_LONGEST_SENTENCE = 1_000
_FEWEST_WORDS = 4
_PASSAGE = 3  # sentences
_NUMBER_WEIGHT = 2.0  # a claim with a figure is not supported where the figure is missing


@dataclass(frozen=True, slots=True)
class Passage:
    """`text` is `searched[start:end]`; `score` from 0 to 1. '' and zeros where nothing fits."""

    text: str
    score: float
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Sentence:
    start: int
    end: int
    words: frozenset[str]
    numbers: frozenset[str]
    says: int


def summarise(excerpt: str, *, query: str, limit: int = 600) -> str:
    """The first sentence and those that fit the query best, in the order of the text, at most `limit` characters.

    Menus (under four words) and what stands before the first whole sentence, as a headline does, are passed over where
    there is more; a first sentence that is too long is cut.
    '' for an excerpt of blanks. Reads 200,000 characters, linear in them.
    """
    all_of_it = _sentences(excerpt)
    sentences = [each for each in all_of_it if each.says >= _FEWEST_WORDS] or all_of_it
    if not sentences or limit < 1:
        return ""
    lead = (at for at, each in enumerate(sentences) if _WHOLE.search(excerpt, each.start, each.end))
    sentences = sentences[next(lead, 0) :]
    asked, numbers = _telling(query)
    weights = _weights(sentences)
    order = sorted(range(1, len(sentences)), key=lambda at: (-_fit(sentences[at], asked, numbers, weights), at))
    taken, length = [0], sentences[0].end - sentences[0].start
    for at in order:
        size = sentences[at].end - sentences[at].start + 1
        if length + size <= limit:
            taken.append(at)
            length += size
    said = " ".join(" ".join(excerpt[sentences[at].start : sentences[at].end].split()) for at in sorted(taken))
    return said if len(said) <= limit else said[: limit - 1].rstrip() + "…"


def best_passage(text: str, *, claim: str) -> Passage:
    """The passage of one to three sentences that holds most of what the claim says, the shortest of equals.

    The score is the share of the claim's telling words that stand there, rare words and numbers counting more. Nothing
    shared gives an empty passage. Reads 200,000 characters, linear in them.
    """
    sentences = _sentences(text)
    asked, numbers = _telling(claim)
    weights = _weights(sentences)
    whole = _weight(asked, numbers, weights)
    best = Passage("", 0.0, 0, 0)
    for at in range(len(sentences)):
        words: set[str] = set()
        found: set[str] = set()
        for sentence in sentences[at : at + _PASSAGE]:
            words |= sentence.words & asked
            found |= sentence.numbers & numbers
            score = round(_weight(frozenset(words), frozenset(found), weights) / whole, 3) if whole else 0.0
            start, end = sentences[at].start, sentence.end
            if score > best.score or (score == best.score > 0 and end - start < best.end - best.start):
                best = Passage(text[start:end], score, start, end)
    return best


def _sentences(text: str) -> list[_Sentence]:
    found: list[_Sentence] = []
    start, stop = 0, min(len(text), _LONGEST_READ)
    ends = list(_ends(text, stop))
    for end in [*ends, stop]:
        for at in range(start, end, _LONGEST_SENTENCE):
            piece = text[at : min(end, at + _LONGEST_SENTENCE)]
            said = piece.strip()
            if said:
                begin = at + len(piece) - len(piece.lstrip())
                words, numbers = _telling(said)
                found.append(_Sentence(begin, begin + len(said), words, numbers, max(len(said.split()), len(words))))
        start = end
    return found


def _ends(text: str, stop: int) -> Iterator[int]:
    for found in _END.finditer(text, 0, stop):
        if found[0][0] in ".!?…":
            closes = _CLOSES.match(text, found.end())
            if closes and not _SHORT.search(text, max(0, found.end() - 12), found.end()):
                yield closes.end()
        else:
            yield found.end()


def _telling(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words that say something, and the numbers among them."""
    forms = telling_forms(text)
    return forms[0] if forms else (frozenset(), frozenset())


def _weights(sentences: list[_Sentence]) -> dict[str, float]:
    """What a word tells of a sentence here: little where most have it."""
    counts = Counter(word for sentence in sentences for word in sentence.words)
    return {word: math.log(1 + len(sentences) / number) for word, number in counts.items()}


def _weight(words: frozenset[str], numbers: frozenset[str], weights: dict[str, float]) -> float:
    unknown = max(weights.values(), default=1.0)
    return sum(weights.get(word, unknown) for word in words) + _NUMBER_WEIGHT * len(numbers)


def _fit(sentence: _Sentence, asked: frozenset[str], numbers: frozenset[str], weights: dict[str, float]) -> float:
    return _weight(sentence.words & asked, sentence.numbers & numbers, weights)
