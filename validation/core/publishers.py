"""Reputable publishers that keep their pages behind walls: data in `validation/data/gated_publishers.yaml`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from validation.core.datafiles import read_data


@dataclass(frozen=True, slots=True)
class Publisher:
    """One gated publisher. `access_note` is shown beside a gated source; `sample` marks the sample site's publisher."""

    name: str
    domains: tuple[str, ...]
    path_hints: tuple[str, ...] = ()
    access_note: str = ""
    notes: str = ""
    sample: bool = False

    def publishes(self, host: str) -> bool:
        """True where `host` (lower case, no port) is one of the domains or lies below one."""
        return any(host == domain or host.endswith(f".{domain}") for domain in self.domains)

    def hints_at(self, url: str) -> bool:
        """True where the path of `url` is one under which the publisher's gated works live. A note, no condition."""
        try:
            return urlsplit(url).path.startswith(self.path_hints) if self.path_hints else False
        except ValueError:
            return False


def gated_publisher(host_or_url: str, extra: Iterable[Publisher] = ()) -> Publisher | None:
    """The publisher that a host or URL belongs to, None where it is on no list. `extra` entries are asked first.

    Hosts match on whole labels: `on.ft.com` is the Financial Times, `minecraft.com` is not. Never raises.
    """
    host = _host(host_or_url)
    if not host:
        return None
    return next((publisher for publisher in (*extra, *publishers()) if publisher.publishes(host)), None)


@cache
def publishers() -> tuple[Publisher, ...]:
    """The entries of the data file in order, read once a process. Raises KeyError on a broken file."""
    return tuple(publisher_of(entry) for entry in read_data("gated_publishers.yaml")["publishers"])


def publisher_of(entry: Mapping[str, Any]) -> Publisher:
    """A publisher from one entry in the schema of the data file. Raises KeyError without a name or domains."""
    return Publisher(
        name=str(entry["name"]),
        domains=tuple(str(domain).lower() for domain in entry["domains"]),
        path_hints=tuple(str(hint) for hint in entry.get("path_hints", ())),
        access_note=str(entry.get("access_note", "")),
        notes=str(entry.get("notes", "")),
        sample=bool(entry.get("sample", False)),
    )


def _host(host_or_url: str) -> str:
    text = host_or_url.strip()
    try:
        return (urlsplit(text if "//" in text else f"//{text}").hostname or "").rstrip(".")
    except ValueError:
        return ""
