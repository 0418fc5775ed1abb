"""Names and labels as one clean line."""

import re

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def one_line(text: str) -> str:
    """`text` on one line: control characters, line ends and half surrogates are blanks, and blanks are single."""
    return " ".join(_CONTROL.sub(" ", text).split())
