"""PROV-N (W3C recommendation of 2013), a line a statement."""

from collections.abc import Iterator, Mapping

from lineage.core.told import Graph
from lineage.reports import prov_terms as terms

# Characters of a local name that PROV-N writes with a backslash before them.
_ESCAPED = "='(),:;[].\\"


def write(graph: Graph) -> Iterator[str]:
    """The document, line by line. The same graph gives the same text."""
    yield "document\n"
    for prefix, namespace in terms.PREFIXES.items():
        yield f"  prefix {prefix} <{namespace}>\n"
    for node in graph.nodes():
        facts = {"prov:type": f"'lin:{node.type}'", **_texts(terms.facts_of(node))}
        if node.source_time is not None:
            facts["lin:sourceTime"] = f'"{node.source_time.isoformat()}" %% xsd:dateTime'
        yield f"  entity({_name(terms.entity_name(node.ref))}{_facts(facts)})\n"
    for run in terms.runs(graph):
        facts = {"prov:type": "'lin:run'", **_texts({"lin:runId": run})}
        yield f"  activity({_name(terms.run_name(run))}, -, -{_facts(facts)})\n"
    for link in terms.derivations(graph):
        kind = terms.prov_type(link)
        facts = {**({"prov:type": f"'{kind}'"} if kind else {}), **_texts(terms.facts_of_link(link))}
        run = _name(terms.run_name(link.run_id)) if link.run_id else "-"
        ends = f"{_name(terms.entity_name(link.dependent))}, {_name(terms.entity_name(link.rests_on))}"
        yield f"  wasDerivedFrom(edge:{link.key}; {ends}, {run}, -, -{_facts(facts)})\n"
    for ref, run in terms.generations(graph):
        yield f"  wasGeneratedBy({_name(terms.entity_name(ref))}, {_name(terms.run_name(run))}, -)\n"
    for run, ref in terms.uses(graph):
        yield f"  used({_name(terms.run_name(run))}, {_name(terms.entity_name(ref))}, -)\n"
    for link in terms.memberships(graph):
        yield f"  hadMember({_name(terms.entity_name(link.dependent))}, {_name(terms.entity_name(link.rests_on))})\n"
    for ref, at in terms.invalidations(graph):
        yield f"  wasInvalidatedBy({_name(terms.entity_name(ref))}, -, {at.isoformat()})\n"
    yield "endDocument\n"


def _name(qualified: str) -> str:
    prefix, _, local = qualified.partition(":")
    return f"{prefix}:{''.join(f'{chr(92)}{letter}' if letter in _ESCAPED else letter for letter in local)}"


def _texts(facts: Mapping[str, str]) -> dict[str, str]:
    return {name: _text(value) for name, value in facts.items()}


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'


def _facts(facts: Mapping[str, str]) -> str:
    listed = ", ".join(f"{name}={value}" for name, value in facts.items())
    return f", [{listed}]" if listed else ""
