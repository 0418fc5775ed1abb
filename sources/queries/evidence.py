"""Reads stored evidence back into the dataclasses it was written from."""

from collections.abc import Iterable
from typing import Any

from sources.core.findings import Evidence, Hop, Recovery, Signal
from sources.models import Check, Reading


def of(check: Check) -> Evidence:
    """The evidence of a stored check; fields that an older release did not write have their defaults.

    Without what was read, which `readings` gives.
    """
    stored = dict(check.evidence)
    recovery = stored.pop("recovery", None)
    hops = tuple(Hop(**hop) for hop in stored.pop("hops", ()))
    signals = tuple(Signal(**signal) for signal in stored.pop("signals", ()))
    proposals = tuple(Recovery(**proposal) for proposal in stored.pop("proposals", ()))
    known = {name: value for name, value in stored.items() if name in Evidence.__dataclass_fields__}
    return Evidence(
        **known,
        hops=hops,
        signals=signals,
        recovery=Recovery(**recovery) if recovery else None,
        proposals=proposals,
    )


def readings(check_ids: Iterable[int]) -> dict[int, dict[str, Any]]:
    """What these checks read, by check; those that read nothing or are not their source's newest are missing."""
    kept = Reading.objects.filter(check_made_id__in=list(check_ids))
    return dict(kept.values_list("check_made_id", "content"))
