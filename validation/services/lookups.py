"""Keeps providers' answers in the database between the calls of workers, so that checking again asks nobody again.

Adapters know only a cache in memory. A worker fills it with what the sources it has claimed will ask for, and writes
back what is new: two short statements beside a claim and beside a write, and none while anything waits for a network.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from validation.adapters.registry import Outside
from validation.core import lookups, seeking
from validation.models import LookupCache
from validation.services import recovery, witness
from validation.services.validate import Target

_BATCH = 500


def load(*, targets: Iterable[Target], outside: Outside, at: datetime) -> int:
    """Fills the cache of `outside` with the kept answers to what these targets will ask; gives how many there were.

    Answers older than `core.lookups.TTL` are passed over. One query per 500 questions.
    """
    wanted = sorted({key for target in targets for key in questions_of(target, outside)})
    found = kept([key for key in wanted if outside.lookups.get(key) is None], at=at)
    for key, answer in found.items():
        outside.lookups.seed(key, answer)
    return len(found)


def kept(keys: Sequence[str], *, at: datetime) -> dict[str, str]:
    """The kept answers under these keys, but for those older than `core.lookups.TTL`. One query per 500 keys."""
    found: dict[str, str] = {}
    for start in range(0, len(keys), _BATCH):
        rows = LookupCache.objects.filter(key__in=keys[start : start + _BATCH], stored_at__gt=at - lookups.TTL)
        found.update(rows.values_list("key", "answer"))
    return found


def save(*, outside: Outside, at: datetime) -> int:
    """Writes the answers that are new in the cache of `outside`, and forgets old ones; gives how many were written.

    Rows are written in the order of their keys, so that two workers cannot wait for each other.
    """
    return keep(outside.lookups.take_new(), at=at)


def keep(new: Mapping[str, str], *, at: datetime) -> int:
    """Writes these answers and forgets old ones; gives how many were written. Twice is safe."""
    if not new:
        return 0
    LookupCache.objects.bulk_create(
        [LookupCache(key=key, answer=new[key], stored_at=at) for key in sorted(new)],
        batch_size=_BATCH,
        update_conflicts=True,
        unique_fields=["key"],
        update_fields=["answer", "stored_at"],
    )
    LookupCache.objects.filter(stored_at__lt=at - lookups.TTL).delete()
    return len(new)


def questions_of(target: Target, outside: Outside) -> Iterator[str]:
    """The keys of everything that a check of `target` may ask a provider. Most checks ask nothing of it."""
    identity, claimed = target.identity, target.claimed
    address = identity.request_url
    if not address:
        return
    queries = [query.text for query in seeking.queries_for(identity, claimed)]
    if claimed.title:
        queries.append(seeking.witness_query(claimed.title))
    for search in outside.searches_for(address):
        for query in queries:
            yield lookups.search_key(search.name, query, recovery.LIMIT)
    for account in outside.accounts_for(address, target.accounts):
        for query in queries:
            yield lookups.search_key(account.provider, query, recovery.LIMIT, account=account.name)
    for registry in outside.registries_for(address):
        if identity.type in seeking.WITH_DOI:
            yield lookups.doi_key(registry.name, identity.value)
        if seeking.is_scholarly(identity, claimed):
            author = seeking.first_author(claimed.author)
            yield lookups.title_key(registry.name, claimed.title, author, witness.LIMIT)
    archive = outside.archive_for(address)
    if archive is not None:
        yield lookups.capture_key(archive.name, address)
