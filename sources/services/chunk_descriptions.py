"""What is said of a document that is taken into a store, and the source that it is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sources.core.chunking import title_from
from sources.core.credentials import without_credentials
from sources.core.identifiers import BadIdentifier, UnusableUrl, identify, identity_of_url
from sources.core.kinds import IdentifierType, VersionOrigin
from sources.core.lines import one_line
from sources.core.passages import Passage
from sources.core.records import Identity
from sources.core.resolvers import resolver_address
from sources.models import Chunk, Source, SourceVersion
from sources.services import chunk_lineage, registry

MAX_PATH = 4_000


class IngestRefused(ValueError):
    """The document cannot be taken in; the message says why and what to do. `field` is the field it is about."""

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class About:
    """What a person says of the document. All may be ''."""

    title: str = ""
    doi: str = ""
    url: str = ""
    version: str = ""
    rights: str = ""


@dataclass(frozen=True, slots=True)
class Content:
    """A document's passages, and the hash (lower-case hex SHA-256) and size of what they were cut from."""

    passages: Sequence[Passage]
    sha256: str
    byte_count: int


def source_of(
    *, workspace_id: int, told: About, path: str, content: Content, at: datetime
) -> tuple[Source | None, SourceVersion | None]:
    """The source that a DOI or address names, made where there is none, and what was taken in as a version of it.

    (None, None) where nothing names one. Must run inside the caller's transaction; twice is safe.
    """
    identity = _identity(told)
    if identity is None or not content.passages:
        return None, None
    new = registry.NewSource(identity=identity, title=told.title or title_from(path))
    source = registry.register_many(workspace_id=workspace_id, sources=[new], at=at).by_key[identity.key]
    version, is_new = SourceVersion.objects.get_or_create(
        source=source,
        sha256=content.sha256,
        defaults={
            "origin": VersionOrigin.IMPORTED,
            "byte_count": content.byte_count,
            "title": told.title,
            "fetched_at": at,
            "media_type": "text/plain",
        },
    )
    if is_new:
        chunk_lineage.write_version(version=version, source=source, at=at)
    return source, version


def _identity(told: About) -> Identity | None:
    if told.doi:
        return Identity(IdentifierType.DOI, told.doi, resolver_address(IdentifierType.DOI, told.doi))
    return identity_of_url(told.url) if told.url else None


def told_of(about: About, *, path: str) -> About:
    """What was given, in its normal form: the DOI bare, no password in an address; raises `IngestRefused`.

    A document whose path is an address has that for its URL unless another is given.
    """
    doi = _doi(about.doi) if about.doi.strip() else ""
    url = about.url.strip() or (path if path.lower().startswith(("http://", "https://")) else "")
    try:
        address = identity_of_url(url) if url else None
    except UnusableUrl as refused:
        raise IngestRefused(str(refused), field="url") from None
    return About(
        title=one_line(about.title)[:1_000],
        doi=doi,
        url=without_credentials(address.request_url) if address else "",
        version=one_line(about.version)[:200],
        rights=one_line(about.rights)[:1_000],
    )


def _doi(text: str) -> str:
    try:
        identity = identify(text)
    except (BadIdentifier, UnusableUrl) as refused:
        raise IngestRefused(str(refused), field="doi") from None
    if identity.type is not IdentifierType.DOI:
        raise IngestRefused(
            f"“{text[:80]}” is no DOI. A DOI begins with 10., like 10.5555/12345678; give an address as the URL.",
            field="doi",
        )
    return identity.value


def path_of(path: str) -> str:
    """A document's path or address on one line, without a password; raises `IngestRefused`."""
    cleaned = without_credentials(one_line(path))
    if not 0 < len(cleaned) <= MAX_PATH:
        raise IngestRefused(f"A document's path or address has 1 to {MAX_PATH:,} characters.", field="path")
    return cleaned


def completed(told: About, *, path: str, rows: Iterable[Chunk]) -> About:
    """What is told now, else what the document's chunks say already; the title at least from the name."""
    first = next(iter(rows), None)
    kept = (
        About(first.source_title, first.source_doi, first.source_url, first.source_version, first.rights)
        if first
        else About()
    )
    return About(
        title=told.title or kept.title or title_from(path)[:1_000],
        doi=told.doi or kept.doi,
        url=told.url or kept.url,
        version=told.version or kept.version,
        rights=told.rights or kept.rights,
    )


def describe(
    row: Chunk, passage: Passage, *, told: About, source: Source | None, version: SourceVersion | None
) -> None:
    """Sets the lines, the metadata and the source of a row. A passage that stood in an earlier version keeps that."""
    row.start_line, row.end_line = passage.start_line, passage.end_line
    row.source_url, row.source_doi, row.source_title = told.url, told.doi, told.title
    row.source_version, row.rights = told.version, told.rights
    if source is not None:
        row.retracted, row.retraction_note = source.retracted, source.retraction_note
        if row.source_id != source.pk or row.version_id is None:
            row.version = version
        row.source = source
