"""The tests' own guards work: no way out of the machine, no contact with a developer's installation."""

import os
import socket
from pathlib import Path

import pytest
from django.conf import settings

from tests import network
from tests.environment import ROOT, for_product


@pytest.mark.parametrize("address", ["192.0.2.7", "10.0.0.1", "169.254.1.1"])
def test_a_connection_to_another_machine_is_refused(address: str) -> None:
    with socket.socket() as connection, pytest.raises(network.ForbiddenError, match=address):
        connection.connect((address, 80))


def test_an_ipv6_address_of_another_machine_is_refused() -> None:
    with socket.socket(socket.AF_INET6) as connection, pytest.raises(network.ForbiddenError):
        connection.connect_ex(("2001:db8::1", 80))


def test_a_connection_on_this_machine_is_made() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(("localhost", server.getsockname()[1]), timeout=1).close()


def test_a_name_of_another_machine_does_not_exist() -> None:
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("harbour.example", 443)


def test_the_data_of_a_test_process_lie_in_a_folder_of_its_own() -> None:
    assert Path(os.environ["DESK_DATA"]) == settings.DATA_DIR
    assert not settings.DATA_DIR.is_relative_to(ROOT)


def test_a_child_runs_the_product_with_none_of_our_settings(tmp_path: Path) -> None:
    environment = for_product(tmp_path, DESK_SAMPLE_PORT="0")
    assert environment["DJANGO_SETTINGS_MODULE"] == "provenance_site.settings"
    assert {name for name in environment if name.startswith("DESK_")} == {"DESK_DATA", "DESK_SAMPLE_PORT"}
