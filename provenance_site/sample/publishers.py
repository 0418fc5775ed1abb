"""Who publishes: name, host, and what each site does with an address that it does not know."""

from dataclasses import dataclass
from enum import StrEnum

SUFFIX = ".sample.localhost"  # RFC 6761 6.3: names below `localhost` mean loopback, so nobody else can own them


class Unknown(StrEnum):
    """What a site answers for a path without a page."""

    NOT_FOUND = "404 and says so"
    SAYS_SO_WITH_200 = "a page that says so, with status 200"
    REFUSED = "403 as for every article behind its wall"


@dataclass(frozen=True, slots=True)
class Publisher:
    """One site. `slug` names its host, its layout and its file of articles; `sections` are paths of lists."""

    slug: str
    name: str
    about: str
    unknown: Unknown = Unknown.NOT_FOUND
    sections: tuple[str, ...] = ()

    @property
    def host(self) -> str:
        """The host name without a port."""
        return self.slug + SUFFIX


PUBLISHERS = (
    Publisher(
        "harbour-gazette",
        "Harbour Gazette",
        "The Harbour Gazette is the daily paper of Port Almery. It reports on the port, the town and the water between "
        "them, has eleven editors and one photographer, and belongs to its readers through a cooperative.",
        Unknown.SAYS_SO_WITH_200,
        sections=("/section/port", "/section/town", "/features"),
    ),
    Publisher(
        "ferry-observer",
        "Ferry Observer",
        "The Ferry Observer is written for people who plan, crew and maintain ferries. It appears six times a year and "
        "keeps a library of working papers that anyone may read.",
        sections=("/articles", "/library"),
    ),
    Publisher(
        "northwind-research",
        "Northwind Research",
        "Northwind Research studies small ports and coastal freight. Insights are free; reports are sold to clients.",
        sections=("/insights", "/reports", "/dashboards"),
    ),
    Publisher(
        "open-almanac",
        "Open Almanac",
        "Volunteers keep the almanac: weather stations, tide gauges, landings and surveys, as tables with notes. "
        "All of it may be used for any purpose.",
        sections=("/stations", "/tables", "/guides"),
    ),
    Publisher(
        "tidewater-journal",
        "Tidewater Journal",
        "The Tidewater Journal of Coastal Studies publishes peer-reviewed work on estuaries, harbours and coasts.",
        sections=("/issues",),
    ),
    Publisher(
        "continental-ledger",
        "Continental Ledger",
        "The Continental Ledger reports on markets and politics. Its articles are open to subscribers only.",
        Unknown.REFUSED,
    ),
    Publisher(
        "quayside-blog",
        "Quayside Blog",
        "Wren Halloran repairs boats and writes this blog in the evenings, mostly about things found near the pier.",
    ),
    Publisher(
        "saltmarsh-weekly",
        "Saltmarsh Weekly",
        "Saltmarsh Weekly is a small magazine about water, birds and people. One long piece in each issue is free.",
        sections=("/issues",),
    ),
)

SEARCH_HOST = "search" + SUFFIX
DOI_HOST = "doi" + SUFFIX

# `www.` names stand here because citations spell them so and every publisher answers to both.
HOSTS: tuple[str, ...] = (
    *(publisher.host for publisher in PUBLISHERS),
    *(f"www.{publisher.host}" for publisher in PUBLISHERS),
    SEARCH_HOST,
    DOI_HOST,
)

_BY_HOST = {publisher.host: publisher for publisher in PUBLISHERS}


def publisher_of(host: str) -> Publisher | None:
    """The publisher that answers under a bare host name, with or without `www.`; None for any other name."""
    return _BY_HOST.get(host.lower().removeprefix("www."))
