"""How files leave: saved and never shown, under a name that every browser reads alike."""

import re
from pathlib import Path
from urllib.parse import quote

from django.http import FileResponse

# RFC 8187 attr-char; everything else is percent-encoded.
_PLAIN = "!#$&+-.^_`|~"
_NOT_IN_QUOTES = re.compile(r'[^\x20-\x7e]|["\\%]')


def attachment(name: str) -> dict[str, str]:
    """Headers of an answer that is saved as `name`.

    A name of plain letters stands in quotes; another stands there with `_` for what does not fit, and again in full as
    `filename*` (RFC 6266, RFC 8187). No browser may guess another type, and should one show the file all the same, it
    has no scripts, no origin and no cookies.
    """
    plain = _NOT_IN_QUOTES.sub("_", name)
    disposition = f'attachment; filename="{plain}"'
    if plain != name:
        disposition += f"; filename*=UTF-8''{quote(name.encode('utf-8', 'replace'), safe=_PLAIN)}"
    return {
        "Content-Disposition": disposition,
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "sandbox; default-src 'none'",
    }


def file_answer(place: Path, *, name: str, media_type: str) -> FileResponse:
    """The file at `place`, sent in pieces and saved as `name`."""
    answer = FileResponse(place.open("rb"), content_type=media_type)
    # Set afterwards: Django would put the name on the disk in their place.
    for header, value in attachment(name).items():
        answer.headers[header] = value
    return answer
