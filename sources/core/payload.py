"""The minimum provenance payload of a passage: what must travel with retrieved content, as JSON.

The five parts are those that the Cambridge workshop asked for (June 2026): persistent identifiers and source locations;
timestamps and content hashes; version; copyright and rights; retraction flags and expressions of concern. Inner names
are the columns of Harvey's stores. The workshop's own list of fields is not published, so no conformance is claimed.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sources.core.kinds import IdentifierType
from sources.core.records import Identity

FORM = "provenance-payload/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What is known of one passage. '' and None mean unknown; times are ISO 8601 with a zone.

    `status` is the retraction status in the registry's word; '' where it was never looked up, which is not the same as
    “none”. `status_from` names who says so.
    """

    store: str
    source: str
    content_hash: str
    identities: Sequence[Identity] = ()
    title: str = ""
    start_line: int | None = None
    end_line: int | None = None
    indexed_at: str = ""
    published_date: str = ""
    fetched_at: str = ""
    version: str = ""
    rights: str = ""
    status: str = ""
    retracted: bool = False
    expression_of_concern: bool = False
    retraction_note: str = ""
    status_at: str = ""
    status_from: Sequence[str] = ()
    entity: str = ""


def payload(known: Provenance) -> dict[str, Any]:
    """The payload as JSON values. Every key is always there, so that “unknown” can be told from “left out”.

    `identifiers.all` has each identifier as {type, value}; `source_doi` is the first DOI, `source_url` the first
    URL, or where there is none the resolver's address of another identifier.
    """
    identities = [one for one in known.identities if one.type is not IdentifierType.NONE]
    addresses = [one for one in identities if one.type is IdentifierType.URL]
    return {
        "form": FORM,
        "identifiers": {
            "source_doi": next((one.value for one in identities if one.type is IdentifierType.DOI), ""),
            "source_url": next((one.link for one in [*addresses, *identities] if one.link), ""),
            "source_title": known.title,
            "all": [{"type": str(one.type), "value": one.value} for one in identities],
            "entity": known.entity,
        },
        "location": {
            "store": known.store,
            "source": known.source,
            "start_line": known.start_line,
            "end_line": known.end_line,
        },
        "time": {
            "indexed_at": known.indexed_at,
            "published_date": known.published_date,
            "fetched_at": known.fetched_at,
        },
        "content_hash": {"algorithm": "sha256", "value": known.content_hash},
        "source_version": known.version,
        "rights": known.rights,
        "standing": {
            "status": known.status,
            "retracted": known.retracted,
            "expression_of_concern": known.expression_of_concern,
            "retraction_note": known.retraction_note,
            "status_at": known.status_at,
            "status_from": list(known.status_from),
        },
    }


def payload_json(known: Provenance) -> str:
    """The payload as one line of JSON: the same facts give the same text."""
    return json.dumps(payload(known), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
