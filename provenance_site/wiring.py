"""What only the site may know of all its apps: which deeds can be undone, and by what."""

from provenance_site.changes.registry import register_undo
from sources.services import import_undo, importing, retractions, review

register_undo(importing.CHANGE_KIND, import_undo.undo)
register_undo(review.CHANGE_KIND, review.undo)
register_undo(retractions.CHANGE_KIND, retractions.undo)
