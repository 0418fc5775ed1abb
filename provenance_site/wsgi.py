"""WSGI entry point for waitress and gunicorn."""

import os
import re
from collections.abc import Callable, Iterable
from typing import Any

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "provenance_site.settings")

_CHARSET = re.compile(r";\s*charset\s*=[^;]*", re.IGNORECASE)

_django = get_wsgi_application()


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Django's answer, to a request that is read as UTF-8 whatever charset it names.

    No page of ours sends another. Django takes any of Python's codecs for address and form: some give halves of
    surrogate pairs, and some are none of text, which breaks it before any middleware.
    """
    told = environ.get("CONTENT_TYPE", "")
    if "charset" in told.lower():
        environ = {**environ, "CONTENT_TYPE": _CHARSET.sub("", told)}
    return _django(environ, start_response)
