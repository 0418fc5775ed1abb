"""Addresses of lineage. A node is named by `?ref=`: its path means nothing to us and may hold anything."""

from django.urls import path

from lineage.views import entity, files, governance, held, impact, keeping, measures, start, stories, worklist

urlpatterns = [
    path("", start.start, name="lineage"),
    path("entity/", entity.entity, name="lineage-entity"),
    path("entity/lineage.json", entity.picture_json, name="lineage-json"),
    path("entity/lineage.svg", entity.picture_svg, name="lineage-svg"),
    path("entity/file/", files.graph_file, name="lineage-file"),
    path("entity/verify/", entity.verify, name="lineage-verify"),
    path("entity/label/", keeping.label, name="lineage-label"),
    path("entity/keep/", keeping.keep, name="lineage-keep"),
    path("impact/", impact.table, name="lineage-impact"),
    path("impact/lineage.csv", impact.table_csv, name="lineage-impact-csv"),
    path("cause/", impact.cause, name="lineage-cause"),
    path("cause/clear/", impact.clear, name="lineage-clear"),
    path("explain/", stories.explain, name="lineage-explain"),
    path("replay/", stories.replay, name="lineage-replay"),
    path("path/", stories.path, name="lineage-path"),
    path("run/", stories.run, name="lineage-run"),
    path("diff/", stories.diff, name="lineage-diff"),
    path("recall/", stories.recall, name="lineage-recall"),
    path("worklist/", worklist.waiting, name="lineage-worklist"),
    path("worklist/settle/", worklist.settle, name="lineage-settle"),
    path("held/", held.waiting, name="lineage-held"),
    path("held/decide/", held.decide, name="lineage-held-decide"),
    path("release/", governance.release_check, name="lineage-release"),
    path("deletion/", governance.deletion, name="lineage-deletion"),
    path("policies/", governance.policy_list, name="lineage-policies"),
    path("relays/", governance.relay_list, name="lineage-relays"),
    path("relays/<int:pk>/remove/", governance.relay_remove, name="lineage-relay-remove"),
    path("measures/", measures.dashboard, name="lineage-measures"),
    path("measures/behind/", measures.behind, name="lineage-measure"),
]
