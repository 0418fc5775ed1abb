"""A workspace in which each kind of object came to be through the registry's own doors, with its lineage."""

from dataclasses import dataclass
from datetime import timedelta

from lineage.core.relations import Label
from lineage.models import Entity
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel
from sources.core.entries import ObservationKind, Relationship
from sources.core.export_formats import ExportFormat
from sources.core.findings import Verdict
from sources.models import Chunk, Export, Observation, Project, ProjectVersion, Source, SourceVersion
from sources.services import bulk_edit, chunks, exporting, observation_links, observations
from sources.services.chunk_descriptions import About
from sources.services.export_writing import Wanted
from sources.services.observations import Said
from sources.services.source_edits import Edit, digest_of
from tests.clock import NOW
from tests.desk import Desk
from tests.unit.sources.findings import apply
from tests.unit.sources.lists import imported, project_at

TEXT = "The survey is at https://harbour.example/survey and nowhere else.\n"
LATER = NOW + timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class World:
    """One source, and what rests on it."""

    desk: Desk
    project: Project
    source: Source
    version: SourceVersion
    chunk: Chunk
    observation: Observation
    draft: ProjectVersion
    export: Export

    def classify(self, label: Label) -> None:
        """Edits the source's classification, as a curator does."""
        now = Source.objects.get(pk=self.source.pk)
        bulk_edit.edit(
            workspace_id=self.desk.workspace.pk,
            source_ids=[now.pk],
            change=Edit({"classification": label.value}),
            seen=digest_of([(now.pk, now.row_version)]),
            by=self.desk.person(),
            channel=Channel.PAGE,
            at=LATER,
        )

    @property
    def labels(self) -> dict[str, Label]:
        """The labels that hold, by type of node."""
        rows = Entity.objects.filter(workspace=self.desk.workspace).values_list("type", "level")
        return {kind: Label.at_level(level) for kind, level in rows}


def holdings(desk: Desk) -> World:
    """A draft that cites a source, a fetched version of it, a passage, an observation and an export."""
    project = project_at(desk)
    imported(desk, TEXT, project=project)
    source = apply(Source.objects.get(), Verdict.VERIFIED_ACCESSIBLE, at=NOW, sha256="a" * 64, byte_count=9)
    about = {"by": desk.person(), "channel": Channel.PAGE, "at": LATER}
    chunks.ingest_file(
        workspace_id=desk.workspace.pk, store="harbour", name="survey.md", data=b"The quay is eight metres deep.",
        about=About(url="https://harbour.example/survey"), **about,
    )  # fmt: skip
    noted = observations.add(project=project, said=Said("It is deep.", ObservationKind.FINDING), **about)
    observation_links.link(observation=noted, source=source, relationship=Relationship.CITED, **about)
    wanted = Wanted(workspace_id=desk.workspace.pk, format=ExportFormat.BIBTEX, project=project)
    export = exporting.build(wanted, by=desk.person(Role.CURATOR), at=LATER)
    source.refresh_from_db()
    noted.refresh_from_db()
    return World(
        desk, project, source, source.source_versions.get(sha256="a" * 64), Chunk.objects.get(), noted,
        ProjectVersion.objects.get(), export,
    )  # fmt: skip
