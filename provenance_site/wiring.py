"""What only the site may know of all its apps: which deeds can be undone, and which files a project has besides."""

from provenance_site.changes.registry import register_undo
from sources.services import extra_files, import_undo, importing, retractions, review
from validation.services import own_entries, own_entries_undo, project_files

register_undo(importing.CHANGE_KIND, import_undo.undo)
register_undo(review.CHANGE_KIND, review.undo)
register_undo(retractions.CHANGE_KIND, retractions.undo)
register_undo(own_entries.PUBLISHER_KIND, own_entries_undo.undo)
register_undo(own_entries.PATTERN_KIND, own_entries_undo.undo)

extra_files.register_file(project_files.RECOVERY_LOG)
extra_files.register_file(project_files.RUN_REPORT)
