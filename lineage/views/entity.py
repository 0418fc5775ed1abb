"""One node: what it is, how it stands, what is around it."""

from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from lineage import claims
from lineage.core.asking import Asker
from lineage.core.evidence import Fault, VerificationResult
from lineage.core.pairs import OUTPUTS
from lineage.core.relations import EntityType, Label
from lineage.models import Entity
from lineage.queries.causes import waiting_at
from lineage.queries.evidence import evidence_for
from lineage.queries.impact_notices import titles_of
from lineage.queries.neighbours import versions_beside
from lineage.reports.interchange import FORMATS
from lineage.services import verification
from lineage.views import filters
from lineage.views.asking import (
    address,
    asked_ref,
    asker_for,
    entity_for,
    finds_or_404,
    is_admin,
    is_editor,
    row_of,
    rows_of,
)
from lineage.views.drawn import as_json, svg
from lineage.views.forms import LowerForm, ReasonForm, VerifyForm
from lineage.views.picture import DEPTHS, Wanted, shown
from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.kit.partials import render_page
from provenance_site.kit.text import for_xml

_FACTS_SHOWN = 30
_LONGEST = 500


@needs_workspace
@require_GET
@finds_or_404
def entity(request: MemberRequest) -> HttpResponse:
    """The node's page: facts, label, ground, evidence, and its surroundings as a picture and as a list."""
    return page(request)


@needs_workspace
@require_GET
@finds_or_404
def picture_json(request: MemberRequest) -> HttpResponse:
    """The picture as data, with the places of its nodes; 400 for a value that it does not know."""
    if unknown := filters.unknown(request.GET, filters.PICTURED):
        return filters.refused(unknown)
    picture = shown(ref=asked_ref(request), wanted=Wanted.of(request.GET), asker=asker_for(request))
    return JsonResponse(as_json(picture), json_dumps_params={"ensure_ascii": False})


@needs_workspace
@require_GET
@finds_or_404
def picture_svg(request: MemberRequest) -> HttpResponse:
    """The picture as a file of its own; 409 where it has more nodes than a drawing can hold, 400 as `picture_json`."""
    if unknown := filters.unknown(request.GET, filters.PICTURED):
        return filters.refused(unknown)
    picture = shown(ref=asked_ref(request), wanted=Wanted.of(request.GET), asker=asker_for(request))
    if not picture.layout.places:
        return HttpResponse(
            "Too much to draw: take fewer steps, one side, or leave groups closed.\n",
            content_type="text/plain",
            status=409,
        )
    context = {"svg": svg(picture), "standalone": True}
    answer = render_page(request, "lineage/_drawing.html", context)
    answer.content = for_xml(answer.content.decode())
    answer.headers["Content-Type"] = "image/svg+xml"
    return answer


@needs_workspace
@require_POST
@finds_or_404
def verify(request: MemberRequest) -> HttpResponse:
    """Records one look at a claim."""
    check_role(request.user, request.workspace, Role.CURATOR)
    found = entity_for(request)
    form = VerifyForm(request.POST)
    if form.is_valid():
        try:
            verification.verify(
                claim=found,
                result=VerificationResult(form.cleaned_data["result"]),
                fault=Fault(form.cleaned_data["fault"]) if form.cleaned_data["fault"] else None,
                reason=form.cleaned_data["reason"],
                by=request.user,
                at=datetime.now(UTC),
            )
        except verification.WrongFault as refused:
            form.add_error("fault", str(refused))
        except verification.NoClaim as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, f"The look is kept: {form.cleaned_data['result']}.")
            return redirect(address("lineage-entity", ref=asked_ref(request)))
    return page(request, verify_form=form, status=422)


def page(
    request: MemberRequest,
    *,
    verify_form: VerifyForm | None = None,
    lower_form: LowerForm | None = None,
    revoke_form: ReasonForm | None = None,
    keep_form: ReasonForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """The node's page as it is now; a form that was refused stands there with what is wrong."""
    asker = asker_for(request)
    wanted = Wanted.of(request.GET)
    picture = shown(ref=asked_ref(request), wanted=wanted, asker=asker)
    found = picture.start
    before, after = versions_beside(entity=found, asker=asker)
    lowered = _declassification(found, asker)
    reached = waiting_at(entity=found)
    titles = titles_of({row.cause_id: row.cause for row in reached}.values(), asker=asker)
    context: dict[str, Any] = {
        "start": picture.things[found.pk].row or row_of(found),
        "ref": asked_ref(request),
        "picture": picture,
        "svg": svg(picture) if picture.layout.places else None,
        "wanted": wanted,
        "unknown": filters.unknown(request.GET, filters.PICTURED),
        "depths": DEPTHS,
        "facts": _facts(found),
        "formats": FORMATS.values(),
        "before": rows_of(before),
        "after": rows_of(after),
        "waiting": [(titles[row.cause_id], row.at) for row in reached],
        "lowered": lowered,
        "is_output": found.as_type in OUTPUTS,
        "is_editor": is_editor(request),
        "is_admin": is_admin(request),
        "may_verify": found.as_type is EntityType.CLAIM,
        "verify_form": verify_form or VerifyForm(),
        "lower_form": lower_form or LowerForm(),
        "revoke_form": revoke_form or ReasonForm(prefix="revoke"),
        "keep_form": keep_form or ReasonForm(prefix="keep"),
        "hold": found.holds.filter(released_at__isnull=True).select_related("by").first(),
    }
    if found.as_type in {EntityType.CLAIM, EntityType.DECISION}:
        context |= _ground(found, asked_ref(request), asker)
    return render_page(request, "lineage/entity.html", context, status=status)


def _ground(found: Entity, ref: str, asker: Asker) -> dict[str, Any]:
    evidence = evidence_for(claim=ref, asker=asker)
    ground = claims.grounds_of(claim_ids=[found.pk], asker=asker)[found.pk]
    behind = [source for piece in evidence.pieces for source in piece.sources]
    rows = {row.entity.pk: row for row in rows_of([*(piece.node for piece in evidence.pieces), *behind])}
    return {
        "evidence": evidence,
        "pieces": [
            (piece, rows[piece.node.pk], [rows[one.pk] for one in piece.sources if one.pk != piece.node.pk])
            for piece in evidence.pieces
        ],
        "ground": ground,
        "looks": found.verifications.select_related("by").order_by("-at", "-pk")[:20],
    }


def _declassification(found: Entity, asker: Asker) -> Any:
    """The declassification that stands, where the reader may know from which label: it tells of what lies above."""
    row = found.declassifications.filter(revoked_at__isnull=True).select_related("by").first()
    return row if row is not None and Label(row.from_label).level <= asker.level else None


def _facts(found: Entity) -> list[tuple[str, str]]:
    told = [(name.replace("_", " "), value) for name, value in sorted(found.metadata.items())[:_FACTS_SHOWN]]
    return [(name, str(value)[:_LONGEST]) for name, value in told if value not in (None, "", [], {})]
