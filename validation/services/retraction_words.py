"""Between the words of the feeds and those of the registry."""

from sources.core.kinds import IdentifierType
from sources.services.retraction_records import AssertionFacts
from sources.services.work_versions import VersionFacts
from validation.core.preprint_relations import Version
from validation.core.retraction_ids import WorkId
from validation.core.retraction_statements import Statement
from validation.core.stored import legal_text


def facts_of(statement: Statement) -> AssertionFacts:
    """The statement as the registry takes it, without what no database takes as text: answers are a stranger's."""
    return AssertionFacts(
        identifier_type=statement.work.type.value,
        identifier_value=statement.work.value,
        provider=statement.provider,
        record_id=legal_text(statement.record_id),
        nature=statement.nature,
        raw_nature=legal_text(statement.raw_nature),
        notice_identifier=statement.notice,
        notice_date=statement.notice_date,
        original_date=statement.original_date,
        reasons=tuple(map(legal_text, statement.reasons)),
        url=legal_text(statement.url),
        snapshot=statement.snapshot,
    )


def version_facts_of(version: Version) -> VersionFacts:
    """The word about two versions as the registry takes it."""
    preprint, published = version.preprint, version.published
    return VersionFacts(preprint.type.value, preprint.value, published.type.value, published.value, version.provider)


def work_named(text: str) -> WorkId:
    """The work of a text such as `doi:10.…`, as `str` of a WorkId gives it."""
    kind, _, value = text.partition(":")
    return WorkId(IdentifierType(kind), value)
