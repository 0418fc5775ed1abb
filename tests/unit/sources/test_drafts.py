"""Drafts: through the gate and kept, with claims in lineage; policy, reconciliation, undo."""

import pytest

from lineage.core.asking import system
from lineage.core.release import Hindrance
from lineage.models import Claim, Edge, Entity, Evidence
from lineage.services import release
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from sources.core.chunking import hash_of
from sources.core.citations import Action, Mode, Standing, best_passage
from sources.core.drafting import DraftOrigin
from sources.models import CatalogEntry, Draft, DraftVersion, Source
from sources.queries import expected_lineage
from sources.queries.drafts import grounding_asked, problems_of, rate_of
from sources.queries.packs import Excerpts, pack_of
from sources.services import drafts, merging, reconciling, retractions
from sources.services.drafts import DraftChanged, DraftRefused
from sources.services.merge_cases import Wanted
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import EntryAliasFactory
from tests.unit.sources.writing import (
    DRAFT,
    FOUND,
    GAUGE,
    READ,
    TIDES,
    draft_of,
    found,
    keep,
    project_of,
    section_of,
    version,
)

pytestmark = pytest.mark.django_db
CLAIM = "The tide rises by 3.1 metres at the gauge."


def begun(desk: Desk, text: str = DRAFT) -> DraftVersion:
    project = project_of(desk)
    keep(desk, section_of(project))
    return draft_of(desk, project, text).versions.get()


def undo(desk: Desk, kind: str) -> changes.UndoResult:
    deed = ChangeSet.objects.filter(kind=kind).latest("pk")
    return changes.undo(change_set=deed, by=desk.person(), at=NOW)


def node(made: DraftVersion) -> Entity:
    """The version in lineage, as it is now."""
    assert made.entity is not None
    return Entity.objects.get(pk=made.entity.pk)


def hindrances(entity: Entity) -> set[Hindrance]:
    check = release.check(output=entity, asker=system(entity.workspace_id), at=NOW)
    return {problem.hindrance for problem in check.problems}


def test_a_text_is_kept_with_what_the_gate_made_of_it(desk: Desk) -> None:
    made = begun(desk)
    assert (made.number, made.text, made.problems, made.refused_count) == (1, DRAFT, [], 0)
    assert "at the gauge. [^1]" in made.gated_text
    assert f"[^1]: 2024, Apr 25. [The gauge of the harbour]({GAUGE}). Harbour Press. Published: 2024-04-25" in (
        made.gated_text
    )
    assert made.sha256 == hash_of(made.gated_text)
    assert [(one["number"], one["id"], one["places"]) for one in made.citations] == [(1, "src-001", 1)]
    assert (rate_of(made).markers, rate_of(made).claims) == (0, 1)


def test_a_claim_rests_on_the_version_that_was_read_with_the_hash_of_its_passage(desk: Desk) -> None:
    made = begun(desk)
    report = node(made)
    assert (report.type, report.content_hash) == ("report", made.sha256)
    claim = Claim.objects.get()
    assert (claim.text, claim.text_hash) == (CLAIM, hash_of(CLAIM))
    assert Edge.objects.filter(from_entity=report, to_entity=claim.entity, relation="CONTAINS").exists()
    edge = Edge.objects.get(from_entity=claim.entity, relation="SUPPORTED_BY")
    assert (edge.to_entity.type, edge.to_entity.content_hash) == ("source-version", READ)
    passage = best_passage(FOUND.excerpt, claim=CLAIM).text
    assert passage
    assert edge.metadata == {"id": "src-001", "passage_sha256": hash_of(passage)}
    told = Evidence.objects.get(edge=edge)
    assert (told.rank, told.query_hash) == (1, hash_of("tide gauge harbour"))
    assert hindrances(report) == set()


def test_a_marked_claim_keeps_the_draft_from_being_handed_on(desk: Desk) -> None:
    made = begun(desk, DRAFT + "\nThe harbour is the oldest. [src-047]\n")
    assert (made.marker_count, made.claim_count) == (1, 2)
    (problem,) = problems_of(made)
    assert (problem.code, problem.line, problem.id) == ("unknown-id", 5, "src-047")
    assert problem.is_error
    assert hindrances(node(made)) == {Hindrance.MISSING_LINEAGE}


def test_a_retraction_reaches_the_draft(desk: Desk) -> None:
    made = begun(desk)
    retractions.mark(
        workspace_id=desk.workspace.pk,
        source_ids=Source.objects.values_list("pk", flat=True),
        note="Withdrawn",
        by=desk.person(Role.ADMIN),
        channel=Channel.PAGE,
        at=NOW,
    )
    assert Hindrance.RETRACTED in hindrances(node(made))
    again = version(desk, made.draft, made.text)
    assert [one.code for one in problems_of(again)] == ["source-retracted"]
    assert again.refused_count == 1


def test_a_retraction_of_what_a_cited_source_was_merged_into_reaches_the_draft(desk: Desk) -> None:
    project = project_of(desk)
    keep(desk, section_of(project), [found(TIDES)])
    made = draft_of(desk, project).versions.get()
    stays = keep(desk, section_of(project, "Team"))
    assert stays.ids == {GAUGE: "src-002"}
    by_url = {source.identifier_value: source.pk for source in Source.objects.all()}
    admin = desk.person(Role.ADMIN)
    merging.merge(
        workspace_id=desk.workspace.pk,
        wanted=[Wanted(keep=by_url[GAUGE], lose=(by_url[TIDES],))],
        carry_retractions=False,
        by=admin,
        channel=Channel.PAGE,
        at=NOW,
    )
    assert hindrances(node(made)) == set()
    retractions.mark(
        workspace_id=desk.workspace.pk,
        source_ids=[by_url[GAUGE]],
        note="Withdrawn",
        by=admin,
        channel=Channel.PAGE,
        at=NOW,
    )
    assert node(made).state == "stale"
    assert hindrances(node(made)) != set()


def test_what_a_draft_and_a_corpus_have_in_lineage_is_kept_and_looked_after(desk: Desk) -> None:
    made = begun(desk)
    mine = set(expected_lineage.kept_by_the_registry(workspace_id=desk.workspace.pk))
    held = Entity.objects.filter(type__in=["report", "claim", "retrieval-hit"])
    assert held.count() == 3
    assert mine >= set(held.values_list("pk", flat=True))
    assert reconciling.reconcile_workspace(workspace_id=desk.workspace.pk, at=NOW).findings == []
    Entity.objects.filter(pk=node(made).pk).update(tombstoned_at=NOW, state="tombstoned")
    (finding,) = reconciling.reconcile_workspace(workspace_id=desk.workspace.pk, at=NOW).findings
    assert (finding.ref, finding.is_mended) == (node(made).ref, True)
    assert node(made).tombstoned_at is None


def test_the_same_text_with_the_same_outcome_is_the_same_version(desk: Desk) -> None:
    made = begun(desk)
    assert version(desk, made.draft, DRAFT).pk == made.pk
    other = version(desk, made.draft, DRAFT + "\nMore.\n")
    assert other.number == 2
    assert node(made).state == "superseded"
    assert Edge.objects.filter(from_entity=node(other), to_entity=node(made), relation="SUPERSEDES").exists()
    assert Claim.objects.count() == 1


def test_a_version_of_another_state_is_refused(desk: Desk) -> None:
    made = begun(desk)
    version(desk, made.draft, DRAFT + "\nMore.\n")
    with pytest.raises(DraftChanged):
        drafts.add_version(draft=made.draft, text="Mine.", seen=1, by=desk.person(), at=NOW)
    assert made.draft.versions.count() == 2


def test_undo_takes_the_newest_version_back_and_its_number_is_not_given_again(desk: Desk) -> None:
    made = begun(desk)
    first_deed = ChangeSet.objects.get(kind=drafts.VERSION_KIND)
    other = version(desk, made.draft, DRAFT + "\nMore.\n")
    refused = changes.undo(change_set=first_deed, by=desk.person(), at=NOW)
    assert refused.skipped == ("Version 1 of “Memo” has later versions; take those back first",)
    assert undo(desk, drafts.VERSION_KIND).undone == 1
    assert node(made).state == "current"
    assert node(other).state == "tombstoned"
    assert version(desk, made.draft, DRAFT + "\nMore.\n").number == 3
    assert undo(desk, drafts.ADD_KIND).skipped == ("The draft “Memo” has versions by now; take those back first",)


def test_a_draft_without_versions_is_taken_back(desk: Desk) -> None:
    drafts.create(project=project_of(desk), name="Memo", by=desk.person(), channel=Channel.PAGE, at=NOW)
    assert undo(desk, drafts.ADD_KIND).undone == 1
    assert not Draft.objects.exists()


def test_the_policy_of_a_draft_decides_what_is_refused(desk: Desk) -> None:
    made = begun(desk, DRAFT + "\nSee [this](https://outside.example/x).\n")
    assert [one.is_error for one in problems_of(made)] == [True]
    assert "https://outside.example" not in made.gated_text
    Source.objects.update(retracted=True)
    drafts.set_policy(
        draft=made.draft,
        mode=Mode.HYBRID,
        policy={Standing.RETRACTED: Action.WARN},
        by=desk.person(),
        channel=Channel.PAGE,
        at=NOW,
    )
    again = version(desk, Draft.objects.select_related("project").get(), made.text)
    assert [(one.code, one.is_error) for one in problems_of(again)] == [
        ("source-retracted", False),
        ("link-outside-corpus", False),
    ]
    assert "https://outside.example" in again.gated_text
    assert undo(desk, drafts.POLICY_KIND).undone == 1
    assert (Draft.objects.get().mode, Draft.objects.get().policy) == ("strict", {})


def test_a_reconciled_draft_is_the_next_version_with_its_changes(desk: Desk) -> None:
    text = f"{CLAIM} [^1] Nobody knows why. [^2]\n\n[^1]: [Old title]({GAUGE}?utm_source=x)\n[^2]: [X](https://x.example/y)\n"
    made = begun(desk, text)
    kept = drafts.reconcile(version=made, by=desk.person(), at=NOW, seen=1)
    assert (kept.number, kept.origin, kept.note) == (2, DraftOrigin.RECONCILED, "from version 1")
    assert {one["kind"] for one in kept.changes} >= {"dropped"}
    assert all(set(one) == {"kind", "line", "label", "before", "after", "reason"} for one in kept.changes)
    assert "x.example" not in kept.gated_text
    assert [one["id"] for one in kept.citations] == ["src-001"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("  \n", "The draft is empty"),
        ("a\nb\x00c", "Line 2 holds a NUL character"),
        ("a\n\nb\ud800", "Line 3 holds half a character"),
        ("a\r\r\nb\x00", "Line 3 holds a NUL character"),
        ("x" * (drafts.MAX_TEXT + 1), "at most 2,000,000 characters"),
    ],
    ids=["empty", "NUL", "half a character", "NUL behind other line ends", "too long"],
)
def test_a_text_that_cannot_be_kept_is_refused_with_its_line(desk: Desk, text: str, told: str) -> None:
    with pytest.raises(DraftRefused, match=told):
        draft_of(desk, project_of(desk), text)
    assert not Draft.objects.exists()


def test_a_password_in_an_address_is_not_kept(desk: Desk) -> None:
    made = begun(desk, "See https://anna:secret@harbour.example/x for more.\n")
    assert "secret" not in made.text + made.gated_text + str(made.problems)


def test_what_a_draft_wants_to_read_whole_comes_with_the_next_pack(desk: Desk) -> None:
    made = begun(desk, DRAFT + '\nHow was it built? <needs-deeper-grounding id="src-001">\n')
    assert grounding_asked(made.draft.project) == {"src-001"}
    items, wanted = pack_of(
        project=made.draft.project, section=None, excerpts=Excerpts.ASKED, with_internal=False, at=NOW
    )
    assert ([item.id for item in items], wanted) == (["src-001"], {"src-001"})
    # By the id that a merged source had, the one that it was merged into.
    EntryAliasFactory(entry=CatalogEntry.objects.get(), number=7)
    version(desk, made.draft, DRAFT + '\n<needs-deeper-grounding id="src-007">\n')
    asked = pack_of(project=made.draft.project, section=None, excerpts=Excerpts.ASKED, with_internal=False, at=NOW)
    assert asked == (items, {"src-001"})
    Source.objects.update(retracted=True)
    assert pack_of(project=made.draft.project, section=None, excerpts=Excerpts.ALL, with_internal=True, at=NOW) == (
        [],
        set(),
    )
