"""A project with a corpus, for tests of closed-corpus writing."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from provenance_site.changes.models import Channel
from sources.core.chunking import hash_of
from sources.core.findings import Cause, Evidence, Verdict
from sources.models import Draft, DraftVersion, Project, Section
from sources.services import corpora, drafts
from sources.services.corpora import Kept, KeptFinding
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import ProjectFactory, SectionFactory

GAUGE = "https://harbour.example/gauge"
TIDES = "https://tides.example/report"
READ = "a" * 64
FOUND = KeptFinding(
    url=GAUGE,
    title="The gauge of the harbour",
    publisher="Harbour Press",
    published="2024-04-25",
    excerpt="The gauge was set in 1887. The tide rises by 3.1 metres at the gauge. Ships wait outside.",
    query="tide gauge harbour",
    tool="searxng",
    rank=1,
    score=0.9,
    verdict=Verdict.VERIFIED_ACCESSIBLE,
    cause=Cause.CONTENT,
    evidence=Evidence(requested_url=GAUGE, final_url=GAUGE, status=200, sha256=READ, byte_count=90),
    rules_version="test-1",
    fetched_at=NOW,
)
DRAFT = "# Tides\n\nThe tide rises by 3.1 metres at the gauge. [src-001]\n"


def found(url: str, **changes: Any) -> KeptFinding:
    """A finding at another address, read there."""
    told = {"title": f"Page at {url}", "rank": 2, **changes}
    digest = hash_of(url)
    evidence = Evidence(requested_url=url, final_url=url, status=200, sha256=digest, byte_count=90)
    return replace(FOUND, url=url, evidence=evidence, **told)


def section_of(project: Project, title: str = "Market") -> Section:
    """A section of the project."""
    return SectionFactory(project=project, title=title, slug=title.casefold())


def project_of(desk: Desk) -> Project:
    """A project of the desk."""
    return ProjectFactory(workspace=desk.workspace, name="Harbour memo")


def keep(desk: Desk, section: Section, findings: Sequence[KeptFinding] = (FOUND,)) -> Kept:
    """Keeps findings in the corpus of a section."""
    return corpora.keep(
        project=section.project, section=section, findings=findings, by=desk.person(), at=NOW, channel=Channel.PAGE
    )


def draft_of(desk: Desk, project: Project, text: str = DRAFT, name: str = "Memo") -> Draft:
    """A draft with one version."""
    return drafts.begin(project=project, name=name, text=text, by=desk.person(), channel=Channel.PAGE, at=NOW).draft


def version(desk: Desk, draft: Draft, text: str) -> DraftVersion:
    """Another version of a draft."""
    return drafts.add_version(draft=draft, text=text, by=desk.person(), at=NOW)
