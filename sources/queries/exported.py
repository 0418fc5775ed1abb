"""Reads a few hundred sources in full, as exports tell them."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import BooleanField, F, Func

from sources.core import proposals
from sources.core.authors import kept_authors
from sources.core.catalog import CitationStatus
from sources.core.entries import SourceRecord
from sources.core.exported import ExportedSource, Retrieval, Use
from sources.core.findings import Cause, Disposition, Recovery, Verdict
from sources.core.kinds import Authority, Classification, DecisionKind, IdentifierType, Sensitivity, VersionOrigin
from sources.core.listing import DecisionNote
from sources.core.records import Identity
from sources.core.retraction import RetractionStatus
from sources.models import Citation, CorpusEntry, Decision, Project, Source, SourceAlias, SourceVersion
from sources.queries import decisions, evidence, retraction_evidence
from sources.queries.readable import readable
from sources.reports.plain_text import iso_moment

_FIELDS = ("kind", "container_title", "volume", "issue", "pages", "issn", "isbn", "language", "abstract", "note")
# Keys of other desks and of tables: in a text of this project they would mean another work, or nothing.
_NO_CITATION_KEY = re.compile(r"(?:src-)?[0-9]+|source[-:#/]?[0-9]+|.*[0-9a-f]{8}-[0-9a-f]{4}-.*", re.IGNORECASE)
_KINDS = tuple(kind for kind in IdentifierType if kind is not IdentifierType.NONE)


@dataclass(slots=True)
class _About:
    """What other tables say of one source."""

    citations: list[tuple[str, str, str, str, str]] = field(default_factory=list)
    spellings: list[str] = field(default_factory=list)
    identities: list[Identity] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    imported: Mapping[str, Any] = field(default_factory=dict)
    decision: Decision | None = None
    retraction: RetractionStatus = RetractionStatus.UNKNOWN
    retrievals: list[Retrieval] = field(default_factory=list)


class _Row(NamedTuple):
    """The columns of a source that exports tell, and its newest check: a model instance would cost twice as much."""

    pk: int
    uuid: UUID
    title: str
    identifier_type: str
    identifier_value: str
    canonical_key: str
    request_url: str
    authors: str
    author_list: list[Mapping[str, str]]
    published_date: str
    publisher: str
    rights: str
    version: str
    bibliography: Mapping[str, Any]
    authority: str
    classification: str
    sensitivity: str
    retracted: bool
    retraction_note: str
    verdict: str
    cause: str
    disposition: str
    decided: str
    first_seen_at: datetime
    origin_host: str
    latest_check__at: datetime | None
    latest_check__evidence: Mapping[str, Any] | None


def sources_of(
    source_ids: Sequence[int], *, numbers: Mapping[int, int], project: Project | None
) -> dict[int, ExportedSource]:
    """These sources by key, without those that are gone or merged into others. At most ten queries.

    `numbers` are their numbers in `project`, of whose texts alone the uses are then told.
    """
    rows = readable(Source.objects.all()).standing().filter(_among("pk", source_ids)).values_list(*_Row._fields)
    sources = {row[0]: _Row(*row) for row in rows}
    about = _about(sources, project=project)
    return {
        pk: _exported(source, about[pk], number=numbers.get(pk), is_of_project=project is not None)
        for pk, source in sources.items()
        if project is None or pk in numbers
    }


def stable_id(*, number: int | None, uuid: UUID) -> str:
    """`src-001` in a project; outside of one `src-` and twelve digits of the source's uuid, the same in every list."""
    return f"src-{number:03d}" if number is not None else f"src-{uuid.hex[:12]}"


def retraction_of(retracted: bool) -> RetractionStatus:
    """The registry's bit as a status."""
    return RetractionStatus.RETRACTED if retracted else RetractionStatus.UNKNOWN


def identity_of(spelling: str, canonical_key: str) -> Identity | None:
    """The identity of an alias that was kept with its key; None where the spelling is not its value. An alias keeps no
    type, so the key says which it was."""
    for kind in _KINDS:
        if hashlib.sha256(f"{kind}:{spelling}".encode()).hexdigest() == canonical_key:
            return Identity(kind, spelling, "")
    return None


def _among(path: str, keys: Iterable[int]) -> Func:
    """`path IN (…)` with the keys written out: preparing 500 parameters costs more than reading 500 rows."""
    written = ", ".join(str(int(key)) for key in keys) or "NULL"
    return Func(F(path), template=f"%(expressions)s IN ({written})", output_field=BooleanField())


def _about(sources: Mapping[int, _Row], *, project: Project | None) -> Mapping[int, _About]:
    about: dict[int, _About] = defaultdict(_About)
    ids = list(sources)
    cited = readable(Citation.objects.all()).filter(_among("entry__source_id", ids))
    if project is not None:
        cited = cited.filter(entry__project=project)
    columns = ("section__slug", "version__label", "status", "spelling", "claimed_title")
    for pk, *told in cited.order_by("pk").values_list("entry__source_id", *columns):
        about[pk].citations.append((told[0] or "", told[1], told[2], told[3], told[4]))
    if project is not None:
        for pk, retrieval in _retrievals(ids, project):
            about[pk].retrievals.append(retrieval)
    aliases = readable(SourceAlias.objects.all()).filter(_among("source_id", ids)).order_by("pk")
    for pk, spelling, key in aliases.values_list("source_id", "spelling", "canonical_key"):
        identity = identity_of(spelling, key) if key else None
        if identity:
            about[pk].identities.append(identity)
        else:
            about[pk].spellings.append(spelling)
    tags = readable(Source.tags.through.objects.all()).filter(_among("source_id", ids)).order_by("tag__name")
    for pk, name in tags.values_list("source_id", "tag__name"):
        about[pk].tags.append(name)
    imported = (
        readable(SourceVersion.objects.all())
        .filter(_among("source_id", ids), origin=VersionOrigin.IMPORTED)
        .order_by("-pk")
    )
    for pk, record in imported.values_list("source_id", "record"):
        about[pk].imported = record or {}
    decided = [pk for pk, source in sources.items() if source.decided]
    for pk, decision in (decisions.holding(decided) if decided else {}).items():
        about[pk].decision = decision
    for pk, status in retraction_evidence.statuses_of({pk: row.retracted for pk, row in sources.items()}).items():
        about[pk].retraction = status
    return about


def _retrievals(ids: Sequence[int], project: Project) -> Iterator[tuple[int, Retrieval]]:
    kept = (
        readable(CorpusEntry.objects.all())
        .filter(_among("entry__source_id", ids), entry__project=project)
        .order_by("pk")
    )
    columns = ("section__slug", "fetched_at", "excerpt", "summary", "retrieval_query", "retrieval_tool", "access_note")
    for pk, *told in kept.values_list("entry__source_id", *columns):
        section, fetched_at, excerpt, summary, query, tool, note = told
        yield (
            pk,
            Retrieval(
                section=section,
                fetched_at=fetched_at,
                body_excerpt=excerpt,
                summary=summary,
                query=query,
                tool=tool,
                access_note=note,
            ),
        )


def _exported(source: _Row, about: _About, *, number: int | None, is_of_project: bool) -> ExportedSource:
    decision, seen = about.decision, source.latest_check__evidence or {}
    holds, reason = source.verdict, Cause(source.cause).explanation if source.cause else ""
    if decision and decision.kind == DecisionKind.OVERRIDE:
        holds = decision.override_verdict
        reason = f"in place of {source.verdict}: {reason}" if source.verdict else "never checked"
    record, link = _record(source, about, seen)
    details = source.bibliography.get("details") or {}
    return ExportedSource(
        record=record,
        stable_id=stable_id(number=number, uuid=source.uuid),
        verdict=Verdict(holds) if holds else None,
        reason=reason,
        disposition=Disposition(source.disposition),
        checked_at=source.latest_check__at,
        http_status=seen.get("status"),
        access_note=seen.get("access_note", ""),
        retraction=about.retraction,
        retraction_note=source.retraction_note if source.retracted else "",
        uses=_uses(about),
        variants=_variants(about, {"", link, record.title}, is_of_project=is_of_project),
        recovery=_recovery(seen, decision),
        decision=_note(decision) if decision else None,
        rank=_rank(details.get("rank")),
        body_excerpt=str(details.get("body_excerpt", "")),
        summary=str(details.get("summary", "") or record.abstract),
        retrieval_query=str(details.get("retrieval_query", "")),
        retrieval_tool=str(details.get("retrieval_tool", "")),
        retrievals=tuple(about.retrievals),
    )


def _uses(about: _About) -> tuple[Use, ...]:
    """Where texts use it. A section that kept it and does not cite it found it in research."""
    cited = [Use(one[0], one[1], CitationStatus(one[2])) for one in about.citations]
    citing = {use.section for use in cited}
    kept = [
        Use(one.section, "", CitationStatus.FOUND_IN_RESEARCH) for one in about.retrievals if one.section not in citing
    ]
    return tuple(dict.fromkeys((*cited, *kept)))


def _recovery(seen: Mapping[str, Any], decision: Decision | None) -> Recovery | None:
    """Where it was found again: the proposal that a person took, else what the newest check found."""
    if decision and decision.check_seen:
        shown = evidence.of(decision.check_seen)
        if taken := proposals.taken(shown, override=decision.as_override, reason=decision.reason):
            return taken
    found = seen.get("recovery")
    return Recovery(**found) if found else None


def _variants(about: _About, names: set[str], *, is_of_project: bool) -> tuple[str, ...]:
    """Other spellings of its address: those of the project's texts; outside of one all that are known. A list's own
    name for an entry (its key, its title) is none."""
    spelled = {one[3] for one in about.citations}
    if not is_of_project:
        spelled.update(about.spellings)
    return tuple(sorted(spelled - names - {str(about.imported.get("ref", ""))}))


def _record(source: _Row, about: _About, seen: Mapping[str, Any]) -> tuple[SourceRecord, str]:
    """The work as the registry knows it, and the address it goes by."""
    own = Identity(IdentifierType(source.identifier_type), source.identifier_value, source.request_url)
    named = (own,) if own.type is not IdentifierType.NONE else ()
    people = kept_authors(source.author_list, source.authors)
    editors = kept_authors(about.imported.get("editors") or (), "")
    # An import without an author lets the editors stand in; they are told once.
    if editors and people == editors and not about.imported.get("authors"):
        people = ()
    ref = str(about.imported.get("ref", ""))
    identities = (*named, *(one for one in about.identities if one.key != source.canonical_key))
    link = own.link or next((one.link for one in identities if one.link), "")
    record = SourceRecord(
        line=0,
        spelling=own.link,
        ref="" if _NO_CITATION_KEY.fullmatch(ref) else ref,
        uuid=str(source.uuid),
        origin_host=source.origin_host,
        identities=identities,
        title=_title(source, about, seen),
        authors=people,
        editors=editors,
        published_date=source.published_date,
        publisher=source.publisher,
        rights=source.rights,
        version=source.version,
        tags=tuple(about.tags),
        authority=Authority(source.authority),
        classification=Classification(source.classification),
        sensitivity=Sensitivity(source.sensitivity),
        first_seen_at=iso_moment(source.first_seen_at),
        **_bibliography(source),
    )
    return record, link


def _bibliography(source: _Row) -> dict[str, Any]:
    known: Mapping[str, Any] = source.bibliography
    return {name: str(known[name]) for name in _FIELDS if known.get(name)}


def _title(source: _Row, about: _About, seen: Mapping[str, Any]) -> str:
    """What the registry calls it, else the text, else the page itself where it was verified ("Page not found" is no
    title); for a work without an address at least its identifier. '' leaves the address to speak."""
    claimed = next((one[4] for one in about.citations if one[4]), "")
    found = str(seen.get("title_found", "")) if source.verdict == Verdict.VERIFIED_ACCESSIBLE else ""
    match IdentifierType(source.identifier_type):
        case IdentifierType.ISBN | IdentifierType.ISSN as kind:
            named = f"{kind.upper()} {source.identifier_value}"
        case IdentifierType.URN:
            named = source.identifier_value
        case _:
            named = ""
    return source.title or claimed or found or named


def _note(decision: Decision) -> DecisionNote:
    return DecisionNote(
        label=DecisionKind(decision.kind).label,
        by=decision.by.get_username(),
        at=decision.at,
        reason=decision.reason,
    )


def _rank(told: object) -> int | None:
    """A person's own order in a Sources.md that was imported."""
    text = str(told or "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 6 else None
