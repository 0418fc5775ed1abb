"""Who acts when the machine's owner uses the command line: a named person, else the workspace's first administrator."""

from dataclasses import dataclass
from datetime import datetime

from provenance_site.accounts import services
from provenance_site.accounts.models import Membership, User, Workspace
from provenance_site.accounts.roles import Role

OWNER = "desk"
FIRST_WORKSPACE = "My desk"


class BadOperator(ValueError):
    """No person or workspace can be told from what was given; the message says what to add."""


@dataclass(frozen=True, slots=True)
class Operator:
    """A person and the workspace they act in."""

    user: User
    workspace: Workspace


def operator(*, username: str = "", workspace_name: str = "") -> Operator:
    """The person and workspace for a command; raises `BadOperator` with the way out where they are not clear."""
    workspaces = Workspace.objects.order_by("pk")
    if workspace_name:
        workspaces = workspaces.filter(name=workspace_name)
    found = list(workspaces[:2])
    if not found:
        told = f"There is no workspace {workspace_name!r}." if workspace_name else "There is no workspace yet."
        raise BadOperator(f"{told} `make run` makes one at its first start.")
    if len(found) > 1:
        raise BadOperator("There are several workspaces; say which with --workspace NAME.")
    members = Membership.objects.filter(workspace=found[0]).select_related("user").order_by("pk")
    members = members.filter(user__username=username) if username else members.filter(role=Role.ADMIN)
    member = members.first()
    if member is None:
        raise BadOperator(
            f"{username!r} is no member of {found[0].name}." if username else f"{found[0].name} has no administrator."
        )
    return Operator(user=member.user, workspace=found[0])


@dataclass(frozen=True, slots=True)
class FirstOwner:
    """The person of a new installation, with the password that is shown this once."""

    operator: Operator
    password: str

    @property
    def sign_in_line(self) -> str:
        """What the terminal says."""
        return f"Sign in as {self.operator.user.get_username()} with the one-time password {self.password}"


def first_owner(*, at: datetime) -> FirstOwner | None:
    """Makes the owner and the workspace of a new installation; None where there is one already."""
    if Workspace.objects.exists():
        return None
    password = services.new_password()
    owner = services.create_owner(username=OWNER, password=password, workspace_name=FIRST_WORKSPACE, at=at)
    return FirstOwner(operator=Operator(user=owner.user, workspace=owner.workspace), password=password)
