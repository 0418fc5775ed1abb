"""Which sources a person chose: ticked ones, or all that match a filter but for those that were unticked.

"All that match" is kept as the filter, never as a list of ids: it is asked anew at each step, so that a list which
changed in between is noticed.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.http import QueryDict

from sources.services.source_edits import MOST_AT_ONCE
from sources.views.filters import filtered, found

_MOST_IDS = 200_000


@dataclass(frozen=True, slots=True)
class Selection:
    """What was chosen. `query` is the filter, `seen` how many the person was told of; None where nobody was told."""

    query: str
    is_all: bool
    left_out: frozenset[int]
    ids: frozenset[int]
    seen: int | None

    @classmethod
    def of(cls, posted: QueryDict) -> "Selection":
        """From the fields of the table's form, or those that `fields` gives.

        `ids` are ticked, `also` those ticked on other pages, `shown` the rows of the page: without scripting an
        unticked one among them is what is left out of all.
        """
        is_all = posted.get("all") == "1"
        ticked = _numbers(posted.getlist("ids"))
        unticked = (_numbers(posted.getlist("shown")) | _numbers(posted.getlist("except"))) - ticked
        seen = posted.get("seen", "")
        return cls(
            query=posted.get("query", "")[:20_000],
            is_all=is_all,
            left_out=frozenset(unticked) if is_all else frozenset(),
            ids=frozenset() if is_all else frozenset(ticked | _numbers(posted.getlist("also"))),
            seen=int(seen) if is_all and seen.isascii() and seen.isdigit() and len(seen) < 10 else None,
        )

    @property
    def fields(self) -> list[tuple[str, str]]:
        """Hidden fields that carry the selection to the next step."""
        if not self.is_all:
            return [("query", self.query), ("ids", _joined(self.ids))]
        carried = [("query", self.query), ("all", "1"), ("except", _joined(self.left_out))]
        return carried if self.seen is None else [*carried, ("seen", str(self.seen))]

    def source_ids(self, *, workspace_id: int) -> list[int]:
        """The sources it means now, of this workspace only; one more than are edited at once where there are more."""
        if not self.is_all:
            return sorted(self.ids)[: MOST_AT_ONCE + 1]
        sources = found(filtered(workspace_id=workspace_id, params=QueryDict(self.query)))
        keys = sources.order_by("pk").values_list("pk", flat=True)[: MOST_AT_ONCE + 1 + len(self.left_out)]
        return [key for key in keys if key not in self.left_out][: MOST_AT_ONCE + 1]

    @property
    def expected(self) -> int | None:
        """How many it meant when the person chose; None where that was not said."""
        return None if self.seen is None else self.seen - len(self.left_out)


def _joined(ids: Iterable[int]) -> str:
    return ",".join(str(one) for one in sorted(ids))


def _numbers(values: Iterable[str]) -> set[int]:
    parts = ",".join(values).split(",", _MOST_IDS)[:_MOST_IDS]
    return {int(part) for part in parts if part.isascii() and part.isdigit() and len(part) < 18}
