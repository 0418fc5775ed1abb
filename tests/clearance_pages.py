"""How each address of the registry and of checks is asked about a layer; and why, for those that are not asked."""

from collections.abc import Callable

from sources.core.chunking import hash_of
from tests.layers import Layer

Asked = Callable[[Layer], list[str]]


def at(*paths: str) -> Asked:
    return lambda _: list(paths)


def of_source(path: str, *queries: str) -> Asked:
    return lambda seen: [
        *(f"/s/{one.uuid}/{path}" for one in seen.sources[: 3 if queries else 1]),
        *(f"/s/{seen.sources[0].uuid}/{path}{query}" for query in queries),
    ]


def of_project(path: str, *queries: str) -> Asked:
    return lambda seen: [f"/p/{seen.project.uuid}/{path}{query}" for query in queries or ("",)]


def of_run(path: str) -> Asked:
    return lambda seen: [f"/runs/{one.job.uuid}/{path}" for one in (seen.run, seen.own_run)]


def of_project_here(*paths: str) -> Asked:
    return lambda seen: [f"/projects/{seen.project.uuid}/{path}" for path in paths]


def of_draft(path: str, *queries: str) -> Asked:
    return lambda seen: [f"/d/{seen.work.draft.uuid}/{path}{query}" for query in queries or ("",)]


def of_harvests(path: str, *queries: str) -> Asked:
    return lambda seen: [
        f"/harvests/{one.uuid}{path}{query}"
        for one in (seen.work.harvest, seen.work.own_harvest)
        for query in queries or ("",)
    ]


def of_ship(path: str) -> Asked:
    return lambda seen: [f"/ship/{seen.work.ship.job.uuid}/{path}"]


def _merging(seen: Layer) -> list[str]:
    keep, lose = seen.sources[0].uuid, seen.sources[2].uuid
    return [f"/duplicates/merge/?keep={keep}&source={keep}&source={lose}"]


def _document(seen: Layer) -> list[str]:
    return [f"/stores/{seen.document.store.pk}/document/?key={hash_of(seen.document.path)}"]


FILTERS = (
    "?q=press&sort=-title&columns=title&columns=projects&columns=observations&columns=tags",
    "?q=https://wrecks.example/a&classification=restricted",
    "?project={project}&section={section}&retracted=true&observed=true&publisher=The wrecks press",
)  # fmt: skip


def _lists(seen: Layer) -> list[str]:
    section = seen.project.sections.get().pk
    return ["/sources/" + one.format(project=seen.project.uuid, section=section) for one in FILTERS]


DEED = "A deed: it begins with a look-up that a page of the list does too, see the tests of deeds below."
# How each address is asked; for those that are not: why nothing can be told by them.
PAGES: dict[str, Asked | str] = {
    "home": at("/"),
    "project-create": DEED,
    "project": of_project(""),
    "project-concepts": DEED,
    "import-new": of_project("imports/new/"),
    "master-sources": of_project("Master-Sources.md", "", "?layout=memo"),
    "import-preview": lambda seen: [f"/imports/{seen.batch.uuid}/", f"/imports/{seen.batch.uuid}/?show=new"],
    "import-commit": DEED,
    "import-progress": lambda seen: [f"/imports/{seen.batch.uuid}/progress/"],
    "import-discard": DEED,
    "project-exports": of_project("exports/"),
    "exports": at("/exports/"),
    "export": lambda seen: [f"/exports/{seen.export.uuid}/"],
    "export-file": lambda seen: [f"/exports/{seen.export.uuid}/file/"],
    "export-order": lambda seen: [f"/exports/orders/{seen.order.uuid}/"],
    "view-export": at("/sources/export/", "/sources/export/?q=press"),
    "view-csv": at("/sources/sources.csv", "/sources/sources.csv?internal=1&q=press"),
    "queue": lambda seen: ["/queue/", f"/queue/?at={seen.sources[2].uuid}", f"/queue/?project={seen.project.uuid}"],
    "source-list": _lists,
    "duplicates": at("/duplicates/", "/duplicates/?reason=similar-title"),
    "duplicate-find": DEED,
    "duplicate-merge": _merging,
    "duplicate-bulk": at("/duplicates/bulk/", "/duplicates/bulk/?keep_by=newest"),
    "duplicate-apart": DEED,
    "source-edit": DEED,
    "source-edit-apply": DEED,
    "saved-views": "Conditions that people named, without what they find.",
    "saved-view": "As `saved-views`.",
    "saved-view-delete": DEED,
    "source-columns": DEED,
    "source": of_source("", "?part=versions", "?part=observations", "?part=chunks", "?part=edits"),
    "source-change": of_source("edit/"),
    "source-decide": DEED,
    "source-retraction": of_source("retraction/"),
    "retraction-decide": DEED,
    "retraction-part": DEED,
    "retraction-acknowledge": DEED,
    "retractions": at(
        *(f"/retractions/?tab={tab}" for tab in ("new", "stale", "conflicts", "acknowledged", "retracted"))
    ),
    "retraction-list": at("/retractions/list/"),
    "retraction-list-apply": DEED,
    "source-knowledge": of_source("knowledge/"),
    "source-remove": of_source("remove/"),
    "source-removed": lambda seen: [f"/sources/removed/{seen.removed.uuid}/"],
    "observation-list": at("/observations/", "/observations/?q=rose", "/observations/?retracted=on"),
    "project-observations": of_project("observations/"),
    "observation-new": of_project("observations/new/"),
    "project-link-turns": DEED,
    "observation": lambda seen: [f"/o/{seen.observation.uuid}/", f"/o/{seen.observation.uuid}/?q=press"],
    "observation-edit": lambda seen: [f"/o/{seen.observation.uuid}/edit/"],
    "observation-delete": DEED,
    "observation-link": DEED,
    "observation-unlink": DEED,
    "observation-link-turn": DEED,
    "concept-list": at("/concepts/"),
    "concept": lambda seen: [f"/concepts/{seen.observation.concepts.get().uuid}/"],
    "concept-delete": DEED,
    "concept-projects": DEED,
    "session": lambda seen: [f"/sessions/{seen.turn.session_id}/"],
    "turn-notes": lambda seen: [f"/turns/{seen.turn.pk}/notes.fountain"],
    "turn-link": DEED,
    "store-list": at("/chunks/"),
    "ingest": at("/chunks/new/"),
    "store": lambda seen: [f"/stores/{seen.document.store.pk}/{query}" for query in ("", "?q=of")],
    "document": _document,
    "document-remove": DEED,
    "chunk-provenance": lambda seen: [
        f"/chunks/{one.pk}/provenance.json" for one in seen.document.store.chunks.filter(path=seen.document.path)
    ],
    "long-deed": "Others' deeds are not there for whoever does not read everything, see below.",
    "long-deed-progress": "As `long-deed`.",
    "long-deed-stop": DEED,
    "history": at("/history/"),
    "change-undo": DEED,
    "project-runs": of_project("runs/"),
    "recovery-log": of_project("recovery-log.json"),
    "source-recheck": DEED,
    "run": of_run(""),
    "run-progress": of_run("progress/"),
    "run-cancel": DEED,
    "own-rules": at("/settings/rules/"),
    "own-publisher-new": at("/settings/rules/publishers/new/"),
    "own-publisher": "The entry's form; what it would match is asked by a deed, see below.",
    "own-publisher-turn": DEED,
    "own-publisher-delete": DEED,
    "own-pattern-new": at("/settings/rules/patterns/new/"),
    "own-pattern": "As `own-publisher`.",
    "own-pattern-turn": DEED,
    "own-pattern-delete": DEED,
    "search-providers": at("/settings/providers/"),
    "search-provider": DEED,
    "search-provider-remove": DEED,
    "run-report": of_run("report/"),
    "run-report-md": of_run("report.md"),
    "run-report-csv": of_run("report.csv"),
    "run-report-json": of_run("report.json"),
    "project-report": of_project("report/"),
    "project-report-md": of_project("report.md", "", "?internal=1"),
    "project-report-csv": of_project("report.csv"),
    "project-report-json": of_project("report.json"),
    "acknowledgement-withdraw": DEED,
    "retraction-settings": at("/retractions/settings/"),
    "retraction-proposals": at("/retractions/proposals/"),
    "retraction-proposal": lambda seen: [f"/retractions/proposals/{seen.work.proposal.uuid}/"],
    "proposal-approve": DEED,
    "proposal-refuse": DEED,
    "proposal-withdraw": DEED,
    "retraction-check-new": "A form with the names of projects.",
    "retraction-check-sources": DEED,
    "retraction-check-page": "What was asked about by name, registered or not; others' are not there, see below.",
    "retraction-feeds": at("/retractions/feeds/"),
    "retraction-export": DEED,
    "outline": of_project("outline/"),
    "outline-take": DEED,
    "outline-file": of_project("outline.yaml"),
    "corpus": of_project("corpus/", "", "?section=harbour", "?q=rose"),
    "corpus-pack": of_project("corpus/pack.md", "?excerpts=all", "?section=harbour"),
    "corpus-pack-json": of_project("corpus/pack.json", "?excerpts=all", "?section=harbour"),
    "corpus-take-in": DEED,
    "corpus-remove": DEED,
    "draft-list": of_project("drafts/"),
    "draft": of_draft(""),
    "draft-new": of_draft("new/"),
    "draft-again": DEED,
    "draft-reconcile": of_draft("reconcile/"),
    "draft-policy": DEED,
    "draft-diff": of_draft("diff/"),
    "draft-gated": of_draft("gated.md"),
    "draft-given": of_draft("given.md"),
    "draft-citations": of_draft("citations.json"),
    "draft-problems": of_draft("problems.json"),
    "draft-changes": of_draft("changes.json"),
    "draft-markers": of_draft("markers/"),
    "draft-correct": of_draft("correct/"),
    "marker": lambda seen: [f"/markers/{seen.work.request.uuid}/"],
    "project-harvests": of_project("harvests/"),
    "harvest": of_harvests("/", "", "?state=kept"),
    "harvest-progress": of_harvests("/progress/"),
    "harvest-cancel": DEED,
    "harvest-resume": DEED,
    "project-ship": of_project("ship/"),
    "ship-gate": of_draft("ship/"),
    "ship-check": of_ship(""),
    "ship-cancel": DEED,
    "ship-spot": DEED,
    "ship-report-github": of_ship("report.annotations.txt"),
    "ship-report-json": of_ship("report.json"),
    "ship-report-junit": of_ship("report.xml"),
    "ship-report-sarif": of_ship("report.sarif"),
    "ship-report-text": of_ship("report.txt"),
    "notices": at("/notices/"),
    "notice-feed": "Opened by a key of its own, see below.",
    "notice-settings": at("/notices/settings/"),
    "feed-new": DEED,
    "feed-end": DEED,
    "webhook": "Where news go and how it went; what is sent is asked below.",
    "webhook-secret": DEED,
    "webhook-test": DEED,
    "webhook-again": DEED,
    "webhook-remove": DEED,
    "notices-read": DEED,
    "notice-read": DEED,
}
API: dict[str, Asked | str] = {
    "validate": DEED,
    "run": lambda seen: [f"/runs/{one.job.uuid}" for one in (seen.run, seen.own_run)],
    "run-report": lambda seen: [f"/runs/{one.job.uuid}/report" for one in (seen.run, seen.own_run)],
    "project-report": at("/report?project=Harbour"),
    "retraction-checks": DEED,
    "retraction-check": "What was asked about by name, registered or not.",
    "retraction-feeds": at("/retractions/feeds"),
    "observations": at("/observations", "/observations?retracted=true"),
    "observation-sources": DEED,
    "chunks": DEED,
    "chunk-provenance": lambda seen: [
        f"/chunks/{one.pk}/provenance" for one in seen.document.store.chunks.filter(path=seen.document.path)
    ],
    "project-concepts": lambda seen: [f"/projects/{seen.project.uuid}/concepts"],
    "duplicates": at("/duplicates"),
    "duplicate-merge": DEED,
    "duplicate-apart": DEED,
    "export-make": DEED,
    "export-order": lambda seen: [f"/export-orders/{seen.order.uuid}"],
    "export": lambda seen: [f"/exports/{seen.export.uuid}"],
    "export-file": lambda seen: [f"/exports/{seen.export.uuid}/file"],
    "import-give": DEED,
    "import": lambda seen: [f"/imports/{seen.batch.uuid}"],
    "import-commit": DEED,
    "retractions": at(*(f"/retractions?tab={tab}" for tab in ("new", "conflicts", "acknowledged", "retracted"))),
    "retraction-list": DEED,
    "retraction-proposals": at("/retractions/proposals"),
    "retraction-proposal": lambda seen: [f"/retractions/proposals/{seen.work.proposal.uuid}"],
    "retraction-proposal-approve": DEED,
    "retraction-proposal-refuse": DEED,
    "retraction-proposal-withdraw": DEED,
    "outline": of_project_here("outline"),
    "corpus": of_project_here("corpus", "corpus?section=harbour"),
    "corpus-pack": of_project_here("corpus/pack?excerpts=all"),
    "corpus-take": DEED,
    "corpus-remove": DEED,
    "drafts": of_project_here("drafts"),
    "draft": lambda seen: [f"/drafts/{seen.work.draft.uuid}"],
    "draft-versions": DEED,
    "draft-reconcile": DEED,
    "draft-policy": DEED,
    "draft-corrections": DEED,
    "draft-source-requests": DEED,
    "source-request": lambda seen: [f"/source-requests/{seen.work.request.uuid}"],
    "source-request-pick": DEED,
    "harvests": DEED,
    "harvest": of_harvests("", "", "?state=kept"),
    "harvest-plan": DEED,
    "harvest-start": DEED,
    "harvest-cancel": DEED,
    "harvest-resume": DEED,
    "ship-checks": DEED,
    "ship-check": lambda seen: [f"/ship-checks/{seen.work.ship.job.uuid}"],
    "ship-cancel": DEED,
    "ship-spot-checks": DEED,
    "turns": at("/turns"),
}
# Addresses of other rooms, by how they begin.
ELSEWHERE = {
    "lineage/": "Held to the same by tests/screens/test_lineage_leaks.py.",
    "api/v1/lineage/": "As the screens of lineage.",
    "accounts/": "People, tokens and passwords: nothing of the registry.",
    "admin/": "Shows rows of a workspace only to administrators who read everything in it, see below.",
    "api/v1/docs": "Words about the interface.",
    "api/v1/openapi.json": "Words about the interface.",
    "favicon.ico": "A picture.",
    "healthz": "A word.",
    "readyz": "A word.",
}
