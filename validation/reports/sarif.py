"""The ship gate as SARIF 2.1.0 (OASIS standard of 2020), for code scanning and editors. Pure."""

import hashlib
import json
from typing import Any
from urllib.parse import quote

from validation.core.shipping import Level, Remark, Rule, ShipReport

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_RULES = tuple(Rule)
# The level of a rule where a result does not say its own.
_DEFAULTS = {Rule.NOT_VERIFIED: Level.WARNS, Rule.SPOT_CHECK: Level.WARNS, Rule.ACKNOWLEDGED: Level.TELLS}


def sarif(report: ShipReport) -> str:
    """One run with all rules and a result for each remark, as indented JSON that ends with a line end.

    Lines and columns count from 1, columns in Unicode code points. A remark of the whole document points to its first
    line, where viewers can show it. `exitCode` is the command's.
    """
    run = {
        "tool": {"driver": {"name": "Provenance Desk ship gate", "rules": [_rule(rule) for rule in _RULES]}},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "exitCode": report.decision.exit_code}],
        "artifacts": [{"location": {"uri": _uri(report.path)}, "sourceLanguage": "markdown"}],
        "results": [_result(remark, path=report.path) for remark in report.remarks],
        "properties": {
            "project": report.project,
            "document": report.document,
            "decision": report.decision.value,
            "verified": report.gate.verified,
            "total": report.gate.total,
            "percent": report.gate.percent,
            "spotChecksDrawn": report.drawn,
            "spotChecksLookedAt": report.looked_at,
        },
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.value,
        "name": "".join(word.capitalize() for word in rule.value.split("-")),
        "shortDescription": {"text": f"{rule.asks}."},
        "help": {"text": rule.way_out},
        "defaultConfiguration": {"level": _DEFAULTS.get(rule, Level.BLOCKS).value},
    }


def _result(remark: Remark, *, path: str) -> dict[str, Any]:
    region = {"startLine": max(remark.line, 1), "startColumn": max(remark.column, 1)}
    # So that a viewer knows a result again when lines above it have moved.
    known_by = hashlib.sha256(f"{remark.rule}\n{remark.address or remark.message}".encode()).hexdigest()
    return {
        "ruleId": remark.rule.value,
        "ruleIndex": _RULES.index(remark.rule),
        "level": remark.level.value,
        "message": {"text": remark.message},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(path)}, "region": region}}],
        "partialFingerprints": {"shipGate/v1": known_by},
    }


def _uri(path: str) -> str:
    """The path as a relative URI reference (RFC 3986); a colon in its first segment would read as a scheme."""
    return quote(path.replace("\\", "/"), safe="/", errors="replace")
