"""What only the site may know of all its apps: which deeds can be undone, and by what."""

from provenance_site.changes.registry import register_undo
from sources.services import bulk_edit, bulk_edit_undo, import_undo, importing, retractions, review, review_undo
from validation.services import own_entries, own_entries_undo

register_undo(importing.CHANGE_KIND, import_undo.undo)
register_undo(review.CHANGE_KIND, review_undo.undo)
register_undo(retractions.CHANGE_KIND, retractions.undo)
register_undo(retractions.LIFT_KIND, retractions.undo)
register_undo(bulk_edit.CHANGE_KIND, bulk_edit_undo.undo)
register_undo(own_entries.PUBLISHER_KIND, own_entries_undo.undo)
register_undo(own_entries.PATTERN_KIND, own_entries_undo.undo)
