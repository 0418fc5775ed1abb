"""What two records of one work have in common when no identifier joins them: title, year and first author."""

import hashlib

from sources.core.similarity import fold

# Shorter titles («Editorial», «Annual report») belong to many works; they need both a year and an author.
_TELLING_WORDS = 4


def fingerprint(*, title: str, published_date: str = "", first_author: str = "") -> str:
    """Lower-case hex SHA-256 of the folded title, the year and the first author's family name; '' where too little is
    known to propose anything: no title, or a short one without year or author.
    """
    folded = fold(title)
    year = published_date[:4]
    author = fold(first_author.partition(",")[0])
    if not folded or (len(folded.split()) < _TELLING_WORDS and not (year and author)):
        return ""
    return hashlib.sha256("\n".join((folded, year, author)).encode()).hexdigest()
