"""Values that no database keeps, or that are larger than its columns, and bodies that hold one of them in one place."""

from collections.abc import Iterator
from typing import Any

NUL, HALF = "a\x00b", "a\ud800b"
# Beyond any column, and the largest of 64 bits.
LONG = (10**30, 2**63 - 1)

Where = tuple[str | int, ...]


class Schemas:
    """The schemas of an OpenAPI document: a value that fits one, and the same with one place exchanged."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.named: dict[str, Any] = document["components"]["schemas"]

    def type_of(self, schema: dict[str, Any]) -> str:
        """ "string", "integer", "array" …; '' for an enum."""
        return str(self._plain(schema).get("type", ""))

    def fitting(self, schema: dict[str, Any], known: dict[str, Any]) -> Any:
        """A value of every field; that of `known` where it has the field's name."""
        schema = self._plain(schema)
        match schema:
            case {"enum": [first, *_]}:
                return first
            case {"properties": fields}:
                return {name: known.get(name, self.fitting(one, known)) for name, one in fields.items()}
            case {"type": "array", "items": items}:
                return [self.fitting(items, known) for _ in range(schema.get("minItems", 1))]
            case {"type": "integer" | "number"}:
                return schema.get("minimum", 1)
            case {"type": "boolean"}:
                return False
            case {"type": "object"}:
                return {}
            case {"pattern": "^src-[0-9]{3,9}$"}:
                return "src-001"
            case {"format": "uuid"}:
                return "00000000-0000-4000-8000-000000000000"
        return "x"

    def places(self, schema: dict[str, Any], where: Where = ()) -> Iterator[tuple[Where, str]]:
        """Each place of a value of `fitting` that holds one thing, with the type of it ("string", "integer", …)."""
        schema = self._plain(schema)
        match schema:
            case {"enum": _}:
                return
            case {"properties": fields}:
                for name, one in fields.items():
                    yield from self.places(one, (*where, name))
            case {"type": "array", "items": items}:
                yield from self.places(items, (*where, 0))
            case _:
                yield where, schema.get("type", "")

    def _plain(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Without a reference, a null or a wrapping."""
        for one in (*schema.get("anyOf", ()), *schema.get("allOf", ())):
            if one.get("type") != "null":
                return self._plain(one)
        reference = schema.get("$ref")
        return self._plain(self.named[reference.rpartition("/")[2]]) if reference else schema


def exchanged(value: Any, where: Where, new: Any) -> Any:
    """A copy of `value` with `new` at the place."""
    if not where:
        return new
    first, *rest = where
    parts = list(value) if isinstance(value, list) else dict(value)
    parts[first] = exchanged(parts[first], tuple(rest), new)
    return parts
