"""Pages of `docs/` that are written from the code, so that they cannot say anything else than it does."""

from collections.abc import Iterator
from pathlib import Path

from provenance_site import documented_exports, documented_relations
from provenance_site.accounts.roles import Role
from sources.core.catalog import CitationStatus
from sources.core.findings import Cause, Verdict
from sources.core.gate import ACCEPT_PERCENT, BLOCK_PERCENT
from sources.core.kinds import DecisionKind, ReviewReason

_NOTE = "<!-- Written by `manage.py write_docs` from the code; edit the code. -->"


def pages() -> dict[Path, str]:
    """The generated pages by their place below the repository."""
    return {
        Path("docs/words.md"): "\n".join(_words()) + "\n",
        Path("docs/exports.md"): "\n".join([_NOTE, "", *documented_exports.lines()]) + "\n",
        Path("docs/relations.md"): "\n".join([_NOTE, "", *documented_relations.lines()]) + "\n",
    }


def _words() -> Iterator[str]:
    yield _NOTE
    yield ""
    yield "# The words of the desk"
    yield ""
    yield "## Verdicts"
    yield ""
    yield "What a check says of a source, best first."
    yield ""
    yield "| verdict | shown as | what was seen | what follows |"
    yield "|---|---|---|---|"
    for verdict in Verdict:
        yield f"| `{verdict}` | {verdict.label} | {verdict.explanation} | {verdict.disposition.label} |"
    yield ""
    yield "## Causes"
    yield ""
    yield "The finer reason under a verdict. A cause that ends in `-wall` proves neither that the page exists nor that"
    yield "it does not."
    yield ""
    yield "| cause | in words |"
    yield "|---|---|"
    for cause in Cause:
        yield f"| `{cause}` | {cause.explanation} |"
    yield ""
    yield "## The ship gate"
    yield ""
    yield "The share of a text's distinct sources that are verified, never rounded; failed and unchecked ones count as"
    yield f"not verified. {ACCEPT_PERCENT} % and above: accept. Below {BLOCK_PERCENT} %: block. Between: investigate."
    yield "No source at all, or one fabricated pattern, blocks."
    yield ""
    yield "## Questions of the review queue"
    yield ""
    for reason in ReviewReason:
        yield f"- `{reason}`: {reason.label}"
    yield ""
    yield "## Decisions of people"
    yield ""
    for kind in DecisionKind:
        needs = "needs a reason" if kind.needs_reason else "needs no reason"
        yield f"- `{kind}`: {needs}"
    yield ""
    yield "A decision is never changed by a check. Evidence that differs from what the person saw and points the other"
    yield "way opens a new question."
    yield ""
    yield "## How a text uses a source"
    yield ""
    yield "Best first; when versions of a text disagree, the best wins."
    yield ""
    for status in CitationStatus:
        yield f"- `{status}`: {status.heading}"
    yield ""
    yield "## Roles"
    yield ""
    for role in Role:
        yield f"- `{role}`: {role.explanation}"
