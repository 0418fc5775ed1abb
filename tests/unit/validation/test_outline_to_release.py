"""The whole way over real sockets: outline, plan, harvest, corpus, a draft with every fault, and what may go out."""

import io
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.management import call_command

from lineage.access import asker_of
from lineage.core.release import Hindrance
from lineage.services import release
from provenance_site.accounts.models import Membership
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel
from sources.core import outline
from sources.core.citations import ProblemCode
from sources.core.drafting import DraftOrigin
from sources.core.kinds import DecisionKind
from sources.models import CatalogEntry, CorpusEntry, Project, Source
from sources.services import drafts, outlines, projects
from tests.desk import Desk
from tests.unit.validation import harvest_site
from tests.unit.validation.harvest_site import DOI, HOST, HarvestSite
from validation import dispatch, tasks
from validation.core.harvest_states import CandidateState, HarvestState
from validation.core.harvest_tools import Tool
from validation.core.shipping import SpotResult
from validation.core.source_requests import RequestKind, RequestState
from validation.models import HarvestRequest, HarvestRun, RequestCandidate, ShipCheck, SpotCheck
from validation.services import harvest_plans, marker_resolution, ship_gate
from validation.services.harvest_plans import Budget

pytestmark = pytest.mark.django_db

OUTLINE = f"""\
sections:
  - title: Market
    guiding_questions:
      - How large is the market for harbour robots?
    preferred_sources: [{HOST}]
  - title: Sonar
    guiding_questions:
      - How does sonar work?
    preferred_sources: [science]
"""
PAGES = {
    "market": "Harbour robots find their market in the north",
    "study": "A study that was withdrawn",
    "advert": "Robots at half their price",
    "minutes": "Minutes of the harbour board",
    "almanac": "The almanac of the northern harbours",
    **{f"berth-{number}": f"What lies at berth number {number}" for number in range(1, 7)},
}
FERRY, PASSAGE = "A year of the ferry in figures", "In 2023 the ferry carried 48,200 passengers, a record."
CLAIM = "In 2023 the ferry carried 48,200 passengers."
GIVEN = """\
# Market

Boats are sold in spring [{market}]. Many are new [{market}, {almanac}], some are old.[{almanac}][{sonar}]

In 2023 the ferry carried 48,200 passengers. [src-404]

Ids: misspelt [{MARKET}], with more [see {market}, p. 3], bare {sonar}, and [{market}](https://else.invalid/other).

Links: [sails](https://else.invalid/sails) are back, see https://else.invalid/bare now. ![Quay](https://else.invalid/q.png)

Notes: one from outside.[^4] One from nowhere.[^8] One twice.[^5] The deck.[^deck]

Refused: withdrawn [{study}], dropped [{advert}], internal [{minutes}].

Open: <needs-source claim="Nobody counted."> and <needs-deeper-grounding id="{market}">, citeturn0search0.

`[{market}]` in code, \\[{market}\\] escaped <!-- [{market}] -->

```
[src-404] https://else.invalid/code
```

[^4]: [Elsewhere](https://else.invalid/four)
[^5]: [Market]({market_url})
[^5]: [Almanac]({almanac_url})
[^6]: [Berth]({berth-1_url})
[^deck]: Our deck, https://else.invalid/deck

<!-- never closed
"""
ANSWER = """\
Robots sell.[^1] Sonar works.[^2] Nobody else says so.[^3] It was asked for. citeturn0search0

[^1]: [Robots, market]({market_url})
[^2]: [Sonar measurements under the northern quay](https://else.invalid/sonar)
[^3]: [Elsewhere](https://else.invalid/three)
"""
RECONCILED = """\
Robots sell.[^1] Sonar works.[^2] Nobody else says so. It was asked for.

[^1]: [Harbour robots find their market in the north]({market_url}).
[^2]: [Sonar measurements under the northern quay](https://doi.org/10.5555/provdesk.7).
"""
SINCE: dict[str, dict[str, Any]] = {
    "study": {"retracted": True},
    "advert": {"disposition": "drop", "decided": DecisionKind.DROP},
    "minutes": {"sensitivity": "internal_only"},
    "almanac": {"fresh_until": datetime(2020, 1, 1, tzinfo=UTC)},
}
GATED = """\
# Market

Boats are sold in spring. [^1] Many are new, [^1] [^2] some are old. [^2] [^3]

In 2023 the ferry carried 48,200 passengers. <needs-source claim="In 2023 the ferry carried 48,200 passengers.">

Ids: misspelt, [^1] with more [see {market}, p. 3], bare {sonar}, and. [^1]

Links: sails {links} are back, see else.invalid/bare {links} now. ![Quay](https://else.invalid/q.png)

Notes: one from outside. <needs-source claim="Notes: one from outside."> One from nowhere. \
<needs-source claim="One from nowhere."> One twice.[^1] The deck.[^deck]

Refused: withdrawn, {refused} dropped, {refused} internal. {refused}

Open: <needs-source claim="Nobody counted."> and <needs-deeper-grounding id="{market}">, citeturn0search0.

`[{market}]` in code, \\[{market}\\] escaped <!-- [{market}] -->

```
[src-404] https://else.invalid/code
```

[^1]: [Harbour robots find their market in the north]({market_url}).
[^2]: [The almanac of the northern harbours]({almanac_url}).
[^3]: [Sonar measurements under the northern quay](https://doi.org/10.5555/provdesk.7).
[^deck]: Our deck, https://else.invalid/deck

<!-- never closed
"""
FAULTS = [
    (3, "source-stale"),
    (3, "source-stale"),
    (5, "unknown-id"),
    (7, "id-misspelt"),
    (7, "citation-unreadable"),
    (7, "id-without-brackets"),
    (7, "id-and-link-differ"),
    (9, "link-outside-corpus"),
    (9, "address-outside-corpus"),
    (9, "image-outside-corpus"),
    (11, "note-outside-corpus"),
    (11, "note-undefined"),
    (13, "source-retracted"),
    (13, "source-dropped"),
    (13, "source-internal-only"),
    (15, "needs-source"),
    (15, "needs-deeper-grounding"),
    (15, "assistant-artefact"),
    (25, "note-repeated"),
    (26, "definition-unused"),
    (27, "named-note-outside-corpus"),
    (29, "comment-unclosed"),
]


def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def site(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[HarvestSite]:
    for task in (tasks.work_on_harvests, tasks.work_on_harvest_requests, tasks.work_on_ship_checks):
        monkeypatch.setattr(task, "apply_async", lambda *_, **__: None)
    for one in harvest_site.opened(settings):
        one.titles |= {f"/{name}": title for name, title in PAGES.items()}
        listed = ["/market", "/study", "/gone", *(f"/{name}" for name in list(PAGES)[2:9])]
        one.found |= {Tool.TAVILY: listed, Tool.SEARXNG: ["/market", "/berth-5", "/berth-6"], Tool.PERPLEXITY: []}
        one.down = {Tool.FIRECRAWL}
        yield one


def harvested(desk: Desk, project: Project) -> HarvestRun:
    """A harvest of the project's outline that workers have ended; its plan asked nobody."""
    run = harvest_plans.from_outline(
        project=project, by=desk.person(), at=now(), budget=Budget(calls=20, candidates=20)
    )
    dispatch.start_harvest(run=run, by=desk.person(), at=now())
    until(tasks.work_on_harvests, lambda: HarvestRun.objects.get(pk=run.pk).state == HarvestState.DONE)
    return HarvestRun.objects.get(pk=run.pk)


def until(task: Any, is_done: Any) -> None:
    """Calls the worker's entry point as often as its messages would on a slow machine."""
    for _ in range(5):
        task()
        if is_done():
            return
    raise AssertionError("the work does not end")


def gate(*arguments: object) -> tuple[int, str]:
    """The exit code of `manage.py gate`, and its last line."""
    said = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("gate", *map(str, arguments), stdout=said, stderr=io.StringIO())
    return int(ended.value.code or 0), said.getvalue().splitlines()[-1]


def test_an_outline_becomes_a_text_that_may_go_out(desk: Desk, site: HarvestSite) -> None:
    curator, editor = desk.person(), desk.person(Role.EDITOR)
    project = projects.create(workspace_id=desk.workspace.pk, name="Harbour memo", by=curator, at=now())
    outlines.save(project=project, parts=outline.read(OUTLINE), by=curator, channel=Channel.PAGE, at=now())
    run = harvested(desk, project)

    # A corpus per section, under ids that a second harvest does not change.
    names = {site.url(f"/{name}"): name for name in PAGES} | {f"https://doi.org/{DOI}": "sonar"}
    ids = {names[one.url]: one.stable_id for one in run.candidates.filter(state=CandidateState.KEPT)}
    assert set(ids.values()) == {f"src-{number:03d}" for number in range(1, 13)}
    assert CorpusEntry.objects.filter(section__slug="market").count() == 11
    assert CorpusEntry.objects.get(section__slug="sonar").entry.stable_id == ids["sonar"]
    assert run.candidates.get(state=CandidateState.DROPPED).url == site.url("/gone")
    again = harvested(desk, project)
    assert {names[one.url]: one.stable_id for one in again.candidates.filter(state=CandidateState.KEPT)} == ids

    # Since then one was retracted, one dropped by a person, one marked as internal, and one grew stale.
    for name, columns in SINCE.items():
        Source.objects.filter(entries__number=int(ids[name][4:])).update(**columns)

    names_of = {
        **ids,
        "MARKET": ids["market"].upper(),
        "links": '<needs-source claim="Links: sails are back, see else.invalid/bare now.">',
        "refused": '<needs-source claim="Refused: withdrawn, dropped, internal.">',
        **{f"{name}_url": site.url(f"/{name}") for name in ("market", "almanac", "berth-1")},
    }
    given = GIVEN.format_map(names_of)
    version = drafts.begin(project=project, name="Memo", text=given, by=curator, channel=Channel.PAGE, at=now())
    assert version.gated_text == GATED.format_map(names_of)
    assert [(one["line"], one["code"]) for one in version.problems] == FAULTS
    assert {code for _, code in FAULTS} == set(ProblemCode)
    assert gate("Memo", "--project", project.name)[0] == 2

    # An answer of an assistant cites by itself: each citation is corrected, substituted or dropped, and listed.
    answer = drafts.begin(
        project=project,
        name="Answer",
        text=ANSWER.format(market_url=site.url("/market")),
        by=curator,
        channel=Channel.PAGE,
        at=now(),
    )
    reconciled = drafts.reconcile(version=answer, by=curator, at=now())
    assert [(one["kind"], one["label"]) for one in reconciled.changes] == [
        ("dropped", "citeturn0search0"),
        ("corrected", "^1"),
        ("substituted", "^2"),
        ("dropped", "^3"),
    ]
    assert reconciled.gated_text == RECONCILED.format(market_url=site.url("/market"))

    # A marker's claim is searched, a person picks what carries it.
    site.titles["/ferry"], site.passages["/ferry"] = FERRY, PASSAGE
    site.found |= {Tool.TAVILY: ["/gone", "/ferry"], Tool.SEARXNG: []}
    dispatch.request_sources(version=version, claims=[CLAIM], by=curator, at=now())
    until(tasks.work_on_harvest_requests, lambda: HarvestRequest.objects.get().state == RequestState.SEARCHED)
    found = RequestCandidate.objects.select_related("request__draft__project__workspace").get(url=site.url("/ferry"))
    assert (found.passage, found.tool) == (PASSAGE, Tool.TAVILY)
    resolved = marker_resolution.pick(candidate=found, by=curator, channel=Channel.PAGE, at=now())
    ferry = CatalogEntry.objects.get(source__request_url=site.url("/ferry")).stable_id
    assert ferry == "src-013"
    assert resolved.as_origin is DraftOrigin.RESOLVED
    assert f"{CLAIM} <needs" not in resolved.gated_text

    # A person rewrites it; the link that comes with it is a request and no citation.
    cites = [
        *(ids[name] for name in ("market", "almanac", "sonar", *(f"berth-{number}" for number in range(1, 7)))),
        ferry,
    ]
    clean = "# Market\n\n" + "\n\n".join(f"Fact number {n} is told. [{one}]" for n, one in enumerate(cites, 1)) + "\n"
    brought = dispatch.correct(
        draft=resolved.draft,
        text=f"{clean}\nSails are [back](https://else.invalid/sails).\n",
        by=curator,
        channel=Channel.PAGE,
        at=now(),
    )
    assert [(one.as_kind, one.url) for one in brought.requests] == [
        (RequestKind.NEW_LINK, "https://else.invalid/sails")
    ]
    assert "else.invalid" not in brought.version.gated_text
    assert len(brought.version.citations) == 10
    final = dispatch.correct(draft=resolved.draft, text=clean, by=curator, channel=Channel.PAGE, at=now()).version
    asker = asker_of(Membership.objects.get(user=curator, workspace=desk.workspace))
    hindered = []
    for one in (version, brought.version, final):
        assert one.entity
        hindered.append([why.hindrance for why in release.check(output=one.entity, asker=asker, at=now()).problems])
    assert hindered == [[Hindrance.MISSING_LINEAGE] * 6, [Hindrance.MISSING_LINEAGE], []]

    # The ship gate fetches all of it anew, and a person looks at what was drawn.
    check = dispatch.start_ship_check(project=project, document=ship_gate.document_of(final), by=curator, at=now())
    until(tasks.work_on_ship_checks, lambda: bool(ShipCheck.objects.get(pk=check.pk).decision))
    check.refresh_from_db()
    assert (check.decision, check.verified, check.total) == ("accept", 10, 10)
    spots = SpotCheck.objects.select_related("check_made__project").filter(check_made=check).order_by("position")
    for spot in spots:
        result, note = (SpotResult.WRONG, "No such fact.") if spot.position == 1 else (SpotResult.GOOD, "")
        check = ship_gate.look(spot=spot, result=result, note=note, by=editor, at=now())
    assert (check.decision, check.verified, len(spots)) == ("investigate", 9, 10)
    assert gate("Memo", "--project", project.name) == (0, "Memo v4: accept. 10 of 10 verified (100.0 %).")
    site.gone.add("/berth-6")
    assert gate("Memo", "--project", project.name) == (1, "Memo v4: investigate. 9 of 10 verified (90.0 %).")
