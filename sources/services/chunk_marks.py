"""Passages follow the mark of the source that they were cut from; a mark of their own is left alone."""

from collections.abc import Collection, Mapping

from django.db.models import OuterRef, Subquery

from provenance_site.kit.rows import in_parts
from sources.models import Chunk, Source

# Whether it is retracted, and the note.
Mark = tuple[bool, str]


def follow(*, earlier: Mapping[int, Mark], release: bool = True) -> None:
    """Gives the passages of these sources the mark that the source has now, in the caller's transaction.

    `earlier` says what each source's mark was (retracted, note): by it a passage that was marked for its source's
    sake is told from one whose store has marked it, which keeps its own. Without `release` none loses its mark.
    Twice is safe.
    """
    follow_any(earlier={pk: (mark,) for pk, mark in earlier.items()}, release=release)


def follow_any(*, earlier: Mapping[int, Collection[Mark]], release: bool = True) -> None:
    """As `follow`, where passages of one source may carry the marks of several: they were cut from works that are one
    now."""
    source = Source.objects.filter(pk=OuterRef("source_id"))  # by key: the passage's own source, merged or not
    now = {
        "retracted": Subquery(source.values("retracted")[:1]),
        "retraction_note": Subquery(source.values("retraction_note")[:1]),
    }
    for part in in_parts(sorted(earlier)):
        fallen = list(Source.objects.filter(pk__in=part, retracted=True).order_by("pk").values_list("pk", flat=True))
        marked = Chunk.objects.filter(source__in=part if release else fallen, retracted=True)
        followed = [
            pk
            for pk, source_id, note in marked.order_by("pk").values_list("pk", "source_id", "retraction_note")
            if source_id is not None and (True, note) in earlier[source_id]
        ]
        for keys in in_parts(followed):
            Chunk.objects.filter(pk__in=keys).update(**now)
        Chunk.objects.filter(source__in=fallen, retracted=False).update(
            retracted=True, retraction_note=now["retraction_note"]
        )
