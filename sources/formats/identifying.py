"""The identifiers of one entry, gathered from its fields, best first."""

import re
from collections.abc import Callable

from sources.core.credentials import without_credentials
from sources.core.identifiers import BadIdentifier, UnusableUrl, identify, identity_of_url
from sources.core.kinds import IdentifierType
from sources.core.lines import one_line
from sources.core.records import Identity

RANK = {
    IdentifierType.DOI: 0,
    IdentifierType.ARXIV: 1,
    IdentifierType.PMID: 2,
    IdentifierType.HANDLE: 3,
    IdentifierType.ISBN: 4,
    IdentifierType.URN: 5,
    IdentifierType.URL: 6,
    IdentifierType.ISSN: 7,
}
"""How well an identifier names a work: the lowest best. An ISSN names a journal."""
_NEXT_DOI = re.compile(r"[\s;,|]+(?=(?:doi:\s*|https?://(?:dx\.)?doi\.org/)?10\.[0-9]{4,9}/)", re.IGNORECASE)
_DOI_NAMED = re.compile(r"doi|[a-z-]{3,6}(?:-?1[03])?[\s:=]{0,3}10\.[0-9]", re.IGNORECASE)
_ISBN = re.compile(r"97[89](?:[- –]?[0-9]){10}(?![0-9])|[0-9](?:[- –]?[0-9]){8}[- –]?[0-9Xx](?![0-9])", re.ASCII)
_ISSN = re.compile(r"[0-9]{4}[-–]?[0-9]{3}[0-9Xx](?![0-9])", re.ASCII)
_DIGITS = re.compile(r"[0-9]{1,9}", re.ASCII)
_ADDRESS = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)
_LONGEST = 8_000
_MOST = 50


class Identifiers:
    """What names one work. Each `add_…` takes a field as written; what is malformed becomes a warning."""

    def __init__(self) -> None:
        self.warnings: list[str] = []
        self.first_written = ""
        self.issns: list[str] = []
        self.isbns: list[str] = []
        self._found: dict[str, Identity] = {}
        self._journals: list[Identity] = []

    def add_doi(self, text: str) -> None:
        """One or more DOIs, with prefix, as address, or broken over lines."""
        for part in _NEXT_DOI.split(_unbroken(text[:_LONGEST])):
            if part.strip(" .,;:").lower() not in ("", "doi", "n/a", "none"):
                self._add_one_doi(part.strip(" ,;"))

    def add_url(self, text: str) -> None:
        """One address, or several apart by blanks; an address of a DOI or arXiv id has its identity."""
        joined = _unbroken(text) if text.lstrip()[:4].lower() == "http" else text.strip()
        several = _ADDRESS.findall(joined) if " " in joined or ";http" in joined else []
        for address in several if len(several) > 1 else [joined]:
            if address:
                self._add(address.rstrip(";,"), lambda told: identity_of_url(told) if "://" in told else identify(told))

    def add_arxiv(self, text: str) -> None:
        """An arXiv id, with or without prefix and version."""
        bare = re.sub(r"^(?:arxiv\s*:?\s*|https?://arxiv\.org/(?:abs|pdf)/)", "", text.strip(), flags=re.IGNORECASE)
        if bare:
            self._add(re.split(r"[\s\[]", bare, maxsplit=1)[0], lambda told: identify(f"arXiv:{told}"))

    def add_pmid(self, text: str) -> None:
        """A PubMed id. `PMC…` numbers are another kind and are not taken."""
        found = _DIGITS.search(text)
        if found and not text.strip().upper().startswith("PMC"):
            self._add(found[0], lambda told: identify(f"PMID:{told}"))

    def add_handle(self, text: str) -> None:
        """A handle, with or without its prefix or resolver."""
        bare = re.sub(r"^(?:hdl:\s*|https?://hdl\.handle\.net/)", "", text.strip(), flags=re.IGNORECASE)
        if bare:
            self._add(bare, lambda told: identify(f"hdl:{told}"))

    def add_urn(self, text: str) -> None:
        """A URN."""
        if text.strip():
            self._add(text.strip(), identify)

    def add_isbn(self, text: str) -> None:
        """One or more ISBNs; ISBN-10 and ISBN-13 of one book are one identity. What is an ISSN is taken as such."""
        found = _ISBN.findall(text[:_LONGEST])
        for isbn in found[:_MOST]:
            if self._add(isbn, lambda told: identify(f"ISBN {told}")):
                self.isbns.append(isbn.strip())
        if not found and _ISSN.search(text):
            self.add_issn(text)
        elif not found and any(letter.isdigit() for letter in text):
            self.warnings.append(f"“{_shown(text)}” is not an ISBN and was left out.")

    def add_issn(self, text: str) -> None:
        """One or more ISSNs. They name a journal, and the work only where nothing else does."""
        for issn in _ISSN.findall(text[:_LONGEST])[:_MOST]:
            try:
                identity = identify(f"ISSN {issn}")
            except BadIdentifier as error:
                self.warnings.append(str(error))
                continue
            self._journals.append(identity)
            if identity.value not in self.issns:
                self.issns.append(identity.value)

    def add_serial(self, text: str) -> None:
        """A field that holds ISBNs or ISSNs (`SN` of RIS, `%@` of EndNote)."""
        for part in re.split(r"[;,\n]+|(?<=\))\s+", text[:_LONGEST]):
            if _ISBN.search(part):
                self.add_isbn(part)
            elif _ISSN.search(part):
                self.add_issn(part)
            elif any(letter.isdigit() for letter in part):
                self.warnings.append(f"“{_shown(part)}” is neither ISBN nor ISSN and was left out.")

    def add_any(self, text: str) -> bool:
        """One token with its own prefix (`DOI 10.…`, `ISBN 97…`, `https://…`, `PMID: 1`); False where it is none."""
        token = text.strip()
        if token[:4].upper() == "ISSN":
            self.add_issn(token)
            return True
        return self._add(token, identify, quiet=True)

    def identities(self, *, is_part: bool = False, is_named: bool = False) -> tuple[Identity, ...]:
        """Every identity once, best first; of equal rank in the order found.

        An ISBN names the whole of a part (`is_part`: a chapter, a paper), an ISSN the journal: where a title names the
        work (`is_named`) they are not its identity, or all chapters of a book would be one source.
        """
        named = [one for one in self._found.values() if not (is_part and one.type is IdentifierType.ISBN)]
        if not named and not is_named:
            named = list(self._found.values()) or self._journals[:1]
        return tuple(sorted(named, key=lambda identity: RANK[identity.type]))

    def add_identity(self, identity: Identity) -> None:
        """An identity that is known already."""
        self._found.setdefault(identity.key, identity)

    def holds_address(self, request_url: str) -> bool:
        """True where an identity is fetched at this very address."""
        return any(identity.request_url == request_url for identity in self._found.values())

    def _add_one_doi(self, text: str) -> None:
        cut = re.split(r"\s+[\[(]", text, maxsplit=1)[0]
        if " " in cut:
            joined = "".join(cut.split()) if re.fullmatch(r"\S+[/.\-_:(] \S+|\S+ [/.\-_:)]\S+", cut) else ""
            if joined and not joined.lower().startswith("http"):
                self.warnings.append(f"A blank inside the DOI was taken out: “{_shown(joined)}”.")
                cut = joined
            elif not cut[:4].lower().startswith("doi"):
                cut = cut.split()[0]
        if cut.lower().startswith("http"):
            self._add(cut, identity_of_url)
        else:
            self._add(cut, lambda told: identify(told if _DOI_NAMED.match(told) else f"doi:{told}"))

    def _add(self, text: str, read: Callable[[str], Identity], *, quiet: bool = False) -> bool:
        try:
            identity = read(text)
        except (BadIdentifier, UnusableUrl) as error:
            if not quiet:
                self.warnings.append(f"“{_shown(text)}” names nothing: {error}")
            return False
        if len(self._found) < _MOST:
            self._found.setdefault(identity.key, identity)
        if not self.first_written:
            self.first_written = text
        return True


def _unbroken(text: str) -> str:
    """`text` without its line breaks and the indentation around them."""
    return "".join(line.strip() for line in text.split("\n"))


def _shown(text: str) -> str:
    clean = without_credentials(one_line(text[:400]))
    return clean if len(clean) <= 80 else clean[:79] + "…"
