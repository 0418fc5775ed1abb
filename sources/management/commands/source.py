"""`manage.py source add|list|show|remove|retract`: the registry's sources from a terminal."""

from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError

from lineage.core.asking import system
from lineage.reports import deletion_report
from provenance_site.accounts.operators import Operator
from provenance_site.changes.models import Channel
from provenance_site.kit.text import counted
from sources.core.kinds import IdentifierType
from sources.core.lines import one_line
from sources.core.retraction import RetractionStatus, mark
from sources.management.operators import acting, add_operator_arguments, source_numbered
from sources.models import Source
from sources.queries.retraction_evidence import tell
from sources.queries.search import search
from sources.services import adding, removal, retractions
from sources.services.adding import Named

_TOLD = (
    ("Authors", "authors"),
    ("Published", "published_date"),
    ("Publisher", "publisher"),
    ("Rights", "rights"),
    ("Version", "version"),
    ("Verdict", "verdict"),
    ("Standing", "disposition"),
    ("Sensitivity", "sensitivity"),
)


class Command(BaseCommand):
    """Adds, lists, shows, removes and retracts sources."""

    help = "Adds, lists, shows, removes and retracts sources of the registry. Exit code 2 where nothing could be done."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One word for the deed, then its own arguments."""
        deeds = parser.add_subparsers(dest="deed", required=True, metavar="add|list|show|remove|retract")
        add = deeds.add_parser("add", help="Put a source into the registry; a known one stays as it is.")
        add.add_argument("identifier", nargs="?", default="", metavar="IDENTIFIER", help="DOI, URL, ISBN, arXiv …")
        for name in ("title", "authors", "date", "publisher", "rights", "source-version"):
            add.add_argument(f"--{name}", default="")
        listing = deeds.add_parser("list", help="Name the sources with their numbers.")
        listing.add_argument("words", nargs="*", metavar="WORD", help="What the search of the sources table finds.")
        listing.add_argument("--retracted", action="store_true", help="Only those marked retracted.")
        listing.add_argument("--limit", type=int, default=50, help="At most so many; 0 for all. Default: 50")
        show = deeds.add_parser("show", help="Print all that is known of a source.")
        remove = deeds.add_parser("remove", help="Remove a source that nothing rests on.")
        remove.add_argument("--why", default="", help="Stands in the deletion report.")
        remove.add_argument("--erase", action="store_true", help="Keep no word of it; only the key of its ref stays.")
        remove.add_argument("--reprocess", action="store_true", help="What was made of it is stale, to be made anew.")
        remove.add_argument("--report", action="store_true", help="Print the deletion report as Markdown.")
        retract = deeds.add_parser("retract", help="Mark a source retracted.")
        retract.add_argument("--note", required=True, help="Where the retraction is announced, and why.")
        for one in (show, remove, retract):
            one.add_argument("id", type=int, metavar="ID", help="Number of the source.")
        for one in (add, listing, show, remove, retract):
            add_operator_arguments(one)

    def handle(self, *args: Any, **options: Any) -> None:
        """Does the deed that was named."""
        who = acting(options)
        try:
            match options["deed"]:
                case "add":
                    self._add(options, who=who)
                case "list":
                    self._list(options, who=who)
                case "show":
                    self._show(source_numbered(options["id"], who=who))
                case "remove":
                    self._remove(source_numbered(options["id"], who=who), options, who=who)
                case _:
                    self._retract(source_numbered(options["id"], who=who), note=options["note"], who=who)
        except (adding.SourceRefused, removal.Held, retractions.NoteMissing) as refused:
            raise CommandError(str(refused), returncode=2) from refused
        except PermissionDenied as refused:
            raise CommandError(f"{who.user} may not do this: {refused}", returncode=2) from refused

    def _add(self, options: dict[str, Any], *, who: Operator) -> None:
        named = Named(
            identifier=options["identifier"],
            title=options["title"],
            authors=options["authors"],
            published_date=options["date"],
            publisher=options["publisher"],
            rights=options["rights"],
            version=options["source_version"],
        )
        source, is_new = adding.add(
            workspace_id=who.workspace.pk, named=named, by=who.user, channel=Channel.COMMAND, at=datetime.now(UTC)
        )
        self.stdout.write(
            f"Source recorded (id={source.pk})." if is_new else f"Known already (id={source.pk}): {_named(source)}"
        )

    def _list(self, options: dict[str, Any], *, who: Operator) -> None:
        rows = search(Source.objects.standing().filter(workspace=who.workspace), " ".join(options["words"]))
        rows = (rows.filter(retracted=True) if options["retracted"] else rows).order_by("pk")
        limit = options["limit"]
        shown = list(rows[:limit] if limit > 0 else rows)
        tell(shown)
        for source in shown:
            self.stdout.write(f"{source.pk:>6}  {_named(source)}")
        total = rows.count() if limit > 0 and len(shown) == limit else len(shown)
        told = counted(total, "source")
        self.stdout.write(f"{len(shown)} of {told}." if total > len(shown) else f"{told}.")

    def _show(self, source: Source) -> None:
        tell([source])
        self.stdout.write(f"Source #{source.pk} {_named(source)}")
        for label, field in _TOLD:
            if value := one_line(str(getattr(source, field))):
                self.stdout.write(f"  {label}: {value}")
        if source.retracted:
            self.stdout.write(f"  Retracted: {one_line(source.retraction_note) or 'no note'}")
        elif source.told is not None and source.told.warns:
            self.stdout.write(f"  Retraction: {source.told.word}; it is not marked retracted")
        links = source.observation_links.select_related("observation").order_by("observation")
        for link in links:
            body = one_line(link.observation.body)[:80]
            self.stdout.write(
                f"  Observation #{link.observation_id} [{link.observation.kind}] {body} — {link.relationship}"
            )

    def _remove(self, source: Source, options: dict[str, Any], *, who: Operator) -> None:
        told = _named(source)
        deed = removal.remove(
            source=source,
            by=who.user,
            channel=Channel.COMMAND,
            at=datetime.now(UTC),
            why=options["why"],
            erasing=options["erase"],
            reprocessing=options["reprocess"],
        )
        back = "The History page can bring it back." if deed.kind == removal.CHANGE_KIND else "This cannot be undone."
        self.stdout.write(f"Removed: {told}. {back}")
        if options["report"]:
            report = removal.report_of(deed, asker=system(who.workspace.pk))
            self.stdout.write("".join(deletion_report.markdown(report)))

    def _retract(self, source: Source, *, note: str, who: Operator) -> None:
        if source.retracted:
            self.stdout.write(f"Marked already: {_named(source)} “{one_line(source.retraction_note)}”")
            return
        retractions.mark(
            workspace_id=who.workspace.pk,
            source_ids=[source.pk],
            note=note,
            by=who.user,
            channel=Channel.COMMAND,
            at=datetime.now(UTC),
        )
        source.refresh_from_db()
        self.stdout.write(f"Marked retracted: {_named(source)}")
        if count := source.observation_links.values("observation").distinct().count():
            self.stdout.write(f"{counted(count, 'observation rests', 'observations rest')} on it.")


def _named(source: Source) -> str:
    told = mark(source.told or (RetractionStatus.RETRACTED if source.retracted else RetractionStatus.UNKNOWN))
    end = f" {told}" if told else ""
    title = one_line(source.title)
    if source.identifier_type == IdentifierType.NONE:
        return f"{title}{end}"
    name = one_line(f"{source.identifier_type}:{source.identifier_value}")
    if source.identifier_type == IdentifierType.URL:
        name = one_line(source.identifier_value)
    return f"{title} ({name}){end}" if title else f"{name}{end}"
