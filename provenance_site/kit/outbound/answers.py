"""What comes back from outside, as values: an answer, or why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Trouble(StrEnum):
    """Why there is no answer. The words are for programs; people read `NoAnswer.detail`."""

    BLOCKED_ADDRESS = "blocked-address"
    UNUSABLE_URL = "unusable-url"
    DNS = "dns"
    DNS_TEMPORARY = "dns-temporary"
    CONNECTION = "connection"
    TIMEOUT = "timeout"
    TLS = "tls"
    TLS_CHAIN = "tls-chain"
    TLS_EXPIRED = "tls-expired"
    TLS_NAME = "tls-name"
    TLS_UNTRUSTED = "tls-untrusted"
    RATE_LIMITED = "rate-limited"
    HANG_UP = "hang-up"
    DEADLINE = "deadline"
    UNDECODABLE = "undecodable"
    REDIRECT_LOOP = "redirect-loop"


@dataclass(frozen=True, slots=True)
class Step:
    """One answer on the way: the URL asked, and the status it gave."""

    url: str
    status: int


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole HTTP answer, whatever its status.

    `headers`: names in lower case, repeated ones joined by a comma. `body`: content encoding removed, cut at the cap;
    `truncated` says whether there was more. `steps`: all answers in order, this one last. `elapsed_ms`: time on the
    network, waiting for a turn at a host not counted. `retry_after_s`: what its Retry-After asks for, where it does.
    """

    requested_url: str
    final_url: str
    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)
    steps: tuple[Step, ...] = ()
    truncated: bool = False
    elapsed_ms: int = 0
    retry_after_s: int | None = None


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """No answer that could be used. `detail` is one of our own sentences: it never carries bytes of the other side.

    `body` holds what was read before the trouble (decoded, under the cap). `retry_after_s`: seconds for which the host
    asked to be left alone, where that is the trouble.
    """

    requested_url: str
    trouble: Trouble
    detail: str = ""
    steps: tuple[Step, ...] = ()
    body: bytes = field(default=b"", repr=False)
    elapsed_ms: int = 0
    retry_after_s: int | None = None


Outcome = Answer | NoAnswer
