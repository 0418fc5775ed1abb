"""What projects are about, over JSON: read, said and taken away."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema, Status

from provenance_site.accounts.token_requests import Problem, token_of
from provenance_site.changes.models import Channel
from sources.models import Project
from sources.services import project_concepts
from sources.services.concepts import ConceptRefused

router = Router()


class ProjectConceptsIn(Schema):
    """Concepts that a project is about, by name: more of them, and which ones no longer."""

    add: list[str] = Field([], max_length=100, description="New ones are made.")
    remove: list[str] = Field([], max_length=100, description="They stay in the workspace.")


class ProjectConceptsOut(Schema):
    """What a project is about."""

    project: UUID
    concepts: list[str]


@router.get(
    "/projects/{uuid}/concepts",
    response={200: ProjectConceptsOut, 404: Problem},
    summary="Read what a project is about",
    tags=["concepts"],
    url_name="project-concepts",
)
def read_project_concepts(request: HttpRequest, uuid: UUID) -> dict[str, Any]:
    """The names of the concepts that the project is about."""
    project = get_object_or_404(Project, workspace_id=token_of(request).workspace_id, uuid=uuid)
    return _about(project)


@router.post(
    "/projects/{uuid}/concepts",
    response={200: ProjectConceptsOut, 404: Problem, 422: Problem},
    summary="Say what a project is about",
    tags=["concepts"],
    url_name="project-concepts",
)
def say_project_concepts(request: HttpRequest, uuid: UUID, given: ProjectConceptsIn) -> Status[Any]:
    """Adds concepts to a project and takes others away. Needs the role curator. Twice is safe."""
    token = token_of(request)
    project = get_object_or_404(Project, workspace_id=token.workspace_id, uuid=uuid)
    try:
        project_concepts.change(
            project=project,
            add=given.add,
            remove=given.remove,
            by=token.user,
            channel=Channel.API,
            at=datetime.now(UTC),
        )
    except ConceptRefused as refused:
        return Status(422, {"detail": str(refused)})
    return Status(200, _about(project))


def _about(project: Project) -> dict[str, Any]:
    names = project.concepts.order_by("name").values_list("name", flat=True)
    return {"project": project.uuid, "concepts": list(names)}
