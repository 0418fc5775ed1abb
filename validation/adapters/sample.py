"""Where questions about the sample publishers go: to their own DOI agency and search engine, and to no other."""

from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlsplit

from validation.core.ports import HandleAnswer, HandleLookup

_DOI_PREFIX = "10.5555/provdesk."
_RESOLVERS = frozenset({"doi.org", "www.doi.org", "dx.doi.org"})
_AGENCY = "doi.sample.localhost"
_ENGINE = "search.sample.localhost"


@dataclass(frozen=True)
class SampleRoutes:
    """The sample publishers as configured: bare host names and their one port; no port, no sample."""

    hosts: frozenset[str]
    port: int

    @cached_property
    def exempt(self) -> frozenset[str]:
        """The exact `host:port` pairs that may lie on loopback; empty where no sample is served."""
        return frozenset(f"{host}:{self.port}" for host in self.hosts) if self.port else frozenset()

    @property
    def agency_url(self) -> str:
        """The address of the sample's DOI agency."""
        return f"http://{_AGENCY}:{self.port}"

    @property
    def search_url(self) -> str:
        """The address of the sample's search engine."""
        return f"http://{_ENGINE}:{self.port}"

    def holds(self, address: str) -> bool:
        """True when the URL or bare DOI in `address` is one of the sample publishers'."""
        return bool(self.exempt) and (_host_and_port(address) in self.exempt or bool(_sample_doi(address)))

    def reroute(self, url: str) -> str:
        """`url`, or the sample agency's address for it where it is the link of a sample DOI."""
        doi = _sample_doi(url) if self.exempt else ""
        return f"{self.agency_url}/{doi}" if doi else url


@dataclass(frozen=True, slots=True)
class SampleHandles:
    """The HandleLookup that knows whom to ask: the sample's agency for its DOIs, the configured one for others."""

    routes: SampleRoutes
    of_sample: HandleLookup
    others: HandleLookup

    async def lookup(self, doi: str) -> HandleAnswer:
        """The answer of the agency that `doi` belongs to."""
        return await (self.of_sample if self.routes.holds(doi) else self.others).lookup(doi)


def _host_and_port(address: str) -> str:
    return urlsplit(address).netloc.lower() if "://" in address else ""


def _sample_doi(address: str) -> str:
    """The sample DOI that `address` is, or links to at a DOI resolver, as written; '' for anything else."""
    if "://" in address:
        parts = urlsplit(address)
        address = parts.path.removeprefix("/") if parts.netloc.lower() in _RESOLVERS else ""
    return address if address.lower().startswith(_DOI_PREFIX) else ""
