"""The ship gate as workflow commands of GitHub Actions, which become annotations at their lines. Pure.

Source: GitHub's documentation, “Workflow commands for GitHub Actions”; the escaping is that of its toolkit
(`@actions/core`, `command.ts`): `%`, CR and LF everywhere, in properties `:` and `,` too.
"""

from validation.core.shipping import Level, Remark, ShipReport
from validation.reports.terminal import clean

_COMMANDS = {Level.BLOCKS: "error", Level.WARNS: "warning", Level.TELLS: "notice"}
_IN_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def github_annotations(report: ShipReport) -> str:
    """A command a line for each remark (`::error file=draft.md,line=12,col=5,title=…::message`), and the headline as
    the last one. A remark of the whole document names the file alone.
    """
    lines = [_command(remark, path=report.path) for remark in report.remarks]
    return "\n".join([*lines, f"::notice title=Ship gate::{_data(report.headline)}", ""])


def _command(remark: Remark, *, path: str) -> str:
    properties = {"file": path}
    if remark.line:
        properties |= {"line": str(remark.line), "col": str(remark.column)}
    properties["title"] = f"Ship gate: {remark.rule}"
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[remark.level]} {told}::{_data(remark.message)}"


def _data(text: str) -> str:
    return clean(text).translate(_IN_DATA)


def _property(text: str) -> str:
    return text.translate(_IN_PROPERTY)
