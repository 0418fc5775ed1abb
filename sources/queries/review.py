"""The review queue as a person walks through it: oldest question first, one card at a time."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet

from provenance_site.accounts.models import Membership, User
from provenance_site.changes.models import Change, ChangeSet
from provenance_site.jobs.states import JobState
from sources.core.findings import Cause, Evidence, Verdict
from sources.core.kinds import DecisionKind, ReviewReason
from sources.models import CatalogEntry, Check, Citation, Decision, ReviewItem, Source
from sources.queries import decisions, evidence
from sources.queries.listings import link_of
from sources.queries.readable import readable

# The kind of ChangeSet that `services.review` and `services.review_many` write.
_DECIDED = "review.decide"


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """What of the queue is walked: None means all."""

    project: UUID | None = None
    reason: ReviewReason | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where the queue stands: the item shown, the ones beside it, and how many are open under this filter."""

    item: ReviewItem | None
    previous: ReviewItem | None
    next: ReviewItem | None
    position: int
    total: int


@dataclass(frozen=True, slots=True)
class Dossier:
    """Everything that is laid beside the claim when a person judges a source."""

    source: Source
    link: str
    claimed_title: str
    check: Check | None
    verdict: Verdict | None
    cause: Cause | None
    evidence: Evidence
    decision: Decision | None
    decisions: list[Decision]
    entries: list[CatalogEntry]
    citations: list[Citation]


@dataclass(frozen=True, slots=True)
class RecentDeed:
    """What a person decided in one go: about `source`, and about `others` more."""

    change_set: ChangeSet
    kind: DecisionKind
    source: Source
    others: int


def recent_deeds(*, user: User, workspace_id: int, limit: int = 10) -> list[RecentDeed]:
    """The person's newest decisions that are not taken back, one or thousands at a time. Three queries, and one
    for each of them that a worker did.

    What a worker still does is not among them: it has no undo yet.
    """
    mine = ChangeSet.objects.filter(workspace_id=workspace_id, actor=user, kind=_DECIDED, undone_by__isnull=True)
    settled = mine.exclude(long_deed__job__state=JobState.RUNNING).select_related("long_deed").order_by("-at", "-pk")
    deeds = {deed.pk: deed for deed in settled[:limit]}
    # What a worker did knows its number, and a hundred thousand rows are not counted for a rail.
    short = [pk for pk, deed in deeds.items() if not hasattr(deed, "long_deed")]
    rows = Change.objects.filter(change_set__in=short).order_by().values_list("change_set")
    numbers = {deed: (number, first) for deed, number, first in rows.annotate(Count("pk"), Min("pk"))}
    for pk in deeds.keys() - set(short):
        first = deeds[pk].changes.order_by("pk").values_list("pk", flat=True).first()
        numbers[pk] = (deeds[pk].long_deed.tally.get("changed", 0), first or 0)
    changes = Change.objects.in_bulk([first for _, first in numbers.values()])
    decided = (
        readable(Decision.objects.all())
        .select_related("source")
        .in_bulk([change.after["decision"] for change in changes.values() if change.after.get("decision")])
    )
    found: list[RecentDeed] = []
    for pk, deed in deeds.items():
        number, first = numbers.get(pk, (0, 0))
        decision = decided.get(changes[first].after.get("decision")) if first in changes else None
        if decision is not None:
            found.append(RecentDeed(deed, decision.as_kind, decision.source, number - 1))
    return found


def open_items(*, user: User, workspace_id: int, wanted: QueueFilter) -> QuerySet[ReviewItem]:
    """The open questions that `user` may see, oldest first."""
    # By sub-queries: over joins SQLite begins with all sources of the workspace, and sorts them to show one.
    here = Source.objects.standing().filter(pk=OuterRef("source_id"), workspace_id=workspace_id)
    member = Membership.objects.filter(user=user, workspace=workspace_id)
    items = readable(ReviewItem.objects.all()).filter(
        ~Q(reason=ReviewReason.RETRACTION),  # those have a screen of their own, with what is said of the work
        Exists(member),
        Exists(here),
        closed_at__isnull=True,
    )
    if wanted.project is not None:
        items = items.filter(
            Exists(CatalogEntry.objects.filter(source=OuterRef("source_id"), project__uuid=wanted.project))
        )
    if wanted.reason is not None:
        items = items.filter(reason=wanted.reason)
    return items.order_by("opened_at", "pk")


def counts_by_reason(*, user: User, workspace_id: int, wanted: QueueFilter) -> dict[ReviewReason, int]:
    """How many open questions of each reason the filter without its reason finds. One query."""
    without = QueueFilter(project=wanted.project)
    rows = open_items(user=user, workspace_id=workspace_id, wanted=without).order_by().values_list("reason")
    found = dict(rows.annotate(number=Count("pk")))
    return {reason: found.get(reason.value, 0) for reason in ReviewReason if reason is not ReviewReason.RETRACTION}


def place_at(items: QuerySet[ReviewItem], *, source: UUID | None) -> Place:
    """The place of `source` in the queue; of the first item where it is None or has no open question any more.

    `items` come from `open_items`. Two looks at one row each beside the item's own, and one count, however long the
    queue: no row of it is held.
    """
    items = items.select_related("source__latest_check", "source__retraction_standing")
    item = (items.filter(source__uuid=source).first() if source else None) or items.first()
    if item is None:
        return Place(None, None, None, 0, 0)
    # Said twice, so that the index over the moment serves both sides.
    before = Q(opened_at__lte=item.opened_at) & (Q(opened_at__lt=item.opened_at) | Q(pk__lt=item.pk))
    behind = Q(opened_at__gte=item.opened_at) & (Q(opened_at__gt=item.opened_at) | Q(pk__gt=item.pk))
    numbers = items.aggregate(total=Count("pk"), before=Count("pk", filter=before))
    return Place(
        item=item,
        previous=items.filter(before).reverse().first(),
        next=items.filter(behind).first(),
        position=numbers["before"] + 1,
        total=numbers["total"],
    )


def dossier_of(source: Source) -> Dossier:
    """The source with its newest check, decisions, and every place that cites it. Four queries."""
    check = source.latest_check
    entries = list(readable(CatalogEntry.objects.all()).filter(source=source).select_related("project").order_by("pk"))
    citations = list(
        readable(Citation.objects.all())
        .filter(entry__source=source)
        .select_related("entry__project", "version", "section")
        .order_by("entry_id", "version_id", "line")
    )
    cited_titles = [citation.claimed_title for citation in citations if citation.claimed_title]
    return Dossier(
        source=source,
        link=link_of(source),
        claimed_title=source.title or next(iter(cited_titles), ""),
        check=check,
        verdict=Verdict(source.verdict) if source.verdict else None,
        cause=Cause(source.cause) if source.cause else None,
        evidence=evidence.of(check) if check else Evidence(),
        decision=decisions.holding([source.pk]).get(source.pk),
        decisions=list(
            readable(Decision.objects.all()).filter(source=source).select_related("by").order_by("-at", "-pk")
        ),
        entries=entries,
        citations=citations,
    )
