"""Whatever reads rows that may be hidden from a member asks for those that exist for its reader, or says why not."""

import ast

from sources.queries.readable import RULES
from tests.architecture.packages import place, product_files, tree_of

DOORS = tuple(f"{app}/{room}" for app in ("sources", "validation") for room in ("queries", "views", "api"))
OF_CHECKS = {
    "CheckRun",
    "Candidate",
    "HarvestRequest",
    "HarvestRun",
    "RequestCandidate",
    "RetractionRequest",
    "ShipCheck",
}
GUARDED = {model.__name__ for model in RULES} | OF_CHECKS
_NARROWING = {"readable", "readable_runs", "readable_work"}
_KEYED = "about rows that its caller was given, by key"
_BY_ITSELF = "the desk asks by itself; who reads what follows is asked for then"
# Where all rows are wanted, by file and function.
ALL_ROWS = {
    ("sources/queries/decisions.py", "holding"): _KEYED,
    ("sources/queries/duplicates.py", "told_apart_among"): _KEYED,
    ("sources/queries/evidence.py", "readings"): _KEYED,
    ("sources/queries/freshness.py", "earlier_checks"): _KEYED,
    ("sources/queries/freshness.py", "known_verdicts"): "of sources that its caller narrowed",
    ("sources/queries/long_deeds.py", "progress_of"): "of a deed that its caller was given",
    ("sources/queries/parts.py", "fallen"): "a part is never less restricted than the whole that it names",
    ("sources/queries/parts.py", "fallen_books"): _BY_ITSELF,
    ("sources/queries/parts.py", "kept_parts"): _KEYED,
    ("sources/queries/parts.py", "parts_of"): "the desk asks people about parts of a book, whoever marked it",
    ("sources/queries/mergers.py", "nodes_of_merged"): "lineage itself follows mergers",
    ("sources/queries/retraction_evidence.py", "acknowledged"): "narrowed by its callers",
    ("sources/queries/retraction_evidence.py", "evidence_of"): _KEYED,
    ("sources/queries/retraction_evidence.py", "fallen_but_for"): _KEYED,
    ("sources/queries/retraction_evidence.py", "holding"): _KEYED,
    ("sources/queries/retraction_evidence.py", "labelled"): "looked up by key, for sources that a file holds",
    ("sources/queries/retraction_evidence.py", "_statuses"): _KEYED,
    (
        "sources/queries/review.py",
        "open_items",
    ): "the items are asked for, and what they are matched with is of their source",
    ("sources/queries/review.py", "recent_deeds"): "the person's own deeds; the sources are asked for",
    ("sources/queries/states.py", "locked_states"): "what a check is written to",
    ("sources/queries/states.py", "states_of"): "what a check is written to",
    ("sources/queries/titles.py", "sources_titled"): "the desk holds an export against all workspaces",
    ("sources/api/drafts.py", "_version_for"): "none at all",
    ("validation/api/retractions.py", "_requests_for"): "narrowed there to the person's own",
    ("sources/views/filters.py", "found"): "none at all",
    ("validation/queries/own_entries.py", "resting_on"): "what is asked about again, whoever changed the entry",
}
# One row per work in a workspace: what joins must see all. What is told of it leaves out the hidden (`hidden_keys`).
JOINING = {"sources/queries/known.py"}
# Runs by themselves.
OF_THE_DESK = {"sources/queries/expected_lineage.py", "validation/queries/retractions.py"}
# The rules themselves.
RULES_OF_IT = {
    "sources/queries/readable.py",
    "sources/queries/readable_parts.py",
    "sources/queries/readable_writing.py",
    "validation/queries/readable_runs.py",
    "validation/queries/readable_work.py",
}


def _reads() -> set[tuple[str, str]]:
    """(file, function) of each `Model.objects`, or model handed to a look-up, that nothing narrows to its reader."""
    found = set()
    for path in product_files():
        where = place(path)
        if not where.startswith(DOORS) or where in JOINING | OF_THE_DESK | RULES_OF_IT:
            continue
        for function in ast.walk(tree_of(path)):
            if isinstance(function, ast.FunctionDef):
                narrowed = {id(one) for node in ast.walk(function) if _narrows(node) for one in ast.walk(node)}
                if any(_is_guarded(node) and id(node) not in narrowed for node in ast.walk(function)):
                    found.add((where, function.name))
    return found


def _narrows(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _NARROWING


def _is_guarded(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute) and node.attr == "objects":
        return isinstance(node.value, ast.Name) and node.value.id in GUARDED
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "get_object_or_404":
        return isinstance(node.args[0], ast.Name) and node.args[0].id in GUARDED
    return False


def test_reads_of_what_may_be_hidden_ask_for_their_reader() -> None:
    found = _reads()
    assert found - ALL_ROWS.keys() == set()
    assert ALL_ROWS.keys() - found == set()
