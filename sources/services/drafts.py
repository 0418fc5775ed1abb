"""Drafts: begun, given new versions through the gate, put under another policy. Each deed can be undone."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from provenance_site.changes.registry import ChangeFacts
from sources import permissions
from sources.core import citations
from sources.core.citations import Action, Gated, Mode, Severity, Standing
from sources.core.credentials import without_credentials
from sources.core.drafting import DraftOrigin
from sources.core.lines import one_line
from sources.core.preview import lines_of
from sources.models import Draft, DraftVersion, Project
from sources.queries.readable import readable
from sources.services import gated_lineage, gating

ADD_KIND = "draft.add"
VERSION_KIND = "draft.version"
POLICY_KIND = "draft.policy"
DRAFT = Draft._meta.label_lower
VERSION = DraftVersion._meta.label_lower
MAX_NAME = 200
MAX_TEXT = 2_000_000


class DraftRefused(ValueError):
    """The draft cannot be kept so; the message says why and what to do. `field` is the field it is about."""

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


class DraftChanged(ValueError):
    """Somebody gave the draft another version after the person saw it; nothing was written."""


def create(
    *,
    project: Project,
    name: str,
    mode: Mode = Mode.STRICT,
    policy: Mapping[Standing, Action] | None = None,
    by: User,
    channel: Channel,
    at: datetime,
) -> Draft:
    """A new draft without a version yet. Raises `DraftRefused` for a name that is empty, too long or taken."""
    permissions.check_can_curate(by, project.workspace_id)
    name = one_line(name)
    if not 0 < len(name) <= MAX_NAME:
        raise DraftRefused(f"A draft's name has 1 to {MAX_NAME} characters; this has {len(name)}.", field="name")
    with transaction.atomic():
        draft, is_new = Draft.objects.get_or_create(
            project=project,
            name=name,
            defaults={"mode": mode.value, "policy": _kept(policy or {}), "created_at": at, "created_by": by},
        )
        if not is_new:
            raise DraftRefused(f"There is a draft “{name}” already. Open it, or choose another name.", field="name")
        _record(
            draft,
            ADD_KIND,
            [ChangeFacts(DRAFT, draft.pk, before={}, after=facts_of(draft))],
            by=by,
            channel=channel,
            at=at,
        )
    return draft


def begin(
    *,
    project: Project,
    name: str,
    text: str,
    mode: Mode = Mode.STRICT,
    policy: Mapping[Standing, Action] | None = None,
    by: User,
    channel: Channel,
    at: datetime,
) -> DraftVersion:
    """A new draft with its first version, or neither. Raises `DraftRefused`."""
    with transaction.atomic():
        draft = create(project=project, name=name, mode=mode, policy=policy, by=by, channel=channel, at=at)
        return add_version(draft=draft, text=text, by=by, at=at, channel=channel)


def add_version(
    *,
    draft: Draft,
    text: str,
    by: User,
    at: datetime,
    channel: Channel = Channel.PAGE,
    origin: DraftOrigin = DraftOrigin.WRITTEN,
    note: str = "",
    changed: Sequence[Mapping[str, Any]] = (),
    seen: int | None = None,
) -> DraftVersion:
    """Puts `text` through the gate and keeps both as the draft's next version, with claims and evidence in lineage.

    The same text with the same outcome as the newest version is that version: twice is safe. `changed` lists what a
    reconciliation did (`gating.change_facts`); `seen` is the number of the version that the person had before them.
    Passwords inside addresses are masked. One ChangeSet. Raises `DraftRefused`, with the line, for what cannot be kept,
    and `DraftChanged`.
    """
    permissions.check_can_curate(by, draft.project.workspace_id)
    text = checked(text)
    with transaction.atomic():
        locked = Draft.objects.select_for_update(no_key=True).get(pk=draft.pk)
        versions = locked.versions.select_related("entity").order_by("-number")
        # What is hidden from the writer is nothing that they could have looked at.
        newest = readable(versions).first()
        if seen is not None and seen != (newest.number if newest else 0):
            raise DraftChanged("Somebody gave this draft another version meanwhile. Look at it, then give yours.")
        locked.project = draft.project
        told, corpus = gating.gated(draft=locked, text=text, at=at)
        version = _version(locked, text, told, origin=origin, note=note, changed=changed, by=by, at=at)
        if newest is not None and _says_the_same(newest, version):
            return newest
        earlier = versions.first()
        version.save()
        locked.next_number += 1
        locked.save(update_fields=["next_number"])
        gated_lineage.record(version=version, gated=told, corpus=corpus, earlier=earlier, at=at)
        facts = ChangeFacts(VERSION, version.pk, before={}, after=version_facts(version))
        _record(locked, VERSION_KIND, [facts], note=str(version), by=by, channel=channel, at=at)
    return version


def reconcile(
    *, version: DraftVersion, by: User, at: datetime, channel: Channel = Channel.PAGE, seen: int | None = None
) -> DraftVersion:
    """Holds the citations of a version against the corpus and gates what comes of it, as the draft's next version.

    Every change is listed with it. Twice is safe. Raises as `add_version`.
    """
    permissions.check_can_curate(by, version.draft.project.workspace_id)
    told = gating.reconciled(draft=version.draft, text=version.text, at=at)
    return add_version(
        draft=version.draft,
        text=told.text,
        by=by,
        at=at,
        channel=channel,
        origin=DraftOrigin.RECONCILED,
        note=f"from version {version.number}",
        changed=gating.change_facts(told.changes),
        seen=seen,
    )


def set_policy(
    *, draft: Draft, mode: Mode, policy: Mapping[Standing, Action], by: User, channel: Channel, at: datetime
) -> Draft:
    """Puts a draft under another policy, in one ChangeSet. It holds from the next version on; nothing is written where
    nothing changes."""
    permissions.check_can_curate(by, draft.project.workspace_id)
    with transaction.atomic():
        row = Draft.objects.select_for_update(no_key=True).get(pk=draft.pk)
        before = facts_of(row)
        row.mode, row.policy = mode.value, _kept(policy)
        if facts_of(row) != before:
            row.save(update_fields=["mode", "policy"])
            facts = ChangeFacts(DRAFT, row.pk, before=before, after=facts_of(row))
            row.project = draft.project
            _record(row, POLICY_KIND, [facts], by=by, channel=channel, at=at)
    return row


def checked(text: str) -> str:
    """`text` as it can be kept, passwords of addresses masked. Raises `DraftRefused` with the line."""
    if not text.strip():
        raise DraftRefused("The draft is empty. Paste its text, or choose a file.", field="text")
    if len(text) > MAX_TEXT:
        raise DraftRefused(
            f"A draft has at most {MAX_TEXT:,} characters; this has {len(text):,}. Split it.", field="text"
        )
    if "\x00" in text:
        line = len(lines_of(text[: text.index("\x00")]))
        raise DraftRefused(f"Line {line} holds a NUL character; take it out.", field="text")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        line = len(lines_of(text[: error.start]))
        raise DraftRefused(f"Line {line} holds half a character; take it out.", field="text") from None
    return without_credentials(text)


def facts_of(draft: Draft) -> dict[str, object]:
    """A draft as history keeps it."""
    return {"project": draft.project_id, "name": draft.name, "mode": draft.mode, "policy": draft.policy}


def version_facts(version: DraftVersion) -> dict[str, object]:
    """A version as history keeps it: without its texts, which its hash names."""
    return {
        "draft": version.draft_id,
        "number": version.number,
        "sha256": version.sha256,
        "origin": str(version.origin),
    }


def _version(
    draft: Draft,
    text: str,
    told: Gated,
    *,
    origin: DraftOrigin,
    note: str,
    changed: Sequence[Mapping[str, Any]],
    by: User,
    at: datetime,
) -> DraftVersion:
    rate = citations.marker_rate(told.text)
    return DraftVersion(
        draft=draft,
        number=draft.next_number,
        origin=origin.value,
        note=one_line(note)[:300],
        text=text,
        gated_text=told.text,
        sha256=hashlib.sha256(told.text.encode()).hexdigest(),
        problems=gating.problem_facts(told.problems),
        citations=gating.citation_facts(told.citations),
        changes=[dict(one) for one in changed],
        marker_count=rate.markers,
        claim_count=rate.claims,
        refused_count=sum(one.severity is Severity.ERROR for one in told.problems),
        created_at=at,
        created_by=by,
    )


def _says_the_same(newest: DraftVersion, version: DraftVersion) -> bool:
    told = ("text", "gated_text", "problems", "citations")
    return all(getattr(newest, name) == getattr(version, name) for name in told)


def _kept(policy: Mapping[Standing, Action]) -> dict[str, str]:
    return {standing.value: policy[standing].value for standing in Standing if standing in policy}


def _record(
    draft: Draft,
    kind: str,
    facts: Sequence[ChangeFacts],
    *,
    note: str = "",
    by: User,
    channel: Channel,
    at: datetime,
) -> None:
    changes.record(
        workspace_id=draft.project.workspace_id,
        kind=kind,
        actor=by,
        channel=channel,
        note=(note or draft.name)[:200],
        at=at,
        changes=facts,
    )
