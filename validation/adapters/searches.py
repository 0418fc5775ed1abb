"""The web searches: those that the operator has configured, and those that a workspace brings."""

from collections.abc import Callable
from contextlib import AsyncExitStack

from django.conf import settings

from validation.adapters.clients import keyed_provider, provider, strangers_provider
from validation.adapters.lookups import CachedSearch
from validation.adapters.search.firecrawl import FirecrawlSearch
from validation.adapters.search.perplexity import PerplexitySearch
from validation.adapters.search.searxng import SearxngSearch
from validation.adapters.search.tavily import TavilySearch
from validation.core.ports import AnswerCache, Search
from validation.core.providers import Account, Provider

_KEYED: dict[Provider, Callable[..., Search]] = {
    Provider.TAVILY: TavilySearch,
    Provider.PERPLEXITY: PerplexitySearch,
    Provider.FIRECRAWL: FirecrawlSearch,
}
_ON_SCREEN = "the key on the page “Search providers”"


def installed_providers() -> frozenset[Provider]:
    """The providers that the operator has configured for everybody."""
    return frozenset(one for one in Provider if getattr(settings, _variable(one)))


def installed_searches(stack: AsyncExitStack) -> list[Search]:
    """The configured searches in their order; closed with `stack`."""
    found: list[Search] = []
    for one in Provider:
        secret = getattr(settings, _variable(one))
        if not secret:
            continue
        if one is Provider.SEARXNG:
            found.append(SearxngSearch(secret, provider(stack, secret)))
        else:
            found.append(_keyed(stack, one, secret, told_as=f"DESK_{_variable(one)}"))
    return found


class OwnSearches:
    """The searches of workspaces' accounts, made when first asked for. One event loop; closed with `stack`.

    Each account has a client of its own: a plan that is used up, or a host that wants to be left alone, stops nobody
    else's. Keys go where the operator's would go; an address that a workspace names must be public.
    """

    def __init__(self, stack: AsyncExitStack, cache: AnswerCache) -> None:
        self._stack = stack
        self._cache = cache
        self._made: dict[Account, Search] = {}

    def __call__(self, accounts: tuple[Account, ...]) -> tuple[Search, ...]:
        """The searches of `accounts`, in their order; what was answered is kept for that account alone."""
        return tuple(self._made.get(account) or self._make(account) for account in accounts)

    def _make(self, account: Account) -> Search:
        if account.provider is Provider.SEARXNG:
            inner: Search = SearxngSearch(account.secret, strangers_provider(self._stack))
        else:
            inner = _keyed(self._stack, account.provider, account.secret, told_as=_ON_SCREEN)
        made = self._made[account] = CachedSearch(inner, self._cache, account=account.name)
        return made


def _keyed(stack: AsyncExitStack, one: Provider, key: str, *, told_as: str) -> Search:
    base_url = getattr(settings, f"{one.name}_URL")
    return _KEYED[one](base_url, key, keyed_provider(stack, base_url), told_as=told_as)


def _variable(one: Provider) -> str:
    return "SEARXNG_URL" if one is Provider.SEARXNG else f"{one.name}_KEY"
