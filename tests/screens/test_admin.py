"""Sources in the admin: found, narrowed, and marked retracted in bulk by operators, in their own workspaces alone."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from html import unescape
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from provenance_site.accounts.models import Membership, Workspace
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from sources import dispatch
from sources.core.findings import Disposition, Verdict
from sources.core.kinds import IdentifierType, LongDeedKind
from sources.models import LongDeed, Source
from sources.services import retractions
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import (
    CatalogEntryFactory,
    ChangeFactory,
    CheckFactory,
    ChunkFactory,
    ChunkStoreFactory,
    CitationFactory,
    ConceptFactory,
    CorpusEntryFactory,
    DecisionFactory,
    DraftFactory,
    DraftVersionFactory,
    DuplicatePairFactory,
    EntryAliasFactory,
    ExportFactory,
    ExportOrderFactory,
    ImportBatchFactory,
    ImportRowFactory,
    JobItemFactory,
    LongDeedFactory,
    LongDeedPartFactory,
    MembershipFactory,
    ObservationFactory,
    ObservationSourceFactory,
    OutlineSectionFactory,
    ProjectFactory,
    ProjectVersionFactory,
    ReadingFactory,
    RetractionAcknowledgementFactory,
    RetractionDecisionFactory,
    RetractionHintFactory,
    RetractionProposalFactory,
    RetractionStandingFactory,
    ReviewItemFactory,
    SavedViewFactory,
    SectionFactory,
    SessionFactory,
    SourceAliasFactory,
    SourceFactory,
    SourcePartFactory,
    SourceVersionFactory,
    StatusChangeFactory,
    TagFactory,
    TurnFactory,
    TurnSourceFactory,
)

pytestmark = pytest.mark.django_db
LIST = "/admin/sources/source/"
NOTE = "Retracted on 2 May: harbour.org/notice"


def operator(desk: Desk, role: Role = Role.ADMIN) -> Client:
    """A client of the desk's person with this role, who is an operator of the installation too."""
    person = desk.person(role)
    person.is_staff = person.is_superuser = True
    person.save()
    return desk.client(role)


def shown(response: Any) -> list[Source]:
    """The sources of a list page, in its order."""
    assert response.status_code == 200
    return list(response.context["cl"].result_list)


def ask(client: Client, sources: Iterable[Source], *, address: str = LIST, **fields: str) -> Any:
    """Chooses the action for sources of the list."""
    keys = [str(source.pk) for source in sources]
    data = {"action": "mark_retracted", ACTION_CHECKBOX_NAME: keys, "index": "0", "select_across": "0", **fields}
    return client.post(address, data)


def confirm(client: Client, page: Any, *, address: str = LIST, note: str = NOTE, **forged: Any) -> Any:
    """Sends the form of the confirmation page with a note, and with its own hidden fields unless others are forged."""
    fields = BeautifulSoup(page.content, "lxml").select("#content form input[type=hidden]")
    data: dict[str, Any] = defaultdict(list)
    for field in fields:
        data[str(field["name"])].append(str(field["value"]))
    return client.post(address, {**data, "note": note, **forged})


def marked() -> set[Source]:
    return set(Source.objects.filter(retracted=True))


def text_of(response: Any) -> str:
    return unescape(response.content.decode())


# -- the list ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["ships", "gulf.org/report", "Quayle", "Gulf Press"])
def test_a_source_is_found_by(desk: Desk, query: str) -> None:
    wanted = SourceFactory(
        workspace=desk.workspace,
        title="Survey of ships",
        identifier_value="https://gulf.org/report",
        authors="Quayle, A.",
        publisher="Gulf Press",
    )
    SourceFactory(workspace=desk.workspace, title="Something else", identifier_value="https://harbour.org/else")
    assert shown(operator(desk).get(LIST, {"q": query})) == [wanted]


@pytest.mark.parametrize(
    ("fields", "narrowing"),
    [
        ({"retracted": True}, {"retracted__exact": "1"}),
        ({"disposition": Disposition.DROP}, {"disposition__exact": "drop"}),
        ({"verdict": Verdict.THIN}, {"verdict__exact": "thin"}),
        (
            {"identifier_type": IdentifierType.DOI, "identifier_value": "10.5555/harbour.7"},
            {"identifier_type__exact": "doi"},
        ),
    ],
    ids=["retracted", "disposition", "verdict", "identifier type"],
)
def test_the_list_is_narrowed_by(desk: Desk, fields: dict[str, object], narrowing: dict[str, str]) -> None:
    wanted = SourceFactory(workspace=desk.workspace, **fields)
    SourceFactory(workspace=desk.workspace)
    assert shown(operator(desk).get(LIST, narrowing)) == [wanted]


def test_the_list_is_narrowed_by_workspace_among_ones_own(desk: Desk, other_desk: Desk) -> None:
    client = operator(desk)
    second = MembershipFactory(user=desk.person(Role.ADMIN), role=Role.ADMIN).workspace
    for workspace in (desk.workspace, second, other_desk.workspace):
        SourceFactory(workspace=workspace)
    page = client.get(LIST, {"workspace__id__exact": second.pk})
    assert [source.workspace for source in shown(page)] == [second]
    assert desk.workspace.name in text_of(page)
    assert other_desk.workspace.name not in text_of(page)
    assert shown(client.get(LIST, {"workspace__id__exact": other_desk.workspace.pk})) == []


@pytest.mark.parametrize("look_up", ["workspace__memberships__user__password__startswith", "entries__project__name"])
def test_what_is_no_filter_of_the_list_is_refused(desk: Desk, look_up: str) -> None:
    assert operator(desk).get(LIST, {look_up: "m"}).status_code == 400


@pytest.mark.parametrize("number", [10, 20])
def test_a_longer_list_costs_no_more_queries(
    desk: Desk, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    SourceFactory.create_batch(number, workspace=desk.workspace)
    client = operator(desk)
    with django_assert_num_queries(5):
        assert len(shown(client.get(LIST))) == number


ROWS: dict[str, Callable[[Workspace], Any]] = {
    "source": lambda workspace: SourceFactory(workspace=workspace),
    "project": lambda workspace: ProjectFactory(workspace=workspace),
    "check": lambda workspace: CheckFactory(source__workspace=workspace),
    "decision": lambda workspace: DecisionFactory(source__workspace=workspace),
    "retractionstanding": lambda workspace: RetractionStandingFactory(source__workspace=workspace),
    "retractiondecision": lambda workspace: RetractionDecisionFactory(source__workspace=workspace),
    "retractionhint": lambda workspace: RetractionHintFactory(source__workspace=workspace),
    "sourcepart": lambda workspace: SourcePartFactory(part__workspace=workspace),
    "retractionacknowledgement": lambda workspace: RetractionAcknowledgementFactory(source__workspace=workspace),
    "retractionproposal": lambda workspace: RetractionProposalFactory(workspace=workspace),
    "reviewitem": lambda workspace: ReviewItemFactory(source__workspace=workspace),
    "concept": lambda workspace: ConceptFactory(workspace=workspace),
    "observation": lambda workspace: ObservationFactory(project__workspace=workspace),
    "observationsource": lambda workspace: ObservationSourceFactory(observation__project__workspace=workspace),
    "session": lambda workspace: SessionFactory(project__workspace=workspace),
    "turn": lambda workspace: TurnFactory(session__project__workspace=workspace),
    "turnsource": lambda workspace: TurnSourceFactory(turn__session__project__workspace=workspace),
    "chunkstore": lambda workspace: ChunkStoreFactory(workspace=workspace),
    "chunk": lambda workspace: ChunkFactory(store__workspace=workspace),
    "tag": lambda workspace: TagFactory(workspace=workspace),
    "duplicatepair": lambda workspace: DuplicatePairFactory(
        workspace=workspace, first=SourceFactory(workspace=workspace), second=SourceFactory(workspace=workspace)
    ),
    "savedview": lambda workspace: SavedViewFactory(workspace=workspace),
    "export": lambda workspace: ExportFactory(workspace=workspace),
    "exportorder": lambda workspace: ExportOrderFactory(workspace=workspace),
    "section": lambda workspace: SectionFactory(project__workspace=workspace),
    "outlinesection": lambda workspace: OutlineSectionFactory(project__workspace=workspace),
    "corpusentry": lambda workspace: CorpusEntryFactory(entry__project__workspace=workspace),
    "draft": lambda workspace: DraftFactory(project__workspace=workspace),
    "draftversion": lambda workspace: DraftVersionFactory(draft__project__workspace=workspace),
    "projectversion": lambda workspace: ProjectVersionFactory(project__workspace=workspace),
    "catalogentry": lambda workspace: CatalogEntryFactory(project__workspace=workspace, source__workspace=workspace),
    "entryalias": lambda workspace: EntryAliasFactory(
        project__workspace=workspace, entry__project__workspace=workspace, entry__source__workspace=workspace
    ),
    "citation": lambda workspace: CitationFactory(
        entry__project__workspace=workspace, entry__source__workspace=workspace
    ),
    "sourcealias": lambda workspace: SourceAliasFactory(workspace=workspace, source=SourceFactory(workspace=workspace)),
    "sourceversion": lambda workspace: SourceVersionFactory(source__workspace=workspace),
    "statuschange": lambda workspace: StatusChangeFactory(source__workspace=workspace),
    "reading": lambda workspace: ReadingFactory(check_made__source__workspace=workspace),
    "importbatch": lambda workspace: ImportBatchFactory(project__workspace=workspace),
    "importrow": lambda workspace: ImportRowFactory(batch__project__workspace=workspace),
    "longdeed": lambda workspace: LongDeedFactory(job__workspace=workspace),
    "longdeedpart": lambda workspace: LongDeedPartFactory(deed__job__workspace=workspace),
}


def test_every_table_of_the_registry_is_there_and_searched() -> None:
    ours = {model._meta.model_name for model in apps.get_app_config("sources").get_models()}
    assert ours - ROWS.keys() == {
        "titlekey",
        "retractionassertion",
        "workversion",
        "retractioncheck",
        "retractionpolicy",
        "retractionproposalrow",
    }
    assert not [model for model, shown in admin.site._registry.items() if not shown.search_fields]


def test_history_and_jobs_of_foreign_workspaces_are_not_there(desk: Desk, other_desk: Desk) -> None:
    for one in (desk, other_desk):
        ChangeFactory(change_set__workspace=one.workspace)
        JobItemFactory(job__workspace=one.workspace)
    client = operator(desk)
    for path in ("changes/changeset", "changes/change", "jobs/job", "jobs/jobitem"):
        assert len(client.get(f"/admin/{path}/").context["cl"].result_list) == 1, path


@pytest.mark.parametrize("model", ROWS)
@pytest.mark.parametrize("number", [10, 20])
def test_a_longer_list_of_any_rows_costs_the_same_and_counts_no_whole_table(
    desk: Desk, model: str, number: int, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(number):
        ROWS[model](desk.workspace)
    client = operator(desk)
    with django_assert_max_num_queries(5) as queries:
        assert len(client.get(f"/admin/sources/{model}/").context["cl"].result_list) == number
    counting = [query["sql"] for query in queries.captured_queries if "COUNT(" in query["sql"]]
    assert counting
    assert all("LIMIT 10001" in sql for sql in counting)


def test_a_merged_source_is_not_listed(desk: Desk) -> None:
    winner = SourceFactory(workspace=desk.workspace)
    SourceFactory(workspace=desk.workspace, merged_into=winner)
    assert shown(operator(desk).get(LIST)) == [winner]


@pytest.mark.parametrize("model", ROWS)
def test_only_rows_of_ones_own_workspaces_are_there(desk: Desk, other_desk: Desk, model: str) -> None:
    mine, foreign = (ROWS[model](one.workspace) for one in (desk, other_desk))
    client = operator(desk)
    assert list(client.get(f"/admin/sources/{model}/").context["cl"].result_list) == [mine]
    assert client.get(f"/admin/sources/{model}/{mine.pk}/change/").status_code == 200
    for view in ("change", "history"):
        told = [client.get(f"/admin/sources/{model}/{key}/{view}/") for key in (foreign.pk, 999_999)]
        assert {(answer.status_code, answer.headers.get("Location")) for answer in told} == {(302, "/admin/")}


@pytest.mark.parametrize("model", ROWS)
def test_no_list_costs_more_queries_when_it_is_longer(desk: Desk, model: str) -> None:
    client, costs = operator(desk), []
    for _ in range(2):
        for _ in range(10):
            ROWS[model](desk.workspace)
        client.get("/admin/")
        with CaptureQueriesContext(connection) as asked:
            assert client.get(f"/admin/sources/{model}/", {"q": ""}).status_code == 200
        costs.append(len(asked))
    assert costs[0] == costs[1]


@pytest.mark.parametrize("role", [Role.READER, Role.CURATOR, Role.EDITOR])
def test_an_operator_who_is_no_administrator_of_a_workspace_sees_no_row_of_it(desk: Desk, role: Role) -> None:
    source = SourceFactory(workspace=desk.workspace)
    client = operator(desk, role)
    assert shown(client.get(LIST)) == []
    ask(client, [source], confirm="1", note=NOTE, expected="1")
    assert marked() == set()


def test_an_administrator_who_is_no_operator_is_sent_to_the_sign_in(desk: Desk) -> None:
    answer = desk.client(Role.ADMIN).get(LIST)
    assert (answer.status_code, answer.headers["Location"]) == (302, f"{reverse('admin:login')}?next={LIST}")


def test_nothing_is_added_changed_or_deleted_by_hand(desk: Desk) -> None:
    source = SourceFactory(workspace=desk.workspace)
    client = operator(desk)
    assert client.get(f"{LIST}add/").status_code == 403
    assert client.post(f"{LIST}{source.pk}/change/", {"title": "other"}).status_code == 403
    assert client.post(f"{LIST}{source.pk}/delete/", {"post": "yes"}).status_code == 403
    assert "delete_selected" not in text_of(client.get(LIST))


# -- mark retracted ----------------------------------------------------------------------------------------------------


def test_the_confirmation_lists_what_will_change_and_changes_nothing(desk: Desk) -> None:
    first, second = (SourceFactory(workspace=desk.workspace) for _ in range(2))
    earlier = SourceFactory(workspace=desk.workspace, retracted=True, retraction_note="Notice of 2019")
    other = SourceFactory(workspace=desk.workspace)
    page = ask(operator(desk), [first, second, earlier])
    assert page.status_code == 200
    said = text_of(page)
    assert "2 sources will be marked retracted" in said
    for source in (first, second):
        assert source.title in said
        assert f"<small>{source.identifier_value}</small>" in said
    assert f"1 left alone: Marked retracted already: the earlier note stays ({earlier.title})." in said
    assert other.title not in said
    assert marked() == {earlier}


def test_confirmed_they_are_marked_in_one_deed_that_can_be_taken_back(desk: Desk) -> None:
    chosen = [SourceFactory(workspace=desk.workspace) for _ in range(2)]
    earlier = SourceFactory(workspace=desk.workspace, retracted=True, retraction_note="Notice of 2019")
    client = operator(desk)
    answer = confirm(client, ask(client, [*chosen, earlier]))
    assert (answer.status_code, answer.headers["Location"]) == (302, LIST)
    assert "Mark retracted: 2 sources." in text_of(client.get(LIST))
    assert marked() == {*chosen, earlier}
    assert set(Source.objects.exclude(pk=earlier.pk).values_list("retraction_note", flat=True)) == {NOTE}
    deed = ChangeSet.objects.get()
    assert (deed.kind, deed.channel, deed.actor, deed.note) == (
        retractions.CHANGE_KIND,
        Channel.ADMIN,
        desk.person(Role.ADMIN),
        NOTE,
    )
    assert changes.undo(change_set=deed, by=desk.person(Role.ADMIN), at=NOW).undone == 2
    assert marked() == {earlier}


@pytest.mark.parametrize("note", ["", "  \n "])
def test_without_a_note_the_page_comes_again_and_nothing_is_marked(desk: Desk, note: str) -> None:
    source = SourceFactory(workspace=desk.workspace)
    client = operator(desk)
    page = confirm(client, ask(client, [source]), note=note)
    assert page.status_code == 422
    assert "Write a note" in text_of(page)
    assert source.title in text_of(page)
    assert not marked()
    assert not ChangeSet.objects.exists()
    confirm(client, page)
    assert marked() == {source}


def test_the_whole_narrowed_list_can_be_chosen_across_its_pages(desk: Desk) -> None:
    chosen = SourceFactory.create_batch(120, workspace=desk.workspace, verdict=Verdict.HARD_404)
    SourceFactory(workspace=desk.workspace)
    address = f"{LIST}?verdict__exact=hard-404"
    client = operator(desk)
    page = ask(client, chosen[:50], address=address, select_across="1")
    said = text_of(page)
    assert "120 sources will be marked retracted; the first 20:" in said
    assert said.count(f'name="{ACTION_CHECKBOX_NAME}"') == 1
    confirm(client, page, address=address)
    assert marked() == set(chosen)
    assert ChangeSet.objects.get().changes.count() == 120


def test_a_list_that_changed_since_one_looked_must_be_looked_at_again(desk: Desk) -> None:
    first, second = (SourceFactory(workspace=desk.workspace, verdict=Verdict.HARD_404) for _ in range(2))
    address = f"{LIST}?verdict__exact=hard-404"
    client = operator(desk)
    page = ask(client, [first], address=address, select_across="1")
    Source.objects.filter(pk=first.pk).update(verdict=Verdict.THIN)
    late = SourceFactory(workspace=desk.workspace, verdict=Verdict.HARD_404)
    again = confirm(client, page, address=address)
    assert again.status_code == 422
    assert "The selection changed since you looked" in text_of(again)
    assert NOTE in text_of(again)
    assert not marked()
    confirm(client, again, address=address)
    assert marked() == {second, late}


def test_keys_of_other_workspaces_are_as_if_they_were_not_there(desk: Desk, other_desk: Desk) -> None:
    mine, foreign = SourceFactory(workspace=desk.workspace), SourceFactory(workspace=other_desk.workspace)
    client = operator(desk)
    page = ask(client, [mine, foreign])
    assert "1 source will be marked retracted" in text_of(page)
    assert foreign.title not in text_of(page)
    confirm(client, page, **{ACTION_CHECKBOX_NAME: [mine.pk, foreign.pk, 999_999]})
    assert marked() == {mine}
    across = ask(client, [mine], select_across="1")
    assert foreign.title not in text_of(across)


def test_two_workspaces_of_ones_own_get_a_deed_each(desk: Desk) -> None:
    client = operator(desk)
    second = MembershipFactory(user=desk.person(Role.ADMIN), role=Role.ADMIN).workspace
    chosen = [SourceFactory(workspace=workspace) for workspace in (desk.workspace, second)]
    confirm(client, ask(client, chosen))
    assert marked() == set(chosen)
    assert set(ChangeSet.objects.values_list("workspace", flat=True)) == {desk.workspace.pk, second.pk}


def test_a_role_that_was_taken_away_since_one_looked_marks_nothing(desk: Desk) -> None:
    source = SourceFactory(workspace=desk.workspace)
    client = operator(desk)
    page = ask(client, [source])
    Membership.objects.filter(user=desk.person(Role.ADMIN)).update(role=Role.EDITOR)
    confirm(client, page)
    assert not marked()


def test_where_all_are_marked_already_there_is_nothing_to_confirm(desk: Desk) -> None:
    earlier = SourceFactory(workspace=desk.workspace, retracted=True, retraction_note="Notice of 2019")
    page = ask(operator(desk), [earlier])
    assert "There is nothing to change" in text_of(page)
    assert "<textarea" not in text_of(page)


def test_what_strangers_wrote_is_shown_as_text(desk: Desk) -> None:
    hostile = "<script>alert(1)</script>"
    changing = SourceFactory(workspace=desk.workspace, title=hostile)
    earlier = SourceFactory(workspace=desk.workspace, title=hostile, retracted=True, retraction_note=hostile)
    client = operator(desk)
    for page in (
        client.get(LIST),
        ask(client, [changing, earlier]),
        confirm(client, ask(client, [changing]), note=" "),
    ):
        assert hostile not in page.content.decode()
        assert "&lt;script&gt;" in page.content.decode()


@pytest.mark.parametrize("number", [10, 20])
def test_a_longer_selection_costs_no_more_queries(
    desk: Desk, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    chosen = SourceFactory.create_batch(number, workspace=desk.workspace)
    client = operator(desk)
    with django_assert_num_queries(8):
        page = ask(client, chosen)
    with django_assert_num_queries(32):
        confirm(client, page)
    assert len(marked()) == number


def test_very_many_are_marked_by_a_worker(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "CHANGED_AT_ONCE", 2)
    chosen = SourceFactory.create_batch(3, workspace=desk.workspace)
    client = operator(desk)
    confirm(client, ask(client, chosen))
    assert "Mark retracted: 3 sources. A worker does it" in text_of(client.get(LIST))
    assert not marked()
    deed = LongDeed.objects.get()
    assert (deed.kind, deed.total, deed.given["note"]) == (LongDeedKind.RETRACT, 3, NOTE)


# -- other deeds -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", ["drop", "take_mark_off"])
def test_another_deed_is_looked_at_done_with_its_reason_and_taken_back(
    desk: Desk, other_desk: Desk, action: str
) -> None:
    made = {"retracted": True, "retraction_note": "Notice of 2019"} if action == "take_mark_off" else {}
    chosen = SourceFactory.create_batch(2, workspace=desk.workspace, **made)
    foreign = SourceFactory(workspace=other_desk.workspace, **made)
    client = operator(desk)
    page = ask(client, [*chosen, foreign], action=action)
    says = "will be dropped" if action == "drop" else "will no longer be marked retracted"
    assert f"2 sources {says}" in text_of(page)
    assert foreign.title not in text_of(page)
    assert confirm(client, page, note=" ").status_code == 422
    assert confirm(client, page, expected="0").status_code == 422
    before = list(Source.objects.order_by("pk").values_list("decided", "retracted"))
    assert confirm(client, page, note="Not ours").status_code == 302
    after = set(Source.objects.filter(workspace=desk.workspace).values_list("decided", "retracted"))
    assert after == {("drop", False) if action == "drop" else ("", False)}
    deed = ChangeSet.objects.get()
    assert (deed.channel, deed.note, deed.changes.count()) == (Channel.ADMIN, "Not ours", 2)
    changes.undo(change_set=deed, by=desk.person(Role.ADMIN), at=NOW)
    assert list(Source.objects.order_by("pk").values_list("decided", "retracted")) == before


def test_what_an_editor_decided_otherwise_is_left_alone_unless_the_operator_says_so(desk: Desk) -> None:
    plain, judged = SourceFactory.create_batch(2, workspace=desk.workspace)
    RetractionDecisionFactory(source=judged, status="none-found", reason="Another work is meant", by=desk.person())
    client = operator(desk)
    page = ask(client, [plain, judged])
    said = text_of(page)
    assert "1 source will be marked retracted" in said
    assert "1 left alone: An editor decided otherwise (not retracted)" in said
    assert "Another work is meant" in said
    again = confirm(client, page, over_decisions="on")
    assert "2 sources will be marked retracted" in text_of(again)
    assert marked() == set()
    confirm(client, again, over_decisions="on")
    assert marked() == {plain, judged}


# -- a list of retractions ---------------------------------------------------------------------------------------------


def test_a_list_of_retractions_is_looked_at_and_then_done(desk: Desk, other_desk: Desk) -> None:
    source = SourceFactory(workspace=desk.workspace, title="Tide tables")
    client = operator(desk)
    address = reverse("admin:sources_retraction_list")
    assert address in text_of(client.get(reverse("admin:sources_retractiondecision_changelist")))
    given = {"text": source.identifier_value, "status": "retracted", "note": NOTE, "workspace": desk.workspace.pk}
    look = client.post(address, given)
    assert "1 source would be decided" in text_of(look)
    assert marked() == set()
    assert client.post(address, given | {"digest": "0" * 64}).status_code == 409
    assert client.post(address, given | {"digest": look.context["look"].digest}).status_code == 302
    assert marked() == {source}
    assert ChangeSet.objects.get().channel == Channel.ADMIN
    assert client.post(address, given | {"workspace": other_desk.workspace.pk}).status_code == 422
