"""The names in `static/desk/icons.svg`; a test compares them."""

ICONS = frozenset(
    {
        # the ten verdicts
        "check", "lock", "arrow", "dots", "swap", "plug", "coin", "ghost", "cross", "wand",
        # deeds
        "search", "download", "upload", "play", "stop", "undo", "refresh", "plus", "copy", "edit", "trash", "filter",
        # things and places
        "home", "inbox", "list", "folder", "file", "link", "clock", "person", "people", "key", "gear", "keyboard",
        # signs
        "warning", "info", "ban", "external", "chevron", "sun", "moon", "auto", "leave",
    }
)  # fmt: skip
