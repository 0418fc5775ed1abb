"""Log lines without secrets: passwords inside URLs reach neither a message nor the traceback below it."""

import logging
import re
from typing import Any

# Begins at what ends a scheme, not at the scheme: a stranger's long address without one would be tried at each letter.
_USERINFO = re.compile(r"(?<=://)[^/\s@'\"]+@")


def without_userinfo(text: str) -> str:
    """`text` with the user-and-password part of every URL replaced by `***`."""
    return _USERINFO.sub("***@", text)


class NoSecrets(logging.Filter):
    """Replaces the user-and-password part of URLs in a record's finished message; keeps every record."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrites the record in place; idempotent."""
        message = record.getMessage()
        clean = without_userinfo(message)
        if clean != message:
            record.msg, record.args = clean, None
        return True


class Line(logging.Formatter):
    """A record as a line, with its traceback below: the text of an exception often names the address that was asked."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 (the name is logging's)
        """The traceback, without user-and-password parts of URLs."""
        return without_userinfo(super().formatException(ei))
