"""Putting one source into the registry by hand, with what is known of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from lineage import capture
from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import Change, Channel
from provenance_site.changes.registry import ChangeFacts, Undone
from sources import permissions
from sources.core.credentials import without_credentials
from sources.core.fingerprint import fingerprint
from sources.core.identifiers import BadIdentifier, UnusableUrl, identify
from sources.core.kinds import IdentifierType
from sources.core.lines import one_line
from sources.core.records import Identity
from sources.models import Source
from sources.services import documents, removal
from sources.services.documents import Document

CHANGE_KIND = "source.add"
_SOURCE = Source._meta.label_lower


class SourceRefused(ValueError):
    """The source cannot be put into the registry; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Named:
    """What a person says of a source: an identifier or an address ('' where there is none), and the rest as text."""

    identifier: str = ""
    title: str = ""
    authors: str = ""
    published_date: str = ""
    publisher: str = ""
    rights: str = ""
    version: str = ""


def add(*, workspace_id: int, named: Named, by: User, channel: Channel, at: datetime) -> tuple[Source, bool]:
    """The source, and whether it is new; a known one stays as it is. One ChangeSet that can be undone.

    Raises `SourceRefused` for no identifier and no title, and for an identifier that is none. Without an identifier
    each call makes another source: a title alone joins nothing.
    """
    permissions.check_can_curate(by, workspace_id)
    title = without_credentials(one_line(named.title))
    identity = _identity(named.identifier)
    if identity.type is IdentifierType.NONE and not title:
        raise SourceRefused("Give an identifier, an address or a title: a source has a name.")
    with transaction.atomic():
        before = Source.objects.filter(workspace_id=workspace_id, canonical_key=identity.key).exists()
        document = Document(title=title, identity=identity)
        source = documents.register(workspace_id=workspace_id, documents=[document], at=at)[document]
        is_new = source.first_seen_at == at and source.row_version == 1 and not (identity.key and before)
        if is_new:
            _describe(source, named)
            facts = ChangeFacts(_SOURCE, source.pk, before={}, after={"title": source.title, "key": identity.key})
            changes.record(
                workspace_id=workspace_id,
                kind=CHANGE_KIND,
                actor=by,
                channel=channel,
                note=str(source)[:200],
                at=at,
                changes=[facts],
            )
    return source, is_new


def undo(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Takes an added source out again where nothing uses it by now. Registered for `source.add`."""
    undone: list[ChangeFacts] = []
    skipped: list[str] = []
    for change in changes:
        workspace_id = change.change_set.workspace_id
        permissions.check_can_curate(by, workspace_id)
        row = Source.objects.filter(pk=change.object_id, workspace_id=workspace_id).first()
        try:
            row = removal.hold_to_remove(row) if row is not None else None
        except removal.Held:
            row = None
        if row is None:
            skipped.append(f"“{change.after['title']}” is not in the registry any more")
        elif removal.holders_of(row) or not removal.can_be_undone(row):
            skipped.append(f"“{row}” is used by now")
        else:
            capture.tombstone(
                entity_ids=[row.entity_id] if row.entity_id is not None else [],
                why="Adding it was undone.",
                by=by,
                at=at,
            )
            row.delete()
            undone.append(ChangeFacts(_SOURCE, change.object_id, before=change.after, after={}))
    return Undone(changes=tuple(undone), skipped=tuple(skipped))


def _identity(text: str) -> Identity:
    if not text.strip():
        return Identity(IdentifierType.NONE, "", "")
    try:
        return identify(text)
    except (BadIdentifier, UnusableUrl) as refused:
        raise SourceRefused(str(refused)) from None


def _describe(source: Source, named: Named) -> None:
    for field in ("authors", "published_date", "publisher", "rights", "version"):
        setattr(source, field, one_line(getattr(named, field)))
    source.published_date, source.version = source.published_date[:10], source.version[:100]
    source.fingerprint = fingerprint(
        title=source.title, published_date=source.published_date, first_author=source.authors.partition(";")[0]
    )
    source.save(update_fields=["authors", "published_date", "publisher", "rights", "version", "fingerprint"])
