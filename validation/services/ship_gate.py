"""The ship gate: a finished document is begun to be checked, ends with a decision, and persons spot-check its links."""

import hashlib
import re
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.jobs import services as jobs
from provenance_site.jobs.states import JobState
from provenance_site.kit.values import reserve_keys
from sources import permissions
from sources.core.citations import DEFAULT_POLICY, Policy
from sources.core.citations.corpus import CorpusIndex
from sources.core.credentials import without_credentials
from sources.core.lines import one_line
from sources.models import Draft, DraftVersion, Project
from sources.queries.drafts import version_of
from sources.services import drafts, gating, projects
from validation.core import shipping
from validation.core.classify import RULES_VERSION
from validation.core.shipped_text import Cited, ShippedText, read_document
from validation.core.shipping import SpotResult
from validation.models import ShipCheck, ShipLink, SpotCheck
from validation.queries.ship import report_of
from validation.queries.ship_corpus import ShipCorpus, ship_corpus

KIND = "validation.ship"
MAX_LINKS = 5_000
_MAX_NOTE = 2_000
# What no database or file keeps, or what begins a line: names of files may hold any byte.
_NO_PATH = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class ShipRefused(ValueError):
    """The document cannot be checked so; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Document:
    """A finished document. `name` is what people call it, `path` what annotations call its file."""

    name: str
    path: str
    text: str
    version: DraftVersion | None = None
    policy: Policy = field(default=DEFAULT_POLICY)


def document_of(version: DraftVersion) -> Document:
    """A version of a draft as the document it would go out as: its gated text, under its draft's policy."""
    return Document(
        name=str(version),
        path=f"{projects.section_slug(version.draft.name)}-v{version.number}.md",
        text=version.gated_text,
        version=version,
        policy=gating.policy_of(version.draft),
    )


def newest_version(draft: Draft) -> DraftVersion:
    """The draft's newest version; raises `ShipRefused` for a draft without one."""
    newest = version_of(draft)
    if newest is None:
        raise ShipRefused(f"“{draft}” has no version yet. Give it a text first.")
    return newest


def start(*, project: Project, document: Document, by: User, at: datetime) -> ShipCheck:
    """Begins a check of the document: what stands against its text is known at once, its links are fetched by workers.

    Nothing that was found before counts: every distinct work is fetched anew, whether the project has it or not, and
    ten of them are drawn for a person. A document without a source ends at once, blocked. Workers are woken by
    `dispatch`, after the commit. Each call makes another check with another draw. Raises `ShipRefused`.
    """
    permissions.check_can_curate(by, project.workspace_id)
    text = _checked(document.text)
    corpus = ship_corpus(project=project, text=text, at=at)
    read = read_document(text, corpus=corpus.items, policy=document.policy, acknowledged=corpus.acknowledged)
    links = _links(read, corpus)
    if len(links) > MAX_LINKS:
        raise ShipRefused(f"The document cites {len(links):,} works; at most {MAX_LINKS:,} are checked. Split it.")
    with transaction.atomic():
        keys = reserve_keys(ShipLink, len(links))
        check = _check(project, document, read, link_ids=keys, by=by, at=at)
        for position, (key, link) in enumerate(zip(keys, links, strict=True)):
            link.pk, link.position, link.check_made = key, position, check
        ShipLink.objects.bulk_create(links)
        rows = {link.key: link for link in links}
        drawn = shipping.draw(rows, seed=check.seed)
        SpotCheck.objects.bulk_create(
            [SpotCheck(check_made=check, link=rows[key], position=place) for place, key in enumerate(drawn, start=1)]
        )
        if not links:
            _settle(check)
    return check


def finish(*, job_id: int, at: datetime) -> None:
    """Ends a check whose links are all fetched, and writes what follows. Twice is safe, as is a check that is gone."""
    with transaction.atomic():
        jobs.finish_if_done(job_id, at=at)
        locked = ShipCheck.objects.select_for_update(of=("self",), no_key=True).select_related("job", "project")
        check = locked.filter(pk=job_id).first()
        if check is not None and check.job.state == JobState.DONE and not check.decision:
            _settle(check)


def cancel(*, check: ShipCheck, by: User, at: datetime) -> bool:
    """Stops a check: it decides nothing, and what was fetched for it is kept. False where it does not run any more."""
    permissions.check_can_curate(by, check.project.workspace_id)
    return jobs.cancel(job=check.job, by=by, at=at)


def look(*, spot: SpotCheck, result: SpotResult, note: str, by: User, at: datetime) -> ShipCheck:
    """Keeps what a person says of a drawn link, and what then follows for the document. The last word counts.

    Raises PermissionDenied for less than an editor, `ShipRefused` for “wrong” without a note.
    """
    permissions.check_can_decide(by, spot.check_made.project.workspace_id)
    note = without_credentials(one_line(note))[:_MAX_NOTE]
    if result is SpotResult.WRONG and not note:
        raise ShipRefused("Say what is wrong with the link, so that the next one knows what to replace.")
    with transaction.atomic():
        checks = ShipCheck.objects.select_for_update(of=("self",), no_key=True).select_related("job", "project")
        check = checks.get(pk=spot.check_made_id)
        SpotCheck.objects.filter(pk=spot.pk).update(result=result.value, note=note, by=by, at=at)
        if check.job.state == JobState.DONE:
            _settle(check)
    return check


def _settle(check: ShipCheck) -> None:
    told = report_of(check)
    check.total, check.verified = told.gate.total, told.gate.verified
    check.decision = told.decision.value
    check.save(update_fields=["total", "verified", "decision"])


def _checked(text: str) -> str:
    if not text.strip():
        raise ShipRefused("The document is empty. Give the finished Markdown text.")
    try:
        return drafts.checked(text)
    except drafts.DraftRefused as refused:
        raise ShipRefused(str(refused)) from refused


def _check(
    project: Project, document: Document, read: ShippedText, *, link_ids: Sequence[int], by: User, at: datetime
) -> ShipCheck:
    name = one_line(document.name)[:300]
    job = jobs.create(workspace_id=project.workspace_id, kind=KIND, title=name, subject_ids=link_ids, by=by, at=at)
    return ShipCheck.objects.create(
        job=job,
        project=project,
        version=document.version,
        document=name,
        path=_NO_PATH.sub("\ufffd", document.path)[:1000],
        text=read.final,
        sha256=hashlib.sha256(read.final.encode()).hexdigest(),
        seed=secrets.token_hex(16),
        standing=[asdict(remark) for remark in read.remarks],
        rules_version=RULES_VERSION,
    )


def _links(read: ShippedText, corpus: ShipCorpus) -> list[ShipLink]:
    """A row for each distinct work: two addresses of one source of the project are one."""
    index = CorpusIndex(corpus.items)
    rows: list[ShipLink] = []
    seen: set[str] = set()
    for one in read.cited:
        item = index.at(one.address) or index.at(one.identity.link)
        stable_id = corpus.by_key.get(one.identity.key) or (item.id if item else "")
        if stable_id and stable_id in seen:
            continue
        seen.add(stable_id)
        rows.append(_link(one, stable_id, corpus))
    return rows


def _link(one: Cited, stable_id: str, corpus: ShipCorpus) -> ShipLink:
    override = corpus.overrides.get(stable_id)
    return ShipLink(
        key=one.identity.key,
        identifier_type=one.identity.type,
        identifier_value=one.identity.value,
        request_url=one.identity.request_url,
        address=one.address,
        title=one.title,
        line=one.line,
        column=one.column,
        source_id=corpus.source_ids.get(stable_id),
        stable_id=stable_id,
        override=override.value if override else "",
    )
