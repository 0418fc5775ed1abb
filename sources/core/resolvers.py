"""Where an identifier is looked up: the public resolver of each kind."""

from typing import assert_never
from urllib.parse import quote

from sources.core.kinds import IdentifierType

# What may stand in a path as it is (RFC 3986 pchar and `/`); all else of a DOI or handle is percent-encoded.
_SAFE = "/:;()@!$&'*+,=~-._"


def resolver_address(kind: IdentifierType, value: str) -> str:
    """The address a person can click and a fetch can ask for, '' where the kind has no public resolver.

    `value` is in normal form, an arXiv id may carry its version. For `url` the value itself.
    """
    match kind:
        case IdentifierType.DOI:
            return f"https://doi.org/{quote(value, safe=_SAFE)}"
        case IdentifierType.ARXIV:
            return f"https://arxiv.org/abs/{quote(value, safe=_SAFE)}"
        case IdentifierType.PMID:
            return f"https://pubmed.ncbi.nlm.nih.gov/{quote(value, safe=_SAFE)}/"
        case IdentifierType.HANDLE:
            return f"https://hdl.handle.net/{quote(value, safe=_SAFE)}"
        case IdentifierType.URL:
            return value
        case IdentifierType.ISBN | IdentifierType.ISSN | IdentifierType.URN | IdentifierType.NONE:
            return ""
        case _:
            assert_never(kind)
