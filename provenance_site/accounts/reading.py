"""Who reads now: set once where a request or a job begins, asked where rows are read.

What a member may read ends at their clearance. The rows know their level, the request knows the person; between the two
stand some sixty reads, and one that forgot to be told would show everything. So the person is not handed down from call
to call: the doors say who reads (`reading_as`, `reads_now`), and the reads ask (`limited`). Where nobody is named, the
desk itself reads, and sees all: checks, propagation, commands.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from typing import TypeVar

from django.contrib.auth.models import AnonymousUser

from provenance_site.accounts.models import User
from provenance_site.accounts.permissions import memberships
from provenance_site.accounts.roles import Clearance

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Limit:
    """In this workspace nothing above `level` (`Clearance.level`) is read."""

    workspace_id: int
    level: int


@dataclass(frozen=True, slots=True)
class Reader:
    """A person who may not read everything, with the workspaces in which that is so."""

    user_id: int
    limits: tuple[Limit, ...]


_NOW: ContextVar[Callable[[], Reader | None]] = ContextVar("reader", default=lambda: None)


def limited() -> Reader | None:
    """Who reads now, where something is kept from them; None for those who read everything, and for the desk itself.

    No query that the page does not make anyway: the person's memberships are asked once a request.
    """
    return _NOW.get()()


@contextmanager
def reading_as(user: User | AnonymousUser | None) -> Iterator[None]:
    """What is read inside is read as `user`; None: as the desk itself. A user that is loaded lazily stays unloaded."""
    token = _NOW.set(lambda: _of_person(user) if user is not None else None)
    try:
        yield
    finally:
        _NOW.reset(token)


@contextmanager
def reading_under(*, user_id: int, workspace_id: int, clearance: Clearance) -> Iterator[None]:
    """What is read inside is read by this member of one workspace: what is written to them while they are away. No
    query."""
    with reading_as(None):
        reads_now(user_id=user_id, workspace_id=workspace_id, clearance=clearance)
        yield


def reads_now(*, user_id: int, workspace_id: int, clearance: Clearance) -> None:
    """From here on the bearer of a token reads, in one workspace. To be called inside `reading_as`, which ends it."""
    reader = _reader(user_id, [(workspace_id, clearance)])
    _NOW.set(lambda: reader)


def kept(chunks: Iterable[T]) -> Iterator[T]:
    """The same, made by whoever reads now: what is sent piece by piece is written after its request has ended."""
    context, iterator = copy_context(), iter(chunks)
    end = object()
    while (chunk := context.run(next, iterator, end)) is not end:
        yield chunk  # type: ignore[misc]  # what is not the end is a chunk


def _of_person(user: User | AnonymousUser) -> Reader | None:
    return _reader(user.pk or 0, [(one.workspace_id, one.as_clearance) for one in memberships(user)])


def _reader(user_id: int, cleared: Iterable[tuple[int, Clearance]]) -> Reader | None:
    limits = tuple(Limit(workspace, one.level) for workspace, one in cleared if one is not Clearance.RESTRICTED)
    return Reader(user_id, limits) if limits else None
