"""BibTeX and BibLaTeX: what files of real managers hold, and what careless ones do."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.formats.files import failed, names, one, read, sources
from tests.growth import assert_linear


def bib(fields: str, *, kind: str = "article") -> str:
    return f"@{kind}{{key1,\n  {fields}\n}}\n"


def test_an_entry_is_read_with_its_people_date_and_journal() -> None:
    record = one(
        bib(
            'title = {Harbours \\& trade}, author = {M{\\"u}ller, J{\\"o}rg and Ludwig van Beethoven and others},'
            "journal = {Journal of Tests}, year = 2019, month = mar, volume = {3}, number = {2}, pages = {1--20},"
            "keywords = {boats, trade}, publisher = {Nobody}, abstract = {Short.}, langid = {english}"
        ),
        as_format="bibtex",
    )
    assert (record.ref, record.title, record.kind) == ("key1", "Harbours & trade", "article-journal")
    assert [str(author) for author in record.authors] == ["Müller, Jörg", "van Beethoven, Ludwig"]
    assert (record.published_date, record.volume, record.issue, record.pages) == ("2019-03", "3", "2", "1–20")
    assert record.container_title == "Journal of Tests"
    assert record.tags == ("boats", "trade")
    assert record.warnings == ()


def test_two_entries_of_one_key_are_both_kept_and_told() -> None:
    first, second = sources(read("@book{a, title={One}}\n@book{a, title={Two}}\n", as_format="bibtex"))
    assert (first.title, second.title) == ("One", "Two")
    assert "line 1" in second.warnings[0]


def test_a_field_that_stands_twice_counts_once_and_loses_nothing() -> None:
    record = one(
        bib("title={One}, title={Other}, url={https://a.example/1}, url={https://b.example/2}"), as_format="bibtex"
    )
    assert record.title == "One"
    assert ("title", "Other") in record.details
    assert names(record) == ["url:https://a.example/1", "url:https://b.example/2"]
    assert any("“title”" in warning for warning in record.warnings)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/find?x=1&y=2",
        "https://example.org/a_b~c?q=50%25",
        "https://example.org/paper#section",
    ],
)
def test_an_address_is_not_damaged(url: str) -> None:
    assert (
        one(bib(f"title={{T}}, url={{{url}}}"), as_format="bibtex").identities[0].request_url == url.partition("#")[0]
    )


def test_what_latex_forces_into_an_address_is_undone() -> None:
    record = one(bib(r"title={T}, url={\url{https://example.org/a\_b\%20c?x=1\&y=2}}"), as_format="bibtex")
    assert record.identities[0].request_url == "https://example.org/a_b%20c?x=1&y=2"


@pytest.mark.parametrize("author", ["{World Health Organization}", "{{World Health Organization}}"])
def test_an_organisation_in_braces_stays_one_name(author: str) -> None:
    record = one(bib(f"title={{T}}, author={{{author} and Smith, Ann}}"), as_format="bibtex")
    assert [(one.family, one.given) for one in record.authors] == [("World Health Organization", ""), ("Smith", "Ann")]


def test_the_only_author_in_double_braces_is_an_organisation() -> None:
    record = one(bib("title={T}, author={{Food and Agriculture Organization}}"), as_format="bibtex")
    assert [author.family for author in record.authors] == ["Food and Agriculture Organization"]


def test_a_name_in_parts_and_an_orcid_are_understood() -> None:
    record = one(
        bib(
            "title={T}, author={family=Berg, given=Jan, prefix=van den and Knuth, III, Donald and "
            "Carberry, Josiah (ORCID: 0000-0002-1825-0097)}"
        ),
        as_format="bibtex",
    )
    assert [str(author) for author in record.authors] == ["van den Berg, Jan", "Knuth, Donald, III", "Carberry, Josiah"]
    assert record.authors[2].orcid == "0000-0002-1825-0097"


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"{\'E}tudes {\o}ver {\L}\'od\'z, na{\"\i}ve {\ss}", "Études øver Łódź, naïve ß"),
        (r"A---B -- C ``quoted''", "A—B – C “quoted”"),
        (r"$\alpha$-decay of H$_2$O at 10$^{-3}$", "α-decay of H₂O at 10⁻³"),
        (r"\emph{Homo {Sapiens}} \textbf{now}", "Homo Sapiens now"),
        (r"\href{https://x.example/}{The page}", "The page"),
        (r"50\% of \$5 \& more", "50% of $5 & more"),
        (r"A \unknowncommand{word}", r"A \unknowncommand word"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("A title\n   over two lines", "A title over two lines"),
    ],
)
def test_latex_in_a_title_becomes_text(latex: str, text: str) -> None:
    assert one(bib(f"title = {{{latex}}}"), as_format="bibtex").title == text


def test_macros_are_expanded_and_unknown_ones_told() -> None:
    record = one(
        '@string{jt = "Journal"}\n@string(full = jt # " of Tests")\n'
        "@article{a, title={T}, journal = full, note = nowhere}",
        as_format="bibtex",
    )
    assert record.container_title == "Journal of Tests"
    assert record.note == "nowhere"
    assert "nowhere" in record.warnings[0]


def test_macros_that_double_each_other_stay_short() -> None:
    lines = ["@string{a0 = {xxxxxxxxxx}}", *(f"@string{{a{n + 1} = a{n} # a{n}}}" for n in range(60))]
    record = one("\n".join([*lines, "@book{b, title = {T}, note = a60}"]), as_format="bibtex")
    assert len(record.note) <= 20_000


@pytest.mark.parametrize(
    ("kind", "csl"),
    [("online", "webpage"), ("software", "software"), ("phdthesis", "thesis"), ("ARTICLE", "article-journal")],
)
def test_the_type_of_an_entry_is_known(kind: str, csl: str) -> None:
    assert one(bib("title={T}", kind=kind), as_format="bibtex").kind == csl


def test_a_chapter_takes_from_its_book_what_it_has_not() -> None:
    items = read(
        "@incollection{c, title={Chapter}, author={A, B}, crossref={book}}\n"
        "@book{book, title={The Book}, editor={Ed, Itor}, publisher={House}, year=2001, doi={10.1234/book}}\n",
        as_format="bibtex",
    )
    chapter, book = sources(items)
    assert (chapter.title, chapter.container_title, chapter.publisher) == ("Chapter", "The Book", "House")
    assert chapter.published_date == "2001"
    assert chapter.identities == ()
    assert names(book) == ["doi:10.1234/book"]


def test_fields_lent_by_xdata_are_taken_and_the_lender_is_told() -> None:
    items = read("@xdata{x, publisher={House}}\n@book{b, title={T}, xdata={x}}\n", as_format="bibtex")
    assert sources(items)[0].publisher == "House"
    assert "lends" in failed(items)[0].message


def test_a_set_is_told_to_name_others() -> None:
    items = read("@set{s, entryset={a}}\n@book{a, title={A}}\n", as_format="bibtex")
    assert [record.title for record in sources(items)] == ["A"]
    assert "names other entries" in failed(items)[0].message


def test_entries_that_inherit_from_each_other_in_a_circle_are_read() -> None:
    assert (
        len(sources(read("@book{a,title={A},crossref={b}}\n@book{b,title={B},crossref={a}}\n", as_format="bibtex")))
        == 2
    )


@pytest.mark.parametrize("year", ["{n.d.}", "{in press}", '"forthcoming"'])
def test_a_year_that_is_none_leaves_the_date_empty_and_says_so(year: str) -> None:
    record = one(bib(f"title={{T}}, year={year}"), as_format="bibtex")
    assert record.published_date == ""
    assert "no year" in record.warnings[0]


@pytest.mark.parametrize(
    ("fields", "date"),
    [
        ("date={2019-03-04}", "2019-03-04"),
        ("date={2019-03/2019-05}", "2019-03"),
        ("year=2019, month={March}", "2019-03"),
        ("year=2019, month=mar, day=4", "2019-03-04"),
        ('year=2019, month="1~" # jan', "2019-01"),
        ("year={[c1998]}", "1998"),
        ("year=2019, month={Spring}", "2019"),
    ],
)
def test_dates_are_read_as_far_as_they_go(fields: str, date: str) -> None:
    assert one(bib(f"title={{T}}, {fields}"), as_format="bibtex").published_date == date


@pytest.mark.parametrize(
    "doi",
    [
        "10.1234/ABC.5",
        "https://doi.org/10.1234/abc.5",
        "doi:10.1234/abc.5",
        "DOI 10.1234/abc.5.",
        "10.1234/\n     abc.5",
    ],
)
def test_a_doi_is_one_whatever_stands_before_it(doi: str) -> None:
    assert names(one(bib(f"title={{T}}, doi={{{doi}}}"), as_format="bibtex"))[0] == "doi:10.1234/abc.5"


def test_a_doi_with_angles_in_mathematics_is_read() -> None:
    record = one(
        bib(r"title={T}, doi={10.1002/(SICI)1097-4571(199506)46:5$<$327::AID\_ASI$>$3.0.CO;2-Q}"), as_format="bibtex"
    )
    assert names(record) == ["doi:10.1002/(sici)1097-4571(199506)46:5<327::aid_asi>3.0.co;2-q"]


def test_every_identifier_is_kept_the_best_first() -> None:
    record = one(
        bib(
            "title={T}, url={https://example.org/t}, isbn={978-3-16-148410-0 (print), 0-306-40615-2}, pmid={123},"
            "eprint={2604.03173}, archiveprefix={arXiv}, doi={10.1234/a}, issn={0378-5955}",
            kind="book",
        ),
        as_format="bibtex",
    )
    assert [name.partition(":")[0] for name in names(record)] == ["doi", "arxiv", "pmid", "isbn", "isbn", "url"]
    assert record.issn == "0378-5955"


def test_a_publishers_address_joins_the_doi_and_is_kept() -> None:
    url = "https://link.springer.com/article/10.1234/a.5"
    record = one(bib(f"title={{T}}, doi={{10.1234/a.5}}, url={{{url}}}"), as_format="bibtex")
    assert names(record) == ["doi:10.1234/a.5"]
    assert ("url", url) in record.details


def test_a_serial_number_of_the_whole_is_no_identity_of_a_part() -> None:
    article = one(bib("title={T}, issn={0378-5955}"), as_format="bibtex")
    chapter = one(bib("title={T}, isbn={978-3-16-148410-0}", kind="incollection"), as_format="bibtex")
    assert article.identities == chapter.identities == ()
    assert (article.issn, chapter.isbn) == ("0378-5955", "978-3-16-148410-0")
    assert names(one(bib("title={T}, issn={0378-5955}", kind="periodical"), as_format="bibtex")) == ["issn:0378-5955"]


def test_a_malformed_identifier_is_a_warning() -> None:
    record = one(bib("title={T}, doi={10.12/x}, isbn={978-3-16-148410-1}"), as_format="bibtex")
    assert record.identities == ()
    assert len(record.warnings) == 2


def test_a_retracted_title_is_a_hint_only() -> None:
    record = one(bib("title={RETRACTED ARTICLE: Harbours}"), as_format="bibtex")
    assert record.title == "RETRACTED ARTICLE: Harbours"
    assert record.retracted is None
    assert ("title-prefix", "RETRACTED ARTICLE") in record.details


def test_the_keyword_retracted_states_it() -> None:
    assert one(bib("title={T}, keywords={boats, retracted}"), as_format="bibtex").retracted is True


@pytest.mark.parametrize(
    "broken",
    [
        "@article{bad, title={never closed\n",
        '@article{bad, title="never closed\n',
        "@article{bad title={a}}\n",
        "@article{bad, title={a}\n",
        "@article(bad=1)\n",
        "@article{}\n",
        "@article{bad, title = {" + "{" * 100_000 + "\n",
    ],
)
def test_a_broken_entry_costs_only_itself(broken: str) -> None:
    items = read(f"@book{{a, title={{A}}}}\n{broken}@book{{b, title={{B}}}}\n", as_format="bibtex")
    assert [record.title for record in sources(items)] == ["A", "B"]
    (error,) = failed(items)
    assert error.line == 2


def test_a_missing_comma_between_fields_is_mended_and_told() -> None:
    record = one('@book{a, title={A b} year={2000}\n publisher = "House" note={x=1}}', as_format="bibtex")
    assert (record.title, record.published_date, record.publisher, record.note) == ("A b", "2000", "House", "x=1")
    assert any("comma" in warning for warning in record.warnings)


def test_brackets_comments_and_entries_on_one_line_are_all_read() -> None:
    text = (
        '% Encoding: UTF-8\nwords\n@comment{jabref-meta: x}\n@preamble{ "x" }\n'
        '  @ARTICLE ( round , title = "A (b) c" )\n@misc{x, title={X}} @misc{y, title={Y}}\n'
        "@book\n{z,\n% author = {No One},\n title={Z}}\n"
    )
    assert [record.title for record in sources(read(text, as_format="bibtex"))] == ["A (b) c", "X", "Y", "Z"]


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_a_file_in_another_encoding_is_read(codec: str) -> None:
    assert one(bib("title = {Über Häfen}").encode(codec), as_format="bibtex").title == "Über Häfen"


def test_a_line_in_another_encoding_is_told() -> None:
    first, second = sources(read(bib("title={ä}").encode() + bib("title={ö}").encode("latin-1"), as_format="bibtex"))
    assert (first.title, second.title) == ("ä", "ö")
    assert first.warnings == ()
    assert any("Windows-1252" in warning for warning in second.warnings)


def test_nul_bytes_are_taken_out() -> None:
    assert one("@book{a, title={Har\x00bour}}", as_format="bibtex").title == "Harbour"


def test_nesting_of_any_depth_is_read() -> None:
    assert one("@book{a, title={" + "{" * 100_000 + "Deep" + "}" * 100_000 + "}}", as_format="bibtex").title == "Deep"


@pytest.mark.parametrize(
    ("piece", "before", "after"),
    [
        ("{", "@book{a,title={", "\n@book{b,title={B}}"),
        (" ", "@book{a,title={x", "\n}}"),
        ('# "b" ', '@book{a, title = "a" ', "}"),
        ("A and ", "@book{a,title={x},author={", "B}}"),
        ("note={x},", "@book{a,title={x},", "}"),
        ('$\\"', "@book{a,title={", "}}"),
        ("a={b} ", "@book{a,title={x},", "}"),
        ("@a{\n", "@book{a,title={x}}\n", ""),
        ("10.1234/a, ", "@book{a,title={x},doi={", "}}"),
        ("978-0 ", "@book{a,title={x},isbn={", "}}"),
    ],
)
def test_hostile_text_takes_linear_time(piece: str, before: str, after: str) -> None:
    assert_linear(lambda text: read(text, as_format="bibtex"), piece, 40_000, before=before, after=after)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.sampled_from('@{}"=,#\\ \nabc%(){}'), max_size=80))
def test_whatever_stands_between_two_entries_neither_is_lost(noise: str) -> None:
    items = read(f"@book{{first, title={{A}}}}\n{noise}\n@book{{last, title={{B}}}}\n", as_format="bibtex")
    assert sources(items)[0].title == "A"
    assert sources(items)[-1].title == "B"
