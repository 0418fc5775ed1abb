"""Whether a provider's record can be read where it speaks of retractions; pure.

A record in which that place has another shape than it is known by has said nothing about the work: read as an empty
one, it would say that the work stands. What is merely absent was left out by the provider, and says so.
"""

from typing import Any


def crossref_is_whole(record: dict[str, Any]) -> bool:
    """Notices (`updated-by`) and works (`update-to`) are objects that say what they are; either list may be absent."""
    return all(_says(record.get(side), "type") for side in ("updated-by", "update-to"))


def pubmed_is_whole(record: dict[str, Any]) -> bool:
    """A summary of ESummary has its publication types, and its links to notices where it has any."""
    return _are_words(record.get("pubtype")) and _says(record.get("references"), "reftype")


def europepmc_is_whole(record: dict[str, Any]) -> bool:
    """The same of a result with `resultType=core`, where both stand one level deeper."""
    match record:
        case {"pubTypeList": {"pubType": types}}:
            links = record.get("commentCorrectionList")
            return _are_words(types) and (links is None or _says_in(links, "commentCorrection", "type"))
        case _:
            return False


def preprint_is_whole(versions: list[Any]) -> bool:
    """Each version that bioRxiv or medRxiv lists has a number and says what it is."""
    return bool(versions) and all(
        isinstance(one, dict) and str(one.get("version")).isdecimal() and isinstance(one.get("type"), str)
        for one in versions
    )


def _says_in(outer: Any, name: str, field: str) -> bool:
    return isinstance(outer, dict) and isinstance(outer.get(name), list) and _says(outer[name], field)


def _says(entries: Any, field: str) -> bool:
    if entries is None:
        return True
    return isinstance(entries, list) and all(
        isinstance(one, dict) and isinstance(one.get(field), str) for one in entries
    )


def _are_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
