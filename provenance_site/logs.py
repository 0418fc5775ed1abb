"""Log records without secrets: passwords inside URLs never reach a handler."""

import logging
import re

_USERINFO = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*://)[^/\s@'\"]+@", re.IGNORECASE)


def without_userinfo(text: str) -> str:
    """`text` with the user-and-password part of every URL replaced by `***`."""
    return _USERINFO.sub(r"\g<scheme>***@", text)


class NoSecrets(logging.Filter):
    """Replaces the user-and-password part of URLs in a record's finished message; keeps every record."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrites the record in place; idempotent."""
        message = record.getMessage()
        clean = without_userinfo(message)
        if clean != message:
            record.msg, record.args = clean, None
        return True
