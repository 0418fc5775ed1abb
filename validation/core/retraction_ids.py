"""Identifiers as retraction feeds spell them, in the normal form of the registry; pure.

Kinds of spelling measured in Retraction Watch's export: `0` and `unavailable` for «none», stray letters in front,
tails of sharing services, a preprint's version behind its DOI, SICI DOIs with percent escapes.
"""

import re
from dataclasses import dataclass

from sources.core.identifiers import BadIdentifier, identify, normal_doi
from sources.core.kinds import IdentifierType
from sources.core.records import Identity

_ABSENT = frozenset({"", "0", "unavailable", "none", "n/a", "na", "nan", "null", "-"})
_DOI_AT = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)*(?:/|%2f)", re.IGNORECASE | re.ASCII)
# What may stand in front of a DOI without changing which one is meant.
_HEAD = re.compile(
    r"(?:https?://[^\s?#]{0,200}/|(?:info:|urn:)?doi[\s:=/]{0,3}|x{1,3}|[\s(\[<“\"]{1,3})?", re.IGNORECASE
)
# AddThis counted clicks by such a tail: `#.Us5z4LSsxK0`.
_SHARING_TAIL = re.compile(r"#\.[A-Za-z0-9_-]{8,14}$", re.ASCII)
_PREPRINT = re.compile(r"10\.(?:1101|64898)/(?:[0-9]{4}\.[0-9]{2}\.[0-9]{2}\.)?[0-9]{5,9}", re.ASCII)
_PREPRINT_VERSION = re.compile(rf"({_PREPRINT.pattern})v[0-9]{{1,2}}(?:\.full(?:\.pdf)?)?", re.ASCII)
_PMID = re.compile(r"0*([1-9][0-9]{0,7})(?:\.0)?", re.ASCII)
_OF_ARXIV = "10.48550/arxiv."
_LONGEST = 2_000


@dataclass(frozen=True, slots=True, order=True)
class WorkId:
    """Which work is meant: a kind and a value in normal form. As a text it reads `doi:10.…`."""

    type: IdentifierType
    value: str

    def __str__(self) -> str:
        return f"{self.type}:{self.value}"

    @property
    def name(self) -> str:
        """As a person writes it: a DOI alone, `pmid:…` for others."""
        return self.value if self.type is IdentifierType.DOI else str(self)

    @property
    def key(self) -> str:
        """The registry's key of this work."""
        return Identity(self.type, self.value, "").key


class Unusable(ValueError):
    """The text is meant as an identifier and is none that can be used; the message says why."""


def is_absent(text: str) -> bool:
    """True for what feeds write where there is no identifier."""
    return text.strip().lower() in _ABSENT


def doi_of(text: str) -> WorkId | None:
    """The work that a DOI column names, None where it names none. An arXiv DOI is its arXiv id, as in the registry.

    Raises Unusable where something stands there that is no DOI: it must never become a key.
    """
    told = text.strip()
    if is_absent(told):
        return None
    if len(told) > _LONGEST:
        raise Unusable(f"it is {len(told):,} characters long")
    at = _DOI_AT.search(told)
    if at is None or not _HEAD.fullmatch(told[: at.start()]):
        raise Unusable(f"“{told[:60]}” is not a DOI")
    bare = _SHARING_TAIL.sub("", told[at.start() :])
    try:
        doi = normal_doi(bare)
        if doi.startswith(_OF_ARXIV):
            found = identify(doi)
            return WorkId(found.type, found.value)
    except BadIdentifier as refused:
        raise Unusable(str(refused)) from None
    versioned = _PREPRINT_VERSION.fullmatch(doi)
    return WorkId(IdentifierType.DOI, versioned[1] if versioned else doi)


def pmid_of(text: str) -> WorkId | None:
    """The work that a PubMed column names, None where it names none. Raises Unusable as `doi_of` does."""
    told = text.strip()
    if is_absent(told):
        return None
    found = _PMID.fullmatch(told)
    if not found:
        raise Unusable(f"“{told[:60]}” is not a PubMed id")
    return WorkId(IdentifierType.PMID, found[1])


def is_preprint_of_openrxiv(doi: str) -> bool:
    """True for DOIs that bioRxiv and medRxiv give. Under the same prefix 10.1101 a press has its journals, whose DOIs
    begin with a name (`10.1101/gad.489409`)."""
    return _PREPRINT.fullmatch(doi) is not None
