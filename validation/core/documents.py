"""What was read of a fetched file that is no web page: its title and the text of its first pages."""

import re
from dataclasses import dataclass
from enum import StrEnum

_WORD = re.compile(r"[^\W\d_]+")
_FEWEST_WORDS = 30
_MAX_CHARS = 20_000
_FILE_NAME = re.compile(
    r"\.(?:docx?|pdf|tex|dvi|indd|qxd|pptx?|xlsx?|rtf|odt|pages|ps)\s*$|^(?:microsoft|untitled\b|powerpoint|slide \d)",
    re.IGNORECASE,
)


class Obstacle(StrEnum):
    """Why a document could not be read, or not whole; the value names the signal in the evidence.

    `CUT` is no fault of the file: it is longer than what is fetched, and what was read of it is the beginning.
    """

    ENCRYPTED = "pdf-encrypted"
    BROKEN = "pdf-broken"
    CUT = "pdf-cut"
    TOO_HEAVY = "pdf-too-heavy"
    NO_TEXT = "pdf-without-text"

    @property
    def explanation(self) -> str:
        """One line for a person who looks at the evidence."""
        return _EXPLANATIONS[self]


_EXPLANATIONS = {
    Obstacle.ENCRYPTED: "the PDF is locked by a password, so its text was not read",
    Obstacle.BROKEN: "the PDF is damaged, so its text was not read",
    Obstacle.CUT: "the PDF is longer than what is fetched of a file, so only its beginning was read",
    Obstacle.TOO_HEAVY: "the PDF needs more memory or time than one may take here, so its text was not read",
    Obstacle.NO_TEXT: "the PDF holds no readable text (a scan, or letters without a code)",
}


@dataclass(frozen=True, slots=True)
class Document:
    """The title that a file names itself by ('' where it names none), and the text of its first pages.

    `text` has line breaks as printed and at most 20,000 characters; '' beside an obstacle other than `CUT`.
    """

    title: str = ""
    text: str = ""
    obstacle: Obstacle | None = None

    @classmethod
    def of(cls, title: str, text: str, *, is_cut: bool = False) -> "Document":
        """What a reader took from a file, made fit: names of files are no titles, unreadable letters no text."""
        title = " ".join(title.replace("\x00", " ").split())[:500]
        text = text.replace("\x00", " ")[:_MAX_CHARS]
        title = "" if is_file_name(title) else title
        obstacle = Obstacle.CUT if is_cut else None
        return cls(title, text, obstacle) if is_legible(text) else cls(title, "", obstacle or Obstacle.NO_TEXT)


def is_file_name(title: str) -> bool:
    """True where a file's title is its own or its program's name («draft.docx», «Microsoft Word - a», «Slide 1»)."""
    return _FILE_NAME.search(title) is not None


def is_legible(text: str) -> bool:
    """True where `text` reads like one: words enough, of a usual length, and hardly a sign without a meaning.

    Fonts without a table of letters give private-use signs, control signs or single letters with spaces between.
    """
    words = _WORD.findall(text)
    letters = sum(map(len, words))
    spaceless = sum("\u0e00" <= letter <= "\u9fff" for letter in text)
    if len(words) + spaceless // 2 < _FEWEST_WORDS:
        return False
    odd = sum(letter == "\ufffd" or "\ue000" <= letter <= "\uf8ff" or letter < "\t" for letter in text)
    if odd * 10 > len(text) or letters * 2 < len("".join(text.split())):
        return False
    return spaceless * 4 > letters or 2.2 <= letters / len(words) <= 20
