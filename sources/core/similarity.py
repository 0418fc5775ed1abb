"""How alike two titles are, after folding: the measured rules for titles that look the same and are not.

Raw word overlap fails both ways (measured on pairs from public reports): the same page with its site's name behind the
title scores 0.50, another year's results score 0.60, and a sibling paper beats the true one that was reworded. So
accents and letters are folded, a site's name is cut off, common small words do not count, and numbers must agree.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

# Letters that Unicode's decomposition leaves alone although readers and typists exchange them.
_SPECIAL = str.maketrans(
    dict(zip("øłđðıŋħŧ", "olddinht", strict=True))
    | {"æ": "ae", "œ": "oe", "þ": "th"}
    | {"ي": "ی", "ى": "ی", "ك": "ک"}  # Arabic keyboards and Persian ones write one letter in two ways
)
# Only the marks of Latin, Greek and Cyrillic, and the vowel points that Hebrew and Arabic may leave out: Japanese
# voicing and Indic vowels are letters' own and stay.
_COMBINING = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1-\u05c7\u0640\u064b-\u0652\u0670]")
# Indic, Thai and other vowel signs are no letters to `\w`, and would cut each word into its consonants.
_WORD = re.compile(
    r"(?:[^\W_]|[\u0900-\u0963\u0980-\u09e3\u09fe\u0a00-\u0dff\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u17b4-\u17d3])+"
)
# Scripts written without spaces: Thai, Lao, Myanmar, Khmer, kana, Han.
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_LETTER_DIGIT = re.compile(r"(?<=[^\W\d_])-(?=\d)")  # GPT-4 and GPT4, COVID-19 and Covid19
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_DIGITS = re.compile(r"\d+")
_SEPARATOR = re.compile(r"\s+[|\-–—‒―·•»«›/]\s+|\s*::\s*|\s*[|｜]\s*|\s+:\s+|_-_")
_BRACKETED = re.compile(r"^\s*\[[^\[\]]{1,40}\]\s*")  # [1706.03762], [PDF]
_GREEK = {"α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "κ": "kappa", "λ": "lambda", "μ": "mu", "σ": "sigma"}

# Words that say nothing of a work: articles, prepositions, conjunctions, and what an apostrophe leaves behind.
_SMALL_WORDS = """
a an the of and or in on for to with at by from as is are be was were its it this that s t d l n m j c qu ll re ve
der die das den dem des ein eine einer eines und oder im von vom zu zur zum mit auf fur bei ist am
le la les de du un une et ou en au aux sur pour par dans est el los las del y o al con por para es
il lo gli i e di da della dei delle nel per os as do dos das na no em um uma het een van voor met op te
och av pa som til og w z и в на с о по за к из не
"""
_SMALL = frozenset(_SMALL_WORDS.split())
_MAX_TITLE = 1_000
_LABEL = 3  # content words; what is left of a title after cutting is no title of its own below this
_LONGEST_SITE_NAME = 6  # words; a longer last segment is a subtitle


def fold(text: str) -> str:
    """The words of `text` in lower case, without accents and punctuation, one space between them.

    Special letters are spelt out (ß as ss, ø as o), compatibility forms are joined (full-width letters, ligatures).
    An apostrophe separates (`l'url` gives `l url`). Idempotent.
    """
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text.casefold().translate(_SPECIAL))
        # Once more: some letters and ligatures are taken apart into capitals and letters that are special themselves.
        text = unicodedata.normalize("NFC", _COMBINING.sub("", decomposed).casefold().translate(_SPECIAL))
    return " ".join(_WORD.findall(text.lower()))


@lru_cache(maxsize=1_024)
def content_words(title: str) -> int:
    """How many words of a title say something of the work. Two characters of a script without spaces count as one."""
    words = 0
    for word in fold(title).split():
        spaceless = sum(len(run) for run in _SPACELESS.findall(word))
        words += (spaceless + 1) // 2 if spaceless else word not in _SMALL
    return words


@dataclass(frozen=True, slots=True)
class TitleComparison:
    """How a claimed and a found title relate.

    `similarity` is 0 to 1 and below 0.6 where the numbers differ; `wording` is the same without the rule of numbers.
    `numbers_conflict`: each title has a number that the other lacks, so they are of different works or editions.
    """

    similarity: float
    wording: float
    numbers_conflict: bool


_NOTHING_ALIKE = TitleComparison(0.0, 0.0, numbers_conflict=False)


def compare_titles(claimed: str, found: str, *, site: str = "") -> TitleComparison:
    """The best relation between two titles over the ways of cutting a site's name off.

    `site` is the site's name or host where known. Titles are read up to 1,000 characters.
    """
    best = _NOTHING_ALIKE
    found_forms = _forms(found[:_MAX_TITLE], site)
    for claimed_form in _forms(claimed[:_MAX_TITLE], site):
        for found_form in found_forms:
            relation = _relate(claimed_form, found_form)
            short_cut = any(form.cut and form.weight < _LABEL for form in (claimed_form, found_form))
            if short_cut and (relation.wording < 1.0 or (claimed_form.cut and found_form.cut)):
                continue  # «Part one - The end» and «Part one - The beginning» share only a label
            if (relation.similarity, relation.wording) > (best.similarity, best.wording):
                best = relation
    return best


def telling_forms(title: str) -> list[tuple[frozenset[str], frozenset[str]]]:
    """The ways in which `compare_titles` reads a title, as (words that say something, numbers among them).

    The whole title first, then without what may be a site's name. Read up to 1,000 characters.
    """
    forms = _forms(title[:_MAX_TITLE], "")
    return [(form.words, form.numbers) for form in forms if not form.cut or form.weight >= _LABEL]


def title_similarity(claimed: str, found: str, *, site: str = "") -> float:
    """How alike two titles are, 0 to 1, after folding.

    Word overlap (Jaccard; character pairs in scripts without spaces) of the words that say something, with a site's
    name cut off. Numbers, years among them, must be the same on both sides, or the result stays below 0.6.
    0.8 and more is the same work; 0.6 to 0.8 is for a person to look at.
    """
    return compare_titles(claimed, found, site=site).similarity


def token_diff(claimed: str, found: str) -> list[tuple[str, str]]:
    """What changed from `claimed` to `found`, as (`same` | `del` | `ins`, words as written) in reading order.

    Words are compared folded, so a change of case, accent or punctuation alone is `same`, shown as claimed.
    """
    before, after = claimed.split(), found.split()
    matcher = SequenceMatcher(a=[fold(w) or w for w in before], b=[fold(w) or w for w in after], autojunk=False)
    parts: list[tuple[str, str]] = []
    for kind, a_start, a_end, b_start, b_end in matcher.get_opcodes():
        if kind == "equal":
            parts.append(("same", " ".join(before[a_start:a_end])))
            continue
        if a_end > a_start:
            parts.append(("del", " ".join(before[a_start:a_end])))
        if b_end > b_start:
            parts.append(("ins", " ".join(after[b_start:b_end])))
    return parts


def segments(title: str) -> list[str]:
    """The parts of a page title between separators such as ` | `, ` - `, ` – `, ` :: `, in order, none empty."""
    return [part.strip() for part in _SEPARATOR.split(title) if part.strip()]


@dataclass(frozen=True, slots=True)
class _Form:
    """One way of reading a title: whole, or with a part cut off (`cut` where it is only a guess that it was a name)."""

    words: frozenset[str]
    numbers: frozenset[str]
    letters: str
    weight: int
    cut: bool


@lru_cache(maxsize=512)
def _forms(title: str, site: str) -> tuple[_Form, ...]:
    """The ways of reading a title. Cached: a claimed one is compared with each title of its page."""
    return tuple(_readings(title, site))


def _readings(title: str, site: str) -> Iterator[_Form]:
    plain = _BRACKETED.sub("", title) or title
    yield _form(plain, cut=False)
    parts = segments(plain)
    if len(parts) > 1:
        kept = [part for part in parts if not _is_site(part, site)]
        if kept and len(kept) < len(parts):
            yield _form(" ".join(kept), cut=False)
        for text, dropped in (
            (" ".join(parts[:-1]), parts[-1]),
            (" ".join(parts[1:]), parts[0]),
            (parts[0], " ".join(parts[1:])),
        ):
            if _may_be_a_site_name(dropped) and content_words(text):
                yield _form(text, cut=True)
    head, colon, rest = plain.partition(": ")
    if colon and rest and _is_site(head, site):
        yield _form(rest, cut=False)


def _may_be_a_site_name(segment: str) -> bool:
    return not _DIGITS.search(segment) and 0 < len(fold(segment).split()) <= _LONGEST_SITE_NAME


def _is_site(segment: str, site: str) -> bool:
    if not site:
        return False
    squeezed, whole = fold(segment).replace(" ", ""), fold(site).replace(" ", "")
    return min(len(squeezed), len(whole)) >= 3 and (squeezed in whole or whole in squeezed)


def _form(title: str, *, cut: bool) -> _Form:
    folded = fold(_THOUSANDS.sub("", _LETTER_DIGIT.sub("", title)))
    words: list[str] = []
    for word in folded.split():
        runs = _SPACELESS.findall(word)
        if not runs:
            words.append(_GREEK.get(word, word))
            continue
        words.extend(rest for rest in _SPACELESS.split(word) if rest)
        for run in runs:
            words.extend(run[i : i + 2] for i in range(max(len(run) - 1, 1)))
    return _Form(
        words=frozenset(word for word in words if word not in _SMALL) or frozenset(words),
        numbers=frozenset(number.lstrip("0") or "0" for number in _DIGITS.findall(folded)),
        letters=folded.replace(" ", ""),
        weight=content_words(title),
        cut=cut,
    )


def _relate(claimed: _Form, found: _Form) -> TitleComparison:
    if not claimed.words or not found.words:
        return _NOTHING_ALIKE
    if claimed.letters == found.letters:
        return TitleComparison(1.0, 1.0, numbers_conflict=False)
    wording = len(claimed.words & found.words) / len(claimed.words | found.words)
    agree = claimed.numbers == found.numbers
    conflict = bool(claimed.numbers - found.numbers) and bool(found.numbers - claimed.numbers)
    return TitleComparison(wording if agree else min(wording, 0.59), wording, numbers_conflict=conflict)
