"""The sentences in which a gate tells its problems: what is wrong at this place, and the way out."""

from sources.core.citations.corpus import CorpusItem, Standing
from sources.core.citations.problems import ProblemCode

CODE_OF_STANDING = {
    Standing.RETRACTED: ProblemCode.RETRACTED,
    Standing.DROPPED: ProblemCode.DROPPED,
    Standing.INTERNAL_ONLY: ProblemCode.INTERNAL_ONLY,
    Standing.STALE: ProblemCode.STALE,
}
_LONGEST = 120
_DEEDS = {
    "It was left; have": "Have",
    "The link was taken out; have": "Have",
    "The note was taken out; have": "Have",
    "The citation was taken out; cite": "Cite",
    "this line was taken out. Take it out of the draft too": "take this line out",
    "Pick a source for the marker, or have the claim searched": "Cite a source of the corpus, or have one harvested",
}


def shown(text: str) -> str:
    """A text of the draft's as a message quotes it: one line, at most 120 characters."""
    line = " ".join(text.split())
    return f"“{line if len(line) <= _LONGEST else line[: _LONGEST - 1] + '…'}”"


def of_untouched(message: str) -> str:
    """The message for a text that is only judged: the same without what a gate has done to the text it gives back."""
    for deed, way_out in _DEEDS.items():
        message = message.replace(deed, way_out)
    return message


def unknown_id(written: str, other: CorpusItem | None) -> str:
    """For an id that the corpus does not have; `other` is the source at the address that stands beside it."""
    hint = f" The address beside it is that of {other.id}." if other else ""
    return f"{shown(written)} is not in the corpus.{hint} Pick a source for the marker, or have the claim searched."


def misspelt(written: str, item: CorpusItem) -> str:
    """For an id that was read by its number."""
    return f"{shown(written)} was read as {item.id}. Write [{item.id}]."


def differs(item: CorpusItem, target: str) -> str:
    """For an id that links to another page than its source's."""
    return f"{item.id} links to {shown(target)}, which is not its address. The id was followed; check which is meant."


def id_defined(label: str) -> str:
    """For a line that says what an id stands for."""
    return f"The corpus says what {shown(label)} is; this line was taken out. Take it out of the draft too."


def outside(target: str, *, stays: bool) -> str:
    """For a link or address that is not in the corpus."""
    done = "It was left" if stays else "The link was taken out"
    return f"{shown(target)} is not in the corpus. {done}; have it harvested, or cite a source of the corpus."


def note_outside(label: str, named: str, *, stays: bool) -> str:
    """For a use of a note that cites something outside the corpus."""
    done = "It was left" if stays else "The note was taken out"
    return f"[^{label}] cites {shown(named)}, which is not in the corpus. {done}; have it harvested, or cite by id."


def standing(item: CorpusItem, why: Standing, *, refused: bool) -> str:
    """For a citation of a source with something against it."""
    done = " The citation was taken out; cite another source." if refused else " Check it before you hand this on."
    return f"{item.id} ({shown(item.title or item.url)}) {why.explanation}.{done}"
