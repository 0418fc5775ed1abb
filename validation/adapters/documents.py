"""Reads fetched PDF files in a child process under limits: a file's cost is bounded, and no worker dies of it."""

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path

from validation.core.documents import Document, Obstacle

_CHILD = Path(__file__).with_name("pdf_child.py")
# Longer than the child's limit of processor time, for a machine that has other work.
_PATIENCE_S = 15.0
_MAX_ANSWER = 1_000_000
_MAX_BODY = 12_000_000
_FILES_A_CHILD = 200  # then a fresh one, whatever the library has left lying about


class PdfDocuments:
    """The Documents of one event loop: one warm child, started with the first PDF and ended by `aclose`.

    Files wait for their turn at it; waiting blocks nothing else. Measured on a 2-core machine: 0.3 s to start, then
    some 10 to 60 ms a file of a few pages.
    """

    def __init__(self, *, patience_s: float = _PATIENCE_S) -> None:
        """`patience_s`: after so long a file is given up and the child killed."""
        self._patience_s = patience_s
        self._turn = asyncio.Lock()
        self._child: Process | None = None
        self._read = 0

    async def read(self, body: bytes, *, is_cut: bool = False) -> Document:
        """What stands in the PDF `body`; of one that is the beginning of a longer file (`is_cut`) what is found in it.

        Never raises for what is in it. Ends within the patience once it has its turn.
        """
        if len(body) > _MAX_BODY:
            return Document(obstacle=Obstacle.TOO_HEAVY)
        async with self._turn:
            try:
                async with asyncio.timeout(self._patience_s):
                    told = await self._ask(body, is_cut=is_cut)
            except (TimeoutError, asyncio.IncompleteReadError, ConnectionError):
                # Killed by the kernel at its limit, or by us for taking too long.
                await self._end()
                return Document(obstacle=Obstacle.TOO_HEAVY)
            except asyncio.CancelledError:
                await self._end()  # half an answer would be taken for the next file's
                raise
        if obstacle := told.get("obstacle"):
            return Document(obstacle=Obstacle(obstacle))
        return Document.of(told.get("title", ""), told.get("text", ""), is_cut=is_cut)

    async def aclose(self) -> None:
        """Ends the child, where there is one. Twice is safe."""
        async with self._turn:
            await self._end()

    async def _ask(self, body: bytes, *, is_cut: bool) -> dict[str, str]:
        if self._read >= _FILES_A_CHILD or (self._child is not None and self._child.returncode is not None):
            await self._end()
        if self._child is None:
            # -I: neither the environment nor the current folder has a say in what it imports.
            self._child = await asyncio.create_subprocess_exec(
                sys.executable, "-I", str(_CHILD), stdin=PIPE, stdout=PIPE, stderr=DEVNULL
            )
            self._read = 0
        self._read += 1
        written, said = self._child.stdin, self._child.stdout
        if written is None or said is None:
            raise RuntimeError("a child process without pipes")
        written.write(len(body).to_bytes(8, "big") + bytes([is_cut]) + body)
        await written.drain()
        size = int.from_bytes(await said.readexactly(8), "big")
        if size > _MAX_ANSWER:
            raise ConnectionError("the child wrote what no child writes")
        told: dict[str, str] = json.loads(await said.readexactly(size))
        return told

    async def _end(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        if child.returncode is None:
            child.kill()
        await child.wait()
