"""Parameters of addresses: one that nobody knows is said, never passed over."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from ninja.errors import HttpError
from ninja.operation import Operation

from provenance_site.kit.text import middle_cut

Run = Callable[..., HttpResponseBase]


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
