"""RAG stores and their chunks: the passages an assistant is given, with where they come from."""

from django.db import models
from django.db.models import Q

from lineage.models import Entity
from provenance_site.accounts.models import Workspace
from sources.models.check import SourceVersion
from sources.models.source import Source


class ChunkStore(models.Model):
    """A named collection of chunks in a workspace."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="chunk_stores")
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "name"], name="store_name_once_per_workspace")]

    def __str__(self) -> str:
        return self.name


class Chunk(models.Model):
    """One passage. `content_hash` is the lower-case hex SHA-256 of the raw content; all optional fields are ''.

    `ordinal` counts equal passages of one path, so that a text repeated in a document is two chunks. `path_key` is the
    lower-case hex SHA-256 of `path`: paths may be longer than an index row.
    """

    store = models.ForeignKey(ChunkStore, on_delete=models.CASCADE, related_name="chunks")
    path = models.TextField(blank=True, help_text="Path or URL of the document; '' when unknown.")
    path_key = models.CharField(max_length=64, editable=False)
    ordinal = models.PositiveIntegerField(default=1)
    start_line = models.PositiveIntegerField(null=True, blank=True)
    end_line = models.PositiveIntegerField(null=True, blank=True)
    content = models.TextField()
    content_hash = models.CharField(max_length=64)
    indexed_at = models.DateTimeField()
    source_url = models.TextField(blank=True)
    source_doi = models.TextField(blank=True)
    source_title = models.TextField(blank=True)
    source_version = models.TextField(blank=True)
    rights = models.TextField(blank=True)
    retracted = models.BooleanField(default=False)
    retraction_note = models.TextField(blank=True)
    embedding_hash = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the vector; no vector is kept.")
    embedding_dimension = models.PositiveIntegerField(null=True, blank=True)
    source = models.ForeignKey(Source, on_delete=models.SET_NULL, null=True, blank=True, related_name="chunks")
    version = models.ForeignKey(SourceVersion, on_delete=models.SET_NULL, null=True, blank=True, related_name="chunks")
    entity = models.ForeignKey(Entity, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["store", "path_key", "content_hash", "ordinal"], name="chunk_once_per_path_and_content"
            ),
            models.CheckConstraint(
                condition=Q(content_hash__regex=r"^[0-9a-f]{64}$"), name="chunk_hash_is_a_sha256_digest"
            ),
        ]
        indexes = [
            models.Index(fields=["store", "path_key", "start_line"], name="chunks_by_document"),
            models.Index(fields=["content_hash"], name="chunks_by_content"),
        ]

    def __str__(self) -> str:
        return f"{self.path}:{self.start_line}" if self.start_line else self.path
