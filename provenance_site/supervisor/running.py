"""The supervisor's life: start, wait for the web server, first start, watch, end."""

import signal
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException
from types import FrameType

from provenance_site.supervisor.children import ChildSpec
from provenance_site.supervisor.keeper import TICK_S, Keeper

READY_WITHIN_S = 60.0


class StopRequest:
    """Remembers SIGINT, SIGTERM and SIGHUP. A second one means: at once."""

    def __init__(self) -> None:
        self._count = 0

    def listen(self) -> None:
        """Takes the signals over from here on."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._count += 1

    def is_made(self) -> bool:
        """Whether the end was asked for."""
        return self._count > 0

    def is_urgent(self) -> bool:
        """Whether it was asked for again."""
        return self._count > 1


def answers(host: str, port: int, path: str = "/healthz") -> bool:
    """Whether a web server answers there with anything but an error of its own. Takes two seconds at most."""
    connection = HTTPConnection(host, port, timeout=2)
    try:
        connection.request("GET", path, headers={"Connection": "close"})
        return connection.getresponse().status < 500
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def run(
    keeper: Keeper,
    *,
    stop: StopRequest,
    is_ready: Callable[[], bool],
    then: ChildSpec | None,
    say: Callable[[str], None],
    welcome: str,
) -> int:
    """Runs until asked to end, or until a child dies too often; gives the exit code. Leaves no process in any case.

    Once `is_ready`, `then` is run to its end beside the others, and `welcome` is said.
    """
    try:
        if not stop.is_made():
            keeper.start()
        began = time.monotonic()
        is_up = is_welcome_said = False
        while not stop.is_made():
            now = time.monotonic()
            if not keeper.tend(now):
                return 1
            if not is_up:
                is_up = is_ready()
                if is_up and then is not None:
                    keeper.start_once(then)
                elif not is_up and now - began > READY_WITHIN_S:
                    say(f"The web server does not answer after {READY_WITHIN_S:g} s. Its log is in the folder logs.")
                    return 1
            elif not is_welcome_said and not keeper.once_is_running():
                if keeper.once_exit_code():
                    say("The sample project could not be finished (see above); the desk runs without it.")
                say(welcome)
                is_welcome_said = True
            time.sleep(TICK_S)
        say("Stopping; a second Ctrl-C stops at once.")
        return 0
    finally:
        keeper.stop(is_urgent=stop.is_urgent)
