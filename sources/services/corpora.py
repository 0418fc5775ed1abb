"""The corpora of a project's sections: what a search found good is kept there, under ids that are never used twice."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.changes.registry import ChangeFacts
from sources import permissions
from sources.core.citations import summarise
from sources.core.credentials import without_credentials
from sources.core.findings import Cause, Disposition, Evidence, Finding, SourceFinding, Verdict
from sources.core.identifiers import BadIdentifier, UnusableUrl, identify
from sources.core.kinds import DecisionKind
from sources.core.lines import one_line
from sources.core.records import Identity
from sources.formats.dates import date_of
from sources.models import CatalogEntry, CorpusEntry, Project, Section, Source
from sources.queries import decisions, known
from sources.queries.readable import hidden_keys
from sources.services import corpus_lineage, corpus_rows, projects, registry

KEEP_KIND = "corpus.keep"
MAX_EXCERPT = 20_000
SUMMARY_LENGTH = 800


class NotOfProject(ValueError):
    """The section is one of another project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFinding:
    """One source that a search found, and what a check said of it.

    `published` is a date as the search writes it, '' where unknown; what it says of day, month and year is kept.
    `excerpt` is text of the page itself, `snippet` what
    the search engine showed. `rank` counts from 1. `verdict` and `cause` are None where nobody checked; with them the
    finding enters the registry as a check of `fetched_at`.
    """

    url: str
    title: str = ""
    publisher: str = ""
    published: str = ""
    snippet: str = ""
    excerpt: str = ""
    body_sha256: str = ""
    query: str = ""
    tool: str = ""
    rank: int | None = None
    score: float | None = None
    verdict: Verdict | None = None
    cause: Cause | None = None
    evidence: Evidence | None = None
    rules_version: str = ""
    fetched_at: datetime | None = None
    access_note: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """What keeping did: the stable id of each address that stands in the corpus now, and for each that does not a
    sentence that says why. `new` counts entries that the section did not have before."""

    ids: Mapping[str, str]
    left_out: Mapping[str, str] = field(default_factory=dict)
    new: int = 0


def keep(
    *,
    project: Project,
    section: Section,
    findings: Sequence[KeptFinding],
    by: User,
    at: datetime,
    channel: Channel = Channel.JOB,
    run_id: str = "",
    deed: ChangeSet | None = None,
) -> Kept:
    """Puts findings into the corpus of a section, in one ChangeSet that can be undone or as a step of one.

    New sources are registered and numbered in the order given; a source that another section has keeps its id, and two
    addresses of one source are one entry. What a person rejected before, what a check drops, and what is no address
    stays out and is told. Twice writes what is known now over what was kept before, under the same ids. `run_id` names
    the retrieval in lineage. `deed` is a ChangeSet of `KEEP_KIND` that this is a step of. Raises `NotOfProject`, and
    `SourceMerged` where a second try will do.
    """
    permissions.check_can_curate(by, project.workspace_id)
    if section.project_id != project.pk:
        raise NotOfProject(f"“{section}” is no section of {project}.")
    identified, left_out = _identified(findings)
    with transaction.atomic():
        wanted = _not_rejected(project.workspace_id, identified, left_out)
        sources = _registered(project.workspace_id, wanted, at=at)
        _tell_checks(wanted, sources, run_id=run_id, at=at)
        standing = Source.objects.select_related("entity", "latest_check__version__entity").in_bulk(
            [source.pk for source in sources.values()]
        )
        good: dict[int, KeptFinding] = {}
        for url, (_, finding) in wanted.items():
            source = standing[sources[url].pk]
            if source.disposition == Disposition.DROP:
                left_out[url] = _why_dropped(source)
            else:
                good.setdefault(source.pk, finding)
        arrived = projects.enter(project=project, source_ids=list(good), at=at)
        entered = arrived.by_source
        rows = [_row(entered[pk], section, finding, source=standing[pk], by=by, at=at) for pk, finding in good.items()]
        corpus_lineage.write_hits(project=project, rows=rows, sources=standing, run_id=run_id, at=at)
        facts = corpus_rows.write(rows)
        made = [corpus_rows.entry_facts(entered[pk]) for pk in good if pk in arrived.new]
        if deed is not None:
            changes.add(change_set=deed, changes=[*facts, *made])
        else:
            record(project, section, [*facts, *made], by=by, channel=channel, at=at)
    ids = {url: entered[sources[url].pk].stable_id for url in wanted if url not in left_out}
    return Kept(ids=ids, left_out=left_out, new=sum(not one.before for one in facts))


def _identified(
    findings: Iterable[KeptFinding],
) -> tuple[dict[str, tuple[Identity, KeptFinding]], dict[str, str]]:
    """Each address once with what it names, the first finding of it; and those that name nothing or are dropped."""
    found: dict[str, tuple[Identity, KeptFinding]] = {}
    left_out: dict[str, str] = {}
    for finding in findings:
        if finding.url in found or finding.url in left_out:
            continue
        if finding.verdict is not None and finding.verdict.disposition is Disposition.DROP:
            left_out[finding.url] = finding.verdict.explanation
            continue
        try:
            found[finding.url] = (identify(finding.url), finding)
        except (BadIdentifier, UnusableUrl) as refused:
            left_out[finding.url] = str(refused)
    return found, left_out


def _not_rejected(
    workspace_id: int, identified: Mapping[str, tuple[Identity, KeptFinding]], left_out: dict[str, str]
) -> dict[str, tuple[Identity, KeptFinding]]:
    there = known.sources_by_key(workspace_id=workspace_id, keys=[one.key for one, _ in identified.values()])
    hidden = hidden_keys(Source, {source.pk for source in there.values()})
    rejected = {source.pk for source in there.values() if source.decided == DecisionKind.DROP}
    reasons = decisions.holding(rejected) if rejected else {}
    wanted: dict[str, tuple[Identity, KeptFinding]] = {}
    for url, (identity, finding) in identified.items():
        source = there.get(identity.key)
        if source is not None and source.pk in hidden:
            left_out[url] = "It cannot be cited here; choose another one."
        elif source is not None and source.pk in rejected:
            decision = reasons.get(source.pk)
            why = f": {decision.reason}" if decision and decision.reason else ""
            left_out[url] = f"A person rejected it before{why}"
        else:
            wanted[url] = (identity, finding)
    return wanted


def _registered(
    workspace_id: int, wanted: Mapping[str, tuple[Identity, KeptFinding]], *, at: datetime
) -> dict[str, Source]:
    new = [
        registry.NewSource(
            identity=identity,
            title=without_credentials(one_line(finding.title)),
            values={
                name: value
                for name, value in (
                    ("publisher", one_line(finding.publisher)),
                    ("published_date", date_of(finding.published)),
                )
                if value
            },
        )
        for identity, finding in reversed(list(wanted.values()))
    ]
    by_key = registry.register_many(workspace_id=workspace_id, sources=new, at=at).by_key
    return {url: by_key[identity.key] for url, (identity, _) in wanted.items()}


def _tell_checks(
    wanted: Mapping[str, tuple[Identity, KeptFinding]], sources: Mapping[str, Source], *, run_id: str, at: datetime
) -> None:
    told: dict[int, SourceFinding] = {}
    for url, (_, one) in wanted.items():
        if one.verdict is not None and one.cause is not None:
            finding = Finding(
                verdict=one.verdict,
                cause=one.cause,
                at=one.fetched_at or at,
                rules_version=one.rules_version,
                evidence=one.evidence or Evidence(requested_url=url, access_note=one.access_note),
            )
            pk = sources[url].pk
            told.setdefault(pk, SourceFinding(source_id=pk, finding=finding, run_id=run_id))
    if told:
        registry.apply_findings(findings=list(told.values()), at=at)


def _why_dropped(source: Source) -> str:
    if source.decided == DecisionKind.DROP:
        return "A person rejected it before."
    verdict = source.as_verdict
    return verdict.explanation if verdict else "It was dropped."


def _row(
    entry: CatalogEntry, section: Section, finding: KeptFinding, *, source: Source, by: User, at: datetime
) -> CorpusEntry:
    excerpt = without_credentials((finding.excerpt or finding.snippet).replace("\x00", ""))[:MAX_EXCERPT].strip()
    check = source.latest_check
    note = finding.access_note or (check.evidence.get("access_note", "") if check else "")
    return CorpusEntry(
        entry=entry,
        section=section,
        fetched_at=finding.fetched_at,
        excerpt=excerpt,
        summary=summarise(excerpt, query=finding.query, limit=SUMMARY_LENGTH),
        body_sha256=finding.body_sha256 or (finding.evidence.sha256 if finding.evidence else ""),
        retrieval_query=one_line(finding.query),
        retrieval_tool=one_line(finding.tool)[:50],
        rank=finding.rank if finding.rank and finding.rank > 0 else None,
        score=finding.score,
        verdict=finding.verdict or source.verdict,
        access_note=one_line(note),
        kept_at=at,
        kept_by=by,
    )


def begin_deed(*, project: Project, note: str, by: User | None, at: datetime) -> ChangeSet:
    """The record of a keeping that is done in steps (`keep`), empty as yet; undone as one."""
    return changes.record(
        workspace_id=project.workspace_id,
        kind=KEEP_KIND,
        actor=by,
        channel=Channel.JOB,
        note=note[:200],
        at=at,
        changes=(),
    )


def record(
    project: Project, section: Section, facts: Sequence[ChangeFacts], *, by: User, channel: Channel, at: datetime
) -> None:
    """Writes the deed of keeping for rows that were written in the same transaction; none where nothing changed."""
    if facts:
        changes.record(
            workspace_id=project.workspace_id,
            kind=KEEP_KIND,
            actor=by,
            channel=channel,
            note=f"{project}, {section.title}"[:200],
            at=at,
            changes=facts,
        )
