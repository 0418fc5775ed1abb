"""A row is held without its key: whoever writes a key to it is let through, and so never waits for who waits for them.

PostgreSQL looks at the keys that a transaction wrote when it ends, with all its locks in hand. FOR UPDATE keeps it
waiting there, FOR NO KEY UPDATE does not; both keep out whoever changes the row.
"""

import ast

from tests.architecture.packages import place, product_files, tree_of

# What is about to be deleted, in order: nobody may come to lead to it.
WITH_ITS_KEY = {("sources/services/removal.py", "hold_to_remove")}


def locks() -> list[tuple[str, str, ast.Call]]:
    """Every lock of rows in the product: the file, the function, the call."""
    return [
        (place(path), function.name, node)
        for path in product_files()
        for function in ast.walk(tree_of(path))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "select_for_update"
    ]


def test_rows_are_held_without_their_keys() -> None:
    with_keys = {
        (file, function) for file, function, call in locks() if "no_key" not in {one.arg for one in call.keywords}
    }
    assert len(locks()) > 50
    assert with_keys == WITH_ITS_KEY
