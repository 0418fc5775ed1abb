"""Addresses of the registry."""

from django.urls import path

from sources.views import (
    duplicate_bulk,
    duplicates,
    exports,
    history,
    imports,
    projects,
    queue,
    source_list,
    source_page,
)

urlpatterns = [
    path("", projects.home, name="home"),
    path("projects/new/", projects.project_create, name="project-create"),
    path("p/<uuid:uuid>/", projects.project, name="project"),
    path("p/<uuid:uuid>/imports/new/", imports.import_new, name="import-new"),
    path("p/<uuid:uuid>/Master-Sources.md", exports.master_sources, name="master-sources"),
    path("imports/<uuid:uuid>/", imports.import_preview, name="import-preview"),
    path("imports/<uuid:uuid>/commit/", imports.import_commit, name="import-commit"),
    path("imports/<uuid:uuid>/progress/", imports.import_progress, name="import-progress"),
    path("imports/<uuid:uuid>/discard/", imports.import_discard, name="import-discard"),
    path("queue/", queue.queue, name="queue"),
    path("sources/", source_list.source_list, name="source-list"),
    path("duplicates/", duplicates.duplicate_list, name="duplicates"),
    path("duplicates/find/", duplicates.duplicate_find, name="duplicate-find"),
    path("duplicates/merge/", duplicates.duplicate_merge, name="duplicate-merge"),
    path("duplicates/bulk/", duplicate_bulk.duplicate_bulk, name="duplicate-bulk"),
    path("duplicates/apart/", duplicates.duplicate_apart, name="duplicate-apart"),
    path("s/<uuid:uuid>/", source_page.source, name="source"),
    path("s/<uuid:uuid>/decide/", queue.decide, name="source-decide"),
    path("history/", history.history, name="history"),
    path("changes/<uuid:uuid>/undo/", history.change_undo, name="change-undo"),
]
