"""`{% load desk %}`: chips, icons, fields, query strings, moments, and texts in pieces.

Each tag draws what its arguments say of themselves (`label`, `tone`, `icon`, `explanation`), so that no template asks
which verdict it holds.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django import template
from django.core.paginator import Page
from django.forms import BoundField, CheckboxInput, CheckboxSelectMultiple, RadioSelect, Select
from django.http import HttpRequest, QueryDict
from django.template import Context
from django.templatetags.static import static
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from provenance_site.kit import text
from provenance_site.kit.filtering import query_with as rebuilt_query
from provenance_site.kit.icons import ICONS

register = template.Library()


# -- signs -------------------------------------------------------------------------------------------------------------
@register.simple_tag
def icon(name: str, label: str = "") -> SafeString:
    """An icon of the sprite; decoration beside a word unless `label` says its meaning. LookupError for another name."""
    if name not in ICONS:
        raise LookupError(f"no icon is named {name!r}; kit/icons.py lists those of static/desk/icons.svg")
    sprite = static("desk/icons.svg")
    if label:
        return format_html(
            '<svg class="icon" role="img" aria-label="{}"><use href="{}#{}"></use></svg>', label, sprite, name
        )
    return format_html('<svg class="icon" aria-hidden="true"><use href="{}#{}"></use></svg>', sprite, name)


@dataclass(frozen=True, slots=True)
class Sign:
    """How something is shown: word, tone, icon and the sentence behind it."""

    label: str
    tone: str = "idle"
    icon: str = ""
    explanation: str = ""


def sign_of(member: object, empty: str = "") -> Sign:
    """The sign of an enum member (or of any object that explains itself); with nothing to show, the sign of `empty`."""
    if member is None or member == "":
        return Sign(empty, icon="clock" if empty else "")
    return Sign(
        label=str(getattr(member, "label", member)),
        tone=str(getattr(member, "tone", "idle")),
        icon=str(getattr(member, "icon", "")),
        explanation=str(getattr(member, "explanation", "")),
    )


@register.inclusion_tag("kit/_chip.html")
def chip(member: object, empty: str = "Not checked yet", long: bool = False) -> dict[str, Any]:
    """A chip: icon, word and colour; `long` prints the explanation beside it. None or '' show `empty`."""
    return {"sign": sign_of(member, empty), "long": long}


@dataclass(frozen=True, slots=True)
class Segment:
    """One part of a stacked bar, in thousandths of its width."""

    sign: Sign
    count: int
    x: float
    width: float


def segments_of(counts: Iterable[tuple[object, int]], total: int = 0) -> list[Segment]:
    """The parts of a stacked bar from (member, count); empty ones are left out. `total` above the sum leaves a rest."""
    shown = [(member, count) for member, count in counts if count > 0]
    whole = max(total, sum(count for _, count in shown))
    segments: list[Segment] = []
    x = 0.0
    for member, count in shown:
        width = 1_000 * count / whole
        segments.append(Segment(sign=sign_of(member), count=count, x=round(x, 2), width=round(width, 2)))
        x += width
    return segments


@register.inclusion_tag("kit/_stack.html")
def stack(counts: Iterable[tuple[object, int]], total: int = 0, legend: bool = True) -> dict[str, Any]:
    """A bar of (member, count) with its legend in words; the bar is decoration, the legend is the content."""
    return {"segments": segments_of(counts, total), "legend": legend}


# -- places ------------------------------------------------------------------------------------------------------------
@register.inclusion_tag("kit/_nav_link.html", takes_context=True)
def nav_link(
    context: Context, name: str, label: str, icon: str = "", chord: str = "", owns: str = "", count: int = 0
) -> dict[str, Any]:
    """A link of the header to the address `name`, marked where the person is on it, below it, or on a place it `owns`.

    Draws nothing where no such address is installed. `chord` is the key sequence that follows it, "g q"; `owns` are
    beginnings of paths, "/p/ /runs/". `count` is how much waits there; 0 shows none.
    """
    try:
        url = reverse(name)
    except NoReverseMatch:
        return {}
    path = _request(context).path
    below = (url != "/" and path.startswith(url)) or path.startswith(tuple(owns.split()))
    current = "page" if path == url else "true" if below else ""
    return {"url": url, "label": label, "icon": icon, "chord": chord, "current": current, "count": count}


@register.simple_tag(takes_context=True)
def query_with(context: Context, **changes: object) -> str:
    """The query string of this page with `changes`; see `kit.filtering.query_with`."""
    return rebuilt_query(_request(context).GET, **changes)


@register.simple_tag(takes_context=True)
def query_set(context: Context, name: str, value: object) -> str:
    """As `query_with`, for a parameter whose name is a value."""
    return rebuilt_query(_request(context).GET, **{name: value})


@register.inclusion_tag("kit/_query_fields.html", takes_context=True)
def query_fields(context: Context, skip: str = "page") -> dict[str, Any]:
    """Hidden inputs that carry the query string through a GET form, without the names in `skip` ("page,q")."""
    left_out = {name.strip() for name in skip.split(",")}
    params = _request(context).GET
    return {"pairs": [(name, value) for name in params if name not in left_out for value in params.getlist(name)]}


@register.filter
def values_of(params: QueryDict, name: str) -> list[str]:
    """All values of one parameter: `{% for value in request.GET|values_of:"columns" %}`."""
    return params.getlist(name)


@register.inclusion_tag("kit/_pagination.html", takes_context=True)
def pagination(
    context: Context, page: Page[Any], target: str = "", parameter: str = "page", noun: str = "row"
) -> dict[str, Any]:
    """Where in the list this page lies, and links to the others; with `target` (an id) htmx swaps that element."""
    numbers = page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1)
    return {
        "request": _request(context),
        "page": page,
        "numbers": list(numbers),
        "gap": page.paginator.ELLIPSIS,
        "parameter": parameter,
        "target": target,
        "total": text.counted(page.paginator.count, noun),
    }


def _request(context: Context) -> HttpRequest:
    request = context["request"]
    if not isinstance(request, HttpRequest):
        raise TypeError("this tag needs the request in its context: render with a request")
    return request


# -- forms -------------------------------------------------------------------------------------------------------------
@register.inclusion_tag("kit/_field.html")
def field(bound: BoundField) -> dict[str, Any]:
    """A form field with label, help and errors tied to it for assistive technology. One that may be left empty says so,
    but for forms with `hides_optional`, in which it depends on the other fields."""
    told = {
        "bound": bound,
        "is_optional": not bound.field.required and not getattr(bound.form, "hides_optional", False),
    }
    match bound.field.widget:
        case RadioSelect() | CheckboxSelectMultiple():
            return {**told, "kind": "choices"}
        case CheckboxInput():
            return {**told, "kind": "check", "control": bound.as_widget()}
        case Select():
            css = "form-select"
        case _:
            css = "form-control"
    classes = [str(bound.field.widget.attrs.get("class", "")), css, "is-invalid" if bound.errors else ""]
    control = bound.as_widget(attrs={"class": " ".join(name for name in classes if name)})
    return {**told, "kind": "line", "control": control}


# -- moments and texts -------------------------------------------------------------------------------------------------
@register.filter
def ago_or_date(moment: datetime | None) -> str:
    """`<time>` with "5 minutes ago" or the date, the exact UTC moment on pointing at it; "never" for None."""
    if moment is None:
        return "never"
    there = moment.astimezone(UTC)
    return _time(there, text.ago_or_date(there, now=timezone.now()))


@register.filter
def utc(moment: datetime | None) -> str:
    """`<time>` with the exact moment in UTC; "never" for None."""
    if moment is None:
        return "never"
    there = moment.astimezone(UTC)
    return _time(there, text.moment_in_utc(there))


def _time(moment: datetime, words: str) -> SafeString:
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        moment.isoformat(timespec="seconds"),
        text.moment_in_utc(moment),
        words,
    )


@register.filter
def thousands(number: int | None) -> str:
    """1,234; '' for None."""
    return "" if number is None else f"{number:,}"


@register.filter
def counted(number: int, noun: str) -> str:
    """`{{ n|counted:"source" }}` gives "1 source" or "1,234 sources"; `"entry,entries"` names the plural."""
    singular, _, plural = noun.partition(",")
    return text.counted(number, singular, plural)


@register.filter
def percent(share: float | None) -> str:
    """0.934 as "93 %"; "–" for None. Rounded down, so that 100 % means all."""
    return "–" if share is None else f"{int(share * 100 + 1e-9)} %"


@register.filter
def middle_cut(value: object, length: int = 80) -> str:
    """A long text with … for its middle; the whole belongs into a title or a page of its own."""
    return text.middle_cut(str(value), length)


@register.inclusion_tag("kit/_pieces.html")
def pieces(parts: Sequence[tuple[str, str]], side: str = "") -> dict[str, Any]:
    """Pieces of `kit.text` (or of `token_diff`) with del, ins and mark; `side` before or after shows only that text."""
    hidden = {"before": "ins", "after": "del"}.get(side, "")
    return {"parts": [(kind, piece) for kind, piece in parts if kind != hidden]}


@register.inclusion_tag("kit/_pieces.html")
def title_diff(before: str, after: str, side: str = "") -> dict[str, Any]:
    """The word difference of two texts, drawn as `pieces`."""
    return pieces(text.word_diff(before, after), side)
