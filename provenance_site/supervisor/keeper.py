"""Keeps a set of children alive, and ends them all."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from provenance_site.supervisor.budget import RestartBudget
from provenance_site.supervisor.children import Child, ChildSpec, how_it_ended

TICK_S = 0.1


class Keeper:
    """Starts children in order, starts them again when they die, ends them in reverse order.

    `say` gets one line for each thing a person at the terminal should know. `grace_s`: seconds from the request to end
    until the kill.
    """

    def __init__(
        self,
        specs: Sequence[ChildSpec],
        *,
        cwd: Path,
        env: Mapping[str, str],
        say: Callable[[str], None],
        grace_s: float = 10.0,
        budget: Callable[[], RestartBudget] = RestartBudget,
    ) -> None:
        self._cwd, self._env, self._say, self._grace_s = cwd, env, say, grace_s
        self._specs = {spec.name: spec for spec in specs}
        self._budgets = {spec.name: budget() for spec in specs}
        self._running: dict[str, Child] = {}
        self._due: dict[str, float] = {}
        self._once: Child | None = None

    def start(self) -> None:
        """Starts all children."""
        for name in self._specs:
            self._running[name] = self._born(self._specs[name])

    def start_once(self, spec: ChildSpec) -> None:
        """Starts a child that is expected to end by itself."""
        self._once = self._born(spec)

    def once_is_running(self) -> bool:
        """Whether the child of `start_once` has not ended yet."""
        return self._once is not None and self._once.exit_code() is None

    def once_exit_code(self) -> int | None:
        """How the child of `start_once` ended; None while it runs or where there was none."""
        return None if self._once is None else self._once.exit_code()

    def tend(self, now: float) -> bool:
        """Starts again what has died, once its wait is over; False where one died too often.

        `now` is `time.monotonic()`.
        """
        for name, child in list(self._running.items()):
            code = child.exit_code()
            if code is None:
                continue
            child.bury()
            del self._running[name]
            wait = self._budgets[name].wait_after_exit(now)
            if wait is None:
                self._say(f"The {name} process ended too often ({how_it_ended(code)}). Its log: {child.spec.log}")
                return False
            self._say(f"The {name} process ended ({how_it_ended(code)}); it is started again in {wait:g} s.")
            self._due[name] = now + wait
        for name in [name for name, due in self._due.items() if due <= now]:
            del self._due[name]
            self._running[name] = self._born(self._specs[name])
        return True

    def stop(self, *, is_urgent: Callable[[], bool] = lambda: False) -> None:
        """Ends every child: asks, waits at most `grace_s` (not at all once `is_urgent`), kills. Leaves no process."""
        children = [*([self._once] if self._once else []), *reversed(self._running.values())]
        for child in children:
            child.terminate()
        deadline = time.monotonic() + self._grace_s
        while any(child.exit_code() is None for child in children):
            if time.monotonic() >= deadline or is_urgent():
                break
            time.sleep(TICK_S)
        for child in children:
            child.bury()
        self._running, self._due, self._once = {}, {}, None

    def _born(self, spec: ChildSpec) -> Child:
        return Child(spec, cwd=self._cwd, env=self._env, grace_s=self._grace_s)
