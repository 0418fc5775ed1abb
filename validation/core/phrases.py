"""The phrases of `validation/data/phrases.yaml`, folded once, and the ways in which they may match.

A phrase never matches a whole body: it matches a heading as a whole, the beginning of a heading, or a sentence that
the caller has taken from a page with little text.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from sources.core.similarity import fold
from validation.core.datafiles import read_data

_SPACELESS = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_STATUS_CODE = re.compile(r"[45]\d\d")
_LONGEST_HEADING = 12
_LONGEST_SENTENCE = 40
GROUPS = ("bot_challenge", "blocked", "login", "server_error", "consent", "parked", "shell")


@dataclass(frozen=True, slots=True)
class Needles:
    """Phrases in their order, filed so that a text is compared only with those that it may contain.

    `by_word` are those of several words, by their first one, which must stand whole in the text; `loose` are all
    others: single words, which may be a word's beginning, and phrases of scripts without spaces. `plain` are those of
    them in ASCII, the only ones that a text in ASCII may contain. Each with its place.
    """

    by_word: Mapping[str, tuple[tuple[int, str], ...]]
    loose: tuple[tuple[int, str], ...]
    plain: tuple[tuple[int, str], ...]

    @classmethod
    def of(cls, phrases: Iterable[str]) -> "Needles":
        """The phrases, folded, each once."""
        by_word: dict[str, list[tuple[int, str]]] = {}
        loose: list[tuple[int, str]] = []
        for place, phrase in enumerate(filter(None, dict.fromkeys(fold(str(phrase)) for phrase in phrases))):
            first, _, more = phrase.partition(" ")
            if _SPACELESS.search(phrase):
                loose.append((place, phrase))
            elif more:
                by_word.setdefault(first, []).append((place, f" {phrase}"))
            else:
                loose.append((place, f" {phrase}"))
        plain = tuple(found for found in loose if found[1].isascii())
        return cls({word: tuple(found) for word, found in by_word.items()}, tuple(loose), plain)


@dataclass(frozen=True, slots=True)
class Group:
    """The phrases of one kind, all languages together. `unless`: what makes a sentence speak of something else."""

    whole: frozenset[str]
    starts: tuple[str, ...]
    says: Needles
    unless: Needles

    def is_whole(self, folded: str, bare: str) -> bool:
        """True where a heading says exactly a phrase; `bare` is the heading without fillers."""
        return folded in self.whole or bare in self.whole

    def begins(self, bare: str) -> bool:
        """True where a heading begins with a phrase."""
        return f"{bare} ".startswith(self.starts) and not first_in(self.unless, bare)

    def said_in(self, folded: str) -> str:
        """The first phrase that a folded sentence contains, '' where none."""
        phrase = first_in(self.says, folded)
        return "" if phrase and first_in(self.unless, folded) else phrase


@dataclass(frozen=True, slots=True)
class Language:
    """How one language says that something is not there: a subject and a predicate in one breath.

    `things` are subjects that the news is full of («site», «link», «record»): they count only at the beginning, or
    right after a `pointers` word («this link», «the requested item»), so that «cancer link not found» says nothing.
    """

    subjects: Needles
    predicates: Needles
    things: frozenset[str] = frozenset()
    pointers: frozenset[str] = frozenset()

    def names_a_page(self, folded: str, fillers: frozenset[str]) -> bool:
        """True where a folded text speaks of a page or of something that a page may be."""
        if first_in(self.subjects, folded):
            return True
        before, opening = "", True
        for word in folded.split():
            if word in self.things and (opening or before in self.pointers):
                return True
            opening = opening and (word in fillers or word in self.pointers)
            before = word
        return False


@dataclass(frozen=True, slots=True)
class PhraseBook:
    """All phrases, ready to compare. `rest`, `cut` and `offer` are paywalls'; `marks` are strings of page sources."""

    rules_version: str
    groups: Mapping[str, Group]
    not_found: Group
    languages: tuple[Language, ...]
    rest: Needles
    cut: Needles
    offer: Needles
    marks: Mapping[str, tuple[bytes, ...]]
    error_words: frozenset[str]
    fillers: frozenset[str]

    def bare(self, folded: str) -> tuple[str, int | None]:
        """A folded heading without fillers, error words and status codes at its ends, and the code where there is one.

        «Oops, error 404: page not found» gives («page not found», 404). A heading of nothing but a code gives ''.
        """
        words, code = folded.split(), None
        for end in (0, -1):
            while words and len(words) <= _LONGEST_HEADING:
                word = words[end]
                if _STATUS_CODE.fullmatch(word):
                    code = int(word)
                elif word not in self.fillers and not (word in self.error_words and (code or self._has_code(words))):
                    break
                words.pop(end)
        return " ".join(words), code

    def says_missing(self, folded: str) -> str:
        """The predicate by which a folded heading or sentence says that a page is not there, '' where it does not."""
        if folded.count(" ") > _LONGEST_SENTENCE:
            return ""
        for language in self.languages:
            predicate = first_in(language.predicates, folded)
            if predicate and language.names_a_page(folded, self.fillers):
                return predicate
        return ""

    @staticmethod
    def _has_code(words: Iterable[str]) -> bool:
        return any(_STATUS_CODE.fullmatch(word) for word in words)


def first_in(needles: Needles, folded: str) -> str:
    """The first of `needles` that stands in `folded` at the beginning of a word, '' where none."""
    text = f" {folded} "
    best = next((found for found in (needles.plain if text.isascii() else needles.loose) if found[1] in text), None)
    by_word, words = needles.by_word, folded.split()
    if not by_word.keys().isdisjoint(words):
        for word in dict.fromkeys(words):
            for found in by_word.get(word, ()):
                if (best is None or found < best) and found[1] in text:
                    best = found
    return best[1].strip() if best else ""


@cache
def phrase_book() -> PhraseBook:
    """The phrases of the data file, read once a process. Raises KeyError or TypeError on a broken file."""
    data = read_data("phrases.yaml")
    missing = data["not_found"].values()
    return PhraseBook(
        rules_version=str(data["rules_version"]),
        groups={name: _group(data[name].values()) for name in GROUPS},
        not_found=_group(missing),
        languages=tuple(_language(part) for part in missing),
        rest=Needles.of(phrase for part in data["paywall"].values() for phrase in part.get("rest", ())),
        cut=Needles.of(phrase for part in data["paywall"].values() for phrase in part["cut"]),
        offer=Needles.of(phrase for part in data["paywall"].values() for phrase in part["offer"]),
        marks={kind: tuple(str(mark).encode() for mark in marks) for kind, marks in data["marks"].items()},
        error_words=frozenset(fold(word) for word in data["error_words"]),
        fillers=frozenset(word for filler in data["fillers"] for word in fold(filler).split()),
    )


def _language(part: Mapping[str, list[str]]) -> Language:
    return Language(
        subjects=Needles.of(part["subjects"]),
        predicates=Needles.of(part["predicates"]),
        things=frozenset(fold(word) for word in part.get("things", ())),
        pointers=frozenset(fold(word) for word in part.get("pointers", ())),
    )


def _group(parts: Iterable[Mapping[str, list[str]]]) -> Group:
    parts = list(parts)
    return Group(
        whole=frozenset(fold(phrase) for part in parts for phrase in part.get("whole", ())),
        starts=tuple(f"{fold(phrase)} " for part in parts for phrase in part.get("starts", ())),
        says=Needles.of(phrase for part in parts for phrase in part.get("says", ())),
        unless=Needles.of(phrase for part in parts for phrase in part.get("unless", ())),
    )
