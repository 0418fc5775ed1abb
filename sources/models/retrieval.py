"""Sessions of an assistant and their turns: what was retrieved when."""

from django.db import models

from sources.models.project import Project
from sources.models.source import Source


class Session(models.Model):
    """One recorded conversation of a project, by the name of its file."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="sessions")
    name = models.CharField(max_length=200)
    imported_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "name"], name="session_name_once_per_project")]

    def __str__(self) -> str:
        return self.name


class Turn(models.Model):
    """One turn of a session: a person speaks, the assistant answers."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="turns")
    number = models.PositiveIntegerField()
    user = models.CharField(max_length=200, blank=True)
    started_at = models.DateTimeField(help_text="The file's local time, taken in the installation's time zone.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "number"], name="turn_once_per_session")]
        indexes = [models.Index(fields=["started_at"], name="turns_by_time")]

    def __str__(self) -> str:
        return f"{self.session_id} turn {self.number}"


class TurnSource(models.Model):
    """One document that a turn retrieved from a store, best first; `path` is '' where a retrieval names none."""

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="turn_sources")
    position = models.PositiveIntegerField()
    store = models.CharField(max_length=200)
    chunk_count = models.PositiveIntegerField(help_text="Of the whole retrieval.")
    top_score = models.FloatField(null=True, blank=True, help_text="Of the whole retrieval.")
    path = models.TextField(blank=True)
    lines = models.CharField(max_length=50, blank=True)
    title = models.TextField(blank=True)
    locator = models.TextField(blank=True, help_text="DOI or URL as written.")
    score = models.FloatField(null=True, blank=True)
    source = models.ForeignKey(Source, on_delete=models.SET_NULL, null=True, blank=True, related_name="turn_sources")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["turn", "position"], name="turn_source_position_once_per_turn")]

    def __str__(self) -> str:
        return self.path or self.store
