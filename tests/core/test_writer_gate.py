"""The writer gate: one draft with every fault beside its gated form, and each rule by itself."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.citations import (
    Action,
    CorpusItem,
    Gated,
    Mode,
    Policy,
    ProblemCode,
    Severity,
    Standing,
    gate,
    markers_of,
)
from tests.drafts import FOUND, HOSTILE
from tests.growth import assert_linear


def item(number: int, title: str, **more: object) -> CorpusItem:
    address = f"https://site{number}.example/report"
    told = {"publisher": "Harbour Office", "published": "2024-04-25", **more}
    return CorpusItem(f"src-{number:03}", address, address, title, **told)  # type: ignore[arg-type]


CORPUS = [
    item(1, "Tides of 2024"),
    item(2, "Ferries [PDF]", published="2024-04", publisher=""),
    item(3, "Quays", published=""),
    item(4, "Taken back", standing=frozenset({Standing.RETRACTED})),
    item(5, "In the drawer", standing=frozenset({Standing.INTERNAL_ONLY})),
    item(6, "Long ago", standing=frozenset({Standing.STALE})),
]
TIDES = "2024, Apr 25. [Tides of 2024](https://site1.example/report). Harbour Office. Published: 2024-04-25"
HYBRID = Policy(mode=Mode.HYBRID)

DRAFT = """\
---
sources: [src-001]
---
# Harbour [src-001]

Ferries run late [src-002]. Tides rise.[src-001][src-003] Nobody knows why [src-002, src-001], they say.
Quays sink [src-099]. See [the log](https://out.example/log) and https://out.example/raw. Bread [src-004].
A [good link](http://www.site3.example/report/?utm_source=chatgpt.com) stays. The deck says so.[^deck] Rent rose.[^7]
Fares doubled.[^9] Old news [src-006]. Page 3 says more [see src-001, p. 3], and src-002 too.

- [src-003]: a list item
- `[src-001]`, ``a ` [src-001]``, \\[src-001\\] and <!-- [src-001] --> stay [SRC-3].

| Year | Rise |
|------|------|
| 2024 | 4 cm [src-001] |
| 2025 | [5 cm](https://out.example/table) |

> Quoted ([src-002]).

~~~~text
[src-001]
~~~
https://out.example/code
~~~~

    [src-001] indented

[^7]: [Rents](https://out.example/rents). Out House.
[^deck]: Our deck, https://deck.example/7
[^8]: A remark of the writer's own, which names no source at all.

    Its second paragraph does [src-003].
"""

GATED = """\
---
sources: [src-001]
---
# Harbour [^1]

Ferries run late. [^2] Tides rise. [^1] [^3] Nobody knows why, [^2] [^1] they say.
Quays sink. <needs-source claim="Quays sink."> See the log <needs-source claim="See the log and out.example/raw."> and \
out.example/raw. <needs-source claim="See the log and out.example/raw."> Bread. <needs-source claim="Bread.">
A [good link](http://www.site3.example/report/?utm_source=chatgpt.com) stays. The deck says so.[^deck] Rent rose. \
<needs-source claim="Rent rose.">
Fares doubled. <needs-source claim="Fares doubled."> Old news. [^4] Page 3 says more \
[see src-001, p. 3], and src-002 too.

- [^3] : a list item
- `[src-001]`, ``a ` [src-001]``, \\[src-001\\] and <!-- [src-001] --> stay. [^3]

| Year | Rise |
|------|------|
| 2024 | 4 cm [^1] |
| 2025 | 5 cm <needs-source claim="2025; 5 cm"> |

> Quoted ([^2]).

~~~~text
[src-001]
~~~
https://out.example/code
~~~~

    [src-001] indented

[^deck]: Our deck, https://deck.example/7
[^8]: A remark of the writer's own, which names no source at all.

    Its second paragraph does. [^3]

---

## References

[^1]: 2024, Apr 25. [Tides of 2024](https://site1.example/report). Harbour Office. Published: 2024-04-25
[^2]: 2024, Apr. [Ferries \\[PDF\\]](https://site2.example/report). Published: 2024-04
[^3]: [Quays](https://site3.example/report). Harbour Office.
[^4]: 2024, Apr 25. [Long ago](https://site6.example/report). Harbour Office. Published: 2024-04-25
"""


def gated(draft: str, policy: Policy | None = None) -> Gated:
    return gate(draft, corpus=CORPUS, policy=policy or Policy())


def body(draft: str, policy: Policy | None = None) -> str:
    """The gated text without its list of sources."""
    return gated(draft, policy).text.partition("\n\n---\n\n## References")[0]


def codes(draft: str, policy: Policy | None = None) -> list[ProblemCode]:
    return [problem.code for problem in gated(draft, policy).problems]


def test_a_draft_with_every_fault_comes_out_resolved() -> None:
    found = gated(DRAFT)
    assert found.text == GATED
    assert [(each.number, each.id) for each in found.citations] == [
        (1, "src-001"), (2, "src-002"), (3, "src-003"), (4, "src-006"),
    ]  # fmt: skip
    assert [(each.line, each.column, each.code, each.id or each.url) for each in found.problems] == [
        (7, 12, "unknown-id", "src-099"),
        (7, 27, "link-outside-corpus", "https://out.example/log"),
        (7, 66, "address-outside-corpus", "https://out.example/raw"),
        (7, 97, "source-retracted", "src-004"),
        (8, 114, "note-outside-corpus", "https://out.example/rents"),
        (9, 15, "note-undefined", ""),
        (9, 29, "source-stale", "src-006"),
        (9, 57, "citation-unreadable", ""),
        (9, 82, "id-without-brackets", "src-002"),
        (12, 75, "id-misspelt", "SRC-3"),
        (17, 10, "link-outside-corpus", "https://out.example/table"),
        (30, 20, "named-note-outside-corpus", "https://deck.example/7"),
    ]
    assert [(each.line, each.ids) for each in found.claims][:3] == [
        (4, ("src-001",)), (6, ("src-002",)), (6, ("src-001", "src-003")),
    ]  # fmt: skip


def test_the_gate_of_a_gated_draft_changes_nothing() -> None:
    once = gated(DRAFT)
    again = gated(once.text)
    assert again.text == once.text
    assert [(each.number, each.id, each.definition) for each in again.citations] == [
        (each.number, each.id, each.definition) for each in once.citations
    ]
    assert [each.ids for each in again.claims] == [each.ids for each in once.claims]
    assert ProblemCode.NEEDS_SOURCE in codes(once.text)


@pytest.mark.parametrize(
    ("draft", "expected"),
    [
        ("Rises [src-001].", "Rises. [^1]"),
        ("Rises.[src-001] More", "Rises. [^1] More"),
        ("Rises   [src-001] more", "Rises [^1] more"),
        ("Rises\u00a0[src-001]; falls", "Rises; [^1] falls"),
        ("“It rises [src-001].” So", "“It rises.” [^1] So"),
        ("**Rises [src-001].** So", "**Rises. [^1]** So"),
        ("Rises [src-001], [src-003].", "Rises. [^1] [^2]"),
        ("Rises [src-001; src-003].", "Rises. [^1] [^2]"),
        ("Rises [src-001][src-001].", "Rises. [^1]"),
        ("Rises [^src-001] and [[src-003]].", "Rises [^1] and. [^2]"),
        ("潮位上升[src-001]。明天", "潮位上升。 [^1]明天"),
        ("[src-001] begins", "[^1] begins"),
        ("> - [src-001] begins", "> - [^1] begins"),
        ("See [the tides](src-001).", "See the tides. [^1]"),
        ("Rises [src-001](https://site1.example/report).", "Rises. [^1]"),
        ("Rises ([src-001]).", "Rises ([^1])."),
        ("Version 2[src-001].5 stays", "Version 2 [^1].5 stays"),
        ("Look[src-001]![alt](a.png)", "Look [^1]![alt](a.png)"),
    ],
)
def test_a_citation_stands_behind_the_punctuation_with_one_space_before(draft: str, expected: str) -> None:
    assert body(draft) == expected


@pytest.mark.parametrize(
    "draft",
    [
        "```\n[src-001]\n``\n[src-001]\n````\n",
        "~~~\n[src-001]\n",
        "`` [src-001] ` ``",
        "a <!-- [src-001]\nb --> c",
        "\\[src-001\\]",
        "- item\n\n      [src-001] in code\n",
        "<script>\n[src-001]\n</script>\n",
        "[^deck]: [src-001] https://out.example/x\n",
        "Text [^deck] [^internal-2].",
        "![a chart](https://img.example/a.png) [here](#part) [file](notes.md) [mail](mailto:a@b.example)",
        "[src-tauri](https://site1.example/report)",
        "\ufeffOnly text.\r\nMore\rtext.\u2028End",
        "",
    ],
)
def test_what_cites_nothing_stays_byte_for_byte(draft: str) -> None:
    assert gated(draft).text == draft


def test_a_comment_that_is_never_closed_is_told_and_hides_the_rest() -> None:
    found = gated("Rises [src-001].\n\n<!-- later\n[src-002]\n")
    assert "[src-002]\n" in found.text
    assert found.text.index("[^1]: ") < found.text.index("<!-- later")
    assert [each.code for each in found.problems] == [ProblemCode.COMMENT_UNCLOSED]
    assert gated(found.text).text == found.text


def test_line_ends_and_byte_order_mark_stay_as_they_are() -> None:
    found = gated("\ufeffRises [src-001].\r\nFalls [src-099].\r\n")
    assert found.text.startswith("\ufeffRises. [^1]\r\nFalls. <needs-source")
    assert "\n" not in found.text.replace("\r\n", "")
    assert (found.problems[0].line, found.problems[0].column, found.problems[0].end_column) == (2, 7, 16)
    assert (found.citations[0].places[0].line, found.citations[0].places[0].column) == (1, 7)


def test_columns_count_code_points() -> None:
    (problem,) = gated("𝒯𝒾𝒹𝑒𝓈 é [src-099]").problems
    assert problem.column == 9


def test_hybrid_warns_of_links_and_leaves_them() -> None:
    draft = (
        "See [log](https://out.example/log), https://out.example/x.[^1]\n\n[^1]: [Rents](https://out.example/rents)\n"
    )
    found = gated(draft, HYBRID)
    assert found.text == draft
    assert {each.severity for each in found.problems} == {Severity.WARNING}
    assert "<needs-source" in gated("Rises [src-099].", HYBRID).text


def test_a_policy_says_what_is_refused() -> None:
    assert body("Rises [src-005].") == 'Rises. <needs-source claim="Rises.">'
    lenient = Policy(by_standing={Standing.INTERNAL_ONLY: Action.WARN, Standing.STALE: Action.REFUSE})
    assert body("Rises [src-005].", lenient) == "Rises. [^1]"
    assert codes("Rises [src-005].", lenient) == [ProblemCode.INTERNAL_ONLY]
    assert "<needs-source" in gated("Rises [src-006].", lenient).text
    assert "[Taken" not in gated("See [it](https://site4.example/report).", HYBRID).text


def test_links_are_compared_by_canonical_address_and_identifier() -> None:
    corpus = [replace(CORPUS[0], url="https://doi.org/10.1234/abc", variants=("https://old.example/a",))]
    for address in ("http://dx.doi.org/10.1234/ABC", "https://www.old.example/a/?utm_medium=mail#top"):
        assert gate(f"[it]({address})", corpus=corpus).problems == ()


@pytest.mark.parametrize(
    ("draft", "expected"),
    [
        ("[a [b] c](https://out.example/x)", "a [b] c <needs-source"),
        ("[r][Lab]\n\n[lab]: https://out.example/x 'T'\n", "r <needs-source"),
        ("<https://out.example/x>", "out.example/x <needs-source"),
        ("(https://out.example/a_(b)).", "(out.example/a_(b) <needs-source"),
        ("www.out.example/x, so", "out.example/x, <needs-source"),
        ("https://web.archive.example/web/2020/https://out.example", "web.archive.example/web/2020/out.example <needs"),
        ('<a href="https://out.example/x">a</a>', "a <needs-source"),
        ("[https://out.example/x](https://out.example/x)", "out.example/x <needs-source"),
        ("[[a](https://out.example/x)](https://out.example/y)", "a <needs-source"),
    ],
)
def test_a_link_from_outside_keeps_its_words_alone(draft: str, expected: str) -> None:
    text = gated(draft).text
    assert text.startswith(expected)
    assert "https://" not in text
    assert gated(text).text == text


@pytest.mark.parametrize("path", ["a*b", "a)b", "a[b]", "a|b`c", "q?x=(1*2"])
def test_an_address_that_markdown_needs_written_otherwise_stays_its_sources(path: str) -> None:
    corpus = [replace(CORPUS[0], url=f"https://site1.example/{path}", canonical_url=f"https://site1.example/{path}")]
    once = gate("Tides rise [src-001].", corpus=corpus).text
    found = gate(once, corpus=[replace(corpus[0], title="Tides, second edition")])
    assert [each.id for each in found.citations] == ["src-001"]
    assert "second edition" in found.text
    assert found.problems == ()


def test_a_writers_remark_keeps_its_number_and_sources_take_the_next() -> None:
    found = gated("One [src-001]. Two.[^1]\n\n[^1]: A remark of mine.\n")
    assert found.text.startswith("One. [^2] Two.[^1]\n\n[^1]: A remark of mine.\n")
    assert found.citations[0].number == 2


def test_notes_of_the_corpus_are_numbered_anew_and_defined_once() -> None:
    draft = "New [src-003]. Old.[^1] Same.[^2]\n\n## References\n\n[^1]: [x](https://site1.example/report)\n"
    found = gated(draft + "[^2]: <https://www.site1.example/report/>\n")
    assert found.text == (
        "New. [^1] Old.[^2] Same.[^2]\n\n## References\n\n"
        f"[^1]: [Quays](https://site3.example/report). Harbour Office.\n[^2]: {TIDES}\n"
    )


def test_joined_sections_keep_their_own_notes() -> None:
    part = "Said.[^1]\n\n[^1]: [x](https://site{}.example/report)\n\n"
    found = gated(part.format(1) + part.format(3))
    assert [each.id for each in found.citations] == ["src-001", "src-003"]
    assert found.text.count("Said.[^1]") == found.text.count("Said.[^2]") == 1
    assert ProblemCode.NOTE_REPEATED in [each.code for each in found.problems]


def test_a_source_that_is_no_longer_cited_loses_its_definition() -> None:
    found = gated(f"Nothing.\n\n[^1]: {TIDES}\n")
    assert found.text == "Nothing.\n\n"
    assert [each.code for each in found.problems] == [ProblemCode.DEFINITION_UNUSED]


@pytest.mark.parametrize(
    ("published", "begins"),
    [("2024-04-25", "2024, Apr 25. ["), ("2024-04", "2024, Apr. ["), ("2024", "2024. ["), ("2024-13", "["),
     ("2024-04-00", "["), ("2024-04-39", "["), ("soon", "[")],
)  # fmt: skip
def test_a_definition_begins_with_the_date_and_no_day_that_cannot_be(published: str, begins: str) -> None:
    definition = item(1, "Tides", published=published).definition
    assert definition.startswith(f"{begins}Tides](")
    assert definition.endswith(f"Published: {published}") is (begins != "[")


def test_a_draft_that_begins_with_a_rule_gets_no_front_matter() -> None:
    once = gated("---\nRises [src-001].\n").text
    assert gated(once).text == once


_ADDED = re.compile(r"\[\^?\w[^\]]*\]|<needs-[^>]*>")


@pytest.mark.parametrize("policy", [Policy(), HYBRID], ids=["strict", "hybrid"])
@pytest.mark.parametrize("draft", FOUND)
def test_what_a_citation_leaves_behind_is_read_as_before(draft: str, policy: Policy) -> None:
    assert_gated(draft, policy)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(draft=HOSTILE, policy=st.sampled_from([Policy(), HYBRID]))
def test_gating_twice_is_gating_once_and_no_citation_is_an_orphan(draft: str, policy: Policy) -> None:
    assert_gated(draft, policy)


def assert_gated(draft: str, policy: Policy) -> None:
    """What holds of every draft: gated twice it is the same; notes and definitions answer each other; problems stand
    in the lines of the draft."""
    found = gated(draft, policy)
    again = gated(found.text, policy)
    assert again.text == found.text
    assert [each.definition for each in again.citations] == [each.definition for each in found.citations]
    assert not {ProblemCode.DEFINITION_UNUSED} & {each.code for each in again.problems}
    if policy.mode is Mode.STRICT:
        assert not {ProblemCode.NOTE_UNDEFINED, ProblemCode.LINK_OUTSIDE} & {each.code for each in again.problems}
    numbers = [each.number for each in found.citations]
    assert numbers == sorted(set(numbers))
    for each in found.citations:
        assert each.definition in found.text
        assert f"[^{each.number}]" in found.text.replace(each.definition, "")
    lines = re.split(r"\r\n|\r|\n", draft.removeprefix("\ufeff"))
    for problem in found.problems:
        assert 1 <= problem.column < problem.end_column <= len(lines[problem.line - 1]) + 2


@settings(max_examples=60, deadline=None)
@given(words=st.lists(st.sampled_from(["Tides rise", "[src-001]", "[src-003][src-002]", ".", "!", "é x"]), max_size=14))
def test_nothing_but_citations_and_the_blanks_before_them_changes(words: list[str]) -> None:
    draft = " ".join(words)
    assert _ADDED.sub("", body(draft)).replace(" ", "") == _ADDED.sub("", draft).replace(" ", "")


LINKED = {
    "Tides rise": "Tides rise", "so é.": "so é.", "# 潮位": "# 潮位", "**fast**,": "**fast**,", "(and": "(and",
    "late)": "late)",
    "[the *log*](https://out.example/log)": "the *log*",
    "https://out.example/a_(b)?c=d": "out.example/a_(b)?c=d",
    "<https://out.example/y>": "out.example/y",
    '<a href="https://out.example/z">a page</a>': "a page",
    "[two [words]](https://out.example/q 'T')": "two [words]",
    "[good](https://site1.example/report)": "[good](https://site1.example/report)",
}  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(pieces=st.lists(st.sampled_from(sorted(LINKED)), max_size=12))
def test_of_a_link_that_goes_every_word_stays(pieces: list[str]) -> None:
    draft = " ".join(pieces)
    marked = re.sub(r" ?<needs-source claim=\"[^\"]*\">", "", gated(draft).text)
    assert marked.replace(" ", "") == "".join(LINKED[each] for each in pieces).replace(" ", "")
    assert gated(draft, HYBRID).text == draft


@pytest.mark.parametrize("standing", list(Standing))
@pytest.mark.parametrize("action", list(Action))
def test_each_standing_is_refused_or_warned_of_as_policy_says(standing: Standing, action: Action) -> None:
    corpus = [replace(CORPUS[0], standing=frozenset({standing}))]
    draft = "Rises [src-001]. See [it](https://site1.example/report)."
    found = gate(draft, corpus=corpus, policy=Policy(by_standing={standing: action}))
    assert {each.code.value for each in found.problems} == {f"source-{standing.value}"}
    if action is Action.REFUSE:
        assert found.text == ('Rises. <needs-source claim="Rises."> See it. <needs-source claim="See it.">')
        assert (found.citations, found.claims) == ((), ())
        assert {each.severity for each in found.problems} == {Severity.ERROR}
    else:
        assert found.text.startswith("Rises. [^1] See [it](https://site1.example/report).\n")
        assert {each.severity for each in found.problems} == {Severity.WARNING}
    assert gate(draft, corpus=corpus, policy=Policy(by_standing={})).problems == ()


def test_an_id_that_links_elsewhere_is_followed_and_told() -> None:
    found = gated("Rises [src-001](https://site3.example/report). Falls [src-003](https://out.example/z).")
    assert found.text.startswith("Rises. [^1] Falls. [^2]\n")
    assert [(each.code, each.severity, each.id, each.url) for each in found.problems] == [
        (ProblemCode.ID_AND_LINK_DIFFER, Severity.WARNING, "src-001", "https://site3.example/report"),
        (ProblemCode.ID_AND_LINK_DIFFER, Severity.WARNING, "src-003", "https://out.example/z"),
    ]
    (unknown,) = gated("Rises [src-099](https://site3.example/report).").problems
    assert (unknown.code, unknown.id) == (ProblemCode.UNKNOWN_ID, "src-099")
    assert "that of src-003" in unknown.message


@pytest.mark.parametrize(
    "piece",
    [
        "Tides rise [src-001]. ", "[src-099] ", "[", "](", "`", "<!--", "<a href=\"https://out.example\">",
        "https://out.example/x ", "https://out.example/x,",
        "[a](https://out.example/x) ", "[^1] ", "[^1]: [A](https://site1.example/report)\n", "[lab]: https://out.example/x\n",
        "....", "<needs-source claim=\"x\"> ", "[src-001], ", "![", "\n> ", "[1]", "citeturn0search0",
        "http://[t](https://out.example/)", "- [](https://out.example/x)\n", "\n[^1]: x\n---\n",
    ],
)  # fmt: skip
def test_a_longer_draft_takes_its_share_of_time(piece: str) -> None:
    assert_linear(gated, piece, 8_000)


@pytest.mark.parametrize(
    "heading", ["# Tides rise {}", "## Tides rise {} ##", "Tides rise {}\n====", "Tides rise {} \r\n  ---  "]
)
def test_a_claim_in_a_heading_has_none_of_its_signs(heading: str) -> None:
    """The claim is what a search is asked."""
    (marker,) = markers_of(gate(heading.format("[src-999]"), corpus=CORPUS).text)
    assert marker.claim == "Tides rise"


@pytest.mark.parametrize("before", ["", "Text, ", "> ", "<!-- a --> ", "<!-- a --> text ", "<!-- a\nb --> text "])
@pytest.mark.parametrize("inner", ["[src-001]", "\n[src-001]\n", "\n\nhttps://else.org/x\n\n[src-999]\n"])
def test_what_a_comment_holds_is_left_alone_wherever_it_begins(before: str, inner: str) -> None:
    comment = f"<!-- c {inner} -->"
    if before in {"Text, ", "> "} and "\n\n" in inner:
        return  # a paragraph, and what is quoted, end at a blank line
    draft = f"{before}{comment if before != '> ' else comment.replace(chr(10), chr(10) + '> ')} [src-001]\n"
    found = gate(draft, corpus=CORPUS)
    assert found.text.startswith(draft.removesuffix(" [src-001]\n") + " [^1]")
    assert gate(found.text, corpus=CORPUS).text == found.text


@pytest.mark.parametrize("address", ["ftp://else.org/x", "FTP://else.org/x", "<ftp://else.org/x>"])
def test_an_address_of_a_file_server_is_an_address(address: str) -> None:
    """GitHub's Markdown, 6.9, makes a link of it."""
    found = gate(f"Tides rise, see {address} too.", corpus=CORPUS)
    assert [each.code for each in found.problems] == [ProblemCode.ADDRESS_OUTSIDE]
    assert "ftp:" not in found.text.lower()


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("[src-001]: https://else.org/x", ProblemCode.LINK_OUTSIDE),
        ("[src-001]: {url}", ProblemCode.DEFINITION_UNUSED),
        ("[src-099]: {url}", ProblemCode.DEFINITION_UNUSED),
        ("[^src-001]: Tides, of course", ProblemCode.DEFINITION_UNUSED),
        ("[^src-001]: [Tides](https://else.org/x)", ProblemCode.LINK_OUTSIDE),
    ],
)
@pytest.mark.parametrize("cited", ["Tides rise [src-001].", "Tides rise."])
def test_a_line_that_defines_an_id_is_never_taken_out_in_silence(line: str, code: ProblemCode, cited: str) -> None:
    written = line.format(url=CORPUS[0].url)
    found = gate(f"{cited}\n\n{written}\n", corpus=CORPUS)
    assert [(each.line, each.code) for each in found.problems] == [(3, code)]
    assert written not in found.text
    again = gate(found.text, corpus=CORPUS)
    assert (again.text, again.problems) == (found.text, ())


def test_a_word_behind_a_citation_and_a_colon_is_no_definition() -> None:
    found = gate("[src-001]: yes\n\n[src-099]: no\n", corpus=CORPUS)
    assert "yes" in found.text
    assert "no" in found.text
    assert "[^1]" in found.text
    assert [each.code for each in found.problems] == [ProblemCode.UNKNOWN_ID]
