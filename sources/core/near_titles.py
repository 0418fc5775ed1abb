"""Which titles are worth comparing, and when two records with nearly the same title may be one work.

Comparing every title with every other takes 5 · 10⁹ comparisons for 100,000 sources. Two titles that are at least 0.8
alike share all but a few of their words, so whichever order the words are put in, two of the first few of each agree
(the prefix filter of set joins). Each title is filed under those pairs of words, and only titles that meet under one of
them are compared: no pair of up to 20 words each is missed, and longer titles are still found where they begin alike.
"""

import hashlib
from dataclasses import dataclass
from itertools import combinations
from math import ceil

from sources.core.similarity import compare_titles, fold, telling_forms

ALIKE = 0.8
# Shorter titles («Editorial», «Annual report») belong to many works.
FEWEST_WORDS = 4
# Six words make fifteen pairs: enough for every title of up to twenty words.
_LONGEST_PREFIX = 6
# «Part I» and «Part II» are two works. Not the I itself: it is a word of its own in several languages.
_ROMAN = frozenset(["ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"])


@dataclass(frozen=True, slots=True)
class TitleFacts:
    """What is compared of a record: title, year in four digits, the first author's family name, DOI; '' for unknown."""

    title: str
    year: str = ""
    family: str = ""
    doi: str = ""


def title_keys(title: str) -> frozenset[int]:
    """The keys (signed 64-bit numbers) under which a title is filed; none for a title of fewer than four telling words.

    Titles whose numbers differ share no key.
    """
    keys: set[int] = set()
    for words, numbers in telling_forms(title):
        if len(words) < FEWEST_WORDS:
            continue
        # Long words are rarer, so fewer titles meet under them.
        ordered = sorted(words, key=lambda word: (-len(word), word))
        prefix = min(len(words) - ceil(ALIKE * len(words)) + 2, _LONGEST_PREFIX)
        ending = " ".join(sorted(numbers))
        keys.update(_key(one, other, ending) for one, other in combinations(sorted(ordered[:prefix]), 2))
    return frozenset(keys)


def may_be_one(one: TitleFacts, other: TitleFacts) -> bool:
    """True where nothing known of two records speaks against one work and their titles are at least 0.8 alike.

    Years and first authors must agree where both are known, numbers always. Two DOIs need the same title.
    """
    if one.year and other.year and one.year != other.year:
        return False
    if one.family and other.family and fold(one.family) != fold(other.family):
        return False
    relation = compare_titles(one.title, other.title)
    if relation.similarity < ALIKE or (one.doi and other.doi and relation.wording < 1.0):
        return False
    return _ROMAN & set(fold(one.title).split()) == _ROMAN & set(fold(other.title).split())


def _key(*parts: str) -> int:
    return int.from_bytes(hashlib.sha256("\n".join(parts).encode()).digest()[:8], "big", signed=True)
