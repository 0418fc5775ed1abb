"""Drafts that try to be read otherwise once a citation is taken out of them: for properties of gate and reconciling."""

from hypothesis import strategies as st

_FRAGMENTS = (
    "Tides rise", "so", "é", "潮位。", "In the U.S. market", "[src-001]", "[src-002].", "[src-003, src-001]",
    "[src-099],",
    "[src-004]", "[^1]", "[^2].", "[^deck]", "[^src-001]", "[log](https://out.example/log)",
    "https://out.example/x.",
    "[good](https://site1.example/report)", "https://site3.example/report", "<https://out.example/y>",
    "[r][lab]", "[lab]",
    "[1]", "[1, 2]", "`[src-001]`", "`", "``", "```", "<!--", "-->", "<!-- [src-002] -->", "\\[src-001\\]",
    "\\", "(", ")",
    "[", "]", "![", "](", "](https://out.example/q)", "](src-001)", "[a [b](https://out.example/b)",
    "[[a](https://out.example/b)][1]", "**", "_", ".", ",", ":", ";", "“", ".”", "|", ">", "<", "www.",
    "https://",
    '<a href="https://out.example/a">', '<a href="https://site1.example/report">', "<a>", "</a>", "<b>",
    "<div>",
    "<script>", "<script", "![i](a.png)", "[![i](https://out.example/i.png)](https://out.example/j)",
    "[t](src-002)", "[](src-002)",
    "https://[t](src-002)", "http://src-001", "https://out.example/[src-001]", "https://out.example/src-001",
    "citeturn0search0", "【3†source】", ":contentReference[oaicite:0]{index=0}", '<needs-source claim="x">',
    "<needs-source",
    '<needs-deeper-grounding id="src-001">', "[src-001](https://out.example/z)", "[^1](https://out.example/n)",
    "[^1](https://site1.example/report)", "[see src-001, p. 3]", "src-002", "[^1]:", "[src-001]:", "[lab]:",
    "&#91;", "---",
    "#", "-", "1.", "    ",
)  # fmt: skip
_LINES = (
    "", "", "# Head [src-002]", "- item [src-001].", "> quoted [src-003]", "```", "~~~~", "    code [src-001]",
    "---", "===",
    "## References", "[^1]: [A](https://site1.example/report)", "[^2]: [B](https://out.example/q)",
    "[^1]: A remark of mine.",
    "[^3]: [src-001]", "[^deck]: https://deck.example", "[lab]: https://out.example/lab",
    "  continued [src-002]",
    '[lab]: https://site1.example/report "T"', "[1]: https://site3.example/report",
    "[1] Quays. https://site3.example/report",
    "| a [src-001] | b |", "|---|---|", "<!--", "-->", "[src-001]: says so", "1. one [src-002]",
    "    [src-003] four deep",
    "> [^2]: [B](https://out.example/q)", "- [^1]: [A](https://site1.example/report)", "[^src-001]: x", "<pre>",
)  # fmt: skip

FOUND = (
    "https://[t](src-002)",  # words join what stands before them to an address
    "[<script](src-001)\n\n[src-002]",  # words begin a block of HTML, a heading, a definition
    '<a href="https://out.example/a">[^1]: x\n[^1]',
    "[lab]: https://out.example/lab\n    [src-003]",  # a line is no code because of the line above it
    "[^1]: https://out.example/q\n---\n[src-002]\n---\n",  # a rule becomes the beginning of front matter
    "[^src-001]: x\n[src-002]\n[^3]: y",  # a definition's further lines
    "[^1]: [A](https://site1.example/report)\n===\n[^1] [src-002]",  # a definition over a rule is no heading
    "[src-001]\n- [^1]: https://site1.example/report\n-",  # a definition in a list
    "[src-099]\n#\n    [src-001]",  # a marker alone in its line is no block of HTML
    "[](src-002) and [[](src-002)](src-001)",
    "[^3]: https://site1.example/report\n-[src-001]",  # a space makes a list's item
    "citeturn0search0https://out.example/x https://citeturn0search0",
    ":\n[^4]:\n- [](https://out.example/x)",
    '<a href="https://out.example/a"><!--\n【3†】-->',
    "\ufeff[lab]: https://out.example/l\n    [src-001]",
    "【3†】\n[1]: https://out.example/x",
    '><a href="https://out.example/a">\n    [src-003]',  # a tag alone in its line is no block of HTML
    "<script[src-001]",
    '[src-001]<a href="https://out.example/a">',
    "[[^1]](https://out.example/a)",
    "# References\n[^2]: https://out.example/q\n#\n[src-001]",
    "[^2]: https://out.example/q\n-\n    [src-003]",
    "[[b](https://out.example/b)\nwww.out.example](https://out.example/c)",
    # what began code, or a block of HTML, begins none any more: what stood in it is text now
    '[^1](https://out.example/n)<a href="https://out.example/a">```[a](https://out.example/j)\n``` ```\n```\nx',
    "[^1](https://out.example/n) <div> `\n~~~~\n[^1](https://out.example/n) [src-001]",
)
"""What random drafts found, each with its reason, made short."""

HOSTILE = st.tuples(
    st.lists(
        st.one_of(
            st.sampled_from(_LINES),
            st.tuples(st.sampled_from(["", "", " "]), st.lists(st.sampled_from(_FRAGMENTS), max_size=5)).map(
                lambda told: told[0].join(told[1])
            ),
        ),
        max_size=9,
    ),
    st.sampled_from(["\n", "\n", "\r\n", "\r"]),
    st.sampled_from(["", "", "", "\ufeff"]),
).map(lambda told: told[2] + told[1].join(told[0]))
"""Markdown glued together: links in links, notes in links, what is never closed, tables, quotations, escapes."""
