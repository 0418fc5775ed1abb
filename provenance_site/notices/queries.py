"""What stands in a person's inbox."""

from collections import defaultdict
from dataclasses import dataclass

from provenance_site.accounts.models import Membership
from provenance_site.notices.models import Notice
from provenance_site.notices.registry import Shown, show_function

# An inbox is read from the top; what is older stays in the database.
MOST = 100


@dataclass(frozen=True, slots=True)
class Line:
    """A notice with its words of now."""

    notice: Notice
    shown: Shown


def inbox(*, membership: Membership) -> list[Line]:
    """The newest notices of a member, unread ones first, as far as they may see what each is about now.

    One query for the notices and what each kind asks for all of its own together.
    """
    notices = list(
        Notice.objects.filter(user_id=membership.user_id, workspace_id=membership.workspace_id).order_by("-at", "-pk")[
            :MOST
        ]
    )
    of_kind: dict[str, list[Notice]] = defaultdict(list)
    for notice in notices:
        of_kind[notice.kind].append(notice)
    shown: dict[int, Shown] = {}
    for kind, rows in of_kind.items():
        function = show_function(kind)
        if function is not None:
            shown.update(function(notices=rows, membership=membership))
    lines = [Line(notice, shown[notice.pk]) for notice in notices if notice.pk in shown]
    return sorted(lines, key=lambda line: line.notice.read_at is not None)
