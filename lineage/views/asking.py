"""Who asks on a page, and about which node: a hidden, a foreign and a missing ref are answered alike."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec

from django.http import Http404
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.http import urlencode

from lineage import access
from lineage.core.asked import normal
from lineage.core.asking import Asker
from lineage.models import Entity
from lineage.queries.words import Remark, names_of, own_words_of, remark_beside
from provenance_site.accounts.access import MemberRequest
from provenance_site.accounts.permissions import has_role
from provenance_site.accounts.roles import Role

P = ParamSpec("P")


def finds_or_404(
    view: Callable[Concatenate[MemberRequest, P], HttpResponseBase],
) -> Callable[Concatenate[MemberRequest, P], HttpResponseBase]:
    """The view, with the one page for what is not there where it asks about what the person may not see."""

    @wraps(view)
    def finding(request: MemberRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except access.NoSuchEntity:
            raise Http404 from None

    return finding


def asker_for(request: MemberRequest) -> Asker:
    """The member as an asker, with the clearance of now."""
    return access.asker_of(request.membership)


def asked_ref(request: MemberRequest, name: str = "ref") -> str:
    """The ref in the query string, or in the form that was sent, in its normal form."""
    return normal(request.POST.get(name, "") or request.GET.get(name, ""))


def entity_for(request: MemberRequest, name: str = "ref") -> Entity:
    """The node that the request is about; raises `NoSuchEntity`. One query."""
    return access.entity_at(asked_ref(request, name), asker=asker_for(request))


def is_editor(request: MemberRequest) -> bool:
    """True where the person may propagate, settle and release."""
    return has_role(request.user, request.workspace, Role.EDITOR)


def is_admin(request: MemberRequest) -> bool:
    """True where the person may lower labels and set policies."""
    return has_role(request.user, request.workspace, Role.ADMIN)


def address(name: str, **parameters: object) -> str:
    """The address called `name` with these parameters; empty ones are left out."""
    told = {key: str(value) for key, value in parameters.items() if value not in (None, "")}
    return reverse(name) + (f"?{urlencode(told)}" if told else "")


@dataclass(frozen=True, slots=True)
class Row:
    """A node as lists show it: what it is called, its page, the page of its object ('' where there is none), and what
    must be known of it beside its state."""

    entity: Entity
    words: str
    url: str
    object_url: str = ""
    remark: Remark | None = None


def rows_of(entities: Iterable[Entity]) -> list[Row]:
    """The nodes as lists show them, in their order; what names them is asked once for all."""
    ordered = list(entities)
    names = names_of(ordered)
    words = own_words_of(one for one in ordered if one.pk not in names)
    return [
        Row(
            entity=one,
            words=names[one.pk].text if one.pk in names else words[one.pk],
            url=address("lineage-entity", ref=one.ref) if one.ref else "",
            object_url=names[one.pk].url if one.pk in names else "",
            remark=remark_beside(names.get(one.pk), one),
        )
        for one in ordered
    ]


def row_of(entity: Entity) -> Row:
    """One node as lists show it."""
    return rows_of([entity])[0]
