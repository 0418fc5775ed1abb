"""The queue of the embedded installation: Celery's messages as files in a folder."""

from typing import Any

from kombu.transport import filesystem

_PATIENCE_S = 0.2


class Transport(filesystem.Transport):
    """Kombu's transport over a folder, for workers that do their tasks in a thread.

    Such a worker lets go of a message it has done, and can take the next, only between two calls of `drain_events`, and
    Celery lets each call wait 2 s: one message every 2 s a worker, while the schedule alone sends more than one a
    second (measured: what people asked for waited for minutes). Here no call waits longer than the folder is looked at.
    """

    def drain_events(self, connection: Any, timeout: float | None = None, **more: Any) -> None:
        """Hands on one message. Raises `TimeoutError` where none came, after 0.2 s at most."""
        patience = _PATIENCE_S if timeout is None else min(timeout, _PATIENCE_S)
        super().drain_events(connection, timeout=patience, **more)  # type: ignore[no-untyped-call]
