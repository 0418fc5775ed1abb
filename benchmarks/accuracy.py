"""`python -m benchmarks.accuracy DIR [--out FILE] [--rejudge]`: how often the verdict on a real page is right.

Reads `DIR/pages.jsonl` (file, url, title, title_source, expected) and judges every page as if fetched with status 200,
in three modes: no claimed title (`none`), the page's own (`true`), another page's (`other`). Prints the confusion
matrix, the wrong ones with the signals that fired, and one JSON object as the last line. `--out` writes a line for each
page and mode, also where labels are absent. `--rejudge` judges every reading again in the form in which it is stored.
"""

import argparse
import gzip
import json
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from sources.core.findings import Cause, Verdict
from sources.core.similarity import content_words, fold
from validation.core import stored
from validation.core.classify import Claimed, Judgement, classify, judge
from validation.core.fetching import Page

MODES = ("none", "true", "other")
WALLS = ("login", "blocked", "bot_challenge", "consent")
NOT_FOUND = ("soft404", "error_other")
THIN = ("js_shell", "empty", "thin", "redirect_stub")
ARTICLE, PAYWALL, PARKED = "article", "paywall", "parked"
_TELLING = 4  # content words; a shorter title cannot show that a page is another work
_NOWHERE = "https://publisher.example/2020/page-{number}"


@dataclass(slots=True)
class Case:
    """One page with its labels and, once judged, what was said of it in each mode."""

    row: dict[str, Any]
    page: Page
    other_title: str = ""
    said: dict[str, Judgement] = field(default_factory=dict)
    ms: dict[str, float] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)
    rejudged: list[str] = field(default_factory=list)

    @property
    def expected(self) -> str:
        return str(self.row.get("expected") or "")

    @property
    def title(self) -> str:
        return str(self.row.get("title") or "")

    @property
    def is_short(self) -> bool:
        return content_words(self.title) < _TELLING

    def claimed(self, mode: str) -> Claimed:
        return Claimed(title={"none": "", "true": self.title, "other": self.other_title}[mode])


def main() -> None:
    """Judges all pages and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", metavar="DIR", type=Path)
    parser.add_argument("--out", type=Path, help="Where to write a JSON line for each page and mode.")
    parser.add_argument("--rejudge", action="store_true", help="Compare with the verdicts on the stored readings.")
    wanted = parser.parse_args()
    cases = read_cases(wanted.folder)
    classify(cases[0].page, Claimed(title="Reads the phrases before the clock runs"))
    wall_clock = time.perf_counter()
    for case in cases:
        for mode in MODES:
            started = time.process_time()
            case.said[mode] = classify(case.page, case.claimed(mode))
            case.ms[mode] = (time.process_time() - started) * 1_000
    wall_clock = time.perf_counter() - wall_clock
    if wanted.out:
        with wanted.out.open("w", encoding="utf-8") as file:
            write_lines(cases, file)
    print_matrix(cases)
    print_wrong(cases)
    told = scores(cases)
    print_titles(cases)
    print_times(cases, wall_clock)
    if wanted.rejudge:
        told |= rejudge(cases)
    print(json.dumps(told))


def read_cases(folder: Path) -> list[Case]:
    """The pages of `folder`, each with the title of another: the nearest telling one half the list away."""
    rows = [json.loads(line) for line in (folder / "pages.jsonl").read_text(encoding="utf-8").splitlines() if line]
    cases = []
    for number, row in enumerate(rows):
        with gzip.open(folder / row["file"]) as file:
            body = file.read()
        url = str(row.get("url") or _NOWHERE.format(number=number))
        url = url if url.startswith(("http://", "https://")) else f"https://{url}"
        cases.append(Case(row, Page(url, url, 200, {"content-type": "text/html"}, body)))
    titles = [case.title for case in cases]
    for number, case in enumerate(cases):
        case.other_title = _title_of_another(titles, number)
    return cases


def _title_of_another(titles: Sequence[str], number: int) -> str:
    """A title of four content words or more, the first from half the list on that does not share a word with the own.

    Deterministic. (A title that shares words may be of the same series, or of another saving of the same page.)
    """
    own = {word for word in fold(titles[number]).split() if len(word) > 3}
    for step in range(len(titles)):
        other = titles[(number + len(titles) // 2 + step) % len(titles)]
        if content_words(other) >= _TELLING and own.isdisjoint(fold(other).split()):
            return other
    return ""


def is_right(expected: str, said: Judgement) -> bool | None:
    """Whether the verdict without a claimed title is the right one for this class; None where no verdict is."""
    verdict, cause = said.verdict, said.cause
    if expected == ARTICLE:
        return verdict is Verdict.VERIFIED_ACCESSIBLE
    if expected in NOT_FOUND:
        fault = expected == "error_other" and cause is Cause.SERVER_ERROR
        return verdict is Verdict.SOFT_404_GRACEFUL or fault
    if expected == PAYWALL:
        return verdict in {Verdict.PAYWALL_STUB, Verdict.VERIFIED_GATED} or cause is Cause.PAY_WALL
    if expected in WALLS:
        return verdict is Verdict.FETCH_FAILED and cause.is_wall
    if expected == PARKED:
        return verdict is Verdict.TITLE_SWAPPED and cause is Cause.PARKED
    return verdict is Verdict.THIN if expected in THIN else None


def kind_of(said: Judgement) -> str:
    """The column of the matrix: what the page was taken for."""
    if said.cause is Cause.PAY_WALL:
        return "paywall"
    if said.cause.is_wall:
        return "wall"
    if said.verdict is Verdict.SOFT_404_GRACEFUL or said.cause is Cause.SERVER_ERROR:
        return "not found"
    return {Verdict.VERIFIED_ACCESSIBLE: "content", Verdict.THIN: "thin", Verdict.TITLE_SWAPPED: "other work"}.get(
        said.verdict, "failed"
    )


def scores(cases: Sequence[Case]) -> dict[str, Any]:
    """The numbers of the last line. Shares are of pages with that label, 0 where there are none.

    `title` counts articles whose title has four content words or more, taken from anywhere but their own og:title.
    """
    articles = [case for case in cases if case.expected == ARTICLE]

    def detected(labels: Sequence[str], kind: str) -> dict[str, float]:
        right = [is_right(case.expected, case.said["none"]) for case in cases if case.expected in labels]
        alarms = sum(kind_of(case.said["none"]) == kind for case in articles)
        return {
            "recall": _share(right),
            "false_alarms_per_1000_articles": round(1_000 * alarms / max(len(articles), 1), 3),
        }

    titled = [case for case in articles if case.title and not case.is_short and not _by_card(case)]
    return {
        "pages": len(cases),
        "not_found": detected(NOT_FOUND, "not found"),
        "wall": detected(WALLS, "wall"),
        "paywall": detected((PAYWALL,), "paywall"),
        "article": {"recall": _share([is_right(ARTICLE, case.said["none"]) for case in articles])},
        "title": {
            "true_accepted": _share([_accepted(case.said["true"]) for case in titled]),
            "other_flagged": _share([not _accepted(case.said["other"]) for case in articles if case.other_title]),
        },
        "ms_per_page": round(statistics.median(ms for case in cases for ms in case.ms.values()), 3),
    }


def print_matrix(cases: Sequence[Case]) -> None:
    """Labels by what the pages were taken for, without a claimed title."""
    counted = Counter((case.expected or "unlabelled", kind_of(case.said["none"])) for case in cases)
    kinds = sorted({kind for _, kind in counted})
    print(f"{'label':<15}" + "".join(f"{kind:>12}" for kind in kinds) + f"{'right':>10}")
    for label in sorted({label for label, _ in counted}):
        right = [
            is_right(case.expected, case.said["none"]) for case in cases if (case.expected or "unlabelled") == label
        ]
        share = "" if None in right else f"{_share(right):.3f}"
        print(f"{label:<15}" + "".join(f"{counted[label, kind] or '':>12}" for kind in kinds) + f"{share:>10}")


def print_wrong(cases: Sequence[Case]) -> None:
    """Each wrong verdict with the signals that fired; for articles also in the two modes with a title."""
    print()
    for case in cases:
        wrong = ["none"] if is_right(case.expected, case.said["none"]) is False else []
        if case.expected == ARTICLE:
            wrong += ["true"] if case.title and not _accepted(case.said["true"]) else []
            wrong += ["other"] if case.other_title and _accepted(case.said["other"]) else []
        for mode in wrong:
            said = case.said[mode]
            fired = "; ".join(f"{signal.name}: {signal.text[:80]}" for signal in said.signals)
            print(f"wrong ({mode}) {case.row['file']} [{case.expected}] {said.verdict}, {said.cause} — {fired}")


def print_titles(cases: Sequence[Case]) -> None:
    """Titles apart by where they come from: of four content words and more, of the page's own card, short ones."""
    print()
    articles = [case for case in cases if case.expected == ARTICLE and case.title]
    groups = {
        "titles from elsewhere": [case for case in articles if not case.is_short and not _by_card(case)],
        "titles from og:title": [case for case in articles if not case.is_short and _by_card(case)],
        "titles under four content words": [case for case in articles if case.is_short],
    }
    for name, group in groups.items():
        accepted = sum(_accepted(case.said["true"]) for case in group)
        print(f"{name:<34}{accepted:>5} of {len(group)} accepted on their own page")
    short = [case.title for case in articles if case.is_short]
    foreign = [(case, short[number % len(short)]) for number, case in enumerate(articles[1:])] if short else []
    foreign = [(case, title) for case, title in foreign if fold(title) != fold(case.title)]
    flagged = sum(not _accepted(classify(case.page, Claimed(title=title))) for case, title in foreign)
    print(f"{'titles under four content words':<34}{flagged:>5} of {len(foreign)} flagged on other pages")


def print_times(cases: Sequence[Case], wall_clock: float) -> None:
    """Milliseconds of processor time by mode, and what the clock on the wall said for all of them."""
    print()
    for mode in MODES:
        taken = sorted(case.ms[mode] for case in cases)
        p90 = taken[int(len(taken) * 0.9)]
        print(f"{mode:<6}{statistics.median(taken):>8.2f} ms in the median{p90:>8.2f} at p90{taken[-1]:>8.1f} at most")
    pages = len(cases) * len(MODES)
    print(f"{1_000 * wall_clock / pages:.2f} ms a page by the clock on the wall, mean of {pages}")


def rejudge(cases: Sequence[Case]) -> dict[str, Any]:
    """Judges the stored form of every reading, and counts what differs from the verdict on the page itself."""
    sizes, wrong = [], 0
    for case in cases:
        for mode in MODES:
            said = case.said[mode]
            if said.read is None:
                continue
            reading = json.loads(json.dumps(stored.pack(said.read)))
            facts = stored.unpack(reading)
            if mode == "none":
                sizes.append(stored.size_of(reading))
            again = judge(facts, case.claimed(mode)) if facts else None
            if again != said:
                wrong += again is None or (again.verdict, again.cause) != (said.verdict, said.cause)
                print(f"differs ({mode}) {case.row['file']}: {said} / {again}")
    median, most = int(statistics.median(sizes)), max(sizes)
    print(f"stored readings: {median} bytes in the median, {most} at most; {wrong} verdicts differ")
    return {"rejudged_differ": wrong, "reading_bytes": {"median": median, "most": most}}


def write_lines(cases: Sequence[Case], file: TextIO) -> None:
    """A JSON line for each page and mode."""
    for case in cases:
        for mode in MODES:
            said = case.said[mode]
            line = {"file": case.row["file"], "mode": mode, "verdict": said.verdict, "cause": said.cause}
            file.write(json.dumps(line | {"ms": round(case.ms[mode], 3)}) + "\n")


def _accepted(said: Judgement) -> bool:
    return said.verdict is Verdict.VERIFIED_ACCESSIBLE


def _by_card(case: Case) -> bool:
    return case.row.get("title_source") == "og:title"


def _share(right: Sequence[bool | None]) -> float:
    judged = [one for one in right if one is not None]
    return round(sum(judged) / len(judged), 4) if judged else 0.0


if __name__ == "__main__":
    main()
