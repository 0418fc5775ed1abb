"""What one request has seen on its way and may still spend."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from provenance_site.kit.outbound.answers import Answer, NoAnswer, Step, Trouble
from provenance_site.kit.outbound.cookies import ChainCookies
from provenance_site.kit.outbound.decoding import BodyReader
from provenance_site.kit.outbound.targets import Target

Onward = Callable[[Answer], str | None]
Sink = Callable[[bytes], object]


@dataclass(slots=True)
class Trip:
    """What one `get` has seen and may still spend; kept outside the deadline so that nothing read is lost to it."""

    requested_url: str
    left_s: float
    headers: Mapping[str, str]
    onward: Onward
    sink: Sink | None = None
    cookies: ChainCookies = field(default_factory=ChainCookies)
    steps: list[Step] = field(default_factory=list)
    reader: BodyReader | None = None
    spent_s: float = 0.0
    place: tuple[str, str] = ("", "")
    been: set[tuple[str, str]] = field(default_factory=set)

    def no_answer(self, trouble: Trouble, detail: str) -> NoAnswer:
        """No answer, with what was read and the steps so far."""
        body = self.reader.body if self.reader else b""
        return NoAnswer(self.requested_url, trouble, detail=detail, steps=tuple(self.steps), body=body)

    def spend(self, seconds: float) -> None:
        """Takes so much of the time that is left."""
        self.spent_s += seconds
        self.left_s -= seconds

    def reach(self, target: Target, max_hops: int) -> NoAnswer | None:
        """Notes that the walk comes to `target`; why it may not, or None. An address with other cookies is another."""
        self.place = (target.text, self.cookies.header(target.host, secure=target.is_secure))
        if self.place in self.been:
            return self.no_answer(Trouble.REDIRECT_LOOP, "a redirect leads back to where it came from")
        if len(self.been) > max_hops:
            return self.no_answer(Trouble.REDIRECT_LOOP, f"more than {max_hops} redirects")
        return None

    def leave(self) -> None:
        """Notes that the walk goes on from where it is."""
        self.been.add(self.place)
