"""The files that can be handed on: what each is for, what it is called, and what it needs to be told."""

from dataclasses import dataclass
from enum import StrEnum


class ExportFormat(StrEnum):
    """What an export is written as. The value is its name in addresses, commands and the JSON interface."""

    MASTER_VERDICT = "master-verdict"
    MASTER_MEMO = "master-memo"
    BEST_SOURCES = "best-sources"
    SOURCED_CORPUS = "sourced-corpus"
    SOURCES_MD = "sources-md"
    BIBTEX = "bibtex"
    RIS = "ris"
    CSL_JSON = "csl-json"
    CSV = "csv"
    JSON_LINES = "json-lines"
    RECOVERY_LOG = "recovery-log"
    RUN_REPORT = "run-report"
    BUNDLE = "bundle"

    @property
    def label(self) -> str:
        """The file in a few words."""
        return _FORMATS[self].label

    @property
    def explanation(self) -> str:
        """Whose tool reads it, in one sentence."""
        return _FORMATS[self].explanation

    @property
    def media_type(self) -> str:
        """As it is served."""
        return _FORMATS[self].media_type

    @property
    def needs_section(self) -> bool:
        """True where it is of one section of a project."""
        return self in {ExportFormat.BEST_SOURCES, ExportFormat.SOURCED_CORPUS}

    @property
    def needs_project(self) -> bool:
        """True where it tells of a project and not of any list of sources."""
        return self.needs_section or self in {ExportFormat.RECOVERY_LOG, ExportFormat.RUN_REPORT}

    @property
    def tells_left_out(self) -> bool:
        """True where the file itself says how many internal sources it leaves out; other formats have no place."""
        return self in {
            ExportFormat.MASTER_VERDICT,
            ExportFormat.MASTER_MEMO,
            ExportFormat.BEST_SOURCES,
            ExportFormat.SOURCES_MD,
            ExportFormat.BIBTEX,
            ExportFormat.RUN_REPORT,
            ExportFormat.BUNDLE,
        }


@dataclass(frozen=True, slots=True)
class _Format:
    label: str
    explanation: str
    media_type: str


_MARKDOWN = "text/markdown; charset=utf-8"
_FORMATS = {
    ExportFormat.MASTER_VERDICT: _Format(
        "Master-Sources.md, by verdict",
        "Every source once, grouped by what was found, dropped ones included.",
        _MARKDOWN,
    ),
    ExportFormat.MASTER_MEMO: _Format(
        "Master-Sources.md, memo layout",
        "By status, best first, as memo pipelines read it; without dropped ones.",
        _MARKDOWN,
    ),
    ExportFormat.BEST_SOURCES: _Format(
        "Best-Sources of a section", "What the text may rest on in one section, best first.", _MARKDOWN
    ),
    ExportFormat.SOURCED_CORPUS: _Format(
        "sourced_corpus.json of a section", "The closed set that a writer may cite in one section.", "application/json"
    ),
    ExportFormat.SOURCES_MD: _Format(
        "Sources.md", "The codified list for the next run, with what was examined and rejected.", _MARKDOWN
    ),
    ExportFormat.BIBTEX: _Format(
        "BibTeX", "For LaTeX, biblatex and reference managers.", "application/x-bibtex; charset=utf-8"
    ),
    ExportFormat.RIS: _Format(
        "RIS", "For Zotero, EndNote and Mendeley.", "application/x-research-info-systems; charset=utf-8"
    ),
    ExportFormat.CSL_JSON: _Format(
        "CSL-JSON", "For citation processors: pandoc, citeproc, Zotero.", "application/vnd.citationstyles.csl+json"
    ),
    ExportFormat.CSV: _Format("CSV", "Every field as a table; Excel may open it.", "text/csv; charset=utf-8"),
    ExportFormat.JSON_LINES: _Format(
        "JSON Lines", "For Harvey’s kb import; importing it twice changes nothing.", "application/x-ndjson"
    ),
    ExportFormat.RECOVERY_LOG: _Format(
        "recovery-log.json", "Which dead addresses were replaced by which live ones, and how.", "application/json"
    ),
    ExportFormat.RUN_REPORT: _Format(
        "Run report", "Where the project stands: lists by verdict, and the ship gate.", _MARKDOWN
    ),
    ExportFormat.BUNDLE: _Format(
        "Everything (zip)", "All of these files in one archive, with a README.md that counts them.", "application/zip"
    ),
}
