"""From an outline to the questions of a harvest: per section, from what it asks and what it would rather cite. Pure.

A section is never asked for by one general search. Each guiding question is asked where the section's preferences lie:
on its domains and those of its publishers, and of those who know its kinds of sources. Only where it has no preference
at all is it asked of the whole web.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sources.core.similarity import fold
from validation.core.harvest_tools import Tool
from validation.core.ports import ANYWHERE, Domains
from validation.core.publishers import Publisher
from validation.core.routes import MOST_DOMAINS, Kind, Preferred, asked_in, kind_named, preferred

MOST_QUERIES = 500
LONGEST_QUERY = 400  # characters; Tavily refuses more


@dataclass(frozen=True, slots=True)
class SectionAsk:
    """A section of an outline: its key in the project (`slug`), its title, what it asks, what it would rather cite.

    `claims` are sentences that want a source; they are asked as they stand, and where there are any, they alone."""

    slug: str
    title: str
    questions: tuple[str, ...] = ()
    preferred_sources: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedQuery:
    """One question to one or several searches. `why` says, in words for people, what it was built from."""

    section: str
    text: str
    tools: tuple[Tool, ...]
    domains: Domains = ANYWHERE
    why: str = ""

    @property
    def calls(self) -> int:
        """How many calls it is."""
        return len(self.tools)


@dataclass(frozen=True, slots=True)
class Plan:
    """The queries in the order of the outline, and what a person has to know of them."""

    queries: tuple[PlannedQuery, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def calls(self) -> int:
        """How many calls the plan is."""
        return sum(query.calls for query in self.queries)


def plan(
    sections: Sequence[SectionAsk],
    *,
    subject: str,
    tools: Collection[Tool],
    exclude: Sequence[str] = (),
    own_publishers: Iterable[Publisher] = (),
) -> Plan:
    """The queries for an outline about `subject`, to those of `tools` that can answer them.

    Web searches are given the subject with each question, registries of works the question alone, since a firm's name
    stands in few titles. `exclude` are domains that no query may answer from. At most 500 queries; notes tell what was
    left out and what nobody could be asked about.
    """
    planner = _Planner(subject=" ".join(subject.split()), tools=tuple(tool for tool in Tool if tool in tools))
    found: dict[PlannedQuery, str] = {}
    own = tuple(own_publishers)
    for section in sections:
        for query in planner.queries_of(section, preferred(section.preferred_sources, own_publishers=own)):
            told = replace(query, domains=replace(query.domains, exclude=tuple(exclude)))
            found.setdefault(replace(told, why=""), told.why)
    queries = [replace(query, why=why) for query, why in found.items()]
    notes = planner.notes()
    if len(queries) > MOST_QUERIES:
        notes.append(f"The outline makes {len(queries)} queries; the first {MOST_QUERIES} are kept.")
    return Plan(queries=tuple(queries[:MOST_QUERIES]), notes=tuple(notes))


def plan_claim(
    claim: str,
    *,
    title: str,
    preferred_sources: Sequence[str],
    tools: Collection[Tool],
    own_publishers: Iterable[Publisher] = (),
) -> tuple[Plan, Plan]:
    """The queries for one claim: those where its section would rather look, and those for where that is not enough, the
    whole web and the registries of works. None is in both; both are empty for an empty claim or where nobody can be
    asked.

    `title` is the section's, '' for none. A claim says itself what it is about, so no subject is put before it.
    """
    if not claim:
        return Plan(), Plan()
    there = SectionAsk("", title, preferred_sources=tuple(preferred_sources), claims=(claim,))
    anywhere = [SectionAsk("", "", preferred_sources=kinds, claims=(claim,)) for kinds in ((), ("science",))]
    first = plan([there], subject="", tools=tools, own_publishers=own_publishers)
    then = plan(anywhere, subject="", tools=tools)
    known = {replace(query, why="") for query in first.queries}
    rest = tuple(query for query in then.queries if replace(query, why="") not in known)
    return first, Plan(queries=rest)


class _Planner:
    """What all sections have in common."""

    def __init__(self, *, subject: str, tools: tuple[Tool, ...]) -> None:
        self._subject = subject
        self._web = tuple(tool for tool in tools if not tool.finds_works)
        self._works = tuple(tool for tool in tools if tool.finds_works)
        self._unasked_web = self._unasked_works = 0

    def queries_of(self, section: SectionAsk, wanted: Preferred) -> Iterator[PlannedQuery]:
        """The queries of one section, question by question."""
        told = wanted.kinds
        if wanted == Preferred() and (kind := kind_named(section.title)):
            told = (kind,)
        for asked in section.claims or [asked_in(question) for question in section.questions or (section.title,)]:
            for query in self._queries(asked, wanted, told):
                if query.tools and query.text:
                    yield replace(query, section=section.slug, text=query.text[:LONGEST_QUERY].strip())
                elif query.text:
                    self._unasked_web += 1

    def notes(self) -> list[str]:
        """What nobody could be asked about."""
        notes = []
        if self._unasked_web:
            notes.append(
                f"No web search is configured: {self._unasked_web} queries are left out. An admin can enter one under "
                "“Search providers”."
            )
        if self._unasked_works:
            notes.append(
                f"Registries of works are turned off here: {self._unasked_works} questions that are theirs go to the "
                "whole web."
            )
        return notes

    def _queries(self, asked: str, wanted: Preferred, kinds: Sequence[Kind]) -> Iterator[PlannedQuery]:
        anywhere = True
        for start in range(0, len(wanted.domains), MOST_DOMAINS):
            anywhere = False
            part = wanted.domains[start : start + MOST_DOMAINS]
            yield self._of_web(asked, why="Preferred domains", include=part)
        for name in wanted.publishers:
            anywhere = False
            yield self._of_web(f'{asked} "{name.replace(chr(34), " ")}"', why=f"Preferred publisher “{name}”")
        for kind in kinds:
            if not kind.finds_works:
                anywhere = False
                yield self._of_web(asked, why=f"Asks {kind.label}", include=kind.domains)
            elif self._works:
                anywhere = False
                yield PlannedQuery("", asked, self._works, why=f"Asks {kind.label}")
            else:
                self._unasked_works += 1
        if anywhere:
            yield self._of_web(asked, why="No preference: the whole web")

    def _of_web(self, asked: str, *, why: str, include: tuple[str, ...] = ()) -> PlannedQuery:
        names_it = f" {fold(self._subject)} " in f" {fold(asked)} "
        text = asked if not self._subject or names_it else f"{self._subject} {asked}"
        return PlannedQuery("", text, self._web, domains=Domains(include=include), why=why)
