"""Pages of a list that no address can break."""

from typing import TYPE_CHECKING, TypeVar

from django.core.paginator import Page, Paginator
from django.http import HttpRequest

if TYPE_CHECKING:
    from django.core.paginator import _SupportsPagination

T = TypeVar("T")

PER_PAGE = 50


def page_of(
    request: HttpRequest, rows: "_SupportsPagination[T]", per_page: int = PER_PAGE, *, parameter: str = "page"
) -> Page[T]:
    """The page of `rows` that the query string names; costs one COUNT and one slice.

    Tolerant, since links grow old and lists shrink: no number, zero or a negative one gives the first page, a number
    past the end (of any length) the last. `rows` must be ordered, else pages overlap.
    """
    paginator = Paginator(rows, per_page)
    return paginator.page(_number(request.GET.get(parameter, ""), last=paginator.num_pages))


def _number(raw: str, *, last: int) -> int:
    # isdigit before int(): int() also takes "1_0" and " 3", and refuses numbers of more than 4,300 digits.
    if not (raw.isascii() and raw.isdigit()):
        return 1
    digits = raw.lstrip("0")
    if len(digits) > len(str(last)):
        return last
    return min(max(int(digits or "0"), 1), last)
