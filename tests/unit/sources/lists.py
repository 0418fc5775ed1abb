"""Lists that tests import, and short ways to the two steps of an import."""

from datetime import datetime

from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel
from sources.models import ImportBatch, Project
from sources.services import importing, staging
from sources.services.importing import ImportResult
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import ProjectFactory

DRAFT = """\
# Market context

The [Harbour survey](https://harbour.org/survey) counts ships.[^1] The port disagrees, see doi:10.5555/harbour.7.

# Team

She also wrote the [Harbour survey](https://www.harbour.org/survey/?utm_source=news).

[^1]: 2024, Apr 25. [Gulf report](https://gulf.org/report). Gulf Press. Published: 2024-04-25
"""


def project_at(desk: Desk, name: str = "Harbour memo") -> Project:
    """A new, empty project of the desk's workspace."""
    return ProjectFactory(workspace=desk.workspace, name=name)


def staged(
    desk: Desk, text: str, *, project: Project | None = None, label: str = "draft-1.md", at: datetime = NOW
) -> ImportBatch:
    """The text as a staged list, given by the curator; in a new project unless one is named."""
    return staging.stage(
        project=project or project_at(desk), data=text.encode(), label=label, by=desk.person(Role.CURATOR), at=at
    )


def commit(desk: Desk, batch: ImportBatch) -> ImportResult:
    """Has the curator write a staged list."""
    return importing.commit(batch=batch, by=desk.person(Role.CURATOR), channel=Channel.PAGE, at=NOW)


def imported(desk: Desk, text: str, *, project: Project | None = None, label: str = "draft-1.md") -> ImportResult:
    """Both steps."""
    return commit(desk, staged(desk, text, project=project, label=label))
