"""Providers' words for what happened to a work, in ours; pure. A word that nobody has mapped is UNKNOWN, never nothing.

Feeds change their words without notice and mistype them (`retration` is one that Crossref has answered with), so the
raw word is kept beside ours, and what is unknown is told once a value.
"""

import re

from sources.core.retraction_status import Nature

_WATCH = {
    "retraction": Nature.RETRACTED,
    "expression of concern": Nature.CONCERN,
    "correction": Nature.CORRECTED,
    "reinstatement": Nature.REINSTATED,
}
# Crossref's types of update (Crossmark), and the spellings of them that were met.
_CROSSREF = {
    "retraction": Nature.RETRACTED,
    "retration": Nature.RETRACTED,
    "retracted": Nature.RETRACTED,
    "withdrawal": Nature.WITHDRAWN,
    "withdrawn": Nature.WITHDRAWN,
    "removal": Nature.REMOVED,
    "partial_retraction": Nature.PARTIAL,
    "retraction_and_replacement": Nature.REPLACED,
    "retract_and_replace": Nature.REPLACED,
    "expression_of_concern": Nature.CONCERN,
    "concern": Nature.CONCERN,
    "correction": Nature.CORRECTED,
    "corrected": Nature.CORRECTED,
    "corrigendum": Nature.CORRECTED,
    "erratum": Nature.CORRECTED,
    "addendum": Nature.CORRECTED,
    "clarification": Nature.CORRECTED,
    "reinstatement": Nature.REINSTATED,
}
# A newer edition says nothing against the older one.
_NO_JUDGEMENT = frozenset({"new_edition", "new_version"})
_PUBMED_LINKS = {
    "retraction in": Nature.RETRACTED,
    "retracted and republished in": Nature.REPLACED,
    "partial retraction in": Nature.PARTIAL,
    "expression of concern in": Nature.CONCERN,
    "erratum in": Nature.CORRECTED,
    "corrected and republished in": Nature.CORRECTED,
}
_PUBMED_NOTICES = frozenset({"retraction of", "retraction of publication", "expression of concern for", "erratum for"})
_REPLACED = re.compile(r"retract(?:ed|ion)?\s+and\s+replaced?", re.IGNORECASE)
# Cochrane withdraws a review when it is too old: the newer one holds, and nobody did wrong.
_OUT_OF_DATE = re.compile(r"withdrawn\s*[(-]?\s*(?:as\s+)?out\s+of\s+date", re.IGNORECASE)
# What publishers put in front of the title of a work that fell, and of its notice.
_PREFIX = re.compile(
    r"\W{0,3}(?:retracted(?:\s+(?:article|paper|chapter|and\s+replaced))?|retraction(?:\s+(?:note|notice)(?:\s+to)?)?|"
    r"withdrawn(?:\s+article)?|withdrawal|removed|temporary\s+removal|expression\s+of\s+concern|"
    r"notice\s+of\s+retraction)\W{0,3}[:—–-]\s*",
    re.IGNORECASE,
)


def bare_title(title: str) -> str:
    """The title without what says that the work was retracted, withdrawn or removed, for comparing titles only."""
    return _PREFIX.sub("", title, count=1) if _PREFIX.match(title) else title


def watch_nature(raw: str, reasons: tuple[str, ...] = ()) -> Nature:
    """What a RetractionNature says. A retraction whose reasons tell of a replacement, or of a review that only became
    too old, is REPLACED, which an editor has to look at; a reinstatement stays one."""
    nature = _WATCH.get(" ".join(raw.split()).lower(), Nature.UNKNOWN)
    if nature is Nature.RETRACTED and any(_REPLACED.search(one) or _OUT_OF_DATE.search(one) for one in reasons):
        return Nature.REPLACED
    return nature


def crossref_nature(raw: str) -> Nature | None:
    """What a type of update says; None where it says nothing against the work."""
    word = re.sub(r"[\s-]+", "_", raw.strip().lower())
    return None if word in _NO_JUDGEMENT else _CROSSREF.get(word, Nature.UNKNOWN)


def pubmed_nature(link: str) -> Nature | None:
    """What a link of PubMed says of the work that carries it; None for links of other kinds (comments, updates)."""
    return _PUBMED_LINKS.get(" ".join(link.split()).lower())


def is_pubmed_notice(word: str) -> bool:
    """True where a link or a publication type says that the work itself is a notice about another."""
    return " ".join(word.split()).lower() in _PUBMED_NOTICES
