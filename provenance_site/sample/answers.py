"""What a site of ours sends for one request, as a value: the server only carries it out."""

import json
from dataclasses import dataclass
from typing import Any, Self

HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer, and how badly it is delivered.

    `delay_s`: seconds before the first byte. `hang_up_after`: bytes of the body after which the connection is closed,
    although the whole length was promised; None sends all. `while_cold`: what is sent instead when the same address was
    not asked for during the last `server.WARM_S` seconds (a server that wakes up).
    """

    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    delay_s: float = 0.0
    hang_up_after: int | None = None
    while_cold: "Answer | None" = None

    @classmethod
    def html(cls, text: str, *, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Self:
        """A page in UTF-8."""
        return cls(status=status, body=text.encode(), headers=(("Content-Type", HTML), *headers))

    @classmethod
    def json(cls, value: Any, *, status: int = 200) -> Self:
        """A JSON document."""
        body = json.dumps(value, ensure_ascii=False).encode()
        return cls(status=status, body=body, headers=(("Content-Type", "application/json; charset=utf-8"),))

    @classmethod
    def redirect(cls, location: str, *, status: int) -> Self:
        """A redirect; `location` may be relative (RFC 9110 10.2.2)."""
        return cls(status=status, headers=(("Location", location), ("Content-Type", HTML)))

    def header(self, name: str) -> str:
        """The header's value, '' when it is not sent; names are compared without case."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")
