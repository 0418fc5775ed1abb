"""What OpenAlex, PubMed, Europe PMC, arXiv and bioRxiv say of a work, read from their answers; pure.

Total: what cannot be read says nothing, and a record that says nothing is an answer too.
"""

import re
from collections.abc import Iterator
from typing import Any

from sources.core.kinds import IdentifierType
from sources.core.notice_dates import is_date
from sources.core.retraction_status import Nature, Provider
from validation.core.retraction_ids import Unusable, WorkId, doi_of, pmid_of
from validation.core.retraction_statements import Statement
from validation.core.retraction_words import is_pubmed_notice, pubmed_nature

_RETRACTED_TYPES = frozenset({"retracted publication"})
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_IN_CITATION = re.compile(r"\b((?:1[5-9]|20)[0-9]{2})(?: ([A-Z][a-z]{2})(?: ([0-9]{1,2}))?)?\b", re.ASCII)
_DOI_IN_CITATION = re.compile(r"doi: ?(10\.\S+)", re.IGNORECASE)
# arXiv has no field for it: the comment says so, in these words since the 1990s.
_WITHDRAWN = re.compile(
    r"^\W*(?:(?:this|the) )?(?:paper|article|submission|manuscript|preprint|version|work|note|it)?\s*"
    r"(?:has been |have been |is |was |being )?withdrawn\b(?! from\b)|\bwithdrawn by (?:the )?(?:author|arxiv)",
    re.IGNORECASE,
)


def openalex_statements(work: WorkId, record: dict[str, Any]) -> tuple[Statement, ...]:
    """OpenAlex has one bit and a type: a notice is marked with both. A bit that is not set is told too: it
    is only asked about what others have spoken of. One that is missing says nothing."""
    if record.get("type") == "retraction":
        nature, raw = Nature.NOTICE, "type: retraction"
    elif record.get("is_retracted") is True:
        nature, raw = Nature.RETRACTED, "is_retracted: true"
    elif record.get("is_retracted") is False:
        nature, raw = Nature.NONE, "is_retracted: false"
    else:
        return ()
    url = record.get("id")
    return (
        Statement(
            work=work,
            provider=Provider.OPENALEX,
            record_id=f"{work}"[:200],
            nature=nature,
            raw_nature=raw,
            url=url if isinstance(url, str) and url.startswith("https://openalex.org/") else "",
        ),
    )


def pubmed_statements(work: WorkId, record: dict[str, Any]) -> tuple[Statement, ...]:
    """From one summary of ESummary: its publication types and its links to notices."""
    types = [one for one in _list(record.get("pubtype")) if isinstance(one, str)]
    links = [
        (_text(one.get("reftype")), _text(one.get("refsource")), one.get("pmid"))
        for one in _objects(record.get("references"))
    ]
    return _pubmed(work, types, links)


def europepmc_statements(work: WorkId, record: dict[str, Any]) -> tuple[Statement, ...]:
    """The same from one result of Europe PMC's search with `resultType=core`."""
    match record.get("pubTypeList"):
        case {"pubType": list(values)}:
            types = [one for one in values if isinstance(one, str)]
        case _:
            types = []
    match record.get("commentCorrectionList"):
        case {"commentCorrection": list(values)}:
            links = [(_text(one.get("type")), _text(one.get("reference")), one.get("id")) for one in _objects(values)]
        case _:
            links = []
    return _pubmed(work, types, links)


def arxiv_statements(work: WorkId, *, comment: str, updated: str) -> tuple[Statement, ...]:
    """From an entry's comment and the date of its newest version."""
    said = " ".join(comment.split())
    if not _WITHDRAWN.search(said):
        return ()
    return (
        Statement(
            work=work,
            provider=Provider.ARXIV,
            record_id=f"{work}",
            nature=Nature.WITHDRAWN,
            raw_nature=said[:200],
            notice_date=updated[:10] if re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", updated) else "",
            url=f"https://arxiv.org/abs/{work.value}",
        ),
    )


def preprint_statements(work: WorkId, versions: list[Any], *, server: str) -> tuple[Statement, ...]:
    """From the versions that bioRxiv or medRxiv lists: withdrawn where the newest is. What was published of it
    elsewhere is judged alone."""
    known = [one for one in _objects(versions) if _number(one.get("version"))]
    if not known:
        return ()
    newest = max(known, key=lambda one: _number(one.get("version")))
    kind, date = _text(newest.get("type")), _text(newest.get("date"))[:10]
    if "withdraw" not in kind.lower():
        return ()
    return (
        Statement(
            work=work,
            provider=Provider.ARXIV,
            record_id=f"{server} {work}"[:200],
            nature=Nature.WITHDRAWN,
            raw_nature=kind[:200],
            notice_date=date if is_date(date) else "",
            url=f"https://www.{server}.org/content/{work.value}",
        ),
    )


def _pubmed(work: WorkId, types: list[str], links: list[tuple[str, str, Any]]) -> tuple[Statement, ...]:
    told: list[Statement] = []
    for link, citation, number in links:
        nature = pubmed_nature(link)
        if nature is None:
            continue
        notice = _notice_of(citation, number)
        told.append(
            _word(
                work,
                nature,
                link,
                f"{link.lower()} {notice.name if notice else citation}",
                notice=notice,
                citation=citation,
            )
        )
    is_retracted = any(one.strip().lower() in _RETRACTED_TYPES for one in types)
    if is_retracted and not any(one.nature in {Nature.RETRACTED, Nature.REPLACED} for one in told):
        told.append(_word(work, Nature.RETRACTED, "Retracted Publication", "publication type"))
    if any(is_pubmed_notice(one) for one in (*types, *(link for link, _, _ in links))):
        told.append(_word(work, Nature.NOTICE, "Retraction of Publication", "notice"))
    return tuple(dict.fromkeys(told))


def _word(
    work: WorkId, nature: Nature, raw: str, name: str, *, notice: WorkId | None = None, citation: str = ""
) -> Statement:
    return Statement(
        work=work,
        provider=Provider.PUBMED,
        record_id=f"{work.value} {name}"[:200],
        nature=nature,
        raw_nature=raw,
        notice=notice.name if notice else "",
        notice_date=_day_of(citation),
        url=f"https://pubmed.ncbi.nlm.nih.gov/{work.value}/" if work.type is IdentifierType.PMID else "",
    )


def _notice_of(citation: str, number: Any) -> WorkId | None:
    found = _DOI_IN_CITATION.search(citation)
    # The DOI first: by it other providers name the same notice, and may call it something else.
    for text, read in ((found[1] if found else "", doi_of), (str(number or ""), pmid_of)):
        try:
            if work := read(text):
                return work
        except Unusable:
            continue
    return None


def _day_of(citation: str) -> str:
    """`Lancet. 2010 Feb 6;375:445` was published on 2010-02-06; '' where no year stands there."""
    found = _IN_CITATION.search(citation)
    if not found:
        return ""
    month = (found[2] or "").lower()
    if month not in _MONTHS:
        return found[1]
    day = f"-{int(found[3]):02d}" if found[3] and 1 <= int(found[3]) <= 31 else ""
    return f"{found[1]}-{_MONTHS.index(month) + 1:02d}{day}"


def _number(value: Any) -> int:
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 5 else 0


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    return (one for one in _list(value) if isinstance(one, dict))
