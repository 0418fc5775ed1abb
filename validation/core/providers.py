"""Searches that a workspace brings itself: which there are, and what may be entered as their key or address."""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import urlsplit

from sources.core.urls import UnusableUrl, parse_request
from validation.core.seeking import is_askable

MOST_CHARACTERS = 500
_FEWEST = 8
# Of a shorter key four characters would be too large a part.
_LONG_ENOUGH_TO_SHOW = 20
_SHOWN = 4
_KEY = re.compile(r"[\x21-\x7e]+")


class Provider(StrEnum):
    """The web searches, in the order in which they are asked."""

    SEARXNG = "searxng"
    TAVILY = "tavily"
    PERPLEXITY = "perplexity"
    FIRECRAWL = "firecrawl"

    @property
    def label(self) -> str:
        """Its name as it writes it."""
        return {"searxng": "SearXNG", "tavily": "Tavily", "perplexity": "Perplexity", "firecrawl": "Firecrawl"}[self]

    @property
    def noun(self) -> str:
        """What is entered for it: an address or a key."""
        return "address" if self is Provider.SEARXNG else "key"

    @property
    def explanation(self) -> str:
        """What it is, for who chooses one."""
        return {
            "searxng": "A search engine that you or your provider run, reachable from the internet. It needs no key.",
            "tavily": "A search with an account; each question counts against its plan.",
            "perplexity": "A search with an account. Only the pages that it retrieved are read, never its prose.",
            "firecrawl": "A search with an account; each question counts against its plan.",
        }[self]


@dataclass(frozen=True, slots=True)
class Account:
    """A workspace's own access to a search: the key, or SearXNG's address. The secret is in no repr.

    `name` is random and changes with the secret: kept answers go by it, so that no workspace is given what another's
    search has said, nor learns what another has asked.
    """

    provider: Provider
    name: str
    secret: str = field(repr=False)


class SecretRefused(ValueError):
    """What was entered cannot be used; the message says why and repeats nothing of it."""


def checked_secret(provider: Provider, text: str) -> str:
    """What was entered, without the space around it. Raises SecretRefused.

    A key is printable ASCII without spaces. An address is http or https, has no password, and no host that only means
    something inside a network: a private search engine is the operator's to name.
    """
    entered = text.strip()
    if len(entered) > MOST_CHARACTERS:
        raise SecretRefused(f"This is longer than {MOST_CHARACTERS} characters. Copy only the {provider.noun}.")
    return _checked_address(entered) if provider is Provider.SEARXNG else _checked_key(provider, entered)


def hint_of(provider: Provider, secret: str) -> str:
    """What may be shown of a stored secret: the last four characters of a key, '' of a short one; an address's host."""
    if provider is Provider.SEARXNG:
        return urlsplit(secret).netloc
    return secret[-_SHOWN:] if len(secret) >= _LONG_ENOUGH_TO_SHOW else ""


def _checked_key(provider: Provider, entered: str) -> str:
    if not _KEY.fullmatch(entered):
        raise SecretRefused("A key has no spaces, line ends or letters with accents. Copy it again from your account.")
    if "://" in entered:
        raise SecretRefused(f"This is an address. Enter the key that your account at {provider.label} shows.")
    if len(entered) < _FEWEST:
        raise SecretRefused(f"A key has at least {_FEWEST} characters. Copy it again from your account.")
    return entered


def _checked_address(entered: str) -> str:
    try:
        address = parse_request(entered)
    except UnusableUrl:
        raise SecretRefused("This is no address. Enter one such as https://searx.example.org/.") from None
    if "@" in entered:
        raise SecretRefused("Leave out the user name and password: they would be sent to nobody.")
    if address.query is not None or address.fragment is not None:
        raise SecretRefused("Leave out what follows the ? or #: enter the address of the start page.")
    if not is_askable(address.request):
        raise SecretRefused(
            f"“{address.host}” lies inside a network. Only the operator can name such a search engine, by "
            "DESK_SEARXNG_URL; enter one that is reachable from the internet."
        )
    return address.request
