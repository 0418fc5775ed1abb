"""Reads a finished document for the ship gate: every work that it cites, and what stands against the text. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from sources.core import citations
from sources.core.citations import CorpusItem, Gated, Policy, Problem, ProblemCode, Severity, Standing
from sources.core.citations.definitions import link_address
from sources.core.citations.messages import of_untouched
from sources.core.extract import NOTHING_FOUND, Shape, extract, lines_of
from sources.core.records import Extraction, Identity
from validation.core.shipping import Level, Remark, Rule

# What no share makes up for, whatever the draft's policy says of it: the gate's conditions.
_BLOCKS = {
    ProblemCode.LINK_OUTSIDE: Rule.OUTSIDE,
    ProblemCode.ADDRESS_OUTSIDE: Rule.OUTSIDE,
    ProblemCode.NOTE_OUTSIDE: Rule.OUTSIDE,
    ProblemCode.NAMED_NOTE_OUTSIDE: Rule.OUTSIDE,
    ProblemCode.UNKNOWN_ID: Rule.UNRESOLVED,
    ProblemCode.NOTE_UNDEFINED: Rule.UNRESOLVED,
    ProblemCode.CITATION_UNREADABLE: Rule.UNRESOLVED,
    ProblemCode.NEEDS_SOURCE: Rule.MARKER,
    ProblemCode.NEEDS_GROUNDING: Rule.MARKER,
}
# What the policy decides: refused sources block, those that it warns of are told.
_BY_POLICY = {
    ProblemCode.RETRACTED: Rule.RETRACTED,
    ProblemCode.DROPPED: Rule.DROPPED,
    ProblemCode.INTERNAL_ONLY: Rule.INTERNAL_ONLY,
}


@dataclass(frozen=True, slots=True)
class Cited:
    """One distinct work that the document cites: at its first place in the text as it was given, or, for an id, where
    the id first stands. `title` is what the document calls it, '' where it does not say."""

    identity: Identity
    address: str
    title: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class ShippedText:
    """`final` is the document with its ids resolved: the text itself where it was resolved before."""

    final: str
    cited: tuple[Cited, ...]
    remarks: tuple[Remark, ...]


def read_document(
    text: str,
    *,
    corpus: Sequence[CorpusItem],
    policy: Policy,
    acknowledged: Mapping[str, str],
) -> ShippedText:
    """The works that the finished document names, and what is remarked of its text and of the corpus.

    Every link, note, bare address and identifier of the text as given is a work, and every source whose id the text
    cites, as the resolved document links to it. `acknowledged` has, by stable id, the reason why a person lets a
    retracted source be cited: such a use is told and allowed.
    """
    allowed = [_without_retraction(item) if item.id in acknowledged else item for item in corpus]
    gated = citations.gate(text, corpus=allowed, policy=policy)
    given = extract(text, shape=Shape.DRAFT)
    lines = lines_of(text)
    cited: dict[str, Cited] = {}
    for found in (given, extract(gated.text, shape=Shape.DRAFT)):
        for key, one in _works(found, lines, gated=gated, corpus=corpus, own=found is given).items():
            known = cited.get(key)
            cited[key] = one if known is None else replace(known, title=known.title or one.title)
    remarks = [
        *(_of_problem(problem) for problem in gated.problems),
        *_acknowledgements(gated, acknowledged=acknowledged, corpus=corpus),
        *(
            Remark(Rule.UNREADABLE, Level.WARNS, error.message, error.line, 1, error.spelling)
            for error in given.errors
            if error.message != NOTHING_FOUND
        ),
    ]
    in_order = sorted(cited.values(), key=lambda one: (one.line, one.column))
    return ShippedText(final=gated.text, cited=tuple(in_order), remarks=tuple(remarks))


def _works(
    found: Extraction, lines: Sequence[str], *, gated: Gated, corpus: Sequence[CorpusItem], own: bool
) -> dict[str, Cited]:
    """Works by key, at their places in the text as given (`own`), or where their ids are cited there."""
    places = {} if own else _places_by_address(gated, corpus)
    works: dict[str, Cited] = {}
    for one in found.references:
        key = one.identity.key
        if not key:
            continue
        if key in works:
            works[key] = replace(works[key], title=works[key].title or one.title)
            continue
        if own:
            line, column = one.line, _column(lines, one.line, one.spelling)
        else:
            line, column = next((places[form] for form in (one.spelling, one.identity.link) if form in places), (0, 0))
        works[key] = Cited(one.identity, one.spelling, one.title, line, column)
    return works


def _places_by_address(gated: Gated, corpus: Sequence[CorpusItem]) -> dict[str, tuple[int, int]]:
    items = {item.id: item for item in corpus}
    found: dict[str, tuple[int, int]] = {}
    for citation in gated.citations:
        item = items.get(citation.id)
        if item is not None and citation.places:
            place = (citation.places[0].line, citation.places[0].column)
            for address in (item.url, item.canonical_url, link_address(item.url)):
                found.setdefault(address, place)
    return found


def _column(lines: Sequence[str], line: int, spelling: str) -> int:
    """Where the spelling stands in its line, from 1; 1 where it was put together from several places."""
    return lines[line - 1].find(spelling) + 1 or 1 if 0 < line <= len(lines) else 1


def _of_problem(problem: Problem) -> Remark:
    rule = _BLOCKS.get(problem.code)
    level = Level.BLOCKS
    if rule is None:
        rule = _BY_POLICY.get(problem.code, Rule.WRITING)
        refused = problem.code in _BY_POLICY and problem.severity is Severity.ERROR
        level = Level.BLOCKS if refused else Level.WARNS
    # A marker that stands in the text is there to be resolved; of all else nothing was changed.
    message = problem.message if rule is Rule.MARKER else of_untouched(problem.message)
    return Remark(rule, level, message, problem.line, problem.column, problem.url or problem.id)


def _without_retraction(item: CorpusItem) -> CorpusItem:
    return replace(item, standing=item.standing - {Standing.RETRACTED})


def _acknowledgements(gated: Gated, *, acknowledged: Mapping[str, str], corpus: Sequence[CorpusItem]) -> list[Remark]:
    retracted: Collection[str] = {item.id for item in corpus if Standing.RETRACTED in item.standing}
    return [
        Remark(
            Rule.ACKNOWLEDGED,
            Level.TELLS,
            f"{citation.id} is retracted; citing it was acknowledged by a person: {acknowledged[citation.id]}",
            place.line,
            place.column,
            citation.id,
        )
        for citation in gated.citations
        if citation.id in acknowledged and citation.id in retracted
        for place in citation.places[:1]
    ]
