"""Certificates and names: each trouble has its own cause, and none of them proves that a page is dead."""

import socket
import ssl
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from provenance_site.kit.outbound.resolving import LookupFailed, NameNotFound
from sources.core.findings import Cause, Verdict
from tests.fakes.hardnet import HOST, PATH, found, told
from tests.fakes.loopback import Loopback, Request, redirect

CERTIFICATES = Path(__file__).resolve().parents[3] / "data" / "tls"
FAILED = Verdict.FETCH_FAILED
ACCESSIBLE = (Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT)
SECURE = f"https://127.0.0.1:{{port}}{PATH}"


def serving(name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATES / f"{name}.pem")
    return context


@pytest.fixture
def authority() -> ssl.SSLContext:
    """Trusts the test authority and nobody else."""
    return ssl.create_default_context(cafile=str(CERTIFICATES / "authority.pem"))


def test_a_trusted_certificate_is_accepted(authority: ssl.SSLContext) -> None:
    assert told(found(), addresses=[SECURE], serves_tls=serving("good"), trusts=authority).said == ACCESSIBLE


@pytest.mark.parametrize(
    ("certificate", "cause"),
    [
        ("expired", Cause.TLS_EXPIRED),
        ("not-yet", Cause.TLS_EXPIRED),
        ("other-name", Cause.TLS_NAME),
        ("self-signed", Cause.TLS_UNTRUSTED),
    ],
)
def test_48_a_certificate_that_cannot_be_trusted_is_named(
    authority: ssl.SSLContext, certificate: str, cause: Cause
) -> None:
    seen = told(found(), addresses=[SECURE], serves_tls=serving(certificate), trusts=authority)
    assert seen.said == (FAILED, cause)
    assert not seen.requests
    assert seen.evidence.detail.startswith("the certificate")


def test_48_an_issuer_that_is_missing_is_told_as_a_broken_chain() -> None:
    seen = told(found(), addresses=[SECURE], serves_tls=serving("good"))
    assert seen.said == (FAILED, Cause.TLS_CHAIN)


def test_48_an_earlier_trouble_of_the_host_does_not_stain_the_next_answer(authority: ssl.SSLContext) -> None:
    server = serving("expired")
    current = {"context": server}

    def by_name(connection: ssl.SSLObject, name: str, context: ssl.SSLContext) -> None:
        connection.context = current["context"]
        current["context"] = serving("good")

    server.sni_callback = by_name
    first, second = told(found(), addresses=[SECURE] * 2, serves_tls=server, trusts=authority).findings
    assert first.cause is Cause.TLS_EXPIRED
    assert (second.verdict, second.cause) == ACCESSIBLE


def test_an_https_address_of_a_server_that_speaks_plain_http_has_the_general_cause(authority: ssl.SSLContext) -> None:
    seen = told(found(), addresses=[SECURE], trusts=authority, greeting=b"HTTP/1.1 400 Bad Request\r\n\r\n")
    assert seen.said == (FAILED, Cause.TLS)


def test_a_server_that_knows_only_old_protocols_has_the_general_cause(authority: ssl.SSLContext) -> None:
    modern = ssl.create_default_context(cafile=str(CERTIFICATES / "authority.pem"))
    modern.minimum_version = ssl.TLSVersion.TLSv1_3
    old = serving("good")
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    seen = told(found(), addresses=[SECURE], serves_tls=old, trusts=modern)
    assert seen.said == (FAILED, Cause.TLS)


def test_a_plain_http_address_of_a_tls_server_is_no_dead_page(authority: ssl.SSLContext) -> None:
    seen = told(found(), addresses=[f"http://127.0.0.1:{{port}}{PATH}"], serves_tls=serving("good"), trusts=authority)
    assert seen.said[0] is FAILED


def test_a_redirect_from_http_to_a_broken_https_has_the_certificates_cause(authority: ssl.SSLContext) -> None:
    seen = told(lambda _: redirect("/b"), addresses=[SECURE], serves_tls=serving("expired"), trusts=authority)
    assert seen.said == (FAILED, Cause.TLS_EXPIRED)


def test_a_move_from_http_to_https_is_the_same_page(authority: ssl.SSLContext) -> None:
    with Loopback(lambda _: found(), tls=serving("good")) as secure:
        moved = redirect(secure.url(PATH), "301 Moved Permanently")
        seen = told(lambda _: moved, elsewhere=[secure.authority], trusts=authority)
    assert seen.said == ACCESSIBLE
    assert seen.evidence.final_url.startswith("https://")
    assert "redirected" in seen.signals


def test_a_server_that_is_silent_where_tls_should_begin_is_left_in_time(authority: ssl.SSLContext) -> None:
    seen = told(found(), addresses=[SECURE], trusts=authority, limits={"deadline_s": 0.4})
    assert seen.said[0] is FAILED
    assert seen.said[1] in {Cause.DEADLINE, Cause.TIMEOUT}
    assert seen.seconds < 1.4


def failing(error: Exception) -> Callable[[str, int], object]:
    async def lookup(host: str, port: int) -> Sequence[str]:
        raise error

    return lookup


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (NameNotFound("no such name"), Cause.DNS),
        (LookupFailed("the name has no address"), Cause.DNS_TEMPORARY),
        (LookupFailed("the name could not be looked up for now"), Cause.DNS_TEMPORARY),
        (LookupFailed("the name server did not answer in time"), Cause.DNS_TEMPORARY),
    ],
    ids=["49-nxdomain", "no-address", "49-servfail", "silence"],
)
def test_49_a_name_that_does_not_resolve_has_its_cause_and_is_not_dead_at_once(error: Exception, cause: Cause) -> None:
    seen = told(found(), lookup=failing(error))
    assert seen.said == (FAILED, cause)
    assert seen.evidence.detail == str(error)


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        (socket.EAI_NONAME, Cause.DNS),
        (socket.EAI_AGAIN, Cause.DNS_TEMPORARY),
        (socket.EAI_FAIL, Cause.DNS_TEMPORARY),
        (socket.EAI_NODATA, Cause.DNS_TEMPORARY),
    ],
)
def test_49_the_systems_own_resolver_is_understood(monkeypatch: pytest.MonkeyPatch, code: int, cause: Cause) -> None:
    def answer(host: str, *_: object, **__: object) -> object:
        raise socket.gaierror(code, "")

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    assert told(found(), uses_system_lookup=True).said == (FAILED, cause)


@pytest.mark.parametrize(
    "answers",
    [
        ["127.0.0.1"],
        ["10.0.0.1"],
        ["::ffff:10.0.0.1"],
        ["fe90::1"],
        ["100.64.0.7"],
        ["169.254.169.254"],
        ["93.184.216.34", "192.168.0.1"],
        ["64:ff9b::a00:1"],
        ["::1"],
    ],
)
def test_54_a_name_that_leads_inwards_is_not_contacted(answers: list[str]) -> None:
    async def lookup(host: str, port: int) -> Sequence[str]:
        return answers

    seen = told(found(), addresses=[f"http://inward.press:{{port}}{PATH}"], lookup=lookup)
    assert seen.said == (FAILED, Cause.BLOCKED_ADDRESS)
    assert not seen.requests


def test_54_a_name_that_changes_its_answer_is_looked_up_once_for_a_connection() -> None:
    asked: list[str] = []

    async def rebinding(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["169.254.169.254"]

    seen = told(found(), lookup=rebinding)
    assert seen.said == ACCESSIBLE
    assert asked == [HOST]


def test_54_a_redirect_to_a_name_that_leads_inwards_is_not_followed() -> None:
    async def lookup(host: str, port: int) -> Sequence[str]:
        return ["10.0.0.1"] if host == "inward.press" else ["127.0.0.1"]

    def answer(request: Request) -> bytes:
        return redirect("http://inward.press:8080/admin")

    seen = told(answer, lookup=lookup)
    assert seen.said == (FAILED, Cause.BLOCKED_ADDRESS)
    assert len(seen.requests) == 1


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:8181/",
        "http://[::1]:8181/",
        "http://[2001:db8::1]/x",
        "http://169.254.169.254/latest/meta-data/",
        "http://192.168.1.1/admin",
    ],
)
def test_54_a_cited_address_inside_is_not_contacted(address: str) -> None:
    seen = told(found(), addresses=[address])
    assert seen.said[0] in {FAILED, Verdict.HALLUCINATED_PATTERN}
    assert seen.said[1] in {Cause.BLOCKED_ADDRESS, Cause.PLACEHOLDER_HOST}
    assert not seen.requests
