"""Which work a record means: identifiers read, ordered by how well they name it, and what could not be read."""

from collections.abc import Iterable

from sources.core.identifiers import BadIdentifier, UnusableUrl, identify
from sources.core.kinds import IdentifierType
from sources.core.records import Identity
from sources.formats.identifying import RANK


def ordered(identities: Iterable[Identity]) -> tuple[Identity, ...]:
    """The identities once each, the one that names the work best first; an ISSN only where nothing else stands."""
    once: dict[str, Identity] = {}
    for identity in identities:
        once.setdefault(identity.key, identity)
    found = sorted(once.values(), key=lambda identity: RANK[identity.type])
    works = [identity for identity in found if identity.type is not IdentifierType.ISSN]
    return tuple(works or found)


def identities_of(tokens: Iterable[str]) -> tuple[tuple[Identity, ...], tuple[str, ...]]:
    """What each token names, ordered, and one sentence for each that cannot be used. Empty tokens are passed over."""
    found: list[Identity] = []
    warnings: list[str] = []
    for token in tokens:
        if not token.strip():
            continue
        try:
            found.append(identify(token))
        except (UnusableUrl, BadIdentifier) as error:
            warnings.append(f"“{token.strip()[:100]}” was left out: {error}")
    return ordered(found), tuple(warnings)


def issn_of(identities: Iterable[Identity]) -> str:
    """The first ISSN among identities, '' where there is none: it names the journal of a work, not the work."""
    return next((identity.value for identity in identities if identity.type is IdentifierType.ISSN), "")
