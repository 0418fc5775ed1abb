"""Where the processes may listen, and what is said where they may not."""

import socket
from collections.abc import Iterator

import pytest

from provenance_site.supervisor.places import (
    LOOPBACK,
    Places,
    Problem,
    Refused,
    any_free,
    choose,
    is_loopback,
    why_not,
)


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server((LOOPBACK, 0)) as server:
        yield int(server.getsockname()[1])


def test_a_taken_port_is_said_with_a_port_that_is_free(taken: int) -> None:
    answer = choose(host=LOOPBACK, port=taken, sample_port=0, remembered=0)
    assert isinstance(answer, Refused)
    start, _, command = answer.message.partition(": ")
    assert start == f"Port {taken} is taken"
    name, _, rest = command.partition("=")
    assert (name, rest.partition(" ")[2]) == ("PORT", "make run")
    assert why_not(LOOPBACK, int(rest.split()[0])) is None


def test_a_taken_sample_port_that_was_asked_for_is_said(taken: int) -> None:
    answer = choose(host=LOOPBACK, port=any_free(LOOPBACK), sample_port=taken, remembered=0)
    assert isinstance(answer, Refused)
    assert answer.message.startswith(f"Port {taken} is taken: SAMPLE_PORT=")


def test_one_port_cannot_serve_both() -> None:
    port = any_free(LOOPBACK)
    assert isinstance(choose(host=LOOPBACK, port=port, sample_port=port, remembered=0), Refused)


def test_the_remembered_sample_port_is_taken_again() -> None:
    port, remembered = any_free(LOOPBACK), any_free(LOOPBACK)
    assert choose(host=LOOPBACK, port=port, sample_port=0, remembered=remembered) == Places(LOOPBACK, port, remembered)


def test_another_sample_port_is_found_where_the_remembered_one_is_taken(taken: int) -> None:
    answer = choose(host=LOOPBACK, port=any_free(LOOPBACK), sample_port=0, remembered=taken)
    assert isinstance(answer, Places)
    assert answer.sample_port not in {taken, answer.port}
    assert why_not(LOOPBACK, answer.sample_port) is None


def test_a_port_is_free_again_right_after_its_server_and_visitors_have_gone() -> None:
    with socket.create_server((LOOPBACK, 0)) as server:
        port = int(server.getsockname()[1])
        visitor = socket.create_connection((LOOPBACK, port), timeout=1)
        met, _ = server.accept()
        met.close()  # the server closes first, so its side stays in TIME_WAIT
        visitor.close()
    assert why_not(LOOPBACK, port) is None


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_a_number_that_is_no_port_is_said(port: int) -> None:
    answer = choose(host=LOOPBACK, port=port, sample_port=0, remembered=0)
    assert answer == Refused(f"PORT takes a number from 1 to 65535, not {port}: PORT=8000 make run")


@pytest.mark.parametrize("host", ["192.0.2.1", "no such name"])
def test_a_host_that_is_not_this_machine_is_said(host: str) -> None:
    assert why_not(host, any_free(LOOPBACK)) is Problem.NO_ADDRESS
    answer = choose(host=host, port=any_free(LOOPBACK), sample_port=0, remembered=0)
    assert answer == Refused(f"{host} is no address of this machine: HOST=127.0.0.1 make run")


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("0.0.0.0", "http://127.0.0.1:8000"),
        ("::1", "http://[::1]:8000"),
        ("localhost", "http://localhost:8000"),
    ],
)
def test_the_address_that_is_shown_can_be_opened(host: str, url: str) -> None:
    assert Places(host, 8000, 8010).url == url


def test_only_loopback_is_loopback() -> None:
    hosts = ["127.0.0.1", "127.1.2.3", "::1", "localhost", "0.0.0.0", "192.0.2.1", "desk.example"]
    assert [is_loopback(host) for host in hosts] == [True, True, True, True, False, False, False]
