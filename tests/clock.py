"""The moment at which tests take place: a Monday morning, far from every change of day, month and year."""

from datetime import UTC, datetime

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
