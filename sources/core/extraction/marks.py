"""Citation marks that assistants leave in exported texts: found, told apart from real references, and taken out.

Measured in public exports: ChatGPT writes `citeturn0search0` (with private-use characters around and between, which
copying often loses), `:contentReference[oaicite:0]{index=0}`, `【12†source】` and `[oai_citation:0‡host](address)`;
Gemini writes `[cite: 1, 2]` and `[cite_start]`. None names a source by itself; the last of ChatGPT's is a link.
"""

import re
from collections.abc import Iterator, Sequence

from sources.core.extraction.gathering import row_error
from sources.core.records import RowError

_PRIVATE = "\ue000-\uf8ff"
_TURN = r"turn[0-9]{1,4}[a-z]{2,20}[0-9]{1,4}"
MARK = re.compile(
    rf"[{_PRIVATE}]?(?:file|nav)?cite[{_PRIVATE}]?(?:{_TURN}(?:L[0-9]+-L[0-9]+)?[{_PRIVATE}]?)+"
    r"|:contentReference\[oaicite:[0-9]{1,6}\](?:\{index=[0-9]{1,6}\})?"
    r"|\[oai_citation:[0-9]{1,6}‡[^\[\]\n]{0,200}\](?!\()"
    r"|【[0-9]{1,4}(?::[0-9]{1,4})?†[^】\n]{0,200}】"
    r"|\[cite(?:_start|_end)?(?::\s?[0-9]{1,4}(?:\s?,\s?[0-9]{1,4}){0,50})?\]"
)
_LEFT_OF_LINK = re.compile(r"oai_citation:[0-9]{1,6}‡")
_NUMBERS = re.compile(r"[0-9]{1,4}")
_SILENT = ("[cite_start]", "[cite_end]", "[cite]")
# A mail address has a letter before its @; a key has none.
_CITED = re.compile(r"\[(?:[^\[\]@]{0,80}\s)?-?@[A-Za-z0-9_][^\[\]]{0,2000}\](?![(\[])")
_KEY = re.compile(r"(?<![\w@])@([A-Za-z0-9_][\w:.#$%&+?<>~/-]{0,100})")
_HELD = re.compile(r"#ref-([A-Za-z0-9_][\w:.+/-]{0,100})")
_DEFINITION = re.compile(r"[ \t>]{0,12}(?:[-*+][ \t]+)?(?:\[\^?([0-9]{1,6})\]|([0-9]{1,6})[.)])[ \t:]")


def without_marks(text: str) -> str:
    """`text` without assistants' citation marks; other text comes back as it is."""
    if "cite" not in text and "†" not in text and "oai" not in text:
        return text
    return " ".join(_LEFT_OF_LINK.sub("", MARK.sub("", text)).split())


def with_plain_marks(lines: Sequence[str]) -> list[str]:
    """The lines without marks that point to nothing, and with `[1, 2]` for those that point to numbered entries, so
    that they are read as uses of these. Line numbers stay."""
    defined = _defined(lines)

    def told(found: re.Match[str]) -> str:
        mark = found[0]
        if mark in _SILENT or _is_lost(mark, defined):
            return ""
        return f"[{', '.join(_numbers(mark))}]"

    return [MARK.sub(told, line) if "cite" in line or "†" in line or "oai" in line else line for line in lines]


def lost_marks(lines: Sequence[str]) -> Iterator[RowError]:
    """One error for each line with marks that point to nothing: the export left out what they stood for.

    A mark with a number (`[cite: 3]`, `【3†…】`) points to the entry of that number, where the text has one. Linear.
    """
    defined = _defined(lines)
    for number, line in enumerate(lines, 1):
        if "cite" not in line and "†" not in line and "oai_" not in line:
            continue
        marks = [found[0] for found in MARK.finditer(line) if _is_lost(found[0], defined)]
        if marks:
            several = f", and {len(marks) - 1} more in this line," if len(marks) > 1 else ""
            shown = "".join(letter for letter in marks[0] if not "\ue000" <= letter <= "\uf8ff")[:80]
            message = (
                f"“{shown}”{several} is an assistant's citation mark that points to nothing: the export left out the "
                "source. Ask the assistant for the address, or delete the mark."
            )
            yield row_error(number, shown, message)


def lost_keys(lines: Sequence[str]) -> Iterator[RowError]:
    """One error where a text cites keys of a bibliography file (Pandoc's `[@key]`) that it does not hold itself."""
    keys: dict[str, int] = {}
    held: set[str] = set()
    for number, line in enumerate(lines, 1):
        if "#ref-" in line:
            held.update(_HELD.findall(line))
        if "[" in line and "@" in line:
            for cited in _CITED.finditer(line):
                for key in _KEY.findall(cited[0]):
                    keys.setdefault(key.rstrip(".:"), number)
    missing = [key for key in keys if key not in held]
    if missing:
        shown = ", ".join(f"@{key}" for key in missing[:5])
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        message = (
            f"The text cites {shown}{more} of a bibliography file that is not part of it. Import that file too "
            "(.bib, .json or .yaml), since only it says which works are meant."
        )
        yield row_error(keys[missing[0]], shown, message)


def _is_lost(mark: str, defined: set[str]) -> bool:
    if mark in _SILENT:
        return False
    if mark.startswith(("[cite:", "【")):
        return not all(number in defined for number in _numbers(mark))
    return True


def _defined(lines: Sequence[str]) -> set[str]:
    return {found[1] or found[2] for line in lines if (found := _DEFINITION.match(line))}


def _numbers(mark: str) -> list[str]:
    return _NUMBERS.findall(mark.partition("†")[0].partition(":")[0] if mark.startswith("【") else mark)
