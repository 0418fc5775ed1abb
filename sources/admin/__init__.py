"""The registry in the admin: read-mostly, searched and filtered; writes go through the services of the pages."""

from sources.admin.records import CheckAdmin, DecisionAdmin, ProjectAdmin, ReviewItemAdmin
from sources.admin.source import SourceAdmin

__all__ = ["CheckAdmin", "DecisionAdmin", "ProjectAdmin", "ReviewItemAdmin", "SourceAdmin"]
