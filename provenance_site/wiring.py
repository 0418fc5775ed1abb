"""What only the site may know of all its apps: which deeds can be undone, and which files a project has besides,
and what the query of a list finds."""

from lineage.queries import impact_notices, words
from lineage.services import labels, policies
from provenance_site.changes.registry import register_undo
from provenance_site.notices.registry import register_event, register_notice
from sources.queries import naming, retraction_notices, retraction_proposals
from sources.services import (
    adding,
    bulk_edit,
    bulk_edit_undo,
    concepts,
    corpora,
    corpus_rows,
    draft_undo,
    drafts,
    export_orders,
    extra_files,
    import_undo,
    importing,
    merge_undo,
    merging,
    observation_links,
    observation_undo,
    observations,
    outlines,
    project_concepts,
    removal,
    retraction_decisions,
    retraction_parts,
    retractions,
    review,
    review_undo,
    telling_apart,
)
from sources.views.chosen import sources_of_list
from validation.services import own_entries, own_entries_undo, project_files

register_undo(importing.CHANGE_KIND, import_undo.undo)
register_undo(review.CHANGE_KIND, review_undo.undo, by_parts=True)
register_undo(retractions.CHANGE_KIND, retractions.undo, by_parts=True)
register_undo(retraction_decisions.CHANGE_KIND, retractions.undo, by_parts=True)
register_undo(merging.CHANGE_KIND, merge_undo.undo)
register_undo(telling_apart.CHANGE_KIND, telling_apart.undo)
register_undo(retractions.LIFT_KIND, retractions.undo, by_parts=True)
register_undo(retraction_parts.CHANGE_KIND, retraction_parts.undo)
register_undo(bulk_edit.CHANGE_KIND, bulk_edit_undo.undo, by_parts=True)
register_undo(own_entries.PUBLISHER_KIND, own_entries_undo.undo)
register_undo(own_entries.PATTERN_KIND, own_entries_undo.undo)
for _kind in (
    observations.ADD_KIND,
    observations.EDIT_KIND,
    observations.DELETE_KIND,
    observation_links.LINK_KIND,
    observation_links.UNLINK_KIND,
):
    register_undo(_kind, observation_undo.undo)
register_undo(concepts.EDIT_KIND, concepts.undo)
register_undo(concepts.DELETE_KIND, concepts.undo)
register_undo(project_concepts.KIND, project_concepts.undo)
register_undo(removal.CHANGE_KIND, removal.undo)
register_undo(adding.CHANGE_KIND, adding.undo)
for _kind in (corpora.KEEP_KIND, corpus_rows.REMOVE_KIND):
    register_undo(_kind, corpus_rows.undo)
for _kind in (drafts.ADD_KIND, drafts.VERSION_KIND, drafts.POLICY_KIND):
    register_undo(_kind, draft_undo.undo)
register_undo(outlines.CHANGE_KIND, outlines.undo)
register_undo(labels.CHANGE_KIND, labels.undo)
register_undo(policies.CHANGE_KIND, policies.undo)

register_notice(impact_notices.KIND, impact_notices.shown)
words.register_naming(naming.names)
register_notice(retraction_notices.KIND, retraction_notices.shown)
register_event(retraction_notices.EVENT_KIND, retraction_notices.event)
register_notice(retraction_proposals.KIND, retraction_proposals.shown)

export_orders.register_finder(sources_of_list)
extra_files.register_file(project_files.RECOVERY_LOG)
extra_files.register_file(project_files.RUN_REPORT)
