"""The team installation of docker-compose.yml, run as processes against a real PostgreSQL and a real Redis.

No Docker is needed: what the file says of commands, environment and health is what runs here; only hosts, ports and
folders are those of this machine.
"""

import re
import shutil
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
import yaml

from provenance_site.kit.outbound import OutboundPolicy
from provenance_site.sample.draft import expectations
from provenance_site.sample.server import SampleServer
from tests import services
from tests.environment import ROOT
from tests.walks.topology import MissingVariableError, Service, Stack, services_of

COMPOSE = ROOT / "docker-compose.yml"
OURS = ("web", "worker", "beat")
SECRETS = {"DESK_SECRET_KEY": "k3J0" * 16, "POSTGRES_PASSWORD": "q7Rt2LmZ"}


@pytest.fixture
def compose() -> dict[str, Service]:
    return services_of(COMPOSE, SECRETS)


def test_every_service_that_stays_has_a_health_check(compose: dict[str, Service]) -> None:
    assert {"web", "worker", "beat", "postgres", "redis"} <= set(compose)
    assert {name for name, service in compose.items() if not service.health} == {"migrate"}


def test_what_runs_our_code_waits_for_the_migration(compose: dict[str, Service]) -> None:
    for name in OURS:
        assert compose[name].after == {"migrate", "postgres", "redis"}


@pytest.mark.parametrize("name", SECRETS)
def test_a_missing_secret_is_refused(name: str) -> None:
    with pytest.raises(MissingVariableError, match=name):
        services_of(COMPOSE, {**SECRETS, name: ""})


def _stack(compose: dict[str, Service], postgres_url: str, redis_url: str, folder: Path, port: int) -> Stack:
    (folder / "data").mkdir()
    postgres, redis = urlsplit(postgres_url), urlsplit(redis_url)
    password = SECRETS["POSTGRES_PASSWORD"]
    here = {
        f"desk:{password}@postgres:5432/desk": f"{postgres.netloc}{postgres.path}",
        "redis:6379": f"{redis.hostname}:{redis.port}",
        "0.0.0.0:8000": f"127.0.0.1:{port}",
        "127.0.0.1:8000": f"127.0.0.1:{port}",
        "redis-cli": f"redis-cli -p {redis.port}",
        "pg_isready": f"pg_isready --host 127.0.0.1 --port {postgres.port}",
        "/data": str(folder / "data"),
    }
    _stand_in_for_missing_clients(folder / "bin")
    return Stack(compose, here, folder)


def _stand_in_for_missing_clients(folder: Path) -> None:
    """Where the servers came as packages, their command-line clients may not have: the same question, asked by ours."""
    folder.mkdir()
    if shutil.which("redis-cli") is None:
        ask = "redis.Redis(port=int(sys.argv[2])).ping()"
        _script(folder / "redis-cli", f"import redis, sys\nprint('PONG' if {ask} else '')")
    if shutil.which("pg_isready") is None:
        ask = "psycopg.connect(host=sys.argv[2], port=sys.argv[4], user=sys.argv[6], dbname='postgres').close()"
        _script(folder / "pg_isready", f"import psycopg, sys\n{ask}")


def _script(path: Path, code: str) -> None:
    path.write_text(f"#!{sys.executable}\n{code}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def stack(
    compose: dict[str, Service], postgres_url: str, redis_url: str, tmp_path: Path
) -> Iterator[tuple[Stack, str]]:
    """The stack, nothing of it started, and the address at which its web will answer."""
    port = services.free_port()
    with _stack(compose, postgres_url, redis_url, tmp_path, port) as made:
        yield made, f"http://127.0.0.1:{port}"
    assert made.left == []


@pytest.fixture
def sample_port() -> Iterator[int]:
    """The port of the sample publishers, served by this process."""
    with SampleServer(0) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server.port
        server.shutdown()
        thread.join()


@pytest.mark.services
def test_the_topology_comes_up_healthy_and_does_the_main_job(stack: tuple[Stack, str], sample_port: int) -> None:
    desk, address = stack
    desk.extra = {"DESK_SAMPLE_PORT": str(sample_port)}
    status, said = desk.finish("migrate")
    assert status == 0, said
    for name in OURS:
        desk.start(name)
    desk.wait_until_healthy(["postgres", "redis", *OURS], within_s=30)
    _pages_answer(address)

    # The first start imports the sample project and starts its run, here through Redis; the worker does it.
    status, said = desk.run_in("web", "python", "manage.py", "first_start")
    assert status == 0, said
    expected = Counter(expectation.verdict for expectation in expectations(sample_port))
    told = Counter(verdict for _, verdict, _ in re.findall(r"^(https?://\S+)  ([a-z0-9-]+)  (.+)$", said, re.MULTILINE))
    assert told == expected


def _pages_answer(address: str) -> None:
    with httpx.Client(base_url=address, trust_env=False, timeout=5) as client:
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 200
        page = client.get("/", follow_redirects=True)
        assert page.status_code == 200
        assert 'name="password"' in page.text


@pytest.mark.parametrize(
    ("name", "words"),
    [("DESK_SECRET_KEY", "DESK_SECRET_KEY is the sample value"), ("POSTGRES_PASSWORD", "password is the sample value")],
)
def test_a_secret_left_at_its_sample_value_is_refused(name: str, words: str, tmp_path: Path) -> None:
    example = re.search(rf"^{name}=(.+)$", (ROOT / ".env.example").read_text(encoding="utf-8"), re.MULTILINE)
    assert example is not None
    compose = services_of(COMPOSE, {**SECRETS, name: example[1]})
    (tmp_path / "data").mkdir()
    with Stack(compose, {"/data": str(tmp_path / "data")}, tmp_path) as desk:
        status, said = desk.finish("migrate")
    assert status != 0
    assert words in said


def test_a_search_engine_is_there_on_request_and_answers_the_desk_alone_in_json() -> None:
    document = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))
    searxng = document["services"]["searxng"]
    assert (searxng["profiles"], searxng.get("ports")) == (["search"], None)
    (mounted,) = searxng["configs"]
    settings = yaml.safe_load(document["configs"][mounted["source"]]["content"])
    assert mounted["target"] == "/etc/searxng/settings.yml"
    assert "json" in settings["search"]["formats"]
    assert settings["server"]["limiter"] is False
    address = "http://searxng:8080/"
    assert address in (ROOT / ".env.example").read_text(encoding="utf-8")
    assert OutboundPolicy(user_agent="", private_hosts=frozenset({"searxng:8080"})).port_refusal("searxng", 8080) == ""
