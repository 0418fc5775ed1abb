"""Addresses of the registry."""

from django.urls import path

from sources.views import bulk_edit, exports, history, imports, projects, queue, saved_views, source_list, source_page

urlpatterns = [
    path("", projects.home, name="home"),
    path("projects/new/", projects.project_create, name="project-create"),
    path("p/<uuid:uuid>/", projects.project, name="project"),
    path("p/<uuid:uuid>/imports/new/", imports.import_new, name="import-new"),
    path("p/<uuid:uuid>/Master-Sources.md", exports.master_sources, name="master-sources"),
    path("imports/<uuid:uuid>/", imports.import_preview, name="import-preview"),
    path("imports/<uuid:uuid>/commit/", imports.import_commit, name="import-commit"),
    path("imports/<uuid:uuid>/discard/", imports.import_discard, name="import-discard"),
    path("queue/", queue.queue, name="queue"),
    path("sources/", source_list.source_list, name="source-list"),
    path("sources/edit/", bulk_edit.edit, name="source-edit"),
    path("sources/edit/apply/", bulk_edit.edit_apply, name="source-edit-apply"),
    path("sources/views/", saved_views.views, name="saved-views"),
    path("sources/views/<int:pk>/", saved_views.view_change, name="saved-view"),
    path("sources/views/<int:pk>/delete/", saved_views.view_delete, name="saved-view-delete"),
    path("sources/columns/", saved_views.columns, name="source-columns"),
    path("s/<uuid:uuid>/", source_page.source, name="source"),
    path("s/<uuid:uuid>/edit/", source_page.source_change, name="source-change"),
    path("s/<uuid:uuid>/decide/", queue.decide, name="source-decide"),
    path("history/", history.history, name="history"),
    path("changes/<uuid:uuid>/undo/", history.change_undo, name="change-undo"),
]
