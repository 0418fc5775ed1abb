"""The outline of a project: what each section asks, and where its answers are looked for first."""

from django.db import models

from sources.models.project import Project, Section


class OutlineSection(models.Model):
    """What a section of the text asks, and which sources it would rather have, in the order of the text."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="outline")
    section = models.OneToOneField(Section, on_delete=models.CASCADE, related_name="outline")
    guiding_questions = models.JSONField(default=list, blank=True, help_text="A list of sentences.")
    preferred_sources = models.JSONField(
        default=list, blank=True, help_text="A list of domains, publishers and kinds, each a text."
    )
    position = models.PositiveIntegerField(help_text="Place in the text, from 1.")

    class Meta:
        ordering = ("position", "pk")

    def __str__(self) -> str:
        return self.section.title
