"""Rules about corpora, drafts and proposals of bulk edits, for `sources.queries.readable`."""

from django.db.models import Exists, OuterRef, Q

from provenance_site.accounts.reading import Reader
from sources.models import DraftVersion, RetractionProposalRow
from sources.queries.readable_parts import mine, node, of_source, source, workspaces


def corpus_entry(reader: Reader, path: str) -> Q:
    """By its source: its id, excerpt and question would all tell of it."""
    return source(reader, f"{path}entry__source__")


def draft_version(reader: Reader, path: str) -> Q:
    """By its node, but not from whoever gave it. Of one whose node is not kept nobody else can say what it rests on."""
    theirs = Q(**{f"{path}draft__project__workspace_id__in": workspaces(reader)}) & ~mine(reader, path)
    return theirs & (node(reader, path) | Q(**{f"{path}entity__isnull": True}))


def draft(reader: Reader, path: str) -> Q:
    """Another's whose versions are all hidden; one without a version is only a name."""
    theirs = Q(**{f"{path}project__workspace_id__in": workspaces(reader)}) & ~mine(reader, path)
    versions = DraftVersion.objects.filter(draft=OuterRef(f"{path}pk"))
    hidden = draft_version(reader, "")
    return theirs & Q(Exists(versions.filter(hidden))) & ~Q(Exists(versions.exclude(hidden)))


def proposal(reader: Reader, path: str) -> Q:
    """Another's as a whole where a line of it names a hidden source: it counts, and is approved as a whole."""
    theirs = Q(**{f"{path}workspace_id__in": workspaces(reader)}) & ~Q(**{f"{path}proposed_by": reader.user_id})
    rows = RetractionProposalRow.objects.filter(of_source(reader, ""), proposal=OuterRef(f"{path}pk"))
    return theirs & Q(Exists(rows))


def proposal_row(reader: Reader, path: str) -> Q:
    """By its source, but not from whoever proposed it."""
    return of_source(reader, path) & ~Q(**{f"{path}proposal__proposed_by": reader.user_id})
