"""What the network did, as a closed union: a page was answered, or nothing that can be judged was."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sources.core.findings import Cause, Hop
from validation.core.documents import Document


@dataclass(frozen=True, slots=True)
class Page:
    """A whole HTTP answer at the end of the redirects, whatever its status.

    `body` is decoded (content encoding removed) and cut at the cap; `truncated` says whether more was there.
    `headers` are of the last answer, names in lower case. `hops` are all answers in order, the last one included.
    `elapsed_ms` counts from the first connection to the last byte read. `retry_after_s` is what the Retry-After
    header asks for, None where there is none. `document` is what was read of a body that is no web page, None where
    nobody has read it.
    """

    requested_url: str
    final_url: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    hops: tuple[Hop, ...] = ()
    truncated: bool = False
    elapsed_ms: int = 0
    retry_after_s: int | None = None
    document: Document | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Failure:
    """No answer that can be judged: why (`cause` is of the failing kind), and what was seen on the way."""

    requested_url: str
    cause: Cause
    detail: str = ""
    hops: tuple[Hop, ...] = ()
    elapsed_ms: int = 0
    retry_after_s: int | None = None
    body: bytes = field(default=b"", repr=False)


FetchResult = Page | Failure
