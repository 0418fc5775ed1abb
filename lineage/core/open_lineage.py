"""Reads OpenLineage RunEvents (spec 2-0-2) as events of ours; what we write in that form is read back whole.

A dataset is an artifact `artifact://<namespace>/<name>` pinned by its `version` facet; an output without one by the run
that made it. An input without a version names nothing fixed: it is taken as unresolved, and counted so. Which output
rests on which input, as a whole or by field, is said by the facet `lineage` (1-0-0) of the output or of the job, or by
our own run facet; without any, every output rests on every input, as OpenLineage itself means it.
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
        raise Refused(hidden.why.value, hidden.why.explanation, at=hidden.field)
    run_id = event_fields.text(payload["run"], "runId", at="run", most=100)
    if not run_id:
        raise Refused("no_run_id", "A RunEvent names its run.", at="run.runId")
    if kind in {"ABORT", "FAIL"}:
        return None
    outputs = [_dataset(one, at=f"outputs[{n}]", made_by=run_id) for n, one in enumerate(_listed(payload, "outputs"))]
    own = _facet(payload["run"], EDGES_FACET)
    told = _as_we_wrote_it(own, outputs) if own else _as_others_mean_it(payload, outputs, run_id=run_id)
    if not told["entities"] and not told["edges"]:
        return None
    if len(told["edges"]) > MOST_PARTS:
        raise Refused("too_large", "Every output rests on every input: too many edges. Send the lineage facet.")
    told |= {
        "lineage_event_id": f"openlineage:{run_id}:{kind}:{digest_of(payload)[:16]}",
        "created_at": _text(payload, "eventTime", at="eventTime"),
    }
    return replace(read(told, lenient=True), digest=digest_of(payload))


def _as_we_wrote_it(own: Mapping[str, Any], outputs: list[dict[str, Any]]) -> dict[str, Any]:
    """The nodes, edges and run of our facet: also succession and structure, which are no lineage in OpenLineage."""
    at = f"run.facets.{EDGES_FACET}."
    return {
        "entities": [*outputs, *_listed(own, "entities", at=at)],
        "edges": _listed(own, "edges", at=at),
        "run_id": _text(own, "runId", at=f"{at}runId"),
    }


def _as_others_mean_it(payload: Mapping[str, Any], outputs: list[dict[str, Any]], *, run_id: str) -> dict[str, Any]:
    """Outputs as nodes that are told of, each resting on its inputs."""
    inputs = [_dataset(one, at=f"inputs[{n}]", made_by="") for n, one in enumerate(_listed(payload, "inputs"))]
    edges = list(_edges(payload, inputs, outputs, run_id=run_id))
    return {"entities": outputs, "edges": edges, "run_id": run_id}


def _dataset(told: object, *, at: str, made_by: str) -> dict[str, Any]:
    if not isinstance(told, Mapping):
        raise Refused("not_an_object", "A dataset is a JSON object.", at=at)
    own = _facet(told, ENTITY_FACET, at=f"{at}.")
    if own.get("ref"):
        return {name: value for name, value in own.items() if value and not name.startswith("_")}
    name = _text(told, "name", at=f"{at}.name")
    if not name:
        raise Refused("no_name", "A dataset has a name.", at=f"{at}.name")
    version = _facet(told, "version", at=f"{at}.").get("datasetVersion") or made_by
    namespace = _text(told, "namespace", at=f"{at}.namespace").replace("://", "/")
    return {"ref": f"artifact://{namespace}/{name}", "type": "artifact", **({"version": version} if version else {})}


def _edges(
    payload: Mapping[str, Any], inputs: list[dict[str, Any]], outputs: list[dict[str, Any]], *, run_id: str
) -> Iterator[dict[str, Any]]:
    job = payload["job"]
    code = _facet(job, "sourceCodeLocation", at="job.")
    transform = {
        "type": "openlineage",
        "implementation": f"{job.get('namespace', '')}/{job.get('name', '')}"[:200],
        "version": str(code.get("version") or "")[:100],
    }
    of_job, all_inputs = _told_by_job(job), {one["ref"] for one in inputs}
    for position, output in enumerate(outputs):
        facet = _facet(payload["outputs"][position], "lineage", at=f"outputs[{position}].")
        if facet:
            exact = _sources(facet, at=f"outputs[{position}].facets.lineage")
        else:
            exact = all_inputs if of_job is None else of_job.get(output["ref"], set())
        wanted = [one for one in inputs if one["ref"] in exact]
        if wanted:
            yield {
                "relation": Relation.DERIVED_FROM.value,
                "output": output,
                "inputs": wanted,
                "transform": transform,
                "run_id": run_id,
            }


def _told_by_job(job: Mapping[str, Any]) -> dict[str, set[str]] | None:
    """What each dataset that the job's facet `lineage` names rests on, by ref; None where there is no such facet."""
    facet = _facet(job, "lineage", at="job.")
    if not facet:
        return None
    told: dict[str, set[str]] = {}
    for position, entry in enumerate(_listed(facet, "entries", at="job.facets.lineage.")):
        at = f"job.facets.lineage.entries[{position}]"
        if not _is_job(entry):
            told.setdefault(_dataset(entry, at=at, made_by="")["ref"], set()).update(_sources(entry, at=at))
    return told


def _sources(target: Mapping[str, Any], *, at: str) -> set[str]:
    """The datasets that feed a target, as a whole or by field."""
    fields = target.get("fields") or {}
    if not isinstance(fields, Mapping) or not all(isinstance(one, Mapping) for one in fields.values()):
        raise Refused("not_an_object", "Fields are JSON objects.", at=f"{at}.fields")
    listed = [one for told in (target, *fields.values()) for one in _listed(told, "inputs", at=f"{at}.")]
    return {_dataset(one, at=f"{at}.inputs", made_by="")["ref"] for one in listed if not _is_job(one)}


def _is_job(told: object) -> bool:
    """Jobs stand beside datasets there; they are no data that something rests on."""
    return isinstance(told, Mapping) and told.get("type") == "JOB"


def _facet(owner: Mapping[str, Any], name: str, *, at: str = "run.") -> Mapping[str, Any]:
    """A facet of a run, a job or a dataset, empty where it has none. Raises `Refused` for what is no object."""
    found = owner
    for step, where in (("facets", f"{at}facets"), (name, f"{at}facets.{name}")):
        inner = found.get(step) or {}
        if not isinstance(inner, Mapping):
            raise Refused("not_an_object", "Facets are JSON objects.", at=where)
        found = inner
    return found


def _listed(facts: Mapping[str, Any], name: str, *, at: str = "") -> list[Any]:
    value = facts.get(name) or []
    if not isinstance(value, list):
        raise Refused("not_a_list", f"{name} is a list.", at=f"{at}{name}")
    return value


def _text(facts: Mapping[str, Any], name: str, *, at: str) -> str:
    value = facts.get(name) or ""
    if not isinstance(value, str):
        raise Refused("not_a_text", f"{name} is a text.", at=at)
    return value
