"""What the header says of the registry, on the registry's own pages."""

from collections.abc import Callable
from functools import partial

from django.http import HttpRequest

from sources.queries.duplicates import open_count

# A page that is not about sources pays no query for a number that nobody looks for there.
_COUNTED_ON = ("/sources/", "/s/", "/duplicates/")


def header(request: HttpRequest) -> dict[str, Callable[[], int]]:
    """`waiting_pairs`: how many pairs wait for a person, 0 away from the registry's pages. One query where shown."""
    return {"waiting_pairs": partial(_waiting_pairs, request)}


def _waiting_pairs(request: HttpRequest) -> int:
    workspace = getattr(request, "workspace", None)
    if workspace is None or not request.path.startswith(_COUNTED_ON):
        return 0
    return open_count(workspace_id=workspace.pk)
