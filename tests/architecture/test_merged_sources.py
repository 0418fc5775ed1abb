"""A source that was merged is kept for its links alone: whatever lists or looks up sources says so, or says why not."""

import ast

from tests.architecture.packages import place, product_files, tree_of

# Where merged sources are wanted, by file and function.
ALSO_MERGED = {
    ("sources/services/retraction_acknowledgements.py", "acknowledge"): "by its own key, to take turns at it",
    ("sources/queries/holdings.py", "_rows"): "`_narrowed` leaves them out, whatever the path to the source",
    ("sources/services/export_lineage.py", "record"): "by key, what stands in the file",
    ("sources/management/operators.py", "source_numbered"): "by number; what it then does refuses a merged one",
    ("sources/queries/known.py", "_by_uuid"): "finds them by their own uuid; `standing_for` leads on",
    ("sources/queries/known.py", "_untraceable"): "finds them by their own words; `standing_for` leads on",
    ("sources/queries/known.py", "sources_by_key"): "finds them by their own key; `standing_for` leads on",
    ("sources/queries/known.py", "standing_for"): "reads what they lead to",
    ("sources/queries/naming.py", "names"): "a merged source's node has its name still",
    ("sources/queries/states.py", "locked_states"): "a check that was under way is written where it was asked",
    ("sources/queries/states.py", "states_of"): "a check that was under way is written where it was asked",
    ("sources/queries/readable.py", "_item"): "says which are hidden, merged or not",
    ("sources/queries/readable.py", "_row_content"): "says which are hidden, merged or not",
    ("sources/queries/imports.py", "_with_sources"): "by key, what rows of a file became",
    ("sources/queries/retraction_evidence.py", "_statuses"): "by key, what its caller shows",
    ("sources/queries/recent_edits.py", "edited_since"): "names what was edited, by key",
    ("sources/services/adding.py", "add"): "asks only whether a key is taken",
    ("sources/services/adding.py", "undo"): "by key; a merge holds a source",
    ("sources/services/bulk_edit_undo.py", "_undo_sources"): "takes an edit back where it was made",
    ("sources/services/arrivals.py", "_lock"): "locks by key what a look-up gave, which follows mergers",
    ("sources/services/corpora.py", "keep"): "by key, what a look-up gave, which follows mergers",
    ("sources/services/corpus_from_catalog.py", "take_in"): "by key; entries of merged sources are left out",
    ("sources/services/gated_lineage.py", "_grounds"): "by key, what entries of the corpus lead to",
    ("sources/services/gated_lineage.py", "_own_label"): "by number, what entries of the corpus lead to",
    ("validation/queries/readable_work.py", "_names_hidden"): "says which are hidden, merged or not",
    ("validation/queries/readable_work.py", "_ship_check"): "says which are hidden, merged or not",
    ("sources/services/chunk_marks.py", "follow_any"): "by key, what passages were cut from",
    ("sources/services/documents.py", "_insert"): "inserts",
    ("sources/services/impact_reports.py", "_open_item"): "the node of a merged source is superseded, and no cause",
    ("sources/services/import_undo.py", "_remove_unused"): "takes back what an import made, by key",
    ("sources/services/importing.py", "_reject"): "reads what the import has just written, by key",
    ("sources/services/knowledge_undo.py", "_give_back"): "takes an import back where it was made",
    ("sources/services/merge_undo.py", "_locked"): "parts them again",
    ("sources/services/observation_undo.py", "_linked"): "by key; linking follows a merge",
    ("sources/services/reconciling.py", "_write_sources"): "by key; what is expected leaves merged ones out",
    ("sources/services/registry.py", "_taken_uuids"): "asks only whether a uuid is taken",
    ("sources/services/registry.py", "ask_again"): "by key; a merged one is asked about by nobody",
    ("sources/services/observation_links.py", "make"): "follows a merged source to the one that stays",
    ("sources/services/removal.py", "hold_to_remove"): "by key; a merge holds a source",
    ("sources/services/removal.py", "undo"): "asks only whether a key is taken",
    ("sources/services/retractions.py", "undo"): "takes a mark back where it was made",
    ("sources/services/review.py", "decide"): "refuses them",
    ("sources/services/review_undo.py", "_ask_again"): "takes a decision back where it was made",
    ("sources/services/review_undo.py", "_undo_part"): "takes a decision back where it was made",
    ("sources/views/filters.py", "found"): "none at all",
    ("sources/views/lookups.py", "source_for"): "their address leads on",
    ("sources/views/observation_links.py", "observation_link"): "by uuid; linking follows a merge",
    ("sources/views/source_table.py", "page_of_sources"): "reads what the list found, by key",
    ("sources/api/knowledge.py", "cite"): "by uuid; linking follows a merge",
    ("validation/api/retractions.py", "make_check"): "by key, what a person chose",
    ("validation/queries/retractions.py", "works_of"): "by key, what is to be asked about",
    ("validation/services/retraction_requests.py", "of_sources"): "by key, what a person chose",
    ("validation/queries/own_entries.py", "trial_of_pattern"): "reads what was found by key",
    ("validation/queries/report_entries.py", "entries_of"): "what an old run checked",
    ("validation/services/rejudging.py", "_write"): "locks what was chosen by key",
    ("validation/services/runs.py", "_alike"): "by key, what a run is about to ask",
    ("validation/services/targets.py", "targets_of"): "what a run is about to ask, by key",
}


def _reads() -> set[tuple[str, str]]:
    """(file, function) of each expression that begins with `Source.objects` and does not leave merged ones out."""
    found = set()
    for path in product_files():
        if "migrations" in path.parts:
            continue
        for function in ast.walk(tree_of(path)):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                for node in ast.walk(function):
                    whole = _whole(node, function)
                    if whole is not None and "standing()" not in whole and "merged_into" not in whole:
                        found.add((place(path), function.name))
    return found


def _whole(node: ast.AST, function: ast.AST) -> str | None:
    """The whole chain of calls that stands on `Source.objects`, None for any other node."""
    if not (isinstance(node, ast.Attribute) and ast.unparse(node) == "Source.objects"):
        return None
    chains = [
        text
        for outer in ast.walk(function)
        if isinstance(outer, ast.Call | ast.Attribute)
        and (text := ast.unparse(outer)).startswith(("Source.objects", "readable(Source.objects"))
        and any(inner is node for inner in ast.walk(outer))
    ]
    return max(chains, key=len)


def test_what_reads_sources_leaves_merged_ones_out_or_says_why_not() -> None:
    assert _reads() == set(ALSO_MERGED)
