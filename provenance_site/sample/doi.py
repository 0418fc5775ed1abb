"""The DOI agency: the handle look-up of doi.org's proxy, and its redirect to the landing page."""

from html import escape
from urllib.parse import unquote

from provenance_site.sample.answers import Answer
from provenance_site.sample.articles import Article, articles

# Response codes of the Handle System's proxy: https://www.handle.net/proxy_servlet.html
SUCCESS = 1
NOT_FOUND = 100


def respond(path: str, *, port: int) -> Answer:
    """`/api/handles/<doi>` as JSON, `/<doi>` as a redirect; both say 404 for a DOI that nobody registered."""
    name = unquote(path).lstrip("/")
    if name.startswith("api/handles/"):
        return _handle(name.removeprefix("api/handles/"), port)
    work = registered(name)
    if work is None:
        text = f"<h1>DOI not found</h1><p>{escape(name)} cannot be found in the DOI System.</p>"
        return Answer.html(f"<!doctype html><title>DOI not found</title>{text}", status=404)
    return Answer.redirect(_landing(work, port), status=302)


def registered(name: str) -> Article | None:
    """The work that a DOI name was given to; DOI names are compared without case (DOI Handbook 2.4)."""
    return next((a for a in articles() if a.doi and a.doi.casefold() == name.casefold()), None)


def _handle(name: str, port: int) -> Answer:
    work = registered(name)
    if work is None:
        return Answer.json({"responseCode": NOT_FOUND, "handle": name}, status=404)
    value = {
        "index": 1,
        "type": "URL",
        "data": {"format": "string", "value": _landing(work, port)},
        "ttl": 86400,
        "timestamp": f"{work.date}T09:00:00Z",
    }
    return Answer.json({"responseCode": SUCCESS, "handle": name, "values": [value]})


def _landing(work: Article, port: int) -> str:
    return f"http://{work.host}:{port}{work.path}"
