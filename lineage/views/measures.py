"""The dashboard of measures, with the list behind each figure."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from lineage import access
from lineage.core.measures import Measure
from lineage.queries import measures
from lineage.queries.measures import Figure
from lineage.views.asking import rows_of
from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.kit.paging import page_of


@needs_workspace
@require_GET
def dashboard(request: MemberRequest) -> HttpResponse:
    """Every measure with its definition."""
    found = measures.figures(asker=access.asker_of(request.membership))
    cards = [{"figure": figure, "tone": _tone(figure), "text": _text(figure)} for figure in found]
    return render(request, "lineage/measures.html", {"cards": cards})


@needs_workspace
@require_GET
def behind(request: MemberRequest) -> HttpResponse:
    """The nodes that lack what the figure `?measure=` measures."""
    measure = request.GET.get("measure", "")
    if measure not in set(Measure):
        raise Http404
    chosen = Measure(measure)
    rows = measures.behind(measure=chosen, asker=access.asker_of(request.membership))
    page = page_of(request, rows)
    return render(request, "lineage/measure.html", {"measure": chosen, "page": page, "rows": rows_of(page.object_list)})


def _text(figure: Figure) -> str:
    """The figure in words."""
    if figure.measure is Measure.TIME_TO_IMPACT:
        return "nothing fell yet" if figure.seconds is None else _duration(figure.seconds)
    if figure.share is None:
        return "nothing to measure yet"
    # Rounded down where more is better, up where less is: a gap is never rounded away.
    hundredths = (
        figure.part * 10_000 // figure.whole
        if figure.measure.high_is_good
        else -(-figure.part * 10_000 // figure.whole)
    )
    return f"{hundredths / 100:g} %"


def _tone(figure: Figure) -> str:
    if figure.share is None or figure.measure is Measure.TIME_TO_IMPACT:
        return ""
    is_full = figure.part == figure.whole if figure.measure.high_is_good else figure.part == 0
    return "good" if is_full else "warn"


def _duration(seconds: float) -> str:
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= size:
            number = round(seconds / size, 1)
            return f"{number:g} {unit}{'' if number == 1 else 's'}"
    return f"{round(seconds):,} seconds"
