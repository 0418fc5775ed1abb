"""The server carries answers out over real connections on loopback."""

import http.client
import subprocess
import sys
from collections.abc import Iterator

import pytest

from provenance_site.sample.server import SampleServer, serving
from tests.environment import ROOT

GAZETTE = "harbour-gazette.sample.localhost"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serving() as port:
        yield port


def fetch(port: int, host: str, path: str, method: str = "GET") -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    connection.request(method, path, headers={"Host": f"{host}:{port}", "Connection": "close"})
    return connection.getresponse()


def test_a_page_is_served_under_its_host(port: int) -> None:
    response = fetch(port, GAZETTE, "/2024/09/storm-gates-pass-first-test")
    assert response.status == 200
    assert "Storm gates" in response.read().decode()


def test_links_to_other_hosts_carry_the_port(port: int) -> None:
    response = fetch(port, "doi.sample.localhost", "/10.5555/provdesk.2024.0117")
    expected = f"http://tidewater-journal.sample.localhost:{port}/doi/10.5555/provdesk.2024.0117"
    assert (response.status, response.headers["Location"]) == (302, expected)


def test_two_requests_may_share_a_connection(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    for path in ("/", "/about"):
        connection.request("GET", path, headers={"Host": GAZETTE})
        response = connection.getresponse()
        assert response.status == 200
        response.read()
    connection.close()


def test_head_sends_no_body(port: int) -> None:
    response = fetch(port, GAZETTE, "/", "HEAD")
    assert int(response.headers["Content-Length"]) > 0
    assert response.read() == b""


def test_the_server_hangs_up_in_the_middle(port: int) -> None:
    response = fetch(port, "quayside-blog.sample.localhost", "/2023/10/a-short-history-of-the-harbour-bell")
    with pytest.raises(http.client.IncompleteRead) as caught:
        response.read()
    assert 0 < len(caught.value.partial) < int(response.headers["Content-Length"])


def test_a_cold_page_answers_503_once_and_then_the_page(port: int) -> None:
    path = "/guides/how-to-read-a-tide-table"
    statuses = [fetch(port, "open-almanac.sample.localhost", path).status for _ in range(3)]
    assert statuses == [503, 200, 200]


def test_a_request_without_a_host_is_no_site_of_ours(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    connection.putrequest("GET", "/", skip_host=True)
    connection.putheader("Connection", "close")
    connection.endheaders()
    assert connection.getresponse().status == 421


def test_the_server_listens_on_loopback_alone() -> None:
    with SampleServer(0) as server:
        assert server.server_address[0] == "127.0.0.1"


def test_a_taken_port_is_said_in_one_line(port: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "provenance_site.sample", "--port", str(port)],
        cwd=ROOT, capture_output=True, text=True, timeout=10, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.strip() == f"The sample publishers cannot listen on port {port}: Address already in use"
