"""One suite for every RetractionProvider: the fake, and the adapters over real sockets.

The answers are written in the shapes of the APIs as recorded; the works are invented, but for the one whose history
everybody knows.
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from provenance_site.kit.outbound import OutboundClient
from sources.core.kinds import IdentifierType
from sources.core.retraction_status import Nature, Provider
from tests.fakes.loopback import Loopback, Reply, Request, reply
from tests.fakes.outbound import policy_for
from tests.fakes.providers import FakeRetractions
from validation.adapters.arxiv_withdrawals import ArxivWithdrawals, PreprintWithdrawals
from validation.adapters.crossref_updates import PAGE, CrossrefUpdates
from validation.adapters.openalex_retractions import OpenAlexRetractions
from validation.adapters.pubmed_retractions import EuropePmcRetractions, FirstToAnswer, PubMedRetractions
from validation.core.ports import Unavailable
from validation.core.retraction_ids import WorkId
from validation.core.retraction_statements import RetractionProvider, Statement, Told, UpdatesPage

RETRACTED, FINE, MISSING = "retracted", "fine", "missing"


def doi(value: str) -> WorkId:
    return WorkId(IdentifierType.DOI, value)


def pmid(value: str) -> WorkId:
    return WorkId(IdentifierType.PMID, value)


def update(of: str, kind: str = "retraction", source: str = "retraction-watch", **more: Any) -> dict[str, Any]:
    updated = {"date-parts": [[2010, 2, 6]], "date-time": "2010-02-06T00:00:00Z", "timestamp": 1265414400000}
    return {"DOI": of, "type": kind, "label": kind.title(), "source": source, "updated": updated, **more}


CROSSREF: dict[str, dict[str, Any]] = {
    "10.5555/fallen": {"DOI": "10.5555/fallen", "updated-by": [update("10.5555/notice", **{"record-id": "4036"})]},
    "10.5555/fine,really": {"DOI": "10.5555/fine,really"},
    "10.5555/fine": {
        "DOI": "10.5555/fine",
        "relation": {"is-preprint-of": [{"id-type": "doi", "id": "10.5555/Published", "asserted-by": "subject"}]},
    },
    "10.5555/notice": {"DOI": "10.5555/notice", "update-to": [update("10.5555/fallen", **{"record-id": "4036"})]},
    "10.5555/in-place": {
        "DOI": "10.5555/in-place",
        "update-to": [update("10.5555/in-place", source="publisher")],
        "updated-by": [
            update("10.5555/elsewhere"),
            update("10.5555/elsewhere", "erratum", "publisher"),
            update("10.5555/in-place", source="publisher"),
        ],
    },
}


def crossref(request: Request) -> Reply:
    asked = urlsplit(request.target)
    if asked.path != "/works":
        found = CROSSREF.get(unquote(asked.path.removeprefix("/works/")))
        if found is None:
            return reply(b"Resource not found.", status="404 Not Found")
        return reply(json.dumps({"status": "ok", "message-type": "work", "message": found}).encode())
    wanted = [one.removeprefix("doi:") for one in parse_qs(asked.query)["filter"][0].split(",")]
    if any(not one.startswith("10.") for one in wanted):
        return reply(b'{"status":"failed","message-type":"validation-failure"}', status="400 Bad Request")
    items = [CROSSREF[one] for one in wanted if one in CROSSREF]
    message = {"total-results": len(items), "items": items, "items-per-page": 100}
    return reply(json.dumps({"status": "ok", "message-type": "work-list", "message": message}).encode())


def openalex(request: Request) -> Reply:
    name = unquote(urlsplit(request.target).path.removeprefix("/works/doi:"))
    if name not in {"10.5555/fallen", "10.5555/fine"}:
        return reply(b"<!doctype html><title>404 Not Found</title>", status="404 Not Found")
    work = {"id": "https://openalex.org/W1", "doi": f"https://doi.org/{name}", "type": "article"}
    return reply(json.dumps({**work, "is_retracted": name == "10.5555/fallen"}).encode())


REFERENCES = [
    {"refsource": "Lancet. 2004 Mar 6;363(9411):750. doi: 10.1016/S0140-6736(04)15715-2.", "reftype": "Retraction in",
     "pmid": 15016483},
    {"refsource": "Lancet. 2010 Feb 6;375(9713):445. doi: 10.1016/S0140-6736(10)60175-4.", "reftype": "Retraction in",
     "pmid": 20137807},
    {"refsource": "Eur J Gastroenterol Hepatol. 2011 Nov;23(11):1077.", "reftype": "Expression of concern in",
     "pmid": 21971344},
    {"refsource": "Lancet. 1998 May 2;351(9112):1356", "reftype": "Comment in", "pmid": 9643797},
]  # fmt: skip


def pubmed(request: Request) -> Reply:
    ids = parse_qs(urlsplit(request.target).query)["id"][0].split(",")
    known = {
        "9500320": {
            "uid": "9500320",
            "pubtype": ["Journal Article", "Retracted Publication"],
            "references": REFERENCES,
        },
        "1111111": {"uid": "1111111", "pubtype": ["Journal Article"], "references": []},
    }
    missing = {one: {"uid": one, "error": "cannot get document summary"} for one in ids}
    result = {"uids": ids, **missing, **{one: known[one] for one in ids if one in known}}
    return reply(json.dumps({"header": {"type": "esummary", "version": "0.3"}, "result": result}).encode())


def europepmc(request: Request) -> Reply:
    query = parse_qs(urlsplit(request.target).query)["query"][0]
    links = [
        {"id": str(one["pmid"]), "source": "MED", "reference": one["refsource"], "type": one["reftype"]}
        for one in REFERENCES
    ]
    known = [
        {"id": "9500320", "source": "MED", "pmid": "9500320", "pubTypeList": {"pubType": ["Retracted Publication"]},
         "commentCorrectionList": {"commentCorrection": links}},
        {"id": "1111111", "source": "MED", "pmid": "1111111", "pubTypeList": {"pubType": ["research-article"]}},
    ]  # fmt: skip
    found = [one for one in known if f"EXT_ID:{one['id']}" in query]
    return reply(json.dumps({"version": "6.9", "hitCount": len(found), "resultList": {"result": found}}).encode())


def arxiv(request: Request) -> Reply:
    entries = {
        "2010.00001": "This paper has been withdrawn by the author due to an error in equation 3",
        "2010.00002": "12 pages; this paper was withdrawn from another journal",
    }
    ids = parse_qs(urlsplit(request.target).query)["id_list"][0].split(",")
    told = "".join(
        f"<entry><id>http://arxiv.org/abs/{one}v2</id><updated>2021-03-04T10:00:00Z</updated>"
        f'<arxiv:comment xmlns:arxiv="http://arxiv.org/schemas/atom">{entries[one]}</arxiv:comment>'
        '<arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.5555/published</arxiv:doi></entry>'
        for one in ids
        if one in entries
    )
    return reply(f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">{told}</feed>'.encode())


def biorxiv(request: Request) -> Reply:
    path = urlsplit(request.target).path
    first = {"doi": "10.1101/2020.01.30.927871", "version": "1", "type": "new results", "date": "2020-01-31"}
    second = {**first, "version": "2", "type": "withdrawn", "date": "2020-02-02", "published": "NA"}
    versions = {
        "/details/biorxiv/10.1101/2020.01.30.927871/na/json": [second, first],
        "/details/medrxiv/10.1101/2020.02.02.000002/na/json": [
            {**first, "doi": "10.1101/2020.02.02.000002", "published": "10.5555/published"}
        ],
    }.get(path, [])
    messages = [{"status": "ok"}] if versions else [{"status": "no posts found"}]
    return reply(json.dumps({"messages": messages, "collection": versions}).encode())


@dataclass
class Case:
    """A provider, its server, and a work of each kind that it knows."""

    make: Callable[[str, OutboundClient], RetractionProvider]
    answer: Callable[[Request], Reply]
    retracted: WorkId
    fine: WorkId
    missing: WorkId
    nature: Nature = Nature.RETRACTED


CASES = {
    "crossref": Case(CrossrefUpdates, crossref, doi("10.5555/fallen"), doi("10.5555/fine"), doi("10.5555/none")),
    "openalex": Case(OpenAlexRetractions, openalex, doi("10.5555/fallen"), doi("10.5555/fine"), doi("10.5555/none")),
    "pubmed": Case(PubMedRetractions, pubmed, pmid("9500320"), pmid("1111111"), pmid("2222222")),
    "europepmc": Case(EuropePmcRetractions, europepmc, pmid("9500320"), pmid("1111111"), pmid("2222222")),
    "arxiv": Case(
        ArxivWithdrawals,
        arxiv,
        WorkId(IdentifierType.ARXIV, "2010.00001"),
        WorkId(IdentifierType.ARXIV, "2010.00002"),
        WorkId(IdentifierType.ARXIV, "2010.00003"),
        Nature.WITHDRAWN,
    ),
    "preprints": Case(
        PreprintWithdrawals,
        biorxiv,
        doi("10.1101/2020.01.30.927871"),
        doi("10.1101/2020.02.02.000002"),
        doi("10.1101/2020.03.03.000003"),
        Nature.WITHDRAWN,
    ),
}


def ask(server: Loopback, case: Case, *works: WorkId) -> Told:
    async def look() -> Told:
        async with OutboundClient(policy_for(server, retry_wait_s=0.0)) as client:
            return await case.make(server.url("/"), client).ask(works)

    return asyncio.run(look())


# Those whose records say what was published of a preprint.
_KNOW_VERSIONS = frozenset({"crossref", "arxiv", "preprints"})


@dataclass
class Desk:
    """A provider under test, and the way to break it."""

    case: Case
    ask: Callable[..., Told]
    break_down: Callable[[], None]
    names_published: bool = False


@pytest.fixture(params=["fake", *CASES])
def desk(request: pytest.FixtureRequest) -> Iterator[Desk]:
    if request.param == "fake":
        case = CASES["crossref"]
        said = Statement(case.retracted, Provider.CROSSREF, "4036", Nature.RETRACTED, "retraction")
        fake = FakeRetractions(said={case.retracted: (said,), case.fine: ()})
        yield Desk(case, lambda *works: asyncio.run(fake.ask(works)), lambda: setattr(fake, "down", "out of order"))
        return
    case, broken = CASES[request.param], []  # type: ignore[var-annotated]
    with Loopback(lambda asked: reply(b"oops", status="500 O") if broken else case.answer(asked)) as server:
        yield Desk(
            case, lambda *works: ask(server, case, *works), lambda: broken.append(True), request.param in _KNOW_VERSIONS
        )


# -- the contract ------------------------------------------------------------------------------------------------------


def test_each_work_is_answered_unknown_or_failed(desk: Desk) -> None:
    case = desk.case
    told = desk.ask(case.retracted, case.fine, case.missing)
    assert (told.answered, told.unknown, told.failed) == ({case.retracted, case.fine}, {case.missing}, {})
    assert case.nature in {one.nature for one in told.statements if one.work == case.retracted}
    assert not [one for one in told.statements if one.work == case.fine and one.nature is not Nature.NONE]
    assert all(one.raw_nature and one.record_id for one in told.statements)


def test_what_was_published_of_a_preprint_is_told_where_the_provider_knows_it(desk: Desk) -> None:
    case = desk.case
    told = desk.ask(case.fine).versions
    if desk.names_published:
        assert [(one.preprint, one.published) for one in told] == [(case.fine, doi("10.5555/published"))]
    assert {one.preprint for one in desk.ask(case.retracted, case.fine).versions} <= {case.retracted, case.fine}


def test_asking_again_says_the_same(desk: Desk) -> None:
    assert desk.ask(desk.case.retracted).statements == desk.ask(desk.case.retracted).statements


def test_a_provider_that_is_out_of_order_has_said_nothing(desk: Desk) -> None:
    desk.break_down()
    told = desk.ask(desk.case.retracted, desk.case.fine)
    assert (told.statements, told.answered, told.unknown) == ((), frozenset(), frozenset())
    assert set(told.failed) == {desk.case.retracted, desk.case.fine}


# -- the adapters alone ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(
    "answer",
    [
        reply(b'{"status":"ok","message":{"DOI":"10.5555/f'),
        reply(b"<!doctype html><title>Maintenance</title>", "Content-Type: text/html"),
        reply(b"{}"),
        reply(b"", "Retry-After: 60", status="429 T"),
        reply(b"", status="403 F"),
        b"",
    ],
    ids=["truncated", "html", "empty object", "rate limited", "blocked", "hung up"],
)
def test_what_is_no_answer_leaves_works_unchecked(name: str, answer: bytes) -> None:
    case = CASES[name]
    with Loopback(lambda _: answer) as server:
        told = ask(server, case, case.retracted, case.fine)
    assert set(told.failed) == {case.retracted, case.fine}
    assert told.statements == ()


def _places(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place in a JSON value, itself among them."""
    yield at
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inside:
        yield from _places(one, (*at, key))


def _exchanged(value: Any, at: tuple[str | int, ...], new: object) -> Any:
    """A copy with another value at one place."""
    if not at:
        return new
    copied = value.copy()
    copied[at[0]] = _exchanged(value[at[0]], at[1:], new)
    return copied


_SHAPES: tuple[object, ...] = (7, True, 10**30, -1.5, {}, {"a": 1}, [None], [{"a": 1}], [[]])


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("name", [name for name in CASES if name != "arxiv"])
def test_a_record_of_another_shape_in_one_place_never_makes_a_fallen_work_stand(name: str, together: bool) -> None:
    case = CASES[name]
    works = (case.retracted, case.fine) if together else (case.retracted,)
    answers: list[Any] = []
    damage: list[tuple[tuple[str | int, ...], object]] = []

    def answer(request: Request) -> Reply:
        whole = case.answer(request)
        assert isinstance(whole, bytes)
        head, _, body = whole.partition(b"\r\n\r\n")
        if b" 200 " not in head:
            return whole
        answers.append(json.loads(body))
        try:
            return reply(json.dumps(_exchanged(answers[-1], *damage[0])).encode()) if damage else whole
        except (IndexError, KeyError, TypeError, AttributeError):
            return whole

    concluded = set()
    with Loopback(answer) as server:
        ask(server, case, *works)
        for place in list(_places(answers[0])):
            for shape in _SHAPES:
                damage[:] = [(place, shape)]
                told = ask(server, case, *works)
                fallen = case.nature in {one.nature for one in told.statements if one.work == case.retracted}
                unchecked = case.retracted in told.failed or case.retracted in told.unknown
                # The number of a version is a number like any other: which is the newest cannot be told then.
                assert fallen or unchecked or place[-1:] == ("version",), (place, shape)
                assert told.answered | told.unknown | set(told.failed) == set(works), (place, shape)
                concluded.add("fallen" if fallen else "unchecked")
    assert concluded == {"fallen", "unchecked"}


def test_dois_with_a_comma_are_asked_about_alone() -> None:
    comma = doi("10.5555/fine,really")
    with Loopback(crossref) as server:
        told = ask(server, CASES["crossref"], doi("10.5555/fallen"), comma, doi("10.5555/fine"))
        paths = [urlsplit(one.target).path for one in server.requests]
    assert told.answered == {doi("10.5555/fallen"), comma, doi("10.5555/fine")}
    assert paths == ["/works", "/works/10.5555%2Ffine%2Creally"]


def test_a_batch_that_is_refused_is_asked_one_by_one() -> None:
    def answer(request: Request) -> Reply:
        is_list = urlsplit(request.target).path == "/works"
        return reply(b"{}", status="400 Bad Request") if is_list else crossref(request)

    with Loopback(answer) as server:
        told = ask(server, CASES["crossref"], doi("10.5555/fallen"), doi("10.5555/none"))
    assert (told.answered, told.unknown, told.failed) == ({doi("10.5555/fallen")}, {doi("10.5555/none")}, {})


def test_an_event_told_on_both_sides_is_one_and_its_notice_is_a_notice() -> None:
    with Loopback(crossref) as server:
        damaged = ask(server, CASES["crossref"], doi("10.5555/fallen"))
        notice = ask(server, CASES["crossref"], doi("10.5555/notice"))
    assert damaged.statements[0] in notice.statements
    assert [(one.work.value, one.nature) for one in notice.statements] == [
        ("10.5555/fallen", Nature.RETRACTED),
        ("10.5555/notice", Nature.NOTICE),
    ]


def test_a_work_retracted_in_place_is_no_notice() -> None:
    with Loopback(crossref) as server:
        told = ask(server, CASES["crossref"], doi("10.5555/in-place"))
    assert {one.work.value for one in told.statements} == {"10.5555/in-place"}
    assert sorted((one.notice, one.nature) for one in told.statements) == [
        ("10.5555/elsewhere", Nature.CORRECTED),
        ("10.5555/elsewhere", Nature.RETRACTED),
        ("10.5555/in-place", Nature.RETRACTED),
    ]


@pytest.mark.parametrize("name", ["pubmed", "europepmc"])
def test_pubmeds_links_are_told_with_their_notices_and_dates(name: str) -> None:
    with Loopback(CASES[name].answer) as server:
        told = ask(server, CASES[name], pmid("9500320"))
    assert [(one.nature, one.notice, one.notice_date) for one in told.statements] == [
        (Nature.RETRACTED, "10.1016/s0140-6736(04)15715-2", "2004-03-06"),
        (Nature.RETRACTED, "10.1016/s0140-6736(10)60175-4", "2010-02-06"),
        (Nature.CONCERN, "pmid:21971344", "2011-11"),
    ]


def test_a_second_provider_is_asked_what_the_first_could_not_be() -> None:
    works = (pmid("9500320"), pmid("1111111"))
    first = FakeRetractions(down="out of order", name=Provider.PUBMED, kinds=frozenset({IdentifierType.PMID}))
    second = FakeRetractions(said={works[0]: (), works[1]: ()}, name=Provider.PUBMED)
    told = asyncio.run(FirstToAnswer(first, second).ask(works))
    assert (told.answered, told.failed) == (set(works), {})


def test_journals_of_the_press_are_not_asked_about_as_preprints() -> None:
    async def takes() -> list[bool]:
        async with OutboundClient(policy_for()) as client:
            provider = PreprintWithdrawals("https://api.example/", client)
            return [provider.takes(doi(one)) for one in ("10.1101/gad.489409", "10.1101/2020.01.30.927871")]

    assert asyncio.run(takes()) == [False, True]


def test_increments_are_asked_by_the_date_of_indexing_page_by_page() -> None:
    full = [{"DOI": f"10.5555/n{place}", "update-to": [update(f"10.5555/p{place}")]} for place in range(PAGE)]

    def answer(request: Request) -> Reply:
        cursor = parse_qs(urlsplit(request.target).query)["cursor"][0]
        items = full if cursor == "*" else full[:3]
        message = {"items": items, "next-cursor": "AoJ+/=="}
        return reply(json.dumps({"status": "ok", "message": message}).encode())

    async def look(server: Loopback) -> list[UpdatesPage | Unavailable]:
        async with OutboundClient(policy_for(server)) as client:
            feed = CrossrefUpdates(server.url("/"), client, mailto="desk@press.example")
            first = await feed.since("2026-11-28", cursor="")
            return [first, await feed.since("2026-11-28", cursor=first.next_cursor)]  # type: ignore[union-attr]

    with Loopback(answer) as server:
        first, second = asyncio.run(look(server))
        asked = [parse_qs(urlsplit(one.target).query) for one in server.requests]
    assert isinstance(first, UpdatesPage)
    assert isinstance(second, UpdatesPage)
    assert (first.seen, first.next_cursor, second.seen, second.next_cursor) == (PAGE, "AoJ+/==", 3, "")
    assert len(first.statements) == 2 * PAGE
    assert asked[0]["filter"] == ["is-update:true,from-index-date:2026-11-28"]
    assert [one["cursor"] for one in asked] == [["*"], ["AoJ+/=="]]
    assert asked[0]["mailto"] == ["desk@press.example"]
