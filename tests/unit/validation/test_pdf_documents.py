"""PDF files are opened in a child process under limits, and none of them takes the worker along."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from sources.core.findings import Cause, Verdict
from sources.core.identifiers import identify
from tests import pdfs
from tests.clock import NOW
from tests.fakes.world import World
from validation.adapters.documents import PdfDocuments
from validation.core.classify import Claimed
from validation.core.documents import Document, Obstacle
from validation.core.fetching import Page
from validation.services.validate import Target, examine

TITLE = "Harbour survey results of the northern quay"
LINES = [TITLE, "Ada Quay and Ben Mole"] + ["The harbour office measured the quay in spring and found it sound."] * 12


def reading(work: Callable[[PdfDocuments], Awaitable[list[Document]]], patience_s: float = 15.0) -> list[Document]:
    """What `work` gives with a reader that is ended afterwards."""

    async def go() -> list[Document]:
        documents = PdfDocuments(patience_s=patience_s)
        try:
            return await work(documents)
        finally:
            await documents.aclose()

    return asyncio.run(go())


def read(*bodies: bytes, patience_s: float = 15.0) -> list[Document]:
    """The bodies one after the other, by one child."""

    async def each(documents: PdfDocuments) -> list[Document]:
        return [await documents.read(body) for body in bodies]

    return reading(each, patience_s)


def children() -> int:
    """How many readers of documents this process has for children."""
    mine = f"PPid:\t{os.getpid()}\n"
    found = 0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            own = mine in status.read_text()
            found += own and b"pdf_child" in status.with_name("cmdline").read_bytes()
        except OSError:  # it ended while we looked
            continue
    return found


def test_title_and_text_of_the_first_pages_are_read() -> None:
    pages = [[*LINES], ["Second page of the survey"], ["Third page"], ["Fourth page"]]
    (document,) = read(pdfs.pdf(*pages, title="Harbour survey"))
    assert (document.title, document.obstacle) == ("Harbour survey", None)
    assert document.text.startswith(TITLE)
    assert "Third page" in document.text
    assert "Fourth page" not in document.text


LOCKED = pdfs.pdf(LINES, trailer=f"/Encrypt 7 0 R /ID [<{'00' * 16}> <{'00' * 16}>]", extra=[
    f"<< /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <{'ab' * 32}> /U <{'cd' * 32}> >>".encode()
])  # fmt: skip


@pytest.mark.parametrize(
    ("body", "obstacle"),
    [
        (pdfs.pdf([]), Obstacle.NO_TEXT),
        (LOCKED, Obstacle.ENCRYPTED),
        (b"%PDF-1.7\n" + b"\xe2\xe3\xcf\xd3" * 500, Obstacle.BROKEN),
        (pdfs.pdf(LINES)[:700], Obstacle.BROKEN),
    ],
)
def test_what_cannot_be_read_says_why(body: bytes, obstacle: Obstacle) -> None:
    assert [document.obstacle for document in read(body)] == [obstacle]


def beginning_of(body: bytes, part: float) -> Document:
    """What is read of the first part of a file that was not fetched whole."""

    async def one(documents: PdfDocuments) -> list[Document]:
        return [await documents.read(body[: int(len(body) * part)], is_cut=True)]

    (document,) = reading(one)
    return document


LONG = pdfs.pdf(LINES, *(["A later page of the survey"] * 40 for _ in range(6)))


@pytest.mark.parametrize("part", [0.3, 0.6, 0.95])
def test_of_a_file_that_was_not_fetched_whole_the_first_whole_pages_are_read(part: float) -> None:
    document = beginning_of(LONG, part)
    assert (document.obstacle, document.text.startswith(TITLE)) == (Obstacle.CUT, True)


@pytest.mark.parametrize(
    "body", [LONG[:900], b"%PDF-1.7\n" + b"\xe2\xe3\xcf\xd3" * 500, pdfs.nested(), pdfs.endless_pages()]
)
def test_a_beginning_without_a_whole_page_is_cut_and_not_called_broken(body: bytes) -> None:
    assert beginning_of(body, 1.0) == Document(obstacle=Obstacle.CUT)


@pytest.mark.parametrize(
    "body",
    [pdfs.bomb(150), pdfs.nested(), pdfs.endless_pages(), b"%PDF-1.7\n" + b"1 0 obj << " * 900_000],
    ids=["bomb", "nested", "endless", "ten megabytes"],
)
def test_a_hostile_file_is_an_obstacle_and_the_next_one_is_read(body: bytes) -> None:
    hostile, sound = read(body, pdfs.pdf(LINES))
    assert hostile.obstacle in {Obstacle.BROKEN, Obstacle.TOO_HEAVY, Obstacle.NO_TEXT}
    assert sound.text.startswith(TITLE)


def test_a_file_that_takes_too_long_is_given_up_while_the_loop_goes_on() -> None:
    async def race(documents: PdfDocuments) -> list[Document]:
        await documents.read(pdfs.pdf(LINES))
        waiting = asyncio.create_task(documents.read(pdfs.slow(1)))
        turns = 0
        while not waiting.done():
            await asyncio.sleep(0.01)
            turns += 1
        assert turns >= 3  # one, where the loop stood still until the file was given up
        return [await waiting]

    (slow,) = reading(race, patience_s=0.6)
    assert slow.obstacle is Obstacle.TOO_HEAVY
    assert children() == 0


def test_a_caller_that_goes_away_leaves_no_half_answer_for_the_next() -> None:
    async def leave(documents: PdfDocuments) -> list[Document]:
        left = asyncio.create_task(documents.read(pdfs.slow(1)))
        await asyncio.sleep(0.1)
        left.cancel()
        return [await documents.read(pdfs.pdf(LINES))]

    assert reading(leave)[0].text.startswith(TITLE)


def test_no_child_outlives_its_reader() -> None:
    at_work: list[int] = []

    async def note(documents: PdfDocuments) -> list[Document]:
        await documents.read(pdfs.pdf(LINES))
        at_work.append(children())
        return []

    reading(note)
    assert (at_work, children()) == ([1], 0)


@pytest.mark.parametrize(
    ("claimed", "verdict", "cause"),
    [
        (TITLE, Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT),
        ("Ten recipes for mountain cheese and bread", Verdict.TITLE_SWAPPED, Cause.OTHER_TITLE),
    ],
)
def test_a_fetched_pdf_is_judged_by_what_stands_in_it(claimed: str, verdict: Verdict, cause: Cause) -> None:
    url = "https://gazette.org/survey.pdf"
    page = Page(url, url, 200, {"content-type": "application/octet-stream"}, pdfs.pdf(LINES))

    async def ask() -> None:
        documents = PdfDocuments()
        world = World(pages={url: page}, documents=documents)
        try:
            async with world.open() as outside:
                finding = await examine(Target(identify(url), Claimed(title=claimed)), outside, clock=lambda: NOW)
        finally:
            await documents.aclose()
        assert (finding.verdict, finding.cause) == (verdict, cause)
        assert finding.evidence.media_type == "application/pdf"

    asyncio.run(ask())
