"""`manage.py duplicates list|look|merge|merge-all|apart`: works that may be one, from a terminal."""

from argparse import ArgumentParser
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError

from provenance_site.accounts.operators import Operator
from provenance_site.changes.models import Channel
from provenance_site.kit.rows import in_parts
from provenance_site.kit.text import counted
from sources import permissions
from sources.core.kinds import FieldRule, PairReason, Survivor
from sources.core.lines import one_line
from sources.management.operators import acting, add_operator_arguments, source_numbered
from sources.models import Source
from sources.queries.duplicates import board_of
from sources.services import duplicates, merging, telling_apart
from sources.services.merge_cases import MergeRefused, Wanted, all_by
from sources.services.merging import Look

_AT_ONCE = 500


class Command(BaseCommand):
    """Lists groups that may be one work, looks for more, merges them or tells them apart."""

    help = (
        "Works that may be one: names the groups, looks for more, merges, tells apart. A merge can be undone on the "
        "History page. Exit code 2 where nothing could be done."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One word for the deed, then its own arguments."""
        deeds = parser.add_subparsers(dest="deed", required=True, metavar="list|look|merge|merge-all|apart")
        listing = deeds.add_parser("list", help="Name the groups with the numbers of their sources.")
        listing.add_argument("--limit", type=int, default=20, help="At most so many groups; 0 for all. Default: 20")
        look = deeds.add_parser("look", help="Look through the whole registry.")
        merge = deeds.add_parser("merge", help="Merge sources into the first one named.")
        merge.add_argument("keep", type=int, metavar="KEEP", help="Number of the source that stays.")
        merge.add_argument("lose", type=int, nargs="+", metavar="ID", help="Numbers of those that lead to it.")
        every = deeds.add_parser("merge-all", help="Merge all groups by a rule, up to 500 at a time.")
        every.add_argument("--keep", choices=[one.value for one in Survivor], default=Survivor.MOST_COMPLETE.value)
        apart = deeds.add_parser("apart", help="Remember that these are different works.")
        apart.add_argument("ids", type=int, nargs="+", metavar="ID", help="Numbers of the sources.")
        for one in (listing, every):
            one.add_argument("--reason", choices=[reason.value for reason in PairReason], default="")
        for one in (merge, every):
            one.add_argument("--fields", choices=[rule.value for rule in FieldRule], default=FieldRule.OWN.value)
            one.add_argument("--also-retracted", action="store_true", help="What stays is retracted where one is.")
            one.add_argument("--dry-run", action="store_true", help="Only say what would happen.")
        for one in (listing, look, merge, every, apart):
            add_operator_arguments(one)

    def handle(self, *args: Any, **options: Any) -> None:
        """Does the deed that was named."""
        who = acting(options)
        try:
            match options["deed"]:
                case "list":
                    self._list(options, who=who)
                case "look":
                    self._look(who=who)
                case "merge":
                    keep, *lose = (source_numbered(pk, who=who).pk for pk in (options["keep"], *options["lose"]))
                    wanted = Wanted(keep=keep, lose=tuple(lose), fields=FieldRule(options["fields"]))
                    self._merge([wanted], options, who=who)
                case "merge-all":
                    self._merge_all(options, who=who)
                case _:
                    self._apart(options["ids"], who=who)
        except (MergeRefused, telling_apart.NothingToTellApart) as refused:
            raise CommandError(str(refused), returncode=2) from refused
        except PermissionDenied as refused:
            raise CommandError(f"{who.user} may not do this: {refused}", returncode=2) from refused

    def _list(self, options: dict[str, Any], *, who: Operator) -> None:
        reason = PairReason(options["reason"]) if options["reason"] else None
        groups = board_of(workspace_id=who.workspace.pk).groups(reason)
        shown = groups[: options["limit"]] if options["limit"] > 0 else groups
        sources = Source.objects.standing().in_bulk([pk for group in shown for pk in group.source_ids])
        for group in shown:
            self.stdout.write(", ".join(one.label for one in group.reasons))
            # Somebody may have merged one since the pairs were read.
            for pk in (pk for pk in group.source_ids if pk in sources):
                self.stdout.write(f"{pk:>6}  {one_line(str(sources[pk]))}  {one_line(sources[pk].identifier_value)}")
        told = counted(len(groups), "group")
        self.stdout.write(f"{len(shown)} of {told}." if len(groups) > len(shown) else f"{told}.")

    def _look(self, *, who: Operator) -> None:
        permissions.check_can_curate(who.user, who.workspace.pk)
        mine = Source.objects.standing().filter(workspace=who.workspace)
        keys, found = list(mine.order_by("pk").values_list("pk", flat=True)), 0
        for part in in_parts(keys, _AT_ONCE):
            found += duplicates.propose_for(source_ids=part, at=datetime.now(UTC), renewed_only=True)
        self.stdout.write(f"Looked through {counted(len(keys), 'source')}: {counted(found, 'new pair')} found.")

    def _merge_all(self, options: dict[str, Any], *, who: Operator) -> None:
        by_rule = all_by(
            workspace_id=who.workspace.pk,
            reason=PairReason(options["reason"]) if options["reason"] else None,
            keep=Survivor(options["keep"]),
            fields=FieldRule(options["fields"]),
        )
        if by_rule.wanted:
            self._merge(by_rule.wanted, options, who=who)
        else:
            self.stdout.write("No group can be merged by a rule.")
        if by_rule.later:
            self.stdout.write(f"{counted(by_rule.later, 'group')} more: run it again.")
        if by_rule.left_out:
            self.stdout.write(f"{counted(by_rule.left_out, 'group')} left for a person to look at.")

    def _merge(self, wanted: Sequence[Wanted], options: dict[str, Any], *, who: Operator) -> None:
        at = datetime.now(UTC)
        looks = merging.preview(workspace_id=who.workspace.pk, wanted=wanted, by=who.user, at=at)
        for look in looks:
            self._tell(look)
        if options["dry_run"]:
            self.stdout.write("Nothing was written.")
            return
        merging.merge(
            workspace_id=who.workspace.pk,
            wanted=wanted,
            carry_retractions=options["also_retracted"],
            by=who.user,
            channel=Channel.COMMAND,
            at=at,
        )
        self.stdout.write(f"Merged {counted(len(looks), 'group')}. The History page can take it back.")

    def _tell(self, look: Look) -> None:
        going = ", ".join(f"{source.pk}" + (" [RETRACTED]" if source.retracted else "") for source in look.going)
        moving = f"; moves {', '.join(look.moving_words)}" if look.moving_words else ""
        self.stdout.write(f"{going} → {look.kept.pk} {one_line(str(look.kept))[:120]}{moving}")

    def _apart(self, ids: Sequence[int], *, who: Operator) -> None:
        made = telling_apart.tell_apart(
            workspace_id=who.workspace.pk,
            source_ids=[source_numbered(pk, who=who).pk for pk in ids],
            by=who.user,
            channel=Channel.COMMAND,
            at=datetime.now(UTC),
        )
        self.stdout.write("Remembered: these are different works." if made else "That was known already.")
