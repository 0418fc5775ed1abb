"""The address of a source for pages and reports."""

from sources.core.kinds import IdentifierType
from sources.core.records import Identity
from sources.models import Source


def link_of(source: Source) -> str:
    """The address of a source that a person can open, '' where it has none."""
    return Identity(
        type=IdentifierType(source.identifier_type), value=source.identifier_value, request_url=source.request_url
    ).link
