"""Whatever is recorded as a deed has words in History: no reader should meet a name that only the code knows."""

import re

from sources.views.history import WORDS
from tests.architecture.packages import product_files

_RECORDS = re.compile(r"changes\.record(_once)?\(|\brecord\(")
# A constant that is no job's, or the first argument of a function that records.
_KIND = re.compile(r'^(?:(?!JOB_)[A-Z]+_)?KIND = "(\w+\.[\w-]+)"|_record\w*\(\s*"(\w+\.[\w-]+)"', re.MULTILINE)


def test_every_kind_of_deed_has_words_in_history() -> None:
    texts = [path.read_text(encoding="utf-8") for path in product_files()]
    kinds = {one or other for text in texts if _RECORDS.search(text) for one, other in _KIND.findall(text)}
    assert len(kinds) > 40
    assert kinds - WORDS.keys() == set()
