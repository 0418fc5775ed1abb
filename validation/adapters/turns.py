"""Due times of hosts that all workers of an installation share: in Redis where that is the broker, else in a file.

Where messages go by the queue folder, all workers share that folder, and the file lies beside it. It is an SQLite file
of its own and not the desk's database: there one writer at a time holds the lock for a tenth of a second, and workers
that only wanted a turn at a host waited for two seconds of three (measured with 2,000 sources, two workers).
"""

import logging
import math
import sqlite3
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import redis
from django.conf import settings

from validation.core.ports import HostTurns, Starts

log = logging.getLogger(__name__)

_PATIENCE_S = 2.0
_REDIS = ("redis://", "rediss://", "unix://")
_TURN, _PARKED = "desk:turn:", "desk:parked:"

# Each host's queue is one key, the moment in milliseconds that is free next; it vanishes when that lies in the past.
# Scripts run one at a time, so that no two workers are given the same start, and only Redis's own clock counts.
_TAKE = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local told = {}
for place = 1, #ARGV - 1 do
    local turn, parked = KEYS[2 * place - 1], KEYS[2 * place]
    local first = math.max(now, tonumber(redis.call('GET', turn) or '0'))
    local free = first + ARGV[place + 1] * ARGV[1]
    redis.call('SET', turn, string.format('%.0f', free), 'PX', string.format('%.0f', free - now + 1000))
    told[2 * place - 1] = first - now
    told[2 * place] = math.max(0, redis.call('PTTL', parked))
end
return told
"""
_PARK = """
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], '1', 'PX', ARGV[1]) end
"""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS turn (
    host TEXT PRIMARY KEY, free_at INTEGER NOT NULL, parked_until INTEGER NOT NULL
) WITHOUT ROWID
"""
_TAKE_ROW = """
INSERT INTO turn VALUES (:host, :now + :span, 0)
ON CONFLICT (host) DO UPDATE SET free_at = max(free_at, :now) + :span RETURNING free_at, parked_until
"""
_PARK_ROW = """
INSERT INTO turn VALUES (:host, :now, :until)
ON CONFLICT (host) DO UPDATE SET parked_until = max(parked_until, :until)
"""


class RedisTurns:
    """The HostTurns of a Redis server. Where it cannot be reached each worker keeps its own pace: work goes on."""

    def __init__(self, url: str) -> None:
        self._redis = redis.Redis.from_url(url, socket_timeout=_PATIENCE_S, socket_connect_timeout=_PATIENCE_S)

    def take(self, wanted: Mapping[str, int], *, interval_s: float) -> Mapping[str, Starts]:
        """See `HostTurns`. One call of one script."""
        hosts = sorted(wanted)
        keys = [key for host in hosts for key in (_TURN + host, _PARKED + host)]
        numbers = [round(interval_s * 1000), *(wanted[host] for host in hosts)]
        try:
            told = cast(list[Any], self._redis.eval(_TAKE, len(keys), *keys, *map(str, numbers)))
        except redis.RedisError:
            log.warning("Redis does not answer; for now each worker paces its requests by itself.")
            return dict.fromkeys(hosts, Starts())
        return {
            host: Starts(int(told[2 * place]) / 1000, int(told[2 * place + 1]) / 1000)
            for place, host in enumerate(hosts)
        }

    def park(self, host: str, *, for_s: float) -> None:
        """See `HostTurns`."""
        try:
            self._redis.eval(_PARK, 1, _PARKED + host, str(max(1, math.ceil(for_s * 1000))))
        except redis.RedisError:
            log.warning("Redis does not answer; only this worker leaves %s alone.", host)

    def close(self) -> None:
        """Lets the connection go."""
        self._redis.close()


class FileTurns:
    """The HostTurns of workers that share a folder. For one thread; what is lost with the file is a second's pace.

    Where the file cannot be used each worker keeps its own pace: work goes on.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._opened: sqlite3.Connection | None = None

    def take(self, wanted: Mapping[str, int], *, interval_s: float) -> Mapping[str, Starts]:
        """See `HostTurns`. One transaction of a fraction of a millisecond a host."""
        now = _now()
        told: dict[str, Starts] = {}
        try:
            with self._file() as file:
                file.execute("BEGIN IMMEDIATE")
                for host, number in wanted.items():
                    span = round(number * interval_s * 1000)
                    row = file.execute(_TAKE_ROW, {"host": host, "now": now, "span": span})
                    free_at, parked_until = row.fetchone()
                    told[host] = Starts((free_at - span - now) / 1000, max(0, parked_until - now) / 1000)
        except sqlite3.Error as error:
            log.warning("The file of turns cannot be used (%s); for now this worker paces itself.", error)
            self.close()
            return dict.fromkeys(wanted, Starts())
        return told

    def park(self, host: str, *, for_s: float) -> None:
        """See `HostTurns`. Forgets on the way what is long over."""
        now = _now()
        try:
            with self._file() as file:
                file.execute("BEGIN IMMEDIATE")
                file.execute(_PARK_ROW, {"host": host, "now": now, "until": now + round(for_s * 1000)})
                file.execute("DELETE FROM turn WHERE free_at < ? AND parked_until < ?", (now - 60_000, now))
        except sqlite3.Error as error:
            log.warning("The file of turns cannot be used (%s); only this worker leaves %s alone.", error, host)
            self.close()

    def close(self) -> None:
        """Closes the file. In the thread that used it."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def _file(self) -> sqlite3.Connection:
        if self._opened is None:
            opened = sqlite3.connect(self._path, timeout=10, isolation_level=None)
            # Two that open a new file at once: the second is refused WAL without any waiting, and has it all the same.
            with suppress(sqlite3.OperationalError):
                opened.execute("PRAGMA journal_mode = WAL")
            # Nothing here has to survive the machine, so nothing waits for the disk.
            opened.execute("PRAGMA synchronous = OFF")
            opened.execute(_SCHEMA)
            self._opened = opened
        return self._opened


def shared_turns() -> HostTurns:
    """The turns of this installation, for one event loop."""
    if settings.BROKER_URL.startswith(_REDIS):
        return RedisTurns(settings.BROKER_URL)
    return FileTurns(settings.DATA_DIR / "turns.sqlite3")


def _now() -> int:
    return time.time_ns() // 1_000_000
