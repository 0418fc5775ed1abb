"""Methods, headers and addresses that change an answer: the verdict is the page's, and the bytes are the user's."""

import idna
import pytest

from sources.core.findings import Cause, Verdict
from tests.fakes.hardnet import AS_HTML, HOST, PATH, Answering, article, found, missing, page, told
from tests.fakes.loopback import Reply, Request, redirect, reply
from tests.fakes.outbound import AGENT

ACCESSIBLE = (Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT)
NEGOTIATION = (Verdict.FETCH_FAILED, Cause.NEGOTIATION)


def to_get_only(refusal: str) -> Answering:
    """A server that answers anything but GET with `refusal`."""
    return lambda request: found() if request.method == "GET" else missing(refusal)


@pytest.mark.parametrize("refusal", ["404 Not Found", "500 Oops", "403 Forbidden", "405 Method Not Allowed"])
def test_01_02_a_server_that_dislikes_head_is_judged_by_get(refusal: str) -> None:
    seen = told(to_get_only(refusal))
    assert seen.said == ACCESSIBLE
    assert {request.method for request in seen.requests} == {"GET"}


def test_03_a_server_that_serves_browsers_only_accepts_our_honest_name() -> None:
    def answer(request: Request) -> Reply:
        return found() if request.headers["user-agent"].startswith("Mozilla/5.0") else missing("403 Forbidden")

    seen = told(answer)
    assert seen.said == ACCESSIBLE
    assert {request.headers["user-agent"] for request in seen.requests} == {AGENT}
    assert "+https://" in AGENT


@pytest.mark.parametrize("refusal", ["403 Forbidden", "404 Not Found", "406 Not Acceptable"])
@pytest.mark.parametrize("header", ["accept", "accept-language"])
def test_03_05_a_server_that_dislikes_a_header_gets_the_second_profile(refusal: str, header: str) -> None:
    def answer(request: Request) -> Reply:
        return found() if request.headers[header] in {"*/*", "en-US,en;q=0.9"} else missing(refusal)

    seen = told(answer)
    assert seen.said == ACCESSIBLE
    assert len(seen.requests) == 2


def test_05_a_server_that_refuses_every_form_says_nothing_of_the_page() -> None:
    assert told(missing("406 Not Acceptable")).said == NEGOTIATION


def test_a_404_of_a_host_that_answered_the_first_profile_costs_one_request() -> None:
    def answer(request: Request) -> Reply:
        return missing() if request.target == "/2024/gone" else found()

    seen = told(answer, paths=[PATH, "/2024/gone"])
    assert seen.said == (Verdict.HARD_404, Cause.NOT_FOUND)
    assert seen.targets == [PATH, "/2024/gone"]


@pytest.mark.parametrize(
    "refusal", ["406 N", "415 U", "417 E", "426 U", "428 P", "431 L", "400 B", "409 C", "412 P", "418 T"]
)
def test_a_status_about_the_request_is_never_a_dead_page(refusal: str) -> None:
    verdict, cause = told(missing(refusal)).said
    assert verdict is Verdict.FETCH_FAILED
    assert cause in {Cause.NEGOTIATION, Cause.UNEXPECTED_STATUS}


def test_43_a_server_that_refuses_ranges_is_never_asked_for_one() -> None:
    def answer(request: Request) -> Reply:
        return missing("416 Range Not Satisfiable") if "range" in request.headers else found()

    seen = told(answer)
    assert seen.said == ACCESSIBLE
    assert len(seen.requests) == 1


def test_a_206_without_a_range_is_the_page() -> None:
    answer = page(article(), "Content-Range: bytes 0-99/100", status="206 Partial Content")
    assert told(answer).said == ACCESSIBLE


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("203 Non-Authoritative Information", ACCESSIBLE),
        ("226 IM Used", ACCESSIBLE),
        ("201 Created", ACCESSIBLE),
        ("204 No Content", (Verdict.THIN, Cause.EMPTY)),
        ("205 Reset Content", (Verdict.THIN, Cause.EMPTY)),
        ("304 Not Modified", (Verdict.FETCH_FAILED, Cause.UNEXPECTED_STATUS)),
    ],
)
def test_a_rare_success_is_judged_by_what_it_shows(status: str, said: tuple[Verdict, Cause]) -> None:
    bare = status[:3] in {"204", "304"}
    answer = reply(status=status) if bare else page(b"" if status[:3] == "205" else article(), status=status)
    assert told(answer).said == said


@pytest.mark.parametrize("early", ["100 Continue", "102 Processing", "103 Early Hints"])
def test_a_preliminary_answer_is_not_the_answer(early: str) -> None:
    assert told(f"HTTP/1.1 {early}\r\n\r\n".encode() + found()).said == ACCESSIBLE


def test_a_status_line_without_words_and_with_odd_header_lines_is_read() -> None:
    body = article()
    lines = f"HTTP/1.1 200\r\ncontent-TYPE:text/html;charset=utf-8\r\nX-Long: {'x' * 20_000}\r\n"
    assert told(f"{lines}Content-Length: {len(body)}\r\n\r\n".encode() + body).said == ACCESSIBLE


@pytest.mark.parametrize(
    "tail",
    [
        "/a%2Fb",
        "/a%2fb",
        "/cmp/Dia%25",
        "/%7Euser/%e2%82%ac",
        "/search?q=Falk%F6ping",
        "/pt?id=pst.000003356951;view=1up;seq=1",
        "/a;jsessionid=0AF",
        "/a//b///c",
        "/web/2020/http://gazette.org/a?utm_source=b",
        "/p?utm_source=x&id=7&fbclid=abc",
        "/p?b=2&a=1&b=1",
        "/p?q=a+b%20c",
        "/p?a='%27%22",
        "/p/(x)/!$&'*,=:@",
        "/UPPER/Case?Query=Kept",
        "/p?a=b?c/d",
        "/caf%C3%A9",
        "/trailing/",
        "/10.1002/(SICI)1097-4571(199806)49:8%3C693::AID-ASI4%3E3.0.CO;2-O",
        "/p?url=https%3A%2F%2Fother.org%2F%3Fx%3D1",
    ],
)
def test_the_users_bytes_are_sent(tail: str) -> None:
    seen = told(found(), paths=[tail])
    assert seen.said == ACCESSIBLE
    assert seen.targets == [tail]


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("/café", "/caf%C3%A9"),
        ("/a b", "/a%20b"),
        ("/p?q=ö", "/p?q=%C3%B6"),
        ("/100%", "/100%25"),
        ("/p?a=[1]&b=%5B1%5D", "/p?a=%5B1%5D&b=%5B1%5D"),
        ('/p?q="x"&y=1', "/p?q=%22x%22&y=1"),
        ("/x#:~:text=harbour", "/x"),
        ("/app#!/route/5", "/app"),
        ("/x#no-such-id", "/x"),
        ("", "/"),
        ("?id=5", "/?id=5"),
    ],
)
def test_51_what_is_illegal_is_made_legal_and_a_fragment_stays_at_home(written: str, sent: str) -> None:
    seen = told(found(), paths=[written])
    assert seen.said == ACCESSIBLE
    assert seen.targets == [sent]


@pytest.mark.parametrize("host", ["häfen.press", "кц.рф", "例え.jp", "faß.de"])
def test_an_international_name_is_looked_up_and_sent_in_ascii(host: str) -> None:
    asked: list[str] = []

    async def lookup(name: str, port: int) -> list[str]:
        asked.append(name)
        return ["127.0.0.1"]

    ascii_name = idna.encode(host, uts46=True).decode()
    seen = told(found(), host=ascii_name, addresses=[f"http://{host}:{{port}}{PATH}"], lookup=lookup)
    assert seen.said == ACCESSIBLE
    assert asked == [ascii_name]
    assert seen.requests[0].headers["host"].rpartition(":")[0] == ascii_name


def test_credentials_in_an_address_are_never_sent() -> None:
    seen = told(found(), addresses=[f"http://reader:secret@{HOST}:{{port}}{PATH}"])
    assert seen.said == ACCESSIBLE
    assert "authorization" not in seen.requests[0].headers
    assert "secret" not in repr(seen.evidence)


def test_46_a_robots_file_is_neither_asked_nor_a_verdict() -> None:
    def answer(request: Request) -> Reply:
        return missing("403 Forbidden") if request.target == "/robots.txt" else missing()

    seen = told(answer)
    assert seen.said == (Verdict.HARD_404, Cause.NOT_FOUND)
    assert "/robots.txt" not in seen.targets


def test_a_relative_refresh_header_with_a_charset_lie_is_followed() -> None:
    def answer(request: Request) -> Reply:
        return found() if request.target == "/new" else reply(b"<p>moved", AS_HTML, "Refresh: 0; URL=/new")

    assert told(answer).said == ACCESSIBLE


def test_a_host_header_names_the_port_and_the_host_as_asked() -> None:
    seen = told(lambda r: found() if r.target == PATH else redirect(PATH), paths=["/old"])
    assert seen.said == ACCESSIBLE
    assert all(request.headers["host"].startswith(f"{HOST}:") for request in seen.requests)
