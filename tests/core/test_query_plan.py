"""Queries are built per section from its questions and its preferences, and go to who knows the kind."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import assert_linear
from validation.core.harvest_tools import Tool, price_of
from validation.core.ports import Domains
from validation.core.publishers import Publisher
from validation.core.query_plan import LONGEST_QUERY, MOST_QUERIES, SectionAsk, plan
from validation.core.routes import MOST_DOMAINS, BadDomain, asked_in, domains_in, kinds, preferred

WEB = (Tool.SEARXNG, Tool.TAVILY)
ALL = frozenset(Tool)


def asked(
    *sections: SectionAsk, tools: frozenset[Tool] = ALL, subject: str = "Harbour Robotics"
) -> list[tuple[object, ...]]:
    made = plan(sections, subject=subject, tools=tools)
    return [(one.section, one.text, one.tools, one.domains.include, one.why) for one in made.queries]


def test_each_question_is_asked_where_the_section_would_rather_look() -> None:
    section = SectionAsk(
        "02-market",
        "Market",
        ("What is the size of the market for harbour robots?", "Who are the competitors?"),
        ("oecd.org", "https://www.Statista.com/outlook", "Harbour Weekly", "Financial Times"),
    )
    found = asked(section, tools=frozenset(WEB))
    assert found == [
        ("02-market", f"Harbour Robotics {text}", WEB, include, why)
        for text in ("size of the market for harbour robots", "competitors")
        for text, include, why in (
            (text, ("oecd.org", "statista.com", "ft.com"), "Preferred domains"),
            (f'{text} "Harbour Weekly"', (), "Preferred publisher “Harbour Weekly”"),
        )
    ]


@pytest.mark.parametrize(
    ("kind", "domain"),
    [("team", "linkedin.com"), ("Analyst firms", "gartner.com"), ("regulation", "sec.gov"), ("patents", "epo.org")],
)
def test_a_kind_is_asked_of_those_who_know_it(kind: str, domain: str) -> None:
    ((_, _, tools, include, why),) = asked(SectionAsk("s", "Anything", ("Boats?",), (kind,)), tools=frozenset(WEB))
    assert domain in include
    assert tools == WEB
    assert why.startswith("Asks ")


def test_science_is_asked_of_registries_without_the_firms_name() -> None:
    ((_, text, tools, include, _),) = asked(SectionAsk("s", "Sonar", ("How does sonar work?",), ("science",)))
    assert (text, tools, include) == ("sonar work", (Tool.CROSSREF, Tool.OPENALEX), ())


def test_a_title_tells_the_kind_only_where_nothing_is_preferred() -> None:
    ((_, _, _, include, _),) = asked(SectionAsk("05-team", "Founding Team"))
    assert "linkedin.com" in include
    ((_, _, _, include, _),) = asked(SectionAsk("05-team", "Founding Team", (), ("harbour.example",)))
    assert include == ("harbour.example",)


def test_without_any_preference_the_whole_web_is_asked() -> None:
    ((_, text, tools, include, why),) = asked(SectionAsk("s", "Sonar", ("How old is Harbour Robotics?",)))
    assert (text, include, why) == ("How old is Harbour Robotics", (), "No preference: the whole web")
    assert not {tool for tool in tools if tool.finds_works}


def test_what_nobody_can_be_asked_about_is_told() -> None:
    section = SectionAsk("s", "Sonar", ("Boats?",), ("science",))
    made = plan([section], subject="", tools=WEB)
    assert [query.tools for query in made.queries] == [WEB]
    assert "turned off" in made.notes[0]
    made = plan([SectionAsk("s", "Sonar", ("Boats?",))], subject="", tools=[Tool.CROSSREF])
    assert made.queries == ()
    assert "Search providers" in made.notes[0]


def test_domains_to_leave_out_stand_in_every_query() -> None:
    sections = [SectionAsk("a", "Team"), SectionAsk("b", "Science")]
    made = plan(sections, subject="X", tools=ALL, exclude=("harbour.example",))
    assert {query.domains.exclude for query in made.queries} == {("harbour.example",)}
    assert made.calls == sum(len(query.tools) for query in made.queries)


def test_one_question_of_a_section_is_planned_once() -> None:
    assert len(asked(SectionAsk("s", "Sonar", ("Boats?", "boats?".title(), "Boats")))) == 1
    assert len(asked(SectionAsk("s", "Sonar", ("Boats?",)), SectionAsk("t", "Sonar", ("Boats?",)))) == 2


def test_a_workspaces_own_publisher_is_known_by_its_domains() -> None:
    own = Publisher("The Harbour Gazette", ("gazette.example",))
    assert preferred(["the harbour  gazette"], own_publishers=[own]).domains == ("gazette.example",)
    assert preferred(["the harbour gazette"]).publishers == ("the harbour gazette",)


def test_every_kind_in_the_data_can_be_asked() -> None:
    for kind in kinds():
        assert kind.finds_works != bool(kind.domains)
        assert domains_in(" ".join(kind.domains)) == kind.domains
    names = [name for kind in kinds() for name in kind.names]
    assert len(names) == len(set(names))


def test_domains_are_read_from_what_people_enter() -> None:
    assert domains_in("oecd.org, https://www.ft.com/markets;\nOECD.org ") == ("oecd.org", "ft.com")
    assert domains_in("  ") == ()
    for wrong in ("oecd", "a@b.example", "http://", "x_y.example", "linkedin"):
        with pytest.raises(BadDomain, match="is no domain"):
            domains_in(wrong)
    with pytest.raises(BadDomain, match="21 domains"):
        domains_in(" ".join(f"a{place}.example" for place in range(21)))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is the size of the market?", "size of the market"),
        ("Wie groß ist der Markt?", "Markt"),
        ("Why?", "Why"),
        ("Whatever floats", "Whatever floats"),
        ("Team", "Team"),
        ("How large is the market?", "market"),
        ("How large a fleet is there?", "fleet is there"),
        ("How many ferries are there in the sound?", "ferries are there in the sound"),
        ("How does sonar work?", "sonar work"),
        ("When was the harbour built?", "harbour built"),
        ("Wie viele Fähren gibt es?", "Fähren gibt es"),
        ("How deep is the harbour?", "How deep is the harbour"),
        ("How large and deep is the harbour?", "How large and deep is the harbour"),
        ("How much deeper is the harbour now?", "How much deeper is the harbour now"),
        ("How quickly does the harbour silt up?", "How quickly does the harbour silt up"),
        ("How large-scale is the dredging?", "How large-scale is the dredging"),
        ("When exactly was the harbour built?", "When exactly was the harbour built"),
        ("Wie tief ist der Hafen?", "Wie tief ist der Hafen"),
        ("Wie viel tiefer ist der Hafen?", "Wie viel tiefer ist der Hafen"),
    ],
)
def test_questions_lose_only_the_words_that_ask(question: str, words: str) -> None:
    assert asked_in(question) == words


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["deep", "deeply", "long-lived", "much deeper", "far", "likely", "well", "larger"]),
    st.sampled_from(["is", "are", "has", "does", "can", "was"]),
    st.text(alphabet="abc de", max_size=20),
)
def test_no_question_is_left_with_the_adjective_that_it_began_with(word: str, verb: str, rest: str) -> None:
    assert asked_in(f"How {word} {verb} the {rest}").startswith(f"How {word} {verb}")


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80), st.lists(st.text(max_size=60), max_size=4), st.lists(st.text(max_size=40), max_size=4))
def test_any_outline_makes_queries_that_can_be_asked(title: str, questions: list[str], wanted: list[str]) -> None:
    section = SectionAsk("s", title, tuple(questions), tuple(wanted))
    made = plan([section], subject=title, tools=ALL)
    assert made == plan([section], subject=title, tools=ALL)
    for query in made.queries:
        assert query.tools
        assert 0 < len(query.text) <= LONGEST_QUERY
        assert len(query.domains.include) <= MOST_DOMAINS


def test_a_long_outline_is_cut_and_says_so() -> None:
    made = plan([SectionAsk("s", "T", tuple(f"Boat {n}" for n in range(600)))], subject="", tools=ALL)
    assert len(made.queries) == MOST_QUERIES
    assert "600 queries" in made.notes[-1]


def test_planning_costs_by_the_length_of_the_outline() -> None:
    def work(text: str) -> object:
        return plan([SectionAsk("s", text, (text,), (text,))], subject="S", tools=ALL)

    for piece in ("how ", "is the ", "a.", "www.", "--"):
        assert_linear(work, piece, 40_000)


def test_costs_are_told_in_the_providers_own_units() -> None:
    assert price_of(Tool.TAVILY).of(12) == "12 credits"
    assert price_of(Tool.PERPLEXITY).of(12) == "US$ 0.06"
    assert price_of(Tool.CROSSREF).of(12) == "free"
    assert {tool: price_of(tool) for tool in Tool}
    assert Domains(include=("a.example",)).allow("https://www.b.a.example/x")
