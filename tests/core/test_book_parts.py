"""A work is a part of a book where its own record says so; one sign alone is a guess."""

import pytest

from sources.core.book_parts import Belongs, BookFacts, belongs
from sources.core.kinds import IdentifierType
from tests.growth import assert_linear

ISBN = "9789004322868"
BOOK = f"10.1163/{ISBN}"
BY_DOI = BookFacts(IdentifierType.DOI, f"10.1163/{ISBN}")
BY_ISBN = BookFacts(IdentifierType.ISBN, ISBN)


@pytest.mark.parametrize(
    ("case", "part", "known", "of_isbn"),
    [
        ("below the DOI", BookFacts("doi", f"10.1163/{ISBN}_003"), Belongs.PERHAPS, Belongs.NO),
        ("a chapter below the DOI", BookFacts("doi", f"10.1163/{ISBN}_003", "chapter"), Belongs.KNOWN, Belongs.NO),
        ("with the ISBN", BookFacts("doi", "10.5555/c", isbn=ISBN), Belongs.PERHAPS, Belongs.PERHAPS),
        ("a chapter with it", BookFacts("doi", "10.5555/c", "chapter", ISBN), Belongs.KNOWN, Belongs.KNOWN),
        ("however written", BookFacts("url", "https://x.test/", "entry", "978-90-04-32286-8"), *[Belongs.KNOWN] * 2),
        ("with two", BookFacts("doi", "10.5555/c", "chapter", f"0-306-40615-2; {ISBN}"), *[Belongs.KNOWN] * 2),
        ("by ISBN-10", BookFacts("doi", "10.5555/c", "chapter", "90-04-32286-8"), *[Belongs.KNOWN] * 2),
        ("with another ISBN", BookFacts("doi", "10.5555/c", "chapter", "9780306406157"), *[Belongs.NO] * 2),
        ("a chapter of nothing", BookFacts("doi", "10.5555/c", "chapter"), *[Belongs.NO] * 2),
        ("longer by a digit", BookFacts("doi", f"10.1163/{ISBN}1_1", "chapter"), *[Belongs.NO] * 2),
        ("the book by its ISBN", BookFacts("isbn", ISBN, "chapter", ISBN), *[Belongs.NO] * 2),
        ("the book by its DOI", BookFacts("doi", f"10.1163/{ISBN}", "book", ISBN), *[Belongs.NO] * 2),
    ],
)
def test_a_record_says_what_it_is_a_part_of(case: str, part: BookFacts, known: Belongs, of_isbn: Belongs) -> None:
    assert (belongs(part, BY_DOI), belongs(part, BY_ISBN)) == (known, of_isbn), case


def test_what_is_no_book_has_no_parts() -> None:
    article = BookFacts(IdentifierType.DOI, "10.5555/article")
    assert belongs(BookFacts(IdentifierType.DOI, "10.5555/article_1", "chapter", ISBN), article) is Belongs.NO
    # A check digit that is wrong makes no book.
    assert BookFacts(IdentifierType.DOI, "10.1163/9789004322867").book_isbns == frozenset()


@pytest.mark.parametrize(
    "known_by", [("doi", "10.5555/harbours"), ("url", "https://press.test/harbours"), ("isbn", ISBN)]
)
def test_a_record_that_calls_itself_a_book_has_parts_under_each_isbn_it_names(known_by: tuple[str, str]) -> None:
    book = BookFacts(*known_by, "book", f"978-0-306-40615-7; {ISBN}")
    for isbn in ("9780306406157", ISBN):
        assert belongs(BookFacts("doi", "10.5555/c", "chapter", isbn), book) is Belongs.KNOWN
    assert belongs(BookFacts("doi", "10.5555/harbours-again", "book", ISBN), book) is Belongs.NO
    article = BookFacts(*known_by[:1], known_by[1], "article-journal", ISBN)
    assert (article.book_isbns == frozenset()) == (known_by[0] != "isbn")


def test_columns_of_strangers_that_are_no_text_say_nothing() -> None:
    facts = BookFacts.of(identifier_type="doi", identifier_value="10.5555/c", bibliography={"kind": 7, "isbn": [ISBN]})
    assert facts == BookFacts("doi", "10.5555/c")


def test_a_book_is_found_by_what_a_record_names() -> None:
    record = BookFacts(IdentifierType.DOI, f"10.1163/{ISBN}/ch-3", "chapter", "0-306-40615-2; nonsense")
    assert record.names_of_books == {"9780306406157", f"10.1163/{ISBN}", f"10.1163/{ISBN}/ch"}


@pytest.mark.parametrize("piece", ["9-", "978", "1;", "_"])
def test_a_record_of_many_marks_and_numbers_is_read_in_linear_time(piece: str) -> None:
    assert_linear(lambda text: BookFacts("doi", text, "chapter", text).names_of_books, piece, 40_000, before=BOOK)
