"""Which of several records of one work stays, and what each of its fields says afterwards. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, assert_never

from sources.core.kinds import Classification, DecisionKind, FieldRule, IdentifierType, Sensitivity, Survivor

FIELDS = ("title", "authors", "published_date", "publisher", "rights", "version")
# Identifiers that stay when a site is rebuilt; addresses do not.
_LASTING = frozenset(IdentifierType) - {IdentifierType.URL, IdentifierType.NONE, IdentifierType.ISSN}


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of one record. `values` has each of `FIELDS`; `seen_at` is when it was last checked, or came."""

    source_id: int
    values: Mapping[str, str]
    author_list: Sequence[Any]
    bibliography: Mapping[str, Any]
    identifier_type: IdentifierType
    classification: Classification
    sensitivity: Sensitivity
    decided: str
    seen_at: datetime

    @property
    def completeness(self) -> int:
        """How many fields say something; a lasting identifier counts as one."""
        filled = sum(bool(self.values[name]) for name in FIELDS)
        return filled + len(self.bibliography) + (self.identifier_type in _LASTING)


@dataclass(frozen=True, slots=True)
class Joined:
    """What the record that stays says afterwards; `taken_from` names the record that each of `FIELDS` came from."""

    values: Mapping[str, str]
    author_list: Sequence[Any]
    bibliography: Mapping[str, Any]
    classification: Classification
    sensitivity: Sensitivity
    taken_from: Mapping[str, int]


def survivor(records: Sequence[Facts], rule: Survivor) -> Facts:
    """The record that stays by `rule`; between equals the older one. `records` must not be empty."""
    ordered = sorted(records, key=lambda record: record.source_id)
    match rule:
        case Survivor.OLDEST:
            return ordered[0]
        case Survivor.NEWEST:
            return max(ordered, key=lambda record: record.seen_at)
        case Survivor.MOST_COMPLETE:
            return max(ordered, key=lambda record: record.completeness)
        case Survivor.ACCEPTED:
            return max(ordered, key=lambda record: (_is_accepted(record), record.completeness))
        case _:
            assert_never(rule)


def join(kept: Facts, others: Sequence[Facts], *, rule: FieldRule, chosen: Mapping[str, int] | None = None) -> Joined:
    """What `kept` says after the others went into it. `chosen` names a record per field in place of the rule.

    Empty fields are filled by every rule. The stricter classification and sensitivity hold, whoever said so: a merge
    must not let out what one of the records kept in.
    """
    everyone = [kept, *sorted(others, key=lambda record: record.source_id)]
    by_id = {record.source_id: record for record in everyone}
    taken = {
        name: by_id.get((chosen or {}).get(name, 0)) or _pick(name, everyone, rule=rule) or kept for name in FIELDS
    }
    bibliography: dict[str, Any] = {}
    for record in everyone:
        for name, value in record.bibliography.items():
            bibliography.setdefault(name, value)
    return Joined(
        values={name: record.values[name] for name, record in taken.items()},
        author_list=list(taken["authors"].author_list),
        bibliography=bibliography,
        classification=max((record.classification for record in everyone), key=lambda one: one.level),
        sensitivity=max((record.sensitivity for record in everyone), key=list(Sensitivity).index),
        taken_from={name: record.source_id for name, record in taken.items()},
    )


def _pick(name: str, everyone: Sequence[Facts], *, rule: FieldRule) -> Facts | None:
    """The record that a field is taken from, None where no record fills it; the one that stays is the first."""
    telling = [record for record in everyone if record.values[name]]
    if not telling:
        return None
    match rule:
        case FieldRule.OWN:
            return telling[0]
        case FieldRule.NEWEST:
            return max(telling, key=lambda record: record.seen_at)
        case FieldRule.LONGEST:
            return max(telling, key=lambda record: len(record.values[name]))
        case _:
            assert_never(rule)


def _is_accepted(record: Facts) -> bool:
    return record.decided in {DecisionKind.ACCEPT, DecisionKind.OVERRIDE}
