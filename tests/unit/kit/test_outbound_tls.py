"""Certificates that cannot be trusted are told apart, and one bad answer does not stain the next."""

import ssl
from pathlib import Path

import pytest

from provenance_site.kit.outbound import Answer, NoAnswer, Trouble
from provenance_site.kit.outbound.transport import trusted_certificates
from tests.fakes.loopback import Loopback, Request, redirect, reply
from tests.fakes.outbound import get, policy_for

CERTIFICATES = Path(__file__).resolve().parents[2] / "data" / "tls"


def server_context(name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATES / f"{name}.pem")
    return context


@pytest.fixture
def authority() -> ssl.SSLContext:
    """Trusts the test authority and nobody else."""
    return ssl.create_default_context(cafile=str(CERTIFICATES / "authority.pem"))


def page(_: Request) -> bytes:
    return reply(b"<title>Harbour survey</title>")


def test_a_trusted_certificate_for_this_name_is_accepted(authority: ssl.SSLContext) -> None:
    with Loopback(page, tls=server_context("good")) as server:
        answer = get(server.url(), policy_for(server), tls=authority)
    assert isinstance(answer, Answer)
    assert answer.status == 200


@pytest.mark.parametrize(
    ("certificate", "trouble", "detail"),
    [
        ("expired", Trouble.TLS_EXPIRED, "the certificate has expired"),
        ("not-yet", Trouble.TLS_EXPIRED, "the certificate is not valid yet"),
        ("other-name", Trouble.TLS_NAME, "the certificate is for another name"),
        ("self-signed", Trouble.TLS_UNTRUSTED, "the certificate is not from a trusted authority"),
    ],
)
def test_a_certificate_that_cannot_be_trusted_is_named(
    authority: ssl.SSLContext, certificate: str, trouble: Trouble, detail: str
) -> None:
    with Loopback(page, tls=server_context(certificate)) as server:
        outcome = get(server.url(), policy_for(server), tls=authority)
        assert server.requests == []
    assert isinstance(outcome, NoAnswer)
    assert (outcome.trouble, outcome.detail) == (trouble, detail)


def test_a_certificate_of_an_unknown_authority_is_not_trusted_by_default() -> None:
    with Loopback(page, tls=server_context("good")) as server:
        outcome = get(server.url(), policy_for(server))
    assert isinstance(outcome, NoAnswer)
    assert outcome.trouble is Trouble.TLS_CHAIN
    assert trusted_certificates().verify_mode is ssl.CERT_REQUIRED
    assert trusted_certificates().check_hostname


def test_the_name_is_checked_although_the_address_is_pinned(authority: ssl.SSLContext) -> None:
    async def lookup(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    with Loopback(page, tls=server_context("good")) as server:
        listed = [f"good.test:{server.port}", f"bad.test:{server.port}"]
        policy = policy_for(extra=listed)
        good, bad = (get(f"https://{host}/", policy, lookup=lookup, tls=authority) for host in listed)
    assert isinstance(good, Answer)
    assert isinstance(bad, NoAnswer)
    assert (bad.trouble, bad.detail) == (Trouble.TLS_NAME, "the certificate is for another name")


def test_a_server_that_speaks_no_tls_is_told_as_such(authority: ssl.SSLContext) -> None:
    with Loopback(page, greeting=b"220 mail.test ESMTP\r\n") as server:
        outcome = get(server.url().replace("http://", "https://"), policy_for(server), tls=authority)
    assert isinstance(outcome, NoAnswer)
    assert (outcome.trouble, outcome.detail) == (Trouble.TLS, "the encrypted connection could not be set up")


def test_secure_cookies_do_not_leave_over_plain_http(authority: ssl.SSLContext) -> None:
    with Loopback(page) as plain:
        cookies = ["Set-Cookie: a=1; Secure", "Set-Cookie: b=2"]
        with Loopback(lambda _: redirect(plain.url(), "302 F", *cookies), tls=server_context("good")) as server:
            assert isinstance(get(server.url(), policy_for(server, plain), tls=authority), Answer)
        assert plain.requests[0].headers["cookie"] == "b=2"
