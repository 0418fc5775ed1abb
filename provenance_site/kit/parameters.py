"""What a request of the JSON interface names: a parameter that nobody knows, and a value that no database keeps, are
said, never passed over."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from ninja.errors import HttpError, ValidationError
from ninja.operation import Operation

from provenance_site.kit.storable import fault_in, shown
from provenance_site.kit.text import middle_cut

Run = Callable[..., HttpResponseBase]
View = Callable[..., Any]


def refuse_unknown(run: Run) -> Run:
    """An operation of the JSON interface that answers 400 to a parameter it does not know, with the name of that one
    and of those it knows. For `add_decorator(refuse_unknown, mode="view")` of an API or a router.

    Passed over, a filter that was written wrong would filter nothing, and nobody would be told. Whoever has no token
    is answered like without the parameter; nothing is looked up but the token, and only names decide, so a thing that
    is hidden and one that is not there are answered alike.
    """
    operation: Operation = run.__self__  # type: ignore[attr-defined]  # ninja hands the operation's own method over
    known = [
        name
        for model in operation.models
        if model.__ninja_param_source__ == "query"
        for name in model.__ninja_flatten_map__
    ]

    @wraps(run)
    def only_known(request: HttpRequest, /, **path: Any) -> HttpResponseBase:
        unknown = next((name for name in request.GET if name not in known), None)
        if unknown is None:
            return run(request, **path)
        told = f"It takes {', '.join(known)}." if known else "It takes none."
        refusal = HttpError(400, f"This address knows no parameter “{middle_cut(unknown)}”. {told}")
        return operation._run_checks(request) or operation.api.on_exception(request, refusal)

    return only_known


def refuse_unstorable(view: View) -> View:
    """An operation of the JSON interface that answers 422 to a value that no database keeps (`kit.storable`), in the
    form of any other value that cannot be: its place in `loc`, what is wrong in `msg`. For
    `add_decorator(refuse_unstorable, mode="operation")` of an API or a router.

    All that the operation declares is looked at, parameters and body, once it is read and before anything but the token
    is looked up; what it declares nothing of is passed over, and uploaded files are its own to read.
    """

    @wraps(view)
    def only_storable(request: HttpRequest, /, **given: Any) -> Any:
        fault = fault_in(given)
        if fault is None:
            return view(request, **given)
        operation: Operation = view._ninja_operation  # type: ignore[attr-defined]  # ninja keeps it there
        name = shown(str(next((part for part in reversed(fault.where) if isinstance(part, str)), "")))
        message = f"“{middle_cut(name)}” {fault.why}"
        raise ValidationError([{"type": "unstorable", "loc": _place(operation, fault.where), "msg": message}])

    return only_storable


def _place(operation: Operation, where: tuple[str | int, ...]) -> list[str | int]:
    """The place as ninja names it for other values: "query", "path", "form" or "body" before it."""
    model = next(one for one in operation.models if where[0] in one.model_fields)
    found = model.__ninja_flatten_map_reverse__.get(where, where)
    return [model.__ninja_param_source__, *(shown(part) if isinstance(part, str) else part for part in found)]
