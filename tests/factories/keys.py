"""Digests for rows of tests."""

import hashlib


def sha256(text: str) -> str:
    """Lower-case hex SHA-256 of `text`."""
    return hashlib.sha256(text.encode()).hexdigest()
