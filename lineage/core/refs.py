"""Refs: how a node is called at the doors, `type://path/version`. Inside, rows hold bigint keys.

A ref is pinned: it names one version, never `latest`. One normal form (NFC), no control characters or lone surrogates,
since a ref that cannot be listed again cannot be followed.
"""

import re
import unicodedata
from dataclasses import dataclass

from lineage.core.relations import EntityType

_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_UNPINNED = frozenset({"", "latest", "*", "current", "head"})


class BadRef(ValueError):
    """A ref that cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Ref:
    """A pinned name of a node: its type, a path that means nothing to us, and its version."""

    type: EntityType
    path: str
    version: str

    def __str__(self) -> str:
        return f"{self.type}://{self.path}/{self.version}"


def make(entity_type: EntityType, path: str, version: str) -> Ref:
    """A ref in its one normal form; raises `BadRef` for an empty path, an unpinned version or forbidden characters."""
    path = unicodedata.normalize("NFC", path).strip("/")
    version = unicodedata.normalize("NFC", version)
    if not path:
        raise BadRef("a ref needs a path")
    if version.strip().lower() in _UNPINNED or version != version.strip() or "/" in version:
        raise BadRef(f"a ref needs one fixed version, not {version!r}")
    if _FORBIDDEN.search(path + version):
        raise BadRef("a ref holds no control characters and no lone surrogates")
    return Ref(entity_type, path, version)
