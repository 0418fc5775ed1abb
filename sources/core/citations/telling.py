"""What a gate says while it reads: problems at their places, and the claims that cite."""

from sources.core.citations.constructs import Construct, Kind
from sources.core.citations.layout import Layout
from sources.core.citations.outcome import CitedClaim
from sources.core.citations.problems import Problem, ProblemCode, Severity
from sources.core.citations.reading import Piece


class Telling:
    """Problems and claims gathered so far."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._problems: list[Problem] = []
        self._claims: dict[tuple[int, int], tuple[str, int, dict[str, None]]] = {}

    def problem(
        self,
        code: ProblemCode,
        severity: Severity,
        start: int,
        end: int,
        *,
        message: str = "",
        id: str = "",
        claim: str = "",
        url: str = "",
    ) -> None:
        """A problem of what stands from `start` to `end`; its message is the code's explanation where none is given."""
        line, column = self._layout.place(start)
        stop = min(end, self._layout.line_end(start))
        told = message or code.explanation
        self._problems.append(
            Problem(code, severity, line, column, column + max(1, stop - start), told, id=id, claim=claim, url=url)
        )

    def at(
        self,
        piece: Piece,
        each: Construct,
        code: ProblemCode,
        severity: Severity,
        message: str = "",
        *,
        id: str = "",
        url: str = "",
    ) -> None:
        """A problem of a construct, with the sentence that it stands in."""
        claim = each.title if each.kind is Kind.MARKER and each.title else piece.sentences.claim(each.start)
        self.problem(code, severity, each.start, each.end, message=message, id=id, claim=claim, url=url)

    def claim(self, piece: Piece, each: Construct, id: str) -> None:
        """Notes that the sentence at a construct cites a source."""
        key = (piece.stretch.start, piece.sentences.number(each.start))
        if key not in self._claims:
            line, _ = self._layout.place(each.start)
            self._claims[key] = (piece.sentences.claim(each.start), line, {})
        self._claims[key][2][id] = None

    def problems(self) -> tuple[Problem, ...]:
        """In the order of the text."""
        return tuple(sorted(self._problems, key=lambda each: (each.line, each.column, each.code)))

    def claims(self) -> tuple[CitedClaim, ...]:
        """In the order of the text."""
        return tuple(CitedClaim(said, line, tuple(ids)) for said, line, ids in self._claims.values())
