"""Each environment variable that anything reads is explained in .env.example, and nothing else is."""

import ast
import re

import pytest

from provenance_site import env
from tests.architecture.packages import product_files, tree_of
from tests.environment import ROOT

_DOCUMENTED = re.compile(r"^(?:# ?)?([A-Z][A-Z0-9_]+)=", re.MULTILINE)
_IN_COMPOSE = re.compile(r"\$\{([A-Z][A-Z0-9_]+)")
# Names that the machine gives, not a person: no one sets them in a file.
_NOT_OURS = frozenset({"DJANGO_SETTINGS_MODULE", "TMPDIR", "PATH", "HOME", "PYTHONUNBUFFERED", "PYTHONWARNINGS"})


def documented() -> set[str]:
    return set(_DOCUMENTED.findall((ROOT / ".env.example").read_text(encoding="utf-8")))


def read_by_the_product() -> set[str]:
    """Names handed to the readers of `provenance_site.env` or to os.environ, and any DESK_… text in the product."""
    names = set()
    for path in product_files():
        for node in ast.walk(tree_of(path)):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="env")), args=[ast.Constant(value=str(name)), *_]):
                    names.add(name)
                case (
                    ast.Call(
                        func=ast.Attribute(value=ast.Attribute(attr="environ")),
                        args=[ast.Constant(value=str(name)), *_],
                    )
                    | ast.Subscript(value=ast.Attribute(attr="environ"), slice=ast.Constant(value=str(name)))
                ):
                    names.add(name)
                case ast.Constant(value=str(text)) if re.fullmatch(r"DESK_[A-Z0-9_]+", text):
                    names.add(text)
    return names - _NOT_OURS


def read_by_compose() -> set[str]:
    return set(_IN_COMPOSE.findall((ROOT / "docker-compose.yml").read_text(encoding="utf-8")))


def test_every_variable_is_explained_and_no_other() -> None:
    assert documented() == read_by_the_product() | read_by_compose()


def test_no_value_in_the_example_is_a_secret() -> None:
    """The example is copied to .env: a secret that stands in it would be everyone's."""
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    for name, value in re.findall(r"^(?:# ?)?([A-Z0-9_]*(?:SECRET|PASSWORD)[A-Z0-9_]*)=(.*)$", text, re.MULTILINE):
        assert value == "" or value.startswith("change-me"), name


@pytest.mark.parametrize(("reader", "value"), [(env.number, "many"), (env.flag, "perhaps")], ids=["number", "flag"])
def test_a_value_that_cannot_be_used_is_named(reader: object, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESK_TRIED", value)
    with pytest.raises(env.BadEnvironment, match="DESK_TRIED"):
        reader("DESK_TRIED", 0)  # type: ignore[operator]
