"""`manage.py lineage QUESTION REF…`: asks the graph what rests on what."""

import json
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.core.serializers.json import DjangoJSONEncoder

from lineage import access
from lineage.access import NoSuchEntity
from lineage.core.asked import normal
from lineage.core.asking import Asker
from lineage.core.relations import EntityState, EntityType
from lineage.management.operators import NOT_THERE, acting, add_operator_arguments
from lineage.queries import answers, questions
from lineage.queries.evidence import evidence_for
from lineage.queries.listing import Filters, Listing
from lineage.services import impact
from lineage.services.impact import What
from provenance_site.kit.text import counted

Asked = dict[str, Any]
_PER_PAGE = 1_000
# Of these one page is printed; where there is more, it says so.
_MOST_EVIDENCE = 10_000
_MOST_DIFFERENCES = 100_000


class Command(BaseCommand):
    """Asks the lineage graph."""

    help = (
        "Asks what rests on what: ancestors, descendants, evidence, run, recall, impact, explain, path, diff, replay. "
        "Prints a line a node, or --json. Answers are complete, or say that they are cut. Exit code 2 for what is not "
        "there."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The question, what it is about, and who asks."""
        asked = parser.add_subparsers(dest="question", required=True, metavar="QUESTION")
        for name, (what, words) in _QUESTIONS.items():
            one = asked.add_parser(name, help=words)
            for argument in what:
                one.add_argument(argument.lower(), metavar=argument)
            if name in {"ancestors", "descendants", "run", "recall"}:
                one.add_argument("--type", action="append", default=[], choices=[str(kind) for kind in EntityType])
                one.add_argument("--stale", action="store_true", help="Only what is stale.")
            if name == "impact":
                one.add_argument("ref", metavar="REF", nargs="?", default="")
            if name in {"recall", "impact"}:
                # `--version` is Django's own option of every command.
                one.add_argument("--transform", default="")
                one.add_argument("--transform-version", default="")
                one.add_argument("--config", dest="config_hash", default="", help="Hash of the configuration.")
            one.add_argument("--json", action="store_true", help="The whole answer as one JSON object.")
            add_operator_arguments(one)

    def handle(self, *args: Any, **options: Any) -> None:
        """Asks, and prints the answer."""
        _, asker = acting(options)
        try:
            told, lines = _ANSWERS[options["question"]](asker, options)
        except NoSuchEntity:
            raise CommandError(NOT_THERE, returncode=2) from None
        except (questions.NothingToRecall, impact.NothingNamed) as nothing:
            raise CommandError(str(nothing), returncode=2) from nothing
        if options["json"]:
            self.stdout.write(json.dumps(told, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2))
            return
        for line in lines:
            self.stdout.write(line)


_QUESTIONS: dict[str, tuple[tuple[str, ...], str]] = {
    "ancestors": (("REF",), "All that a node rests on."),
    "descendants": (("REF",), "All that rests on a node."),
    "evidence": (("REF",), "What a claim rests on."),
    "run": (("RUN",), "What a run made."),
    "recall": ((), "What a transform or a configuration made, and all that rests on it."),
    "impact": ((), "What would become stale if a node, or what a transform or a configuration made, fell."),
    "explain": (("REF",), "How an output came to be."),
    "path": (("A", "B"), "How two nodes are joined."),
    "diff": (("FIRST", "SECOND"), "How two runs differ."),
    "replay": (("REF",), "What it takes to make an output again."),
}


def _whole(ask: Callable[[int], Listing]) -> tuple[Asked, Iterator[str]]:
    """All pages of an answer in one."""
    found = ask(1)
    nodes = list(found.nodes)
    for page in range(2, found.pages + 1):
        nodes += ask(page).nodes
    told = answers.listing(found) | {"page": 1, "pages": 1, "nodes": answers.nodes(nodes)}
    return told, (_line(one) for one in [*told["nodes"], {"total": found.total}])


def _line(node: Asked) -> str:
    if "total" in node:
        return f"{node['total']:,} in all, complete."
    released = ", released" if node["released_at"] else ""
    remark = f", {node['remark']}" if node["remark"] else ""
    return f"{node['ref'] or '(erased)'} {node['type']}, {node['state']}{remark}{released}"


def _filters(options: Asked) -> Filters:
    states = frozenset({EntityState.STALE}) if options["stale"] else frozenset()
    return Filters(frozenset(EntityType(kind) for kind in options["type"]), states)


def _walk(question: Callable[..., Listing]) -> Callable[[Asker, Asked], tuple[Asked, Iterator[str]]]:
    def ask(asker: Asker, options: Asked) -> tuple[Asked, Iterator[str]]:
        ref, filters = normal(options["ref"]), _filters(options)
        return _whole(lambda page: question(ref=ref, asker=asker, filters=filters, page=page, per_page=_PER_PAGE))

    return ask


def _run(asker: Asker, options: Asked) -> tuple[Asked, Iterator[str]]:
    filters = _filters(options)
    return _whole(
        lambda page: questions.outputs_for_run(
            run_id=options["run"], asker=asker, filters=filters, page=page, per_page=_PER_PAGE
        )
    )


def _recall(asker: Asker, options: Asked) -> tuple[Asked, Iterator[str]]:
    filters = _filters(options)
    return _whole(
        lambda page: questions.recall(
            asker=asker,
            transform=options["transform"],
            version=options["transform_version"],
            config_hash=options["config_hash"],
            filters=filters,
            page=page,
            per_page=_PER_PAGE,
        )
    )


def _impact(asker: Asker, options: Asked) -> tuple[Asked, Iterator[str]]:
    entity = access.entity_at(normal(options["ref"]), asker=asker) if options["ref"] else None
    what = What.named(
        reason="",
        entity=entity,
        transform=options["transform"],
        version=options["transform_version"],
        config_hash=options["config_hash"],
    )
    found = impact.preview(what=what, asker=asker)
    told = answers.reached(by_type=found.by_type, released=found.released)

    def lines() -> Iterator[str]:
        for kind, number in told["by_type"].items():
            yield f"{number:,} {kind}"
        for node in told["released"]:
            yield _line(node)
        yield f"{told['total']:,} in all would become stale."

    return told, lines()


def _evidence(asker: Asker, options: Asked) -> tuple[Asked, Iterator[str]]:
    found = evidence_for(claim=normal(options["ref"]), asker=asker, per_page=_MOST_EVIDENCE)
    told = answers.evidence(found)

    def lines() -> Iterator[str]:
        for piece in told["evidence"]:
            behind = ", ".join(source["ref"] for source in piece["sources"])
            yield f"{_line(piece['node'])}, {piece['support'] or 'not said how'}; from {behind or 'no source'}"
        extent = "complete" if found.pages == 1 else f"the first {_MOST_EVIDENCE:,} of them"
        yield f"{told['total']:,} in all, {extent}."

    return told, lines()


def _steps(told: Asked) -> Iterator[str]:
    for number, step in enumerate(told["steps"], start=1):
        how = " ".join(part for part in (step["transform"]["type"], step["transform"]["version"]) if part)
        first, *others = step["made"]
        made = f"{first} and {len(others):,} more" if others else first
        yield f"{number}. {step['type']} {made}: {', '.join(step['relations'])}{f', by {how}' if how else ''}"
        for ref in (step["inputs"] + step["means"])[:10]:
            yield f"   {ref}"
        if len(step["inputs"]) + len(step["means"]) > 10:
            yield f"   … {len(step['inputs']) + len(step['means']) - 10:,} more"
        for gap in step.get("missing", ()):
            yield f"   missing: {gap['explanation']}"
    yield "Complete." if told["complete"] else "Cut: what lies further back is not told."


def _explain(asker: Asker, options: Asked) -> tuple[Asked, Iterator[str]]:
    told = answers.story(questions.explain(ref=normal(options["ref"]), asker=asker))
    return told, _steps(told)


def _replay(asker: Asker, options: Asked) -> tuple[Asked, Iterator[str]]:
    told = answers.plan(questions.replay_plan(ref=normal(options["ref"]), asker=asker))
    return told, _steps(told)


def _path(asker: Asker, options: Asked) -> tuple[Asked, Iterator[str]]:
    told = answers.way(questions.path(a=normal(options["a"]), b=normal(options["b"]), asker=asker))

    def lines() -> Iterator[str]:
        for hop in told["hops"]:
            yield _line(hop["node"]) + (f"; {hop['link']['relation']}" if hop["link"] else "")
        if not told["exists"]:
            yield "Neither rests on the other."

    return told, lines()


def _diff(asker: Asker, options: Asked) -> tuple[Asked, Iterator[str]]:
    found = questions.diff(first=options["first"], second=options["second"], asker=asker, per_page=_MOST_DIFFERENCES)
    told = answers.comparison(found)

    def lines() -> Iterator[str]:
        for one in told["differences"]:
            yield f"{one['role']} {one['change']}: {one['first'] or '-'} {one['second'] or '-'}"
        if found.pages > 1:
            yield f"… {told['total'] - _MOST_DIFFERENCES:,} more"
        yield f"{counted(told['total'], 'difference')}."

    return told, lines()


_ANSWERS: dict[str, Callable[[Asker, Asked], tuple[Asked, Iterator[str]]]] = {
    "ancestors": _walk(questions.ancestors),
    "descendants": _walk(questions.descendants),
    "evidence": _evidence,
    "run": _run,
    "recall": _recall,
    "impact": _impact,
    "explain": _explain,
    "path": _path,
    "diff": _diff,
    "replay": _replay,
}
