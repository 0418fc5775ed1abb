"""Secrets of people, encrypted for the database: readable only with the installation's secret, and only in their place.

Fernet (https://github.com/fernet/spec) under a key derived by HKDF (RFC 5869). Nothing here reads a setting.
"""

import base64
from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_SCHEME = b"provenance-desk/sealed/1/"


def sealed(text: str, *, place: str, secrets: Sequence[str]) -> str:
    """`text` encrypted under the first of `secrets`, as ASCII. Different each time.

    `place` names where it is kept (a row, a column): moved elsewhere, it cannot be opened there.
    """
    return _box(place, secrets).encrypt(text.encode()).decode("ascii")


def opened(token: str, *, place: str, secrets: Sequence[str]) -> str | None:
    """What was sealed for this `place` under any of `secrets`; None where it cannot be read: none of them is the one,
    it was altered, or it belongs elsewhere. Never raises for what a database holds.
    """
    try:
        return _box(place, secrets).decrypt(token.encode()).decode()
    except InvalidToken:
        return None


def resealed(token: str, *, place: str, secrets: Sequence[str]) -> str | None:
    """What was sealed for this `place`, encrypted anew under the first of `secrets`; None where it cannot be read."""
    text = opened(token, place=place, secrets=secrets)
    return None if text is None else sealed(text, place=place, secrets=secrets)


def _box(place: str, secrets: Sequence[str]) -> MultiFernet:
    return MultiFernet([Fernet(_key(secret, place)) for secret in secrets])


def _key(secret: str, place: str) -> bytes:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=_SCHEME + place.encode()).derive(secret.encode())
    return base64.urlsafe_b64encode(derived)
