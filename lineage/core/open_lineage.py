"""Reads OpenLineage RunEvents (spec 2-0-2) as events of ours; what we write in that form is read back whole.

A dataset is an artifact `artifact://<namespace>/<name>` pinned by its `version` facet; an output without one by the run
that made it. An input without a version names nothing fixed: it is taken as unresolved, and counted so. Which output
rests on which input is said by the job facet `lineage` (1-0-0) or by our own run facet; without either, every output
rests on every input, as OpenLineage itself means it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from lineage.core import event_fields, secrets
from lineage.core.event_reading import MOST_PARTS, read
from lineage.core.events import Refused, TellEvent, digest_of
from lineage.core.relations import Relation

# Custom facets carry the prefix of who defines them (OpenLineage spec, “Custom facet naming”).
ENTITY_FACET = "provenanceDesk_entity"
EDGES_FACET = "provenanceDesk_edges"

_TYPES = frozenset({"START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"})


def is_run_event(payload: object) -> bool:
    """True for what looks like a RunEvent: it has a run with an id, and a job."""
    return (
        isinstance(payload, Mapping)
        and isinstance(payload.get("run"), Mapping)
        and isinstance(payload.get("job"), Mapping)
    )


def read_run_event(payload: Mapping[str, Any]) -> TellEvent | None:
    """The event that a RunEvent tells; None where it tells of nothing that rests on anything (a START, mostly).

    Raises `Refused` for what is no RunEvent and for what an event of ours would be refused for.
    """
    kind = str(payload.get("eventType", "OTHER")).upper()
    if kind not in _TYPES:
        raise Refused("unknown_event_type", f"Use one of: {', '.join(sorted(_TYPES))}.", at="eventType")
    hidden = secrets.first_refused(payload)
    if hidden is not None:
        raise Refused(
            hidden.why.value, "Credentials, raw arguments and hidden reasoning are not stored.", at=hidden.field
        )
    run_id = event_fields.text(payload["run"], "runId", at="run", most=100)
    if not run_id:
        raise Refused("no_run_id", "A RunEvent names its run.", at="run.runId")
    if kind in {"ABORT", "FAIL"}:
        return None
    job = payload["job"]
    inputs = [_dataset(one, at=f"inputs[{n}]", made_by="") for n, one in enumerate(_listed(payload, "inputs"))]
    outputs = [_dataset(one, at=f"outputs[{n}]", made_by=run_id) for n, one in enumerate(_listed(payload, "outputs"))]
    if not outputs:
        return None
    told = {
        "lineage_event_id": f"openlineage:{run_id}:{kind}:{digest_of(payload)[:16]}",
        "entities": outputs,
        "edges": list(_edges(payload, inputs, outputs, run_id=run_id, job=job)),
        "run_id": run_id,
        "created_at": _text(payload, "eventTime", at="eventTime"),
    }
    if len(told["edges"]) > MOST_PARTS:
        raise Refused("too_large", "Every output rests on every input: too many edges. Send the lineage facet.")
    return replace(read(told, lenient=True), digest=digest_of(payload))


def _dataset(told: object, *, at: str, made_by: str) -> dict[str, Any]:
    if not isinstance(told, Mapping):
        raise Refused("not_an_object", "A dataset is a JSON object.", at=at)
    facets = told.get("facets") or {}
    own = facets.get(ENTITY_FACET)
    if isinstance(own, Mapping) and own.get("ref"):
        return {name: own[name] for name in ("ref", "type", "version", "sha256", "classification") if own.get(name)}
    name = _text(told, "name", at=f"{at}.name")
    if not name:
        raise Refused("no_name", "A dataset has a name.", at=f"{at}.name")
    version = (facets.get("version") or {}).get("datasetVersion") or made_by
    namespace = _text(told, "namespace", at=f"{at}.namespace").replace("://", "/")
    return {"ref": f"artifact://{namespace}/{name}", "type": "artifact", **({"version": version} if version else {})}


def _edges(
    payload: Mapping[str, Any],
    inputs: list[dict[str, Any]],
    outputs: list[dict[str, Any]],
    *,
    run_id: str,
    job: Mapping[str, Any],
) -> Iterator[dict[str, Any]]:
    own = (payload["run"].get("facets") or {}).get(EDGES_FACET)
    if isinstance(own, Mapping) and isinstance(own.get("edges"), list):
        yield from own["edges"]
        return
    code = (job.get("facets") or {}).get("sourceCodeLocation") or {}
    transform = {
        "type": "openlineage",
        "implementation": f"{job.get('namespace', '')}/{job.get('name', '')}"[:200],
        "version": str(code.get("version") or "")[:100],
    }
    exact = _exact(job, payload)
    for output in outputs:
        wanted = [one for one in inputs if exact is None or (output["ref"], one["ref"]) in exact]
        if wanted:
            yield {
                "relation": Relation.DERIVED_FROM.value,
                "output": output,
                "inputs": wanted,
                "transform": transform,
                "run_id": run_id,
            }


def _exact(job: Mapping[str, Any], payload: Mapping[str, Any]) -> set[tuple[str, str]] | None:
    """The pairs of the facet `lineage`, None where there is none."""
    facets = job.get("facets") or {}
    entries = (facets.get("lineage") or {}).get("entries")
    if not isinstance(entries, list):
        return None
    pairs = set()
    for entry in entries:
        target = _dataset(entry, at="job.facets.lineage", made_by="")["ref"]
        for one in entry.get("inputs") or []:
            pairs.add((target, _dataset(one, at="job.facets.lineage", made_by="")["ref"]))
    return pairs


def _listed(payload: Mapping[str, Any], name: str) -> list[Any]:
    value = payload.get(name) or []
    if not isinstance(value, list):
        raise Refused("not_a_list", f"{name} is a list.", at=name)
    return value


def _text(facts: Mapping[str, Any], name: str, *, at: str) -> str:
    value = facts.get(name) or ""
    if not isinstance(value, str):
        raise Refused("not_a_text", f"{name} is a text.", at=at)
    return value
