"""How news of each kind is told. Filled by the wiring when the site starts; the frame knows no app."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from provenance_site.accounts.models import Membership
from provenance_site.notices.models import Notice


@dataclass(frozen=True, slots=True)
class Shown:
    """The words of a notice for one reader, and where it leads."""

    title: str
    text: str
    url: str


class ShowFunction(Protocol):
    """Makes the words of notices of one kind, of what the member may see now."""

    def __call__(self, *, notices: Sequence[Notice], membership: Membership) -> Mapping[int, Shown]:
        """The words by the notice's key; a notice of which the member may see nothing any more is left out."""
        ...


class EventFunction(Protocol):
    """Makes what a webhook is sent of one piece of news, of what stands now."""

    def __call__(self, *, workspace_id: int, subject_id: int) -> Mapping[str, Any] | None:
        """What JSON can hold; None where nothing is left that may be told outside."""
        ...


_SHOW: dict[str, ShowFunction] = {}
_EVENTS: dict[str, EventFunction] = {}


def register_notice(kind: str, function: ShowFunction) -> None:
    """Has notices of `kind` shown by `function`. The same pair twice is harmless; another function raises."""
    if _SHOW.setdefault(kind, function) is not function:
        raise ValueError(f"{kind} is shown by another function already")


def show_function(kind: str) -> ShowFunction | None:
    """How notices of `kind` are shown, None for a kind that no room knows any more."""
    return _SHOW.get(kind)


def register_event(kind: str, function: EventFunction) -> None:
    """Has webhooks told of `kind` by `function`. The same pair twice is harmless; another function raises."""
    if _EVENTS.setdefault(kind, function) is not function:
        raise ValueError(f"{kind} is told by another function already")


def event_function(kind: str) -> EventFunction | None:
    """What webhooks are sent of `kind`, None for a kind that no room knows any more."""
    return _EVENTS.get(kind)
