"""Who asks over JSON, about which node, and what all answers are made of."""

from datetime import UTC, datetime
from typing import Annotated, NamedTuple, TypedDict

from django.conf import settings
from django.http import HttpRequest
from ninja import Field, Schema
from pydantic import AfterValidator

from lineage import access
from lineage.core.asked import normal
from lineage.core.asking import Asker
from lineage.core.refs import LONGEST
from lineage.core.relations import EntityState, EntityType, Relation
from lineage.queries.listing import Filters
from provenance_site.accounts.models import User
from provenance_site.accounts.permissions import check_role, membership_of
from provenance_site.accounts.roles import Role
from provenance_site.accounts.token_requests import token_of

# A slip in a ref names nothing, like a ref that is not there: it is put into its normal form and never refused.
AskedRef = Annotated[str, Field(max_length=LONGEST * 2), AfterValidator(normal)]
# The key of a row that has no ref: an impact, a cause, an edge that waits.
Key = Annotated[int, Field(ge=1, lt=2**63)]

TOO_LARGE = f"This is too large: send at most {settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 1_000_000:,} MB at once."


class Doing(NamedTuple):
    """Who does something, on what they may see, and when."""

    by: User
    asker: Asker
    at: datetime


def doing(request: HttpRequest, *, role: Role | None = None) -> Doing:
    """The token's person as who does something, now. Raises like `check_role` below `role` (None: the service that is
    called asks for one), then as `asker_for`."""
    token = token_of(request)
    if role is not None:
        check_role(token.user, token.workspace_id, role)
    return Doing(token.user, asker_for(request), datetime.now(UTC))


def asker_for(request: HttpRequest) -> Asker:
    """The token's person as an asker, with the clearance of now; `NoSuchEntity` (404) where they left the workspace."""
    token = token_of(request)
    membership = membership_of(token.user, token.workspace_id)
    if membership is None:
        raise access.NoSuchEntity
    return access.asker_of(membership)


class NodeOut(Schema):
    """A node; `label` is the one in effect, `ref` is '' where it was erased. `remark` is what must be known of it
    beside its state, in words (“Expression of concern”), '' for nothing."""

    ref: str
    type: EntityType
    state: EntityState
    remark: str
    label: str
    content_hash: str
    authority: str
    source_time: datetime | None
    told_at: datetime
    released_at: datetime | None


class CountOut(Schema):
    """How many nodes of a type and state the whole answer holds."""

    type: EntityType
    state: EntityState
    number: int


class ListingOut(Schema):
    """A page of an answer that is complete; `total` is exact, of what you may see."""

    complete: bool
    total: int
    page: int
    pages: int
    counts: list[CountOut]
    nodes: list[NodeOut]


class Paged(TypedDict):
    """What every question that gives a list takes."""

    filters: Filters
    page: int
    per_page: int


class OnePage(Schema):
    """Which page, and how much stands on one."""

    page: int = Field(1, ge=1, le=1_000_000)
    per_page: int = Field(100, ge=1, le=1_000)


class PageIn(OnePage):
    """Which nodes of the answer, and which page of them."""

    type: list[EntityType] = Field([])
    state: list[EntityState] = Field([])
    relation: list[Relation] = Field([])
    text: str = Field("", max_length=200)

    @property
    def paged(self) -> Paged:
        """The filters and the page of the question."""
        filters = Filters(frozenset(self.type), frozenset(self.state), frozenset(self.relation), self.text.strip())
        return {"filters": filters, "page": self.page, "per_page": self.per_page}


class OfNode(PageIn):
    """The same, around one node."""

    ref: AskedRef


class OneRef(Schema):
    """One node by its ref."""

    ref: AskedRef
