"""Who may ask a host when: the client's side of it. Queues and paces are the caller's."""

from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Protocol


class HostParked(Exception):
    """The host has asked to be left alone, and the time it named is not over. `retry_after_s` is what is left of it."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__("the host has asked to be left alone for a while; it was not contacted again")
        self.retry_after_s = retry_after_s


class Turns(Protocol):
    """Gives requests their turn at a host."""

    def turn(self, host: str) -> AbstractAsyncContextManager[None]:
        """Entered when a request to `host` may start; left when it is over, body included.

        Entering raises HostParked at once, waiting or not, while the host is parked.
        """
        ...

    def goes_on(self, host: str) -> bool:
        """True where whoever has a turn at `host` may follow its redirect within the host in the same turn.

        False while the host is parked, held or in trouble: then that request queues for a turn like any other.
        """
        ...

    def park(self, host: str, until: float) -> None:
        """Lets nobody in at `host` before `until`, a moment of the running event loop's clock, in seconds."""
        ...

    def hold(self, host: str, until: float) -> None:
        """Starts nobody at `host` before `until`, as above; those who wait go on waiting."""
        ...

    def heard(self, host: str, status: int) -> None:
        """Takes note of the status of an answer of `host`, so that one in trouble is asked less often."""
        ...


class NoTurns:
    """Everybody's turn is now; nobody is parked."""

    def turn(self, host: str) -> AbstractAsyncContextManager[None]:
        """Entered at once."""
        return nullcontext()

    def goes_on(self, host: str) -> bool:
        """Always."""
        return True

    def park(self, host: str, until: float) -> None:
        """Changes nothing."""

    def hold(self, host: str, until: float) -> None:
        """Changes nothing."""

    def heard(self, host: str, status: int) -> None:
        """Changes nothing."""
