"""What a policy lets through: which sources may be cited, and which links stay links."""

from sources.core.citations import messages
from sources.core.citations.constructs import Construct
from sources.core.citations.corpus import CorpusIndex, CorpusItem
from sources.core.citations.policy import Action, Mode, Policy
from sources.core.citations.problems import Severity
from sources.core.citations.reading import Piece
from sources.core.citations.telling import Telling


class Fates:
    """A corpus under a policy. Addresses are looked up once."""

    def __init__(self, index: CorpusIndex, policy: Policy) -> None:
        self.index, self._policy = index, policy
        self.strict = policy.mode is Mode.STRICT
        self.severity = Severity.ERROR if self.strict else Severity.WARNING
        self._known: dict[str, CorpusItem | None] = {}

    def at(self, address: str) -> CorpusItem | None:
        """The source at an address."""
        if address not in self._known:
            self._known[address] = self.index.at(address)
        return self._known[address]

    def stays(self, address: str) -> bool:
        """True for an address whose link stays a link."""
        item = self.at(address)
        return not self.refuses(item) if item else not self.strict

    def refuses(self, item: CorpusItem) -> bool:
        """True for a source that may not be cited."""
        standings = self.index.standing_of(item)
        return any(self._policy.by_standing.get(each) is Action.REFUSE for each in standings)

    def tell_standing(self, telling: Telling, piece: Piece, each: Construct, item: CorpusItem) -> None:
        """Says aloud what stands against a source that is cited."""
        for why in sorted(self.index.standing_of(item)):
            action = self._policy.by_standing.get(why)
            if action is not None:
                refused = action is Action.REFUSE
                severity = Severity.ERROR if refused else Severity.WARNING
                message = messages.standing(item, why, refused=refused)
                telling.at(piece, each, messages.CODE_OF_STANDING[why], severity, message, id=item.id)
