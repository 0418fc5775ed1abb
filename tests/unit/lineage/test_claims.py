"""What is left under a claim, what looks at it found, and whether the output that holds it may be handed on."""

from datetime import timedelta

import pytest

from lineage import claims
from lineage.core.asking import Asker, system
from lineage.core.causes import CauseKind
from lineage.core.evidence import Fault, Standing, VerificationResult
from lineage.core.release import AUTHORITIES, Hindrance, has_authority
from lineage.models import Entity, Verification
from lineage.services import impact, release, verification, worklist
from lineage.services.impact import What
from provenance_site.accounts.models import Workspace
from tests import factories as make
from tests.clock import NOW
from tests.graphs import graph

pytestmark = pytest.mark.django_db


@pytest.fixture
def workspace() -> Workspace:
    return make.WorkspaceFactory()


def retract(entity: Entity) -> None:
    what = What(CauseKind.RETRACTION, "Retracted.", entity=entity)
    impact.propagate(workspace_id=entity.workspace_id, what=what, by=None, at=NOW)


def ground(claim: Entity) -> claims.Ground:
    return claims.grounds_of(claim_ids=[claim.pk], asker=system(claim.workspace_id))[claim.pk]


def hindrances(output: Entity) -> set[tuple[Hindrance, str]]:
    found = release.check(output=output, asker=system(output.workspace_id), at=NOW)
    return {(one.hindrance, one.ref.split("//")[1].split("/")[0]) for one in found.problems}


def test_sources_are_lost_one_after_the_other(workspace: Workspace) -> None:
    nodes = graph(
        workspace,
        *(f"claim:k SUPPORTED_BY retrieval-hit:h{n}" for n in (1, 2)),
        *(f"h{n} RETRIEVED_FROM chunk:c{n}" for n in (1, 2)),
        *(f"c{n} CHUNKED_FROM source:s{n}" for n in (1, 2)),
    )
    assert ground(nodes["k"]) == claims.Ground(live=2, all_sources=2)
    retract(nodes["s1"])
    assert ground(nodes["k"]).standing is Standing.PARTLY_SUPPORTED
    retract(nodes["s2"])
    assert ground(nodes["k"]) == claims.Ground(live=0, all_sources=2)
    assert ground(nodes["k"]).standing is Standing.UNSUPPORTED


def test_two_passages_of_one_source_fall_together(workspace: Workspace) -> None:
    nodes = graph(
        workspace,
        "claim:k SUPPORTED_BY chunk:c1",
        "k SUPPORTED_BY chunk:c2",
        "c1 CHUNKED_FROM source:s",
        "c2 CHUNKED_FROM s",
    )
    assert ground(nodes["k"]).all_sources == 1
    retract(nodes["s"])
    assert ground(nodes["k"]).standing is Standing.UNSUPPORTED


def test_a_retracted_version_leaves_the_other_way_to_the_source(workspace: Workspace) -> None:
    nodes = graph(
        workspace,
        "claim:k SUPPORTED_BY source-version:old",
        "k SUPPORTED_BY source-version:new",
        "claim:l SUPPORTED_BY old",
        "old FETCHED_FROM source:s",
        "new FETCHED_FROM s",
    )
    retract(nodes["old"])
    assert ground(nodes["k"]).standing is Standing.SUPPORTED
    assert ground(nodes["l"]).standing is Standing.UNSUPPORTED


def test_uploads_stand_for_sources_where_there_are_none(workspace: Workspace) -> None:
    nodes = graph(workspace, "claim:k SUPPORTED_BY chunk:c", "c CHUNKED_FROM artifact:a")
    assert ground(nodes["k"]) == claims.Ground(live=1, all_sources=1)


def test_a_claim_that_passes_is_no_longer_waited_for(workspace: Workspace) -> None:
    nodes = graph(workspace, "claim:k SUPPORTED_BY source:a", "k SUPPORTED_BY source:b")
    retract(nodes["a"])
    verification.verify(claim=nodes["k"], result=VerificationResult.UNCERTAIN, at=NOW + timedelta(hours=1))
    assert worklist.waiting(system(workspace.pk)).count() == 1
    verification.verify(claim=nodes["k"], result=VerificationResult.PASS, at=NOW + timedelta(hours=2))
    assert not worklist.waiting(system(workspace.pk)).exists()
    assert Entity.objects.get(pk=nodes["k"].pk).state == "current"


def test_a_verification_keeps_which_evidence_it_looked_at(workspace: Workspace) -> None:
    nodes = graph(workspace, "claim:k SUPPORTED_BY source:a")
    first = verification.verify(claim=nodes["k"], result=VerificationResult.PASS, at=NOW)
    again = verification.verify(claim=nodes["k"], result=VerificationResult.PASS, at=NOW)
    graph(workspace, "claim:k SUPPORTED_BY source:b")
    other = verification.verify(claim=nodes["k"], result=VerificationResult.PASS, at=NOW)
    assert first.evidence_fingerprint == again.evidence_fingerprint != other.evidence_fingerprint


def test_a_failed_claim_is_filed_under_its_fault(workspace: Workspace) -> None:
    nodes = graph(workspace, "claim:k SUPPORTED_BY source:a")
    for result, fault in ((VerificationResult.FAIL, None), (VerificationResult.PASS, Fault.MISREAD)):
        with pytest.raises(verification.WrongFault):
            verification.verify(claim=nodes["k"], result=result, fault=fault, at=NOW)
    with pytest.raises(verification.NoClaim):
        verification.verify(claim=nodes["a"], result=VerificationResult.PASS, at=NOW)
    assert not Verification.objects.exists()
    verification.verify(claim=nodes["k"], result=VerificationResult.FAIL, fault=Fault.MISREAD, at=NOW)
    assert claims.newest_verifications(claim_ids=[nodes["k"].pk])[nodes["k"].pk].fault == "misread"


def test_an_output_whose_claims_stand_may_be_released(workspace: Workspace) -> None:
    editor = make.MembershipFactory(workspace=workspace, role="editor").user
    nodes = graph(workspace, "report:r CONTAINS claim:k", "k SUPPORTED_BY source:a")
    asker = system(workspace.pk)
    assert release.release(output=nodes["r"], asker=asker, by=editor, at=NOW).claims == 1
    release.release(output=nodes["r"], asker=asker, by=editor, at=NOW + timedelta(days=1))
    assert Entity.objects.get(pk=nodes["r"].pk).released_at == NOW
    retract(nodes["a"])
    with pytest.raises(release.NotReleasable):
        release.release(output=nodes["r"], asker=asker, by=editor, at=NOW)


def test_a_release_check_names_each_hindrance_with_its_node(workspace: Workspace) -> None:
    nodes = graph(
        workspace,
        "report:r CONTAINS claim:bare",
        "r CONTAINS claim:lost",
        "r CONTAINS claim:half",
        "lost SUPPORTED_BY source:gone",
        "half SUPPORTED_BY gone",
        "half SUPPORTED_BY source:there",
        "r CONTAINS claim:wrong",
        "wrong SUPPORTED_BY there",
        "r GENERATED_FROM artifact:named",
        "answer:alone CONTAINS artifact:x",
    )
    retract(nodes["gone"])
    verification.verify(claim=nodes["wrong"], result=VerificationResult.FAIL, fault=Fault.MISREAD, at=NOW)
    Entity.objects.filter(pk=nodes["named"].pk).update(is_placeholder=True)
    assert hindrances(nodes["r"]) == {
        (Hindrance.MISSING_LINEAGE, "bare"),
        (Hindrance.MISSING_LINEAGE, "named"),
        (Hindrance.RETRACTED, "lost"),
        (Hindrance.PARTLY_SUPPORTED, "half"),
        (Hindrance.FAILED_VERIFICATION, "wrong"),
        *((Hindrance.STALE, name) for name in ("r", "lost", "half")),
    }
    bare = make.EntityFactory(workspace=workspace, type="answer")
    assert {one for one, _ in hindrances(bare)} == {Hindrance.UNEXPLAINED}


def test_a_claim_that_is_not_material_needs_no_evidence(workspace: Workspace) -> None:
    nodes = graph(workspace, "report:r CONTAINS claim:aside", "r GENERATED_FROM source:a")
    make.ClaimFactory(entity=nodes["aside"], is_material=False)
    assert hindrances(nodes["r"]) == set()


def test_the_policy_of_a_type_asks_for_authority_and_fresh_evidence(workspace: Workspace) -> None:
    nodes = graph(workspace, "report:r CONTAINS claim:k", "k SUPPORTED_BY source:a")
    Entity.objects.filter(pk=nodes["a"].pk).update(authority="secondary", source_time=NOW - timedelta(days=40))
    make.TypePolicyFactory(workspace=workspace, type="report", least_authority="primary", greatest_evidence_age_days=30)
    assert hindrances(nodes["r"]) == {(Hindrance.LITTLE_AUTHORITY, "a"), (Hindrance.OLD_EVIDENCE, "a")}
    Entity.objects.filter(pk=nodes["a"].pk).update(authority="official", source_time=None)
    assert hindrances(nodes["r"]) == {(Hindrance.OLD_EVIDENCE, "r")}
    Entity.objects.filter(pk=nodes["a"].pk).update(source_time=NOW - timedelta(days=20))
    assert hindrances(nodes["r"]) == set()


def test_only_outputs_are_released(workspace: Workspace) -> None:
    source = make.EntityFactory(workspace=workspace)
    with pytest.raises(release.NoOutput):
        release.check(output=source, asker=Asker(workspace.pk, level=3), at=NOW)


def test_authorities_are_ordered() -> None:
    assert has_authority("inferred", least="")
    for rank, word in enumerate(AUTHORITIES[:-1]):
        assert all(has_authority(better, least=word) for better in AUTHORITIES[: rank + 1])
        assert not any(has_authority(worse, least=word) for worse in AUTHORITIES[rank + 1 :])


def test_every_hindrance_says_the_way_out() -> None:
    assert all(one.explanation.endswith(".") for one in Hindrance)
