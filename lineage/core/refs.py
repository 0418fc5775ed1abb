"""Refs: how a node is called at the doors, `type://path` with one fixed version. Inside, rows hold bigint keys.

The path means nothing to us. The version is what was told beside the ref, else the SHA-256 told beside it, else a
`v<digits>` segment of the path, else what our own normal form appends: a segment that is a SHA-256, or `@` and more. A
ref that has a `v<digits>` segment keeps it as its version also where a SHA-256 is told beside it: that is its content
then, so that both ways to write it name one node, and the same ref with another hash is a conflict and no other node.
`latest`, empty and wildcard versions name nothing fixed and are refused. One normal form (NFC), no control characters
and no lone surrogates: a ref that cannot be listed again cannot be followed.
"""

import re
import unicodedata
from dataclasses import dataclass, field

from lineage.core.relations import EntityType

# A ref may be a bookmark, not a document; PostgreSQL's index rows do not limit it, since UNIQUE stands on its hash.
LONGEST = 2_100
# What may become one in its normal form, which joins letters and their marks.
_LONGEST_TOLD = 2 * LONGEST
_TOO_LONG = f"A ref has at most {LONGEST:,} characters: put what it describes into the metadata."

# Names that others give to things of ours: the seed's refs of a run's context.
ALSO_CALLED = {
    "context": EntityType.ARTIFACT,
    "task": EntityType.PROMPT,
    "evidence-set": EntityType.RETRIEVAL_HIT,
    "router-decision": EntityType.DECISION,
}

_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_UNPINNED = frozenset({"", "latest", "*", "current", "head", "newest"})
_NUMBERED = re.compile(r"v\d+")
_HASH = re.compile(r"[0-9a-f]{64}(\.\d+)?")
# Only what looks like a version is one: `mail/a@b.org` is a path.
_APPENDED = re.compile(r"@(sha256:[0-9a-f]{64}|v?\d[\w.+-]*)$")
_UNPINNED_APPENDED = re.compile(r"@(latest|current|head|newest|\*)?\s*$", re.IGNORECASE)
_SHA256 = re.compile(r"(?:sha256:)?([0-9a-f]{64})", re.IGNORECASE)


class BadRef(ValueError):
    """A ref that cannot be used; the message says why."""


class Unpinned(BadRef):
    """The ref names no fixed version."""


class UnknownType(BadRef):
    """The ref begins with no type of ours."""


class TypeConflict(BadRef):
    """The ref begins with one type and was told to be of another."""


@dataclass(frozen=True, slots=True)
class Ref:
    """A name of a node: its type, a path that means nothing to us, and its version ('' where it is unresolved).

    `scheme` is the word before `://` where it is not the type itself.
    """

    type: EntityType
    path: str
    version: str
    scheme: str = ""
    # Written once: an edge asks for the texts of its ends half a dozen times.
    _text: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_text", self._written())

    def __str__(self) -> str:
        return self._text

    def _written(self) -> str:
        base = f"{self.scheme or self.type.value}://{self.path}"
        if not self.version or (self.version in self.path and self.version in self.path.split("/")):
            return base
        return f"{base}/{self.version}" if _names_itself(self.version) else f"{base}@{self.version}"

    @property
    def is_pinned(self) -> bool:
        """True where one fixed version is named."""
        return bool(self.version)


def make(entity_type: EntityType, path: str, version: str) -> Ref:
    """A ref in its one normal form; raises `BadRef` for an empty path, an unpinned version, forbidden characters, and
    for what is too long."""
    return _checked(Ref(entity_type, _normal(path).strip("/"), _version(version)))


def read(text: str, *, version: str = "", sha256: str = "", entity_type: str = "", lenient: bool = False) -> Ref:
    """The ref that `text` writes, with the version told beside it.

    With `lenient` a ref without a fixed version is given with the version ''. Raises `Unpinned` for it otherwise,
    `UnknownType` where neither `entity_type` nor the text names a type, `TypeConflict` where they name two, and
    `BadRef` for what is no ref at all or too long, for a version that contradicts the path's, and for forbidden
    characters.
    """
    text = _normal(text)
    scheme, separator, path = text.partition("://")
    path = path.strip("/")
    if not separator or not path:
        raise BadRef(f"{_short(text)} is no ref: write type://path, for example chunk://handbook/17/v3.")
    of_scheme = _type(scheme)
    told = _told_type(entity_type)
    if told and scheme in set(EntityType) and told is not of_scheme:
        raise TypeConflict(f"{_short(text)} is a {of_scheme}, and was told to be a {told}.")
    found = told or of_scheme
    if found is None:
        raise UnknownType(f"{scheme} is no type here; use one of: {', '.join(EntityType)}.")
    short, written = _split(path)
    try:
        pinned = _version_of(told=version, sha256=sha256, written=written, text=text)
    except Unpinned:
        if not lenient:
            raise
        pinned = ""
    # A segment that looked like a version and was told not to be it belongs to the path.
    path = short if pinned == written else path
    return _checked(Ref(found, path, pinned, "" if scheme == found else scheme))


def _version_of(*, told: str, sha256: str, written: str, text: str) -> str:
    digest = _digest(sha256)
    if told:
        version = _version(told)
        if _NUMBERED.fullmatch(written) and version.isdigit():
            version = f"v{version}"
        if _NUMBERED.fullmatch(written) and _NUMBERED.fullmatch(version) and version != written:
            raise BadRef(f"{_short(text)} says {written}, and the version told beside it is {told}.")
        return version
    if digest:
        if _SHA256.fullmatch(written) and written != digest:
            raise BadRef(f"{_short(text)} names one SHA-256, and another was told beside it.")
        return written if _NUMBERED.fullmatch(written) else digest
    if written:
        return written
    raise Unpinned(f"{_short(text)} names no fixed version: add its version or its sha256, never latest.")


def _split(path: str) -> tuple[str, str]:
    """The path without the version that our normal form appends, and the version that the path itself names."""
    if _UNPINNED_APPENDED.search(path):
        return _UNPINNED_APPENDED.sub("", path), ""
    appended = _APPENDED.search(path)
    if appended:
        return path[: appended.start()], appended[1].removeprefix("sha256:")
    head, _, last = path.rpartition("/")
    if head and _names_itself(last):
        return head, last
    return path, next((segment for segment in reversed(path.split("/")) if _NUMBERED.fullmatch(segment)), "")


def _version(version: str) -> str:
    version = _normal(version)
    if version != version.strip() or version.casefold() in _UNPINNED or "*" in version or "/" in version:
        raise Unpinned(
            f"A ref needs one fixed version, not “{_short(version)}”: latest and its like name nothing fixed."
        )
    return _digest(version) or version


def _digest(text: str) -> str:
    found = _SHA256.fullmatch(text.strip()) if text else None
    if text.startswith("sha256:") and not found:
        raise BadRef(f"{_short(text)} is no SHA-256: 64 hexadecimal digits are.")
    return found[1].lower() if found else ""


def _names_itself(version: str) -> bool:
    """True for a version that can be told from a path when it stands there as a segment."""
    return bool(_NUMBERED.fullmatch(version) or _HASH.fullmatch(version))


def _type(word: str) -> EntityType | None:
    return EntityType(word) if word in set(EntityType) else ALSO_CALLED.get(word)


def _told_type(word: str) -> EntityType | None:
    if not word:
        return None
    if word not in set(EntityType):
        raise UnknownType(f"{_short(word)} is no type here; use one of: {', '.join(EntityType)}.")
    return EntityType(word)


def _normal(text: str) -> str:
    # First of all: to put the marks of one letter in order takes the square of their number.
    if len(text) > _LONGEST_TOLD:
        raise BadRef(_TOO_LONG)
    return unicodedata.normalize("NFC", text)


def _checked(ref: Ref) -> Ref:
    if not ref.path:
        raise BadRef("A ref needs a path after its type: write type://path.")
    if _FORBIDDEN.search(ref.path + ref.version):
        raise BadRef("A ref holds no control characters and no lone surrogates: take them out.")
    if len(str(ref)) > LONGEST:
        raise BadRef(_TOO_LONG)
    return ref


def _short(text: str) -> str:
    text = _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
    return text if len(text) <= 80 else f"{text[:79]}…"
