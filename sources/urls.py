"""Addresses of the registry."""

from django.urls import path

from sources.views import exports, history, imports, projects, queue, source_list, source_page

urlpatterns = [
    path("", projects.home, name="home"),
    path("projects/new/", projects.project_create, name="project-create"),
    path("p/<uuid:uuid>/", projects.project, name="project"),
    path("p/<uuid:uuid>/imports/new/", imports.import_new, name="import-new"),
    path("p/<uuid:uuid>/Master-Sources.md", exports.master_sources, name="master-sources"),
    path("imports/<uuid:uuid>/", imports.import_preview, name="import-preview"),
    path("imports/<uuid:uuid>/commit/", imports.import_commit, name="import-commit"),
    path("imports/<uuid:uuid>/discard/", imports.import_discard, name="import-discard"),
    path("p/<uuid:uuid>/exports/", exports.project_exports, name="project-exports"),
    path("exports/", exports.exports, name="exports"),
    path("exports/<uuid:uuid>/", exports.export, name="export"),
    path("exports/<uuid:uuid>/file/", exports.export_file, name="export-file"),
    path("sources/export/", exports.view_export, name="view-export"),
    path("sources/sources.csv", exports.view_csv, name="view-csv"),
    path("queue/", queue.queue, name="queue"),
    path("sources/", source_list.source_list, name="source-list"),
    path("s/<uuid:uuid>/", source_page.source, name="source"),
    path("s/<uuid:uuid>/decide/", queue.decide, name="source-decide"),
    path("history/", history.history, name="history"),
    path("changes/<uuid:uuid>/undo/", history.change_undo, name="change-undo"),
]
