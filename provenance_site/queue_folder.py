"""The queue of the embedded installation: Celery's messages as files in a folder."""

import fcntl
import logging
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kombu.exceptions import ChannelError
from kombu.transport import filesystem
from kombu.utils.json import dumps

logger = logging.getLogger(__name__)
_PATIENCE_S = 0.2


class Channel(filesystem.Channel):
    """Kombu's channel over a folder, whose files are whole whenever they can be seen.

    Kombu creates a message under its name and then writes it, and so it does with the table of what is bound to an
    exchange: whoever looked in between read an empty file, and the worker ended by it (seen under load).
    """

    def _put(self, queue: str, payload: Any, **_: Any) -> None:  # type: ignore[override]
        """Puts a message there under a name that no reader asks for, and renames it. Raises `ChannelError`."""
        folder = Path(self.data_folder_out)
        name = f"{time.time_ns():020d}_{uuid.uuid4()}"
        unfinished = folder / f"{name}.unfinished"
        try:
            unfinished.write_text(dumps(payload), encoding="utf-8")  # type: ignore[no-untyped-call]
            unfinished.rename(folder / f"{name}.{queue}.msg")
        except OSError as error:
            unfinished.unlink(missing_ok=True)
            raise ChannelError(f"Cannot put a message into {folder}") from error

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        """The oldest message; one that a crash of the machine left broken is passed over, since messages only wake.

        Raises `queue.Empty`.
        """
        while True:
            try:
                return super()._get(queue)  # type: ignore[no-untyped-call]
            except ValueError:
                logger.warning("A message of the queue %s could not be read and is left out.", queue)

    def get_table(self, exchange: str) -> Any:
        """What is bound to an exchange."""
        with self._alone():
            return super().get_table(exchange)  # type: ignore[no-untyped-call]

    def _queue_bind(self, *binding: Any) -> None:
        with self._alone():
            super()._queue_bind(*binding)  # type: ignore[no-untyped-call]

    def _delete(self, *binding: Any, **more: Any) -> None:
        with self._alone():
            super()._delete(*binding, **more)  # type: ignore[no-untyped-call]

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One process or thread at a time at the tables."""
        folder = Path(self.control_folder)
        folder.mkdir(exist_ok=True)
        with (folder / "tables.lock").open("ab") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            yield


class Transport(filesystem.Transport):
    """Kombu's transport over a folder, for workers that do their tasks in a thread.

    Such a worker lets go of a message it has done, and can take the next, only between two calls of `drain_events`, and
    Celery lets each call wait 2 s: one message every 2 s a worker, while the schedule alone sends more than one a
    second (measured: what people asked for waited for minutes). Here no call waits longer than the folder is looked at.
    """

    Channel = Channel

    def drain_events(self, connection: Any, timeout: float | None = None, **more: Any) -> None:
        """Hands on one message. Raises `TimeoutError` where none came, after 0.2 s at most."""
        patience = _PATIENCE_S if timeout is None else min(timeout, _PATIENCE_S)
        super().drain_events(connection, timeout=patience, **more)  # type: ignore[no-untyped-call]
