"""Reads stored evidence back into the dataclasses it was written from."""

from sources.core.findings import Evidence, Hop, Recovery, Signal
from sources.models import Check


def of(check: Check) -> Evidence:
    """The evidence of a stored check; fields that an older release did not write have their defaults."""
    stored = dict(check.evidence)
    recovery = stored.pop("recovery", None)
    hops = tuple(Hop(**hop) for hop in stored.pop("hops", ()))
    signals = tuple(Signal(**signal) for signal in stored.pop("signals", ()))
    known = {name: value for name, value in stored.items() if name in Evidence.__dataclass_fields__}
    return Evidence(**known, hops=hops, signals=signals, recovery=Recovery(**recovery) if recovery else None)
