"""A workspace with one thing of every kind, put together in layers: each layer brings its own sources and all that is
about them, in the same project, store, session and list, so that layers meet on every page.

    seen = layer(desk, "tides", "public")
    hidden = layer(desk, "wrecks", "restricted", under=seen)

Written by the services where they write lineage; everything by the desk's administrator.
"""

from dataclasses import dataclass
from typing import Any

from lineage import capture
from lineage.core import refs
from lineage.core.relations import EntityType, Label
from lineage.models import Entity
from provenance_site.accounts.models import User
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.jobs.models import JobItem
from provenance_site.jobs.states import ItemState, JobState
from provenance_site.notices.models import Notice
from sources.core.entries import ObservationKind, Relationship
from sources.core.export_formats import ExportFormat
from sources.core.findings import Cause, Evidence, Verdict
from sources.core.kinds import DecisionKind, ReviewReason, UseKind
from sources.core.retraction_status import Status
from sources.models import Check, Export, ImportBatch, Observation, Project, Source, Turn
from sources.queries import retraction_notices
from sources.services import (
    chunks,
    exporting,
    importing,
    observation_links,
    observations,
    removal,
    retraction_decisions,
    review,
    source_lineage,
    staging,
)
from sources.services.chunks import About
from sources.services.export_writing import Wanted
from sources.services.observations import Said
from sources.services.retraction_decisions import Ruling
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import (
    CheckRunFactory,
    ChunkFactory,
    DuplicatePairFactory,
    EntryAliasFactory,
    ExportOrderFactory,
    JobFactory,
    JobItemFactory,
    LongDeedFactory,
    ObservationSourceFactory,
    ProjectFactory,
    RetractionAcknowledgementFactory,
    RetractionStandingFactory,
    ReviewItemFactory,
    SourceAliasFactory,
    SourcePartFactory,
    SourceVersionFactory,
    StatusChangeFactory,
    TurnFactory,
    TurnSourceFactory,
)
from tests.layers_of_work import Work, told_of_proposal, work_of
from validation.models import CheckRun


@dataclass(frozen=True, slots=True)
class Layer:
    """What a layer brought, and what it shares with the others."""

    project: Project
    turn: Turn
    run: CheckRun
    sources: list[Source]
    observation: Observation
    document: chunks.Ingested
    batch: ImportBatch
    export: Export
    order: Any
    own_run: CheckRun
    deed: Any
    removed: ChangeSet
    decided: ChangeSet | None
    work: Work


def _text(name: str) -> bytes:
    lines = [f"# Survey of {name}", "", "## Harbour", ""]
    lines += [f"The {name} were measured [{name} {one}](https://{name}.example/{one})." for one in ("a", "b", "c")]
    return "\n".join(lines).encode()


def layer(desk: Desk, name: str, label: str, *, under: Layer | None = None) -> Layer:
    """Adds a layer of four sources that are declared `label`; `under` an earlier one whose project it shares."""
    by = desk.person(Role.ADMIN)
    project = under.project if under else ProjectFactory(workspace=desk.workspace, name="Harbour", created_by=by)
    batch = staging.stage(project=project, data=_text(name), label=f"{name}.md", by=by, at=NOW)
    importing.commit(batch=batch, by=by, channel=Channel.PAGE, at=NOW)
    batch.refresh_from_db()
    sources = list(Source.objects.filter(host=f"{name}.example").order_by("pk"))
    for source in sources:
        source.classification, source.publisher = label, f"The {name} press"
    Source.objects.bulk_update(sources, ["classification", "publisher"])
    source_lineage.declare(sources)
    turn = under.turn if under else TurnFactory(session__project=project, session__name="walk")
    run = under.run if under else _run(desk, project, by)
    own_run = _run(desk, project, by)
    for number, source in enumerate(sources):
        _about(source, number, name, by, runs=(run, own_run), turn=turn)
    DuplicatePairFactory(workspace=desk.workspace, first=sources[0], second=sources[1])
    if under:
        _mixed(under, sources)
    observation = observations.add(
        project=project, said=Said(f"The {name} rose.", ObservationKind.NOTE, ["Tides"]), by=by, channel=Channel.PAGE,
        at=NOW,
    )  # fmt: skip
    Observation.objects.filter(pk=observation.pk).update(turn=turn)
    for source in sources[:2]:
        observation_links.link(
            observation=observation, source=source, relationship=Relationship.CITED, by=by, channel=Channel.PAGE, at=NOW
        )
    document = chunks.ingest_file(
        workspace_id=desk.workspace.pk, store="Memory", name=f"{name}.txt", data=f"All about {name}.".encode(),
        about=About(f"Of {name}", "", f"https://{name}.example/a", "", ""), by=by, channel=Channel.PAGE, at=NOW,
    )  # fmt: skip
    wanted = Wanted(workspace_id=desk.workspace.pk, format=ExportFormat.BIBTEX, project=project)
    export = exporting.build(wanted, by=by, at=NOW)
    decided = review.decide(
        source=_fresh(sources[0]), given=review.Verdicted(DecisionKind.DROP, f"No {name} here."),
        seen=review.Seen.of(_fresh(sources[0])), by=by, channel=Channel.PAGE, at=NOW,
    )  # fmt: skip
    retraction_decisions.decide(
        source=_fresh(sources[1]), ruling=Ruling(Status.RETRACTED, f"The {name} were made up."), seen=_seen(sources[1]),
        by=by, channel=Channel.PAGE, at=NOW,
    )  # fmt: skip
    return Layer(
        project=project, turn=turn, run=run, sources=[_fresh(one) for one in sources], observation=observation,
        document=document, batch=batch, export=export, own_run=own_run, decided=decided.change_set,
        order=ExportOrderFactory(workspace=desk.workspace, project=project, created_by=by, export=export),
        deed=LongDeedFactory(job__workspace=desk.workspace, job__created_by=by, total=len(sources)),
        removed=_removed(desk, name, label, by),
        work=work_of(name, project, [_fresh(one) for one in sources], by=by, under=under.work if under else None),
    )  # fmt: skip


def _mixed(under: Layer, sources: list[Source]) -> None:
    """Rows of a new layer among those of an earlier one: in its pairs, document and observation."""
    DuplicatePairFactory(workspace=under.project.workspace, first=under.sources[0], second=sources[0])
    SourcePartFactory(part=under.sources[0], whole=sources[1])
    ChunkFactory(store=under.document.store, path=under.document.path, content="Among the others", source=sources[1])
    ObservationSourceFactory(observation=under.observation, source=sources[2])


def _run(desk: Desk, project: Project, by: User) -> CheckRun:
    job = JobFactory(workspace=desk.workspace, created_by=by, title=project.name, state=JobState.DONE, finished_at=NOW)
    run: CheckRun = CheckRunFactory(job=job, project=project)
    return run


def _about(source: Source, number: int, name: str, by: User, *, runs: tuple[CheckRun, ...], turn: Turn) -> None:
    """A check in each of the runs, a question, a spelling, a content, a move of its standing, a turn that found it."""
    evidence = Evidence(requested_url=source.request_url, status=200, title_found=f"On {name}").as_json()
    for run in runs:
        item: JobItem = JobItemFactory(
            job=run.job, subject_id=source.pk, state=ItemState.DONE, outcome=Verdict.THIN, finished_at=NOW
        )
        source.latest_check = Check.objects.create(
            source=source, item=item, verdict=Verdict.THIN, cause=Cause.CONTENT, at=NOW, rules_version="test-1",
            evidence=evidence,
        )  # fmt: skip
    source.verdict, source.cause, source.disposition = Verdict.THIN, Cause.CONTENT, "review"
    source.last_checked_at = NOW
    source.save()
    ReviewItemFactory(source=source, reason=ReviewReason.THIN)
    SourceAliasFactory(source=source, spelling=f"http://{name}.example/old/{number}")
    StatusChangeFactory(source=source)
    _content(source, name, number)
    TurnSourceFactory(turn=turn, path=f"{name}-{number}.md", title=f"{name} {number}", source=source)
    EntryAliasFactory(entry=source.entries.get(), source=source)
    if number == 0:
        ReviewItemFactory(source=source, reason=ReviewReason.RETRACTION)
    if number == 2:
        RetractionStandingFactory(source=source, status=Status.CONFLICT, needs_editor=True)
        RetractionAcknowledgementFactory(
            source=source, by=by, use_kind=UseKind.PROJECT, use_id=source.entries.get().project_id
        )
        ReviewItemFactory(source=source, reason=ReviewReason.RETRACTION)


def _content(source: Source, name: str, number: int) -> None:
    """A version with the node that a fetch would write."""
    version = SourceVersionFactory(source=source)
    assert source.entity is not None
    ref = refs.make(EntityType.SOURCE_VERSION, f"{name}/{number}", version.sha256)
    facts = capture.EntityFacts(
        ref=ref, content_hash=version.sha256, classification=Label(source.entity.classification)
    )
    version.entity_id = capture.record_ids(workspace_id=source.workspace_id, entities=[facts], at=NOW)[str(ref)]
    version.save()


def _removed(desk: Desk, name: str, label: str, by: User) -> ChangeSet:
    """A source that went out of the registry again."""
    ref = refs.make(EntityType.SOURCE, f"gone/{name}", "v1")
    facts = capture.EntityFacts(ref=ref, classification=Label(label))
    node = capture.record_ids(workspace_id=desk.workspace.pk, entities=[facts], at=NOW)[str(ref)]
    source = Source.objects.create(
        workspace=desk.workspace, title=f"Gone {name}", classification=label, first_seen_at=NOW,
        entity=Entity.objects.get(pk=node),
    )  # fmt: skip
    return removal.remove(source=source, by=by, channel=Channel.PAGE, at=NOW)


def told_of(person: User, layer: Layer) -> None:
    """Tells a person of the retraction in a layer."""
    deed = ChangeSet.objects.filter(changes__object_id=layer.sources[1].pk, kind="sources.retraction-decide").get()
    Notice.objects.create(
        workspace=layer.project.workspace,
        user=person,
        kind=retraction_notices.KIND,
        key=str(deed.pk),
        subject_id=deed.pk,
        at=NOW,
    )
    told_of_proposal(person, layer.work)


def _fresh(source: Source) -> Source:
    return Source.objects.select_related("entity").get(pk=source.pk)


def _seen(source: Source) -> str:
    standing = getattr(_fresh(source), "retraction_standing", None)
    return standing.evidence_fingerprint if standing else ""
