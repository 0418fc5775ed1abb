"""What the ship gate holds a document against: the corpus and the catalog of its project, as far as the text needs."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Q

from sources.core.citations import CorpusItem, Standing
from sources.core.extract import Shape, extract
from sources.core.findings import Verdict
from sources.core.kinds import DecisionKind, UseKind
from sources.models import CatalogEntry, CorpusEntry, EntryAlias, Project, Section
from sources.queries import decisions, known
from sources.queries.corpora import corpus_of, item_of
from sources.queries.readable import readable
from sources.queries.retraction_evidence import meant

_ID = re.compile(r"\bsrc-?([0-9]{1,9})\b", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class ShipCorpus:
    """The closed set of a project for one text.

    `acknowledged` has the reasons, by stable id, why retracted sources may be cited in the project. `source_ids` and
    `overrides` are by stable id too: the source, and the verdict that a person gave it in the machine's place. `by_key`
    has the ids of what the text names, by `Identity.key`, whichever of a source's identities that is.
    """

    items: tuple[CorpusItem, ...]
    acknowledged: Mapping[str, str]
    source_ids: Mapping[str, int]
    overrides: Mapping[str, Verdict]
    by_key: Mapping[str, str]


def ship_corpus(*, project: Project, text: str, at: datetime) -> ShipCorpus:
    """The project's corpora; where it has none, what the text names of its catalog by id or by address.

    A text that was imported brings its own links into the catalog, so the catalog stands in for a corpus only where
    nobody keeps one: a list of the analyst's own, checked and never harvested. Of a source that was dropped only a
    person's word counts, since the gate asks the world itself, and none is stale for the same reason. A fixed number of
    queries, and a few per 500 sources.
    """
    spelled: dict[str, list[str]] = defaultdict(list)
    for one in extract(text, shape=Shape.DRAFT).references:
        spelled[one.identity.key].append(one.spelling)
    named = known.sources_by_key(workspace_id=project.workspace_id, keys=spelled)
    addresses: dict[int, list[str]] = defaultdict(list)
    for key, source in named.items():
        addresses[source.pk].extend(spelled[key])
    kept = corpus_of(project=project, at=at)
    numbers = {int(found) for found in _ID.findall(text)} | {number_of(item.id) for item in kept}
    # Whoever cites what was found again at another address links to that one.
    wanted = Q(source__in=addresses) | Q(number__in=numbers) | Q(source__verdict=Verdict.VERIFIED_VIA_REPUBLISH)
    entries = list(
        readable(CatalogEntry.objects.all())
        .filter(wanted, project=project, source__merged_into__isnull=True)
        .select_related("source__latest_check")
        .order_by("number")
    )
    items = kept or [_item(entry, at=at) for entry in entries]
    by_id = {entry.stable_id: entry for entry in entries}
    leads = {entry.pk: entry for entry in entries}
    for alias in readable(EntryAlias.objects.all()).filter(project=project, entry__in=leads):
        by_id[alias.stable_id] = leads[alias.entry_id]
    ids = {entry.source_id: entry.stable_id for entry in entries}
    return ShipCorpus(
        items=tuple(_as_shipped(item, by_id.get(item.id), addresses) for item in items),
        acknowledged=_acknowledged(project, by_id),
        source_ids={stable_id: entry.source_id for stable_id, entry in by_id.items()},
        overrides=_overrides(by_id),
        by_key={key: ids[source.pk] for key, source in named.items() if source.pk in ids},
    )


def number_of(stable_id: str) -> int:
    """7 for `src-007`."""
    return int(stable_id.rpartition("-")[2])


def _item(entry: CatalogEntry, *, at: datetime) -> CorpusItem:
    """An entry of the catalog that no section has in its corpus."""
    return item_of(CorpusEntry(entry=entry, section=Section(slug="")), at=at)


def _as_shipped(item: CorpusItem, entry: CatalogEntry | None, addresses: Mapping[int, Sequence[str]]) -> CorpusItem:
    gone = {Standing.STALE}
    if entry is None or entry.source.decided != DecisionKind.DROP:
        gone.add(Standing.DROPPED)
    also = addresses.get(entry.source_id, ()) if entry else ()
    return replace(item, standing=item.standing - gone, variants=tuple(dict.fromkeys((*item.variants, *also))))


def _acknowledged(project: Project, by_id: Mapping[str, CatalogEntry]) -> dict[str, str]:
    kept = meant(use_kind=UseKind.PROJECT, use_ids=[project.pk])
    reasons = {source_id: row.reason for (source_id, _), row in kept.items()}
    return {key: reasons[entry.source_id] for key, entry in by_id.items() if entry.source_id in reasons}


def _overrides(by_id: Mapping[str, CatalogEntry]) -> dict[str, Verdict]:
    overridden = {key: entry.source_id for key, entry in by_id.items() if entry.source.decided == DecisionKind.OVERRIDE}
    held = decisions.holding(set(overridden.values())) if overridden else {}
    told = {key: held[source_id].as_override for key, source_id in overridden.items() if source_id in held}
    return {key: verdict for key, verdict in told.items() if verdict is not None}
