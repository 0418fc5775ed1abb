"""What goes out of the house: the signature of a webhook, and an Atom feed that every reader takes."""

import hashlib
import hmac
import xml.etree.ElementTree as ET
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from provenance_site.notices import atom, signing
from tests.clock import NOW

NS = {"a": "http://www.w3.org/2005/Atom"}
SECRET = "a secret of the harbour"
MOMENT = int(NOW.timestamp())


def test_the_signature_is_what_the_documentation_says() -> None:
    header = signing.signature(secret=SECRET, moment=MOMENT, body=b'{"a": 1}')
    digest = hmac.new(SECRET.encode(), f'{MOMENT}.{{"a": 1}}'.encode(), hashlib.sha256).hexdigest()
    assert header == f"t={MOMENT},v1={digest}"


@settings(max_examples=60, deadline=None)
@given(body=st.binary(max_size=200), other=st.binary(max_size=200), later=st.integers(-1_000, 1_000))
def test_a_receiver_takes_exactly_these_bytes_within_the_window(body: bytes, other: bytes, later: int) -> None:
    header = signing.signature(secret=SECRET, moment=MOMENT, body=body)
    within = abs(later) <= signing.WINDOW_S
    assert signing.is_genuine(header, secret=SECRET, body=body, now=MOMENT + later) == within
    assert signing.is_genuine(header, secret=SECRET, body=other, now=MOMENT) == (other == body)
    assert not signing.is_genuine(header, secret="another", body=body, now=MOMENT)


@settings(max_examples=60, deadline=None)
@given(header=st.text(max_size=100))
def test_no_header_breaks_a_receiver(header: str) -> None:
    assert not signing.is_genuine(header, secret=SECRET, body=b"", now=MOMENT)


def written(*titles: str) -> ET.Element:
    entries = [
        atom.Entry(f"urn:uuid:{number}", title, f"<b>{title}</b> & more", f"https://desk.example/{number}", NOW)
        for number, title in enumerate(titles)
    ]
    raw = atom.feed(id="urn:uuid:f", title="Feed", url="https://desk.example/", author="Desk", at=NOW, entries=entries)
    return ET.fromstring(raw)  # noqa: S314  # our own bytes


def one_kind(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


@settings(max_examples=60, deadline=None)
@given(title=st.text(max_size=60))
def test_whatever_a_title_holds_the_feed_is_read_back(title: str) -> None:
    (entry,) = written(title).findall("a:entry", NS)
    told = entry.findtext("a:title", "", NS)
    allowed = "".join(
        sign if sign in "\t\n\r" or (sign >= " " and sign not in "\ufffe\uffff") else "\ufffd" for sign in title
    )
    # A reader turns line ends into one kind (XML 1.0, 2.11).
    assert (
        told.replace("\r\n", "\n").replace("\r", "\n") == allowed.replace("\r\n", "\n").replace("\r", "\n") or not title
    )
    assert len(entry) == 5  # the markup of a title is text, not elements


def test_a_feed_has_what_rfc_4287_asks_of_it() -> None:
    for root in (written(), written("One", "Two")):
        parts = [root, *root.findall("a:entry", NS)]
        for part in parts:
            for needed in ("id", "title", "updated"):
                assert len(part.findall(f"a:{needed}", NS)) == 1
            assert part.find("a:link[@rel='alternate']", NS) is not None
            assert part.findtext("a:updated", "", NS).endswith("Z")
        assert root.findtext("a:author/a:name", "", NS) == "Desk"
        assert root.findtext("a:updated", "", NS) == NOW.strftime("%Y-%m-%dT%H:%M:%SZ")


def test_the_newest_entry_dates_the_feed() -> None:
    entry = atom.Entry("urn:uuid:1", "One", "", "https://desk.example/1", NOW + timedelta(hours=1))
    raw = atom.feed(id="urn:uuid:f", title="F", url="https://d.example/", author="D", at=NOW, entries=[entry])
    assert raw.count((NOW + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ").encode()) == 2
