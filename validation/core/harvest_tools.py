"""The searches that a harvest can ask, and what a call of each costs. Pure; see `data/search_prices.yaml`."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import cache

from validation.core.datafiles import read_data


class Tool(StrEnum):
    """A search, by the name under which its hits are kept."""

    SEARXNG = "searxng"
    TAVILY = "tavily"
    PERPLEXITY = "perplexity"
    FIRECRAWL = "firecrawl"
    CROSSREF = "crossref"
    OPENALEX = "openalex"

    @property
    def label(self) -> str:
        """Its name as it writes it."""
        return {
            "searxng": "SearXNG",
            "tavily": "Tavily",
            "perplexity": "Perplexity",
            "firecrawl": "Firecrawl",
            "crossref": "Crossref",
            "openalex": "OpenAlex",
        }[self.value]

    @property
    def finds_works(self) -> bool:
        """True for a registry of scholarly works, false for a search of the web."""
        return self in {Tool.CROSSREF, Tool.OPENALEX}


@dataclass(frozen=True, slots=True)
class Price:
    """What a call costs, in the provider's own `unit`; 0 and '' where it is free."""

    unit: str
    per_call: Decimal

    def of(self, calls: int) -> str:
        """What so many calls cost, `12 credits`, `1 credit`, `US$ 0.06`, `free`."""
        amount = (self.per_call * calls).normalize()
        if not self.per_call:
            return "free"
        text = f"{amount:f}"
        if "$" in self.unit:
            return f"{self.unit} {text}"
        return f"{text} {self.unit}{'' if amount == 1 else 's'}"


@cache
def price_of(tool: Tool) -> Price:
    """The price of a call, read once a process. Raises KeyError where the data file has none."""
    told = read_data("search_prices.yaml")["tools"][tool.value]
    return Price(unit=str(told["unit"]), per_call=Decimal(told["per_call"]))
