"""Pages of long lists without counting all of them."""

from functools import cached_property
from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet

MOST_COUNTED = 10_000


class CappedPaginator(Paginator[Any]):
    """Counts to 10,001 and no further: a list that is longer says 10,001, and its pages end there.

    A full count reads the whole table at each page; nobody turns 200 pages, a search or a filter finds the rest.
    """

    @cached_property
    def count(self) -> int:
        """How many rows there are, 10,001 where there are more than 10,000."""
        rows = self.object_list
        if not isinstance(rows, QuerySet):
            return min(len(rows), MOST_COUNTED + 1)
        return rows.order_by().values("pk")[: MOST_COUNTED + 1].count()
