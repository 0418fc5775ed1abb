"""The database refuses nonsense by itself: each constraint has a row that breaks it, and only it."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, models, transaction

from sources.core.kinds import BatchState, DecisionKind, IdentifierType, RowAction
from tests import factories as make
from tests.architecture.packages import our_models
from tests.clock import NOW

NONSENSE = "nonsense"


def twice(factory: Callable[..., Any], **fields: Any) -> None:
    """Two rows that agree in `fields` and in nothing else."""
    factory(**fields)
    factory(**fields)


def two_memberships() -> None:
    twice(make.MembershipFactory, user=make.UserFactory(), workspace=make.WorkspaceFactory())


def two_aliases_of_one_identity() -> None:
    source = make.SourceFactory()
    twice(make.SourceAliasFactory, source=source, canonical_key="f" * 64)


def a_part_told_twice() -> None:
    twice(make.SourcePartFactory, part=make.SourceFactory(), whole=make.SourceFactory())


def a_part_of_itself() -> None:
    source = make.SourceFactory()
    make.SourcePartFactory(part=source, whole=source)


def edge_to_itself() -> None:
    entity = make.EntityFactory()
    make.EdgeFactory(workspace=entity.workspace, from_entity=entity, to_entity=entity)


def closed_by_a_check_while_open() -> None:
    source = make.SourceFactory()
    make.ReviewItemFactory(source=source, closed_by_check=make.CheckFactory(source=source))


def closed_by_a_decision_while_open() -> None:
    source = make.SourceFactory()
    make.ReviewItemFactory(source=source, closed_by_decision=make.DecisionFactory(source=source))


def one_work_merged_into_itself() -> None:
    source = make.SourceFactory()
    source.merged_into = source
    source.save()


def two_citations_of_one_line_in_one_section() -> None:
    entry = make.CatalogEntryFactory()
    section, version = make.SectionFactory(project=entry.project), make.ProjectVersionFactory(project=entry.project)
    twice(make.CitationFactory, entry=entry, version=version, section=section, line=3)


def two_links_of_one_kind() -> None:
    observation = make.ObservationFactory()
    source = make.SourceFactory(workspace=observation.project.workspace)
    twice(make.ObservationSourceFactory, observation=observation, source=source)


def the_younger_first() -> None:
    workspace = make.WorkspaceFactory()
    older, younger = make.SourceFactory(workspace=workspace), make.SourceFactory(workspace=workspace)
    make.DuplicatePairFactory(workspace=workspace, first=younger, second=older)


def one_news_told_twice() -> None:
    twice(make.NoticeFactory, user=make.UserFactory(), workspace=make.WorkspaceFactory(), key="cause 1")


def one_pair_twice() -> None:
    pair = make.DuplicatePairFactory()
    make.DuplicatePairFactory(workspace=pair.workspace, first=pair.first, second=pair.second)


def decided() -> dict[str, object]:
    return {"decided_by": make.UserFactory(), "decided_at": NOW}


def approved_by_oneself() -> None:
    person = make.UserFactory()
    make.RetractionProposalFactory(proposed_by=person, decided_by=person, decided_at=NOW, state="approved")


# (constraint, what breaks it). A constraint that says "exactly when" is broken from both sides.
def one_source_twice_in_a_section() -> None:
    kept = make.CorpusEntryFactory()
    make.CorpusEntryFactory(entry=kept.entry, section=kept.section)


CASES: list[tuple[str, Callable[[], object]]] = [
    ("corpus_entry_once_per_section", one_source_twice_in_a_section),
    ("corpus_verdict_is_known", lambda: make.CorpusEntryFactory(verdict=NONSENSE)),
    ("corpus_rank_counts_from_one", lambda: make.CorpusEntryFactory(rank=0)),
    ("draft_name_once_per_project", lambda: twice(make.DraftFactory, project=make.ProjectFactory(), name="Memo")),
    ("draft_mode_is_known", lambda: make.DraftFactory(mode=NONSENSE)),
    (
        "draft_number_once_per_draft",
        lambda: twice(make.DraftVersionFactory, draft=make.DraftFactory(), number=1),
    ),
    ("draft_origin_is_known", lambda: make.DraftVersionFactory(origin=NONSENSE)),
    ("one_membership_per_person_and_workspace", two_memberships),
    ("membership_role_is_known", lambda: make.MembershipFactory(role=NONSENSE)),
    ("token_expires_after_it_is_made", lambda: make.ApiTokenFactory(expires_at=NOW)),
    ("change_set_channel_is_known", lambda: make.ChangeSetFactory(channel=NONSENSE)),
    ("job_state_is_known", lambda: make.JobFactory(state=NONSENSE, finished_at=NOW)),
    ("job_has_a_finish_exactly_when_it_is_not_running", lambda: make.JobFactory(finished_at=NOW)),
    ("job_has_a_finish_exactly_when_it_is_not_running", lambda: make.JobFactory(state="done")),
    ("one_item_per_job_and_subject", lambda: twice(make.JobItemFactory, job=make.JobFactory(), subject_id=7)),
    ("job_item_state_is_known", lambda: make.JobItemFactory(state=NONSENSE)),
    ("job_item_has_a_lease_exactly_while_leased", lambda: make.JobItemFactory(state="leased")),
    (
        "job_item_has_a_lease_exactly_while_leased",
        lambda: make.JobItemFactory(lease=uuid.uuid4(), lease_until=NOW),
    ),
    (
        "entity_ref_once_per_workspace",
        lambda: twice(make.EntityFactory, workspace=make.WorkspaceFactory(), ref_key="a" * 64),
    ),
    ("entity_type_is_known", lambda: make.EntityFactory(type=NONSENSE)),
    ("entity_state_is_known", lambda: make.EntityFactory(state=NONSENSE)),
    ("entity_classification_is_known", lambda: make.EntityFactory(classification=NONSENSE)),
    (
        "edge_once_per_workspace",
        lambda: twice(make.EdgeFactory, workspace=make.WorkspaceFactory(), edge_key="a" * 64),
    ),
    ("edge_relation_is_known", lambda: make.EdgeFactory(relation="RELATED_TO")),
    ("edge_not_to_itself", edge_to_itself),
    ("membership_clearance_is_known", lambda: make.MembershipFactory(clearance=NONSENSE)),
    ("entity_level_is_known", lambda: make.EntityFactory(level=4)),
    ("entity_is_pinned_exactly_when_it_has_a_version", lambda: make.EntityFactory(pin="unresolved")),
    ("entity_is_pinned_exactly_when_it_has_a_version", lambda: make.EntityFactory(version="")),
    ("evidence_support_is_known", lambda: make.EvidenceFactory(support=NONSENSE)),
    ("verification_result_is_known", lambda: make.VerificationFactory(result=NONSENSE)),
    ("verification_fault_is_known", lambda: make.VerificationFactory(result="FAIL", fault=NONSENSE)),
    ("a_passed_claim_has_no_fault", lambda: make.VerificationFactory(fault="misread")),
    (
        "cause_stands_once_per_workspace",
        lambda: twice(make.CauseFactory, workspace=make.WorkspaceFactory(), key="a" * 64),
    ),
    ("cause_kind_is_known", lambda: make.CauseFactory(kind=NONSENSE)),
    (
        "impact_once_per_cause_and_node",
        lambda: twice(make.ImpactFactory, cause=make.CauseFactory(), entity=make.EntityFactory()),
    ),
    ("impact_outcome_is_known", lambda: make.ImpactFactory(outcome=NONSENSE, done_at=NOW)),
    ("impact_is_done_exactly_when_it_has_an_outcome", lambda: make.ImpactFactory(outcome="accepted")),
    ("impact_is_done_exactly_when_it_has_an_outcome", lambda: make.ImpactFactory(done_at=NOW)),
    ("a_dismissed_impact_has_a_reason", lambda: make.ImpactFactory(outcome="dismissed", done_at=NOW)),
    (
        "event_once_per_workspace",
        lambda: twice(make.EventFactory, workspace=make.WorkspaceFactory(), event_id="LIN-1"),
    ),
    ("conflict_once_per_payload", lambda: twice(make.EventConflictFactory, event=make.EventFactory(), digest="a" * 64)),
    (
        "held_edge_once_per_workspace",
        lambda: twice(make.HeldEdgeFactory, workspace=make.WorkspaceFactory(), edge_key="a" * 64),
    ),
    ("held_edge_says_why", lambda: make.HeldEdgeFactory(why=NONSENSE)),
    (
        "relay_name_once_per_workspace",
        lambda: twice(make.RelayFactory, workspace=make.WorkspaceFactory(), name="catalogue"),
    ),
    ("policy_once_per_type", lambda: twice(make.TypePolicyFactory, workspace=make.WorkspaceFactory())),
    ("policy_type_is_known", lambda: make.TypePolicyFactory(type=NONSENSE)),
    ("declassified_once_at_a_time", lambda: twice(make.DeclassificationFactory, entity=make.EntityFactory())),
    ("a_declassification_has_a_reason", lambda: make.DeclassificationFactory(reason="")),
    ("declassified_from_is_known", lambda: make.DeclassificationFactory(from_label=NONSENSE)),
    ("declassified_to_is_known", lambda: make.DeclassificationFactory(to_label=NONSENSE)),
    ("held_once_at_a_time", lambda: twice(make.LegalHoldFactory, entity=make.EntityFactory())),
    ("a_hold_has_a_reason", lambda: make.LegalHoldFactory(reason="")),
    ("a_hold_ends_after_it_began", lambda: make.LegalHoldFactory(released_at=NOW - timedelta(days=1))),
    ("export_order_format_is_known", lambda: make.ExportOrderFactory(format=NONSENSE)),
    ("long_deed_kind_is_known", lambda: make.LongDeedFactory(kind=NONSENSE)),
    ("long_deed_part_once", lambda: twice(make.LongDeedPartFactory, deed=make.LongDeedFactory(), number=1)),
    ("assertion_provider_is_known", lambda: make.RetractionAssertionFactory(provider=NONSENSE)),
    ("assertion_nature_is_known", lambda: make.RetractionAssertionFactory(nature=NONSENSE)),
    ("an_assertion_is_about_an_identifier", lambda: make.RetractionAssertionFactory(identifier_key="")),
    (
        "what_a_file_says_is_heard_in_its_workspace_alone",
        lambda: make.RetractionAssertionFactory(provider="imported"),
    ),
    (
        "what_a_file_says_is_heard_in_its_workspace_alone",
        lambda: make.RetractionAssertionFactory(workspace=make.WorkspaceFactory()),
    ),
    ("retraction_hint_kind_is_known", lambda: make.RetractionHintFactory(kind=NONSENSE)),
    (
        "hinted_once_for_each_record",
        lambda: twice(make.RetractionHintFactory, source=make.SourceFactory(), record_id="7"),
    ),
    ("a_part_is_told_once", a_part_told_twice),
    ("nothing_is_a_part_of_itself", a_part_of_itself),
    ("a_version_is_told_once", lambda: twice(make.WorkVersionFactory, preprint_key="a" * 64, published_key="b" * 64)),
    ("version_provider_is_known", lambda: make.WorkVersionFactory(provider=NONSENSE)),
    (
        "a_preprint_is_another_work_than_what_was_published",
        lambda: make.WorkVersionFactory(preprint_key="a" * 64, published_key="a" * 64),
    ),
    ("retraction_check_once_per_provider", lambda: twice(make.RetractionCheckFactory, identifier_key="a" * 64)),
    ("retraction_check_provider_is_known", lambda: make.RetractionCheckFactory(provider=NONSENSE)),
    ("standing_status_is_known", lambda: make.RetractionStandingFactory(status=NONSENSE)),
    ("retraction_decision_status_is_known", lambda: make.RetractionDecisionFactory(status=NONSENSE)),
    ("a_retraction_decision_says_why", lambda: make.RetractionDecisionFactory(reason="")),
    ("acknowledged_use_is_known", lambda: make.RetractionAcknowledgementFactory(use_kind=NONSENSE)),
    ("an_acknowledgement_says_why", lambda: make.RetractionAcknowledgementFactory(reason="")),
    (
        "one_acknowledgement_per_use",
        lambda: twice(make.RetractionAcknowledgementFactory, source=make.SourceFactory(), use_id=7),
    ),
    ("ship_decision_is_known", lambda: make.ShipCheckFactory(decision=NONSENSE)),
    ("ship_check_verifies_no_more_than_all", lambda: make.ShipCheckFactory(verified=1)),
    ("ship_check_has_a_seed", lambda: make.ShipCheckFactory(seed="")),
    ("ship_link_once_per_check", lambda: twice(make.ShipLinkFactory, check_made=make.ShipCheckFactory(), key="a" * 64)),
    ("ship_link_verdict_is_known", lambda: make.ShipLinkFactory(verdict=NONSENSE)),
    ("ship_link_override_is_known", lambda: make.ShipLinkFactory(override=NONSENSE)),
    ("ship_link_names_a_work", lambda: make.ShipLinkFactory(key="")),
    (
        "spot_check_place_once_per_check",
        lambda: twice(make.SpotCheckFactory, check_made=make.ShipCheckFactory(), position=1),
    ),
    ("spot_check_result_is_known", lambda: make.SpotCheckFactory(result="odd", at=NOW)),
    ("spot_check_has_a_moment_exactly_when_it_has_a_result", lambda: make.SpotCheckFactory(result="good")),
    ("spot_check_has_a_moment_exactly_when_it_has_a_result", lambda: make.SpotCheckFactory(at=NOW)),
    (
        "harvest_request_once_per_draft",
        lambda: twice(make.HarvestRequestFactory, draft=make.DraftFactory(), key="a" * 64),
    ),
    ("harvest_request_kind_is_known", lambda: make.HarvestRequestFactory(kind=NONSENSE)),
    ("harvest_request_state_is_known", lambda: make.HarvestRequestFactory(state=NONSENSE)),
    (
        "harvest_request_makes_no_more_calls_than_its_budget",
        lambda: make.HarvestRequestFactory(call_budget=2, calls_spent=3),
    ),
    ("harvest_request_asks_for_something", lambda: make.HarvestRequestFactory(claim="")),
    (
        "request_candidate_once_per_request",
        lambda: twice(make.RequestCandidateFactory, request=make.HarvestRequestFactory(), key="a" * 64),
    ),
    ("request_candidate_verdict_is_known", lambda: make.RequestCandidateFactory(verdict=NONSENSE)),
    ("request_candidate_score_is_a_share", lambda: make.RequestCandidateFactory(score=1.5)),
    ("notice_once_per_person_and_news", one_news_told_twice),
    ("tombstone_type_is_known", lambda: make.TombstoneFactory(type=NONSENSE)),
    (
        "project_name_once_per_workspace",
        lambda: twice(make.ProjectFactory, workspace=make.WorkspaceFactory(), name="Harbour"),
    ),
    ("section_slug_once_per_project", lambda: twice(make.SectionFactory, project=make.ProjectFactory(), slug="01")),
    (
        "version_label_once_per_project",
        lambda: twice(make.ProjectVersionFactory, project=make.ProjectFactory(), label="v1"),
    ),
    (
        "catalog_entry_once_per_project_and_source",
        lambda: twice(make.CatalogEntryFactory, project=make.ProjectFactory(), source=make.SourceFactory()),
    ),
    (
        "catalog_number_once_per_project",
        lambda: twice(make.CatalogEntryFactory, project=make.ProjectFactory(), number=1),
    ),
    (
        "citation_once_per_version_and_line",
        lambda: twice(
            make.CitationFactory, entry=make.CatalogEntryFactory(), version=make.ProjectVersionFactory(), line=3
        ),
    ),
    ("citation_status_is_known", lambda: make.CitationFactory(status=NONSENSE)),
    (
        "source_identity_once_per_workspace",
        lambda: twice(make.SourceFactory, workspace=make.WorkspaceFactory(), canonical_key="a" * 64),
    ),
    ("source_has_a_key_exactly_when_it_has_an_identifier", lambda: make.SourceFactory(canonical_key="")),
    ("source_has_a_key_exactly_when_it_has_an_identifier", lambda: make.SourceFactory(identifier_value="")),
    (
        "source_has_a_key_exactly_when_it_has_an_identifier",
        lambda: make.SourceFactory(identifier_type=IdentifierType.NONE),
    ),
    ("source_identifier_type_is_known", lambda: make.SourceFactory(identifier_type=NONSENSE)),
    ("source_verdict_is_known", lambda: make.SourceFactory(verdict=NONSENSE)),
    ("source_cause_is_known", lambda: make.SourceFactory(cause=NONSENSE)),
    ("source_disposition_is_known", lambda: make.SourceFactory(disposition=NONSENSE)),
    ("source_decided_is_known", lambda: make.SourceFactory(decided=NONSENSE)),
    ("source_authority_is_known", lambda: make.SourceFactory(authority=NONSENSE)),
    ("source_classification_is_known", lambda: make.SourceFactory(classification=NONSENSE)),
    ("source_sensitivity_is_known", lambda: make.SourceFactory(sensitivity=NONSENSE)),
    (
        "alias_spelling_once_per_source",
        lambda: twice(make.SourceAliasFactory, source=make.SourceFactory(), spelling_key="a" * 64),
    ),
    (
        "entry_alias_once_per_project",
        lambda: twice(make.EntryAliasFactory, entry=make.CatalogEntryFactory(), number=7),
    ),
    ("title_key_once_per_source", lambda: twice(make.TitleKeyFactory, source=make.SourceFactory(), key=7)),
    ("alias_identity_once_per_workspace", two_aliases_of_one_identity),
    (
        "source_version_once_per_content",
        lambda: twice(make.SourceVersionFactory, source=make.SourceFactory(), sha256="a" * 64),
    ),
    ("check_verdict_is_known", lambda: make.CheckFactory(verdict=NONSENSE)),
    ("check_cause_is_known", lambda: make.CheckFactory(cause=NONSENSE)),
    ("decision_kind_is_known", lambda: make.DecisionFactory(kind=NONSENSE, reason="because")),
    ("override_and_drop_say_why", lambda: make.DecisionFactory(kind=DecisionKind.DROP)),
    (
        "decision_names_a_verdict_exactly_when_it_overrides",
        lambda: make.DecisionFactory(kind=DecisionKind.OVERRIDE, reason="because"),
    ),
    (
        "decision_names_a_verdict_exactly_when_it_overrides",
        lambda: make.DecisionFactory(override_verdict="hard-404"),
    ),
    ("review_reason_is_known", lambda: make.ReviewItemFactory(reason=NONSENSE)),
    (
        "one_open_item_per_source_and_reason",
        lambda: twice(make.ReviewItemFactory, source=make.SourceFactory()),
    ),
    ("an_open_item_has_no_closer", closed_by_a_check_while_open),
    ("an_open_item_has_no_closer", closed_by_a_decision_while_open),
    ("import_batch_state_is_known", lambda: make.ImportBatchFactory(state=NONSENSE)),
    ("import_batch_says_when_it_was_committed", lambda: make.ImportBatchFactory(state=BatchState.COMMITTED)),
    ("import_batch_says_when_it_was_committed", lambda: make.ImportBatchFactory(committed_at=NOW)),
    (
        "import_row_position_once_per_batch",
        lambda: twice(make.ImportRowFactory, batch=make.ImportBatchFactory(), position=1),
    ),
    ("import_row_action_is_known", lambda: make.ImportRowFactory(action=NONSENSE)),
    ("export_format_is_known", lambda: make.ExportFactory(format=NONSENSE)),
    ("an_unreadable_row_says_why", lambda: make.ImportRowFactory(action=RowAction.ERROR)),
    (
        "own_publisher_name_once_per_workspace",
        lambda: twice(make.OwnPublisherFactory, workspace=make.WorkspaceFactory(), name="The Gazette"),
    ),
    ("own_publisher_has_a_name", lambda: make.OwnPublisherFactory(name="")),
    (
        "provider_has_one_key_per_workspace",
        lambda: twice(make.ProviderKeyFactory, workspace=make.WorkspaceFactory()),
    ),
    ("harvest_mode_is_known", lambda: make.HarvestRunFactory(mode=NONSENSE)),
    ("harvest_state_is_known", lambda: make.HarvestRunFactory(state=NONSENSE)),
    ("harvest_makes_no_more_calls_than_its_budget", lambda: make.HarvestRunFactory(call_budget=2, calls_spent=3)),
    (
        "harvest_checks_no_more_candidates_than_its_budget",
        lambda: make.HarvestRunFactory(candidate_budget=2, candidates_spent=3),
    ),
    ("harvest_query_asks_something", lambda: make.HarvestQueryFactory(text="")),
    (
        "harvest_call_once_per_query_and_search",
        lambda: twice(make.HarvestCallFactory, query=make.HarvestQueryFactory()),
    ),
    ("harvest_call_search_is_known", lambda: make.HarvestCallFactory(tool=NONSENSE)),
    ("harvest_call_state_is_known", lambda: make.HarvestCallFactory(state=NONSENSE)),
    ("candidate_once_per_harvest", lambda: twice(make.CandidateFactory, run=make.HarvestRunFactory(), key="a" * 64)),
    ("candidate_state_is_known", lambda: make.CandidateFactory(state=NONSENSE)),
    ("candidate_verdict_is_known", lambda: make.CandidateFactory(verdict=NONSENSE)),
    (
        "harvest_hit_once_per_call",
        lambda: twice(make.HarvestHitFactory, candidate=make.CandidateFactory(), call=make.HarvestCallFactory()),
    ),
    (
        "listed_once_per_section",
        lambda: twice(
            make.HarvestHitFactory, candidate=make.CandidateFactory(), call=None, section=make.SectionFactory()
        ),
    ),
    ("provider_is_known", lambda: make.ProviderKeyFactory(provider=NONSENSE)),
    ("provider_key_is_not_empty", lambda: make.ProviderKeyFactory(sealed="")),
    ("feed_provider_is_known", lambda: make.RetractionFeedFactory(provider=NONSENSE)),
    ("snapshot_is_read_no_further_than_its_end", lambda: make.RetractionSnapshotFactory(rows=5, rows_done=6)),
    (
        "own_pattern_name_once_per_workspace",
        lambda: twice(make.OwnPatternFactory, workspace=make.WorkspaceFactory(), name="Without a slug"),
    ),
    ("own_pattern_has_a_name_and_a_pattern", lambda: make.OwnPatternFactory(name="")),
    ("own_pattern_has_a_name_and_a_pattern", lambda: make.OwnPatternFactory(pattern="")),
    ("citation_once_per_version_line_and_section", two_citations_of_one_line_in_one_section),
    ("version_origin_is_known", lambda: make.SourceVersionFactory(origin=NONSENSE)),
    ("source_is_not_merged_into_itself", one_work_merged_into_itself),
    ("tag_once_per_workspace", lambda: twice(make.TagFactory, workspace=make.WorkspaceFactory(), name="tides")),
    (
        "concept_name_once_per_workspace",
        lambda: twice(make.ConceptFactory, workspace=make.WorkspaceFactory(), name="Tide"),
    ),
    ("observation_kind_is_known", lambda: make.ObservationFactory(kind=NONSENSE)),
    ("observation_says_something", lambda: make.ObservationFactory(body="")),
    ("observation_source_once_per_relationship", two_links_of_one_kind),
    ("relationship_is_known", lambda: make.ObservationSourceFactory(relationship=NONSENSE)),
    (
        "session_name_once_per_project",
        lambda: twice(make.SessionFactory, project=make.ProjectFactory(), name="talk"),
    ),
    ("turn_once_per_session", lambda: twice(make.TurnFactory, session=make.SessionFactory(), number=1)),
    (
        "turn_source_position_once_per_turn",
        lambda: twice(make.TurnSourceFactory, turn=make.TurnFactory(), position=1),
    ),
    (
        "store_name_once_per_workspace",
        lambda: twice(make.ChunkStoreFactory, workspace=make.WorkspaceFactory(), name="harbour"),
    ),
    (
        "chunk_once_per_path_and_content",
        lambda: twice(make.ChunkFactory, store=make.ChunkStoreFactory(), content="The same words."),
    ),
    ("chunk_hash_is_a_sha256_digest", lambda: make.ChunkFactory(content_hash="A" * 64)),
    ("duplicate_pair_once", one_pair_twice),
    ("duplicate_pair_older_first", the_younger_first),
    ("pair_state_is_known", lambda: make.DuplicatePairFactory(state=NONSENSE)),
    ("pair_reason_is_known", lambda: make.DuplicatePairFactory(reason=NONSENSE)),
    (
        "view_name_once_per_owner",
        lambda: twice(make.SavedViewFactory, workspace=make.WorkspaceFactory(), owner=make.UserFactory(), name="Mine"),
    ),
    ("proposal_kind_is_known", lambda: make.RetractionProposalFactory(kind=NONSENSE)),
    ("proposal_state_is_known", lambda: make.RetractionProposalFactory(state=NONSENSE, **decided())),
    ("proposal_channel_is_known", lambda: make.RetractionProposalFactory(channel=NONSENSE)),
    ("a_proposal_is_decided_exactly_when_it_no_longer_waits", lambda: make.RetractionProposalFactory(**decided())),
    (
        "a_proposal_is_decided_exactly_when_it_no_longer_waits",
        lambda: make.RetractionProposalFactory(state="withdrawn"),
    ),
    ("nobody_decides_about_a_proposal_of_their_own", approved_by_oneself),
    ("proposed_status_is_known", lambda: make.RetractionProposalRowFactory(status=NONSENSE)),
    ("a_proposed_change_says_what", lambda: make.RetractionProposalRowFactory(status="")),
    ("mail_pace_is_known", lambda: make.MailChoiceFactory(pace=NONSENSE)),
    ("delivery_state_is_known", lambda: make.WebhookDeliveryFactory(state=NONSENSE)),
    (
        "delivery_once_per_webhook_and_news",
        lambda: twice(make.WebhookDeliveryFactory, webhook=make.WebhookFactory(), key="change 1"),
    ),
]


def all_constraints() -> dict[str, models.BaseConstraint]:
    return {constraint.name: constraint for model in our_models() for constraint in model._meta.constraints}


def test_every_constraint_has_a_case_that_breaks_it() -> None:
    assert sorted({name for name, _ in CASES}) == sorted(all_constraints())


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "break_it"), CASES, ids=[name for name, _ in CASES])
def test_the_database_refuses_a_row_that_breaks(name: str, break_it: Callable[[], object]) -> None:
    with pytest.raises(IntegrityError) as refusal, transaction.atomic():
        break_it()
    assert _named_by(str(refusal.value), all_constraints()[name])


def _named_by(message: str, constraint: models.BaseConstraint) -> bool:
    """Whether the database's message is about this constraint. SQLite names the columns of a UNIQUE, not its name."""
    if connection.vendor == "sqlite" and isinstance(constraint, models.UniqueConstraint):
        columns = message.removeprefix("UNIQUE constraint failed: ").split(", ")
        wanted = {field.removesuffix("_id") for field in constraint.fields}
        return {column.split(".")[1].removesuffix("_id") for column in columns} == wanted
    return constraint.name in message


@pytest.mark.django_db
def test_rows_outside_the_condition_of_a_unique_constraint_may_repeat() -> None:
    source = make.SourceFactory()
    twice(make.SourceFactory, workspace=source.workspace, untraceable=True)
    twice(make.SourceAliasFactory, source=source, canonical_key="")
    twice(make.ReviewItemFactory, source=source, closed_at=NOW)
    assert source.review_items.count() == 2
