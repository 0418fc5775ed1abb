"""Markdown drafts: links, notes, definitions, bare addresses; what is cited and what is not."""

import pytest

from sources.core.catalog import CitationStatus
from sources.core.extract import extract

PROSE = (
    "The harbour has grown for years, and the ferry line with it, as people on both sides of the water like to say.\n\n"
)


def spellings(text: str) -> list[str]:
    return [reference.spelling for reference in extract(PROSE + text).references]


def test_references_of_a_draft_carry_line_title_section_status_and_context() -> None:
    found = extract(
        "# Harbour memo\n"  # 1
        "\n"
        "The channel is deeper than charted. Its survey, [Harbour survey 2024](https://a.example/1 \"PDF\"),\n"
        "says so. Another line. Storm gates held [^1]. Fog is rarer. [^2] [^1]\n"
        "\n"
        "## Fish\n"  # 6
        "\n"
        "> Eels are counted in a weir, see [the weir\n"
        "> at Almery](https://a.example/2), and by hand <https://a.example/3>.\n"
        "\n"
        "* Herring: [Herring by sound][h] and https://a.example/4.\n"  # 11
        "\n"
        "| place | source |\n"
        "|---|---|\n"
        "| Almery | https://a.example/5|\n"  # 15
        "| Valmer | [Tides](https://a.example/6) |\n"
        "\n"
        "---\n"
        "\n"
        "## References\n"
        "\n"
        "[^1]: 2024, Apr 25. [Storm gates pass](https://a.example/7). Harbour Gazette. Published: 2024-04-25\n"  # 22
        "[^2]: Okoro (2024), doi:10.1000/182.\n"
        "[^3]: 2023, May 1. [Never cited](https://a.example/9). Gazette. Published: 2023-05-01\n"
        "[^deck]: The company's own deck.\n"
        "\n"
        "[h]: https://a.example/10 \"Herring counted by sound\"\n"  # 27
        "[unused]: <https://a.example/11>\n"
    )  # fmt: skip
    assert found.errors == ()
    rows = [(r.line, r.spelling, r.title, r.section, r.status.value) for r in found.references]
    assert rows == [
        (3, "https://a.example/1", "Harbour survey 2024", "Harbour memo", "included"),
        (9, "https://a.example/2", "", "Fish", "included"),
        (9, "https://a.example/3", "", "Fish", "included"),
        (11, "https://a.example/4", "", "Fish", "included"),
        (15, "https://a.example/5", "", "Fish", "included"),
        (16, "https://a.example/6", "Tides", "Fish", "included"),
        (22, "https://a.example/7", "Storm gates pass", "Harbour memo", "included"),
        (23, "10.1000/182", "", "Harbour memo", "included"),
        (24, "https://a.example/9", "Never cited", "References", "valid-not-cited"),
        (27, "https://a.example/10", "Herring counted by sound", "Fish", "included"),
        (28, "https://a.example/11", "", "References", "valid-not-cited"),
    ]
    contexts = {r.spelling: r.context for r in found.references}
    assert contexts["https://a.example/1"] == "Its survey, Harbour survey 2024, says so."
    assert contexts["https://a.example/3"].endswith("and by hand https://a.example/3.")
    assert contexts["https://a.example/7"] == "Storm gates held."
    assert contexts["10.1000/182"] == "Fog is rarer."
    assert contexts["https://a.example/10"] == "Herring: Herring by sound and https://a.example/4."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See https://en.example/wiki/Mercury_(planet), please.", "https://en.example/wiki/Mercury_(planet)"),
        ("(see https://a.example/x).", "https://a.example/x"),
        ("“https://a.example/x”!", "https://a.example/x"),
        ("»https://a.example/x«", "https://a.example/x"),
        ("**https://a.example/x**, and more", "https://a.example/x"),
        ("_https://a.example/x_ and more", "https://a.example/x"),
        ("https://a.example/x_y_ and more", "https://a.example/x_y_"),
        ("https://a.example/x?a=1&amp;b=2; and", "https://a.example/x?a=1&amp;b=2"),
        ("[https://a.example/x]", "https://a.example/x"),
        ("<a class='x' href='https://a.example/x'>here</a>", "https://a.example/x"),
        ("网址https://a.example/x。下一句", "https://a.example/x"),
        ("www.a.example/x?", "www.a.example/x"),
        ("as in 10.1000/182.", "10.1000/182"),
        ("(arXiv:1706.03762)", "arXiv:1706.03762"),
        ("[Mercury](https://a.example/Mercury_(planet))", "https://a.example/Mercury_(planet)"),
        ("[x](<https://a.example/x y>)", "https://a.example/x y"),
        ("[x](https://a.example/x\\_y)", "https://a.example/x\\_y"),
        ("https://a.example/\ue200cite\ue202turn0search0\ue201", "https://a.example/"),
        ("[![badge](https://img.example/b.svg)](https://a.example/x)", "https://a.example/x"),
        ("\\[x](https://a.example/x)", "https://a.example/x"),
        ("&lt;https://a.example/x&gt;", "https://a.example/x"),
    ],
)
def test_an_address_ends_where_the_sentence_goes_on(text: str, expected: str) -> None:
    assert spellings(text) == [expected]


def test_escapes_and_entities_are_resolved_in_the_address_only() -> None:
    found = extract(PROSE + "[x](https://a.example/x\\_y?a=1&amp;b=2&copy=3)")
    assert found.references[0].identity.request_url == "https://a.example/x_y?a=1&b=2&copy=3"


@pytest.mark.parametrize(
    "text",
    [
        "`https://a.example/x` and ``a ` https://a.example/y``",
        "```\nhttps://a.example/x\n```",
        "~~~ sh\ncurl https://a.example/x\n~~~",
        "Text.\n\n    https://a.example/indented",
        "![picture](https://a.example/x.png) and ![other][pic]\n\n[pic]: https://a.example/y.png",
        "<img src='https://a.example/x.png'>",
        "<!-- [x](https://a.example/x) -->",
        "<!--\n[x](https://a.example/x)\n\nhttps://a.example/y\n-->",
        "[part](#part) [file](../file.md) [page](/about) [mail](mailto:me@example.org) [none]()",
        "\\<not a link> and citeturn0search0turn0search1 and :contentReference[oaicite:0]{index=0}",
        "version 10.1234 of 2604.03173",
    ],
)
def test_code_images_comments_and_inner_links_are_no_citations(text: str) -> None:
    found = extract(PROSE + text)
    assert found.references == ()
    assert [error.line for error in found.errors] == [1]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[x](javascript:alert(1))", "javascript:"),
        ("[x](file:///home/me/x.pdf)", "file:"),
        ("[x](sandbox:/mnt/data/x.csv)", "sandbox:"),
        ("<ftp://files.example/x>", "ftp:"),
        ("[x](http://127.1/)", "127.1"),
        ("[x](https://user:pw@b.example:port/)", "port"),
        ("https://a.example\\@b.example/x", "backslash"),
        ("[x](https://a.example/two words.html)", "blank inside"),
        ("[x][bad]\n\n[bad]: javascript:alert(1)", "javascript:"),
        ("Compare ISBN 0-306-40615-3 with it.", "check digit"),
    ],
)
def test_unusable_addresses_in_a_draft_are_errors_with_their_line(text: str, says: str) -> None:
    found = extract(PROSE + "[good](https://ok.example/)\n\n" + text)
    assert [reference.spelling for reference in found.references] == ["https://ok.example/"]
    assert [says in error.message for error in found.errors] == [True]
    assert found.errors[0].line >= 5


@pytest.mark.parametrize(
    ("link", "title"),
    [
        ("[Harbour survey](https://a.example/)", "Harbour survey"),
        ("[*Harbour* `survey`](https://a.example/)", "Harbour survey"),
        ("[a.example](https://a.example/)", ""),
        ("[https://a.example/](https://a.example/)", ""),
        ("[12](https://a.example/)", ""),
        ("[here](https://a.example/)", ""),
        ('[here](https://a.example/ "Harbour survey")', "Harbour survey"),
        ("As [the agency has found](https://a.example/) it", ""),
        ('The [night ferry](https://a.example/ "Night ferry returns") is back', "Night ferry returns"),
        ("[oai_citation:0‡World Bank](https://a.example/)", ""),
        ("[Harbour News+2](https://a.example/)", "Harbour News"),
        (
            "1. Harbour survey \\- Gazette, accessed May 3, 2025, [https://a.example/](https://a.example/)",
            "Harbour survey - Gazette",
        ),
        ("1. Harbour survey, accessed May 3, 2025, https://a.example/", "Harbour survey"),
        ("Revenue was 3 million (https://a.example/)", ""),
    ],
)
def test_a_title_is_what_the_text_calls_the_source(link: str, title: str) -> None:
    found = extract(PROSE + link)
    assert [(r.spelling, r.title) for r in found.references] == [("https://a.example/", title)]


def test_what_assistants_write_is_read_through_its_marks() -> None:
    found = extract(
        "The skill uses a documented schema. ([forge.example](https://forge.example/x?utm_source=chatgpt.com))\n\n"
        "It needs the second version. ([Harbour Learn][1], [[blog.example](https://blog.example/y)][2])\n\n"
        "Costs are low. citeturn0search0 :contentReference[oaicite:1]{index=1}\n\n"
        '[1]: https://learn.example/a?utm_source=chatgpt.com "Install the gates"\n'
        '[2]: https://blog.example/y?utm_source=chatgpt.com "Gates explained"\n'
        '[3]: https://blog.example/z "Not used"\n'
    )
    rows = [(r.line, r.identity.value, r.title, r.status.value, r.context) for r in found.references]
    assert rows == [
        (1, "https://forge.example/x", "", "included", "The skill uses a documented schema."),
        (3, "https://blog.example/y", "", "included", "It needs the second version."),
        (7, "https://learn.example/a", "Install the gates", "included", "It needs the second version."),
        (8, "https://blog.example/y", "Gates explained", "included", "It needs the second version."),
        (9, "https://blog.example/z", "Not used", "valid-not-cited", '[3]: https://blog.example/z "Not used"'),
    ]


def test_a_numbered_bibliography_is_joined_with_its_numbers_in_the_text() -> None:
    found = extract(
        PROSE
        + "## Growth\n\nThe port grew [1]. Ferries did too [2–3, 9].\n\n"
        + "## Sources\n\n"
        + "[1] Port growth: https://a.example/1  \n"
        + "[2] https://a.example/2 - Ferry growth\n"
        + '[3] Okoro, A. "Ships and tides" (2024) [https://a.example/3]\n'
        + "[4] Unused: https://a.example/4\n"
    )
    rows = [(r.spelling[-1], r.title, r.section, r.status.value, r.context) for r in found.references]
    assert rows == [
        ("1", "Port growth", "Growth", "included", "The port grew."),
        ("2", "Ferry growth", "Growth", "included", "Ferries did too."),
        ("3", "Ships and tides", "Growth", "included", "Ferries did too."),
        ("4", "Unused", "Sources", "valid-not-cited", "Unused: https://a.example/4"),
    ]


def test_a_numbered_bibliography_that_the_text_marks_otherwise_counts_as_cited() -> None:
    found = extract(
        PROSE + "## Works cited\n\n1. [Port growth](https://a.example/1)\n2. [Ferries](https://a.example/2)\n"
    )
    assert {reference.status for reference in found.references} == {CitationStatus.INCLUDED}


def test_lines_are_counted_through_every_kind_of_block() -> None:
    parts = ["---", "title: memo", "---", "", PROSE.strip(), "", "- a", "  - b", "    - [x](https://a.example/8)", ""]
    parts += ["```", "[no](https://a.example/no)", "```", "<div>", "<a href='https://a.example/15'>t</a>", "</div>", ""]
    parts += ["Setext with https://a.example/18", "---", "last https://a.example/20"]
    found = extract("\n".join(parts))
    lines = "\n".join(parts).split("\n")
    assert [reference.spelling[-2:].strip("/") for reference in found.references] == ["8", "15", "18", "20"]
    for reference in found.references:
        assert reference.spelling in lines[reference.line - 1]


def test_a_draft_in_a_script_without_blanks_is_a_draft() -> None:
    found = extract(
        "港口在过去一年中有所增长，渡轮航线也随之发展，两岸居民对此都有目共睹，并且多次在公开场合谈及此事。\n\n"
        "- 潮汐表有所变化【1】。\n- 雾天减少。\n\n参考：\n[1] 港口增长: https://a.example/1\n"
    )
    assert found.errors == ()
    assert [(r.title, r.status.value) for r in found.references] == [("港口增长", "included")]


def test_a_very_long_draft_is_read_by_its_line_beginnings() -> None:
    filler = "word\n" * 60_000
    text = f"# One\n\n{PROSE}[a](https://a.example/1)\n\n```\n[no](https://a.example/no)\n```\n{filler}\n## Two\n[b](https://a.example/2)\n"
    found = extract(text)
    assert [(r.spelling, r.section) for r in found.references] == [
        ("https://a.example/1", "One"),
        ("https://a.example/2", "Two"),
    ]


def test_a_context_is_at_most_three_hundred_characters_and_holds_the_place() -> None:
    words = " ".join(f"word{number}" for number in range(200))
    found = extract(f"{words} [The title](https://a.example/1) {words}")
    context = found.references[0].context
    assert len(context) <= 300
    assert "The title" in context
