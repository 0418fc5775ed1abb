"""`manage.py check_urls [FILE|-]`: verdicts for a list, without a database row and without a worker."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from sources.core import extract
from sources.core.findings import Finding
from sources.core.records import Reference, one_per_work
from sources.management.input import read_input
from validation.core.classify import Claimed
from validation.reports.terminal import clean, finding_line
from validation.services.validate import Target, validate_each


class Command(BaseCommand):
    """Checks addresses from a file or standard input."""

    help = (
        "Checks every URL and identifier of a list or Markdown draft and prints the verdicts as they come. FILE - or "
        "none: standard input. Writes no database row. Exit code 1 when a line could not be read, 2 when nothing was "
        "found."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """FILE and --format."""
        parser.add_argument("file", nargs="?", default="-", metavar="FILE")
        parser.add_argument("--format", choices=["table", "jsonl"], default="table")

    def handle(self, *args: Any, **options: Any) -> None:
        """Reads, checks, prints."""
        data, _ = read_input(options["file"])
        try:
            found = extract.extract(extract.decode(data))
        except extract.NotText as refused:
            raise CommandError(str(refused), returncode=2) from refused
        for error in found.errors:
            self.stderr.write(clean(f"line {error.line}: {error.message}  {error.spelling[:120]}"))
        references = one_per_work(found.references, key=lambda one: one.identity.key, title=lambda one: one.title)
        if not references:
            raise CommandError("No address, DOI or other identifier was found.", returncode=2)
        targets = [Target(identity=one.identity, claimed=Claimed(title=one.title)) for one in references]
        for index, finding in validate_each(targets):
            self._print(references[index], finding, as_json=options["format"] == "jsonl")
        if found.errors:
            sys.exit(1)

    def _print(self, reference: Reference, finding: Finding, *, as_json: bool) -> None:
        if not as_json:
            self.stdout.write(finding_line(reference.spelling, finding))
            return
        told = {
            "line": reference.line,
            "url": reference.spelling,
            "canonical": f"{reference.identity.type}:{reference.identity.value}",
            "claimed_title": reference.title,
            "verdict": finding.verdict,
            "cause": finding.cause,
            "disposition": finding.verdict.disposition,
            "reason": finding.reason,
            "checked_at": finding.at.isoformat(),
            "rules_version": finding.rules_version,
            "evidence": finding.evidence.as_json(),
        }
        self.stdout.write(json.dumps(told, ensure_ascii=False))
