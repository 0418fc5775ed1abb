"""The signature of what a webhook is sent: HMAC (RFC 2104) with SHA-256 over the moment and the exact bytes."""

import hashlib
import hmac

HEADER = "Desk-Signature"
EVENT_HEADER = "Desk-Event"
# A receiver refuses a moment further away than this; each attempt is signed anew. Documented in docs/retractions.md.
WINDOW_S = 300


def signature(*, secret: str, moment: int, body: bytes) -> str:
    """The header's value, `t=<Unix seconds>,v1=<lower-case hex>`, over `<t>.<body>`."""
    signed = hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256)
    return f"t={moment},v1={signed.hexdigest()}"


def is_genuine(header: str, *, secret: str, body: bytes, now: int) -> bool:
    """What a receiver asks: True for a header that this secret made of these bytes within the window around `now`."""
    parts = dict(part.partition("=")[::2] for part in header.split(","))
    moment = parts.get("t", "")
    if not (moment.isascii() and moment.isdigit() and len(moment) <= 12) or abs(now - int(moment)) > WINDOW_S:
        return False
    return hmac.compare_digest(signature(secret=secret, moment=int(moment), body=body).encode(), header.encode())
