"""The notes that tell in a session what a turn retrieved, in Harvey's form, so that they read back as what they say.

The form has no escapes. Where a title or a path would be taken for something else, the title gives way: square brackets
for parentheses, semicolons for commas, quotation marks around an address.
"""

from collections.abc import Iterable, Iterator

from sources.core.entries import Retrieval, RetrievedSource, TurnRecord
from sources.core.lines import one_line
from sources.formats.rag_notes import BadNote, read_note

_BRACKETS = str.maketrans("()", "[]")


def notes(turn: TurnRecord) -> list[str]:
    """The lines of the notes of one turn: of each retrieval its summary, then one line a source."""
    return [line for retrieval in turn.retrievals for line in notes_of_retrieval(retrieval)]


def notes_of_retrieval(retrieval: Retrieval) -> Iterator[str]:
    """`[[rag: N chunks from STORE, top score S]]`, then one `[[rag-source: …]]` for each distinct source.

    The order is that of the retrieval, but where every source has a score the best comes first. Of several passages of
    one source the first stands for all. The score has two decimals, 0.00 where none is known.
    """
    store = _inside(retrieval.store) or "unknown"
    yield f"[[rag: {retrieval.chunk_count} chunks from {store}, top score {retrieval.top_score or 0.0:.2f}]]"
    for source in _distinct(retrieval.sources):
        if line := note_of_source(source):
            yield line


def note_of_source(source: RetrievedSource) -> str:
    """`[[rag-source: SOURCE[:LINES] [(TITLE[, doi:DOI])]]]`; '' where nothing is known of the source.

    A URL stands in the place of the DOI where there is none.
    """
    place, lines = _inside(source.source), _inside(source.lines).replace("-", "–")
    title, locator = _inside(source.title), _locator(source.locator)
    if not place and not title and not locator:
        return ""
    place = f"{place}:{lines}" if lines else place
    line = ""
    for candidate in _titles(title, place):
        described = ", ".join(part for part in (candidate, locator) if part)
        line = f"[[rag-source: {' '.join([place, f'({described})'] if described else [place]).strip()}]]"
        if _reads_as(line, place, candidate, locator):
            break
    return line


def _distinct(sources: Iterable[RetrievedSource]) -> list[RetrievedSource]:
    told = list(sources)
    if all(one.score is not None for one in told):
        told.sort(key=lambda one: -(one.score or 0.0))
    first: dict[tuple[str, str], RetrievedSource] = {}
    for one in told:
        first.setdefault((one.source, "" if one.source else one.title + one.locator), one)
    return list(first.values())


def _titles(title: str, place: str) -> Iterator[str]:
    """The title, and what it may become; a source that looks as if it ended in a title gets its own name as one."""
    yield title
    name = title or place.rstrip("/\\").replace("\\", "/").rpartition("/")[2]
    plain = _inside(name.translate(_BRACKETS))
    yield plain
    yield plain.replace(",", ";")
    yield f"“{plain.replace(',', ';')}”"


def _reads_as(line: str, place: str, title: str, locator: str) -> bool:
    try:
        read = read_note(line)
    except BadNote:
        return False
    if not isinstance(read, RetrievedSource):
        return False
    where = f"{read.source}:{read.lines}" if read.lines else read.source
    is_url = read.locator.lower().startswith(("http://", "https://"))
    located = read.locator if is_url or not read.locator else f"doi:{read.locator}"
    return (where.replace("-", "–"), read.title, located) == (place.replace("-", "–"), title, locator)


def _locator(written: str) -> str:
    """A URL as it is, a DOI with `doi:`; one whose parentheses do not match is written as an address, escaped."""
    told = "".join(_inside(written).split())
    is_url = told.lower().startswith(("http://", "https://"))
    bare = told if is_url else told[4:] if told[:4].lower() == "doi:" else told
    if not bare or bare.endswith("://"):
        return ""
    if _is_balanced(bare):
        return bare if is_url else f"doi:{bare}"
    escaped = bare.replace("(", "%28").replace(")", "%29")
    return escaped if is_url else f"https://doi.org/{escaped}"


def _is_balanced(text: str) -> bool:
    depth = 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return False
    return depth == 0


def _inside(text: str) -> str:
    """On one line, without what would open or close a note."""
    return one_line(text).replace("]]", "] ]").replace("[[", "[ [").replace("]]", "] ]").replace("[[", "[ [")
