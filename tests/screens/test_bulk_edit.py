"""Editing many sources: choose, look, do, undo."""

from collections import defaultdict
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from provenance_site.accounts.roles import Role
from provenance_site.changes.models import ChangeSet
from sources.core.findings import Disposition, Verdict
from sources.core.fingerprint import fingerprint
from sources.models import Citation, Decision, ReviewItem, Source
from tests.desk import Desk
from tests.factories import (
    CatalogEntryFactory,
    CitationFactory,
    ProjectFactory,
    RetractionDecisionFactory,
    SectionFactory,
    SourceFactory,
    TagFactory,
)
from tests.unit.sources.findings import apply
from validation.models import CheckRun

pytestmark = pytest.mark.django_db


def sources_of(desk: Desk, number: int, **more: Any) -> list[Source]:
    return [SourceFactory(workspace=desk.workspace, title=f"Source {at:03d}", **more) for at in range(number)]


def hidden_fields(page: Any, action: str) -> dict[str, list[str]]:
    data: dict[str, list[str]] = defaultdict(list)
    for box in BeautifulSoup(page.content, "lxml").select(f'form[action="{action}"] input[type=hidden]'):
        if box["name"] != "csrfmiddlewaretoken":
            data[str(box["name"])].append(str(box["value"]))
    return data


def preview(client: Client, chosen: dict[str, Any], **edit: Any) -> Any:
    """The preview, reached as a person does: choose, then fill in what the page's own form asks."""
    page = client.post("/sources/edit/", chosen)
    assert page.status_code == 200, page.content
    deed = edit.pop("deed", "edit")
    return client.post("/sources/edit/", {**hidden_fields(page, "/sources/edit/"), "deed": deed, **edit})


def confirm(client: Client, page: Any) -> Any:
    return client.post("/sources/edit/apply/", hidden_fields(page, "/sources/edit/apply/"))


def undo(client: Client) -> None:
    made = ChangeSet.objects.filter(undoes=None).latest("pk")
    client.post(f"/changes/{made.uuid}/undo/")


def ids(sources: list[Source]) -> dict[str, Any]:
    return {"ids": [source.pk for source in sources]}


def everything(query: str = "", seen: int = 0, **more: Any) -> dict[str, Any]:
    return {"all": "1", "query": query, "seen": seen, **more}


def test_ticked_sources_are_edited_after_a_look_and_the_edit_is_taken_back(desk: Desk) -> None:
    chosen = sources_of(desk, 3, rights="All rights reserved")
    other = SourceFactory(workspace=desk.workspace, rights="All rights reserved")
    client = desk.client()
    page = preview(client, ids(chosen), rights="CC BY 4.0", sensitivity="internal_only", add_tags="tax\nfees")
    assert "3 sources would change" in page.content.decode()
    assert "All rights reserved" in page.content.decode()
    assert not ChangeSet.objects.exists()
    assert confirm(client, page).status_code == 302
    for source in Source.objects.filter(pk__in=[one.pk for one in chosen]):
        assert (source.rights, source.sensitivity, source.row_version) == ("CC BY 4.0", "internal_only", 2)
        assert sorted(source.tags.values_list("name", flat=True)) == ["fees", "tax"]
    other.refresh_from_db()
    assert (other.rights, other.tags.count()) == ("All rights reserved", 0)
    assert ChangeSet.objects.get().changes.count() == 3
    undo(client)
    for source in Source.objects.filter(pk__in=[one.pk for one in chosen]):
        assert (source.rights, source.sensitivity) == ("All rights reserved", "citable_externally")
        assert source.tags.count() == 0


def test_all_that_match_but_for_those_unticked_are_edited(desk: Desk) -> None:
    sources_of(desk, 60, publisher="Quay Press")
    SourceFactory(workspace=desk.workspace, publisher="Other")
    client = desk.client()
    page = client.get("/sources/?publisher=Quay+Press&select=all")
    form = hidden_fields(page, "/sources/edit/")
    boxes = BeautifulSoup(page.content, "lxml").select("tbody input[name=ids]")
    assert len(boxes) == 50
    assert all(box.has_attr("checked") for box in boxes)
    unticked = str(boxes[3]["value"])
    form["ids"] = [str(box["value"]) for box in boxes if box["value"] != unticked]
    look = preview(client, form, classification="public")
    assert "59 sources would change" in look.content.decode()
    confirm(client, look)
    assert Source.objects.filter(classification="public").count() == 59
    assert Source.objects.get(pk=unticked).classification != "public"


def test_the_preview_tells_how_the_list_changed_since_it_was_chosen_from(desk: Desk) -> None:
    sources_of(desk, 5)
    page = preview(desk.client(), everything(seen=3), rights="x").content.decode()
    assert "3 sources were meant; now 5 are, 2 sources more" in page


def test_nothing_is_written_when_a_colleague_edited_or_added_in_between(desk: Desk) -> None:
    first, *_ = sources_of(desk, 3)
    client = desk.client()
    page = preview(client, everything(seen=3), rights="CC0")
    colleague = desk.client(Role.EDITOR)
    confirm(colleague, preview(colleague, ids([first]), publisher="Quay Press"))
    answer = confirm(client, page)
    assert answer.status_code == 409
    assert first.title in answer.content.decode()
    assert str(desk.person(Role.EDITOR)) in answer.content.decode()
    assert not Source.objects.filter(rights="CC0").exists()
    assert confirm(client, answer).status_code == 302
    assert Source.objects.filter(rights="CC0").count() == 3

    page = preview(client, everything(seen=3), rights="CC1")
    SourceFactory(workspace=desk.workspace, title="Came in between")
    assert confirm(client, page).status_code == 409
    assert not Source.objects.filter(rights="CC1").exists()


def test_a_forged_digest_and_foreign_ids_change_nothing(desk: Desk, other_desk: Desk) -> None:
    foreign = SourceFactory(workspace=other_desk.workspace)
    (mine,) = sources_of(desk, 1)
    client = desk.client()
    page = preview(client, ids([mine, foreign]), rights="CC0")
    assert "1 source would change" in page.content.decode()
    data = hidden_fields(page, "/sources/edit/apply/")
    assert client.post("/sources/edit/apply/", {**data, "digest": "0" * 64}).status_code == 409
    confirm(client, page)
    foreign.refresh_from_db()
    mine.refresh_from_db()
    assert (mine.rights, foreign.rights) == ("CC0", "")


def test_what_is_so_already_is_left_alone_and_named(desk: Desk) -> None:
    done, other = sources_of(desk, 2)
    Source.objects.filter(pk=done.pk).update(rights="CC0")
    page = preview(desk.client(), ids([done, other]), rights="CC0")
    assert "1 source would change" in page.content.decode()
    assert "as wanted already" in page.content.decode()
    assert "Source 000" in page.content.decode()
    confirm(desk.client(), page)
    done.refresh_from_db()
    assert done.row_version == 1


def test_undo_leaves_alone_what_was_edited_since_and_says_so(desk: Desk) -> None:
    first, second = sources_of(desk, 2)
    client = desk.client()
    confirm(client, preview(client, ids([first, second]), rights="CC0", add_tags="tax"))
    edit = ChangeSet.objects.get()
    confirm(client, preview(client, ids([first]), rights="CC1", add_tags="fees"))
    answer = client.post(f"/changes/{edit.uuid}/undo/", follow=True).content.decode()
    assert "Source 000 was edited since" in answer
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.rights, second.rights) == ("CC1", "")
    assert sorted(first.tags.values_list("name", flat=True)) == ["fees", "tax"]


def test_tags_differ_by_more_than_capitals(desk: Desk) -> None:
    (source,) = sources_of(desk, 1)
    source.tags.add(TagFactory(workspace=desk.workspace, name="Tax"))
    client = desk.client()
    page = preview(client, ids([source]), add_tags="tax\nfees", remove_tags="")
    confirm(client, page)
    assert sorted(source.tags.values_list("name", flat=True)) == ["Tax", "fees"]
    confirm(client, preview(client, ids([source]), remove_tags="TAX"))
    assert list(source.tags.values_list("name", flat=True)) == ["fees"]
    undo(client)
    assert sorted(source.tags.values_list("name", flat=True)) == ["Tax", "fees"]


def test_places_go_into_a_section_and_back_and_uncited_sources_are_named(desk: Desk) -> None:
    cited, uncited = sources_of(desk, 2)
    project = ProjectFactory(workspace=desk.workspace)
    before, after = SectionFactory(project=project, title="Market"), SectionFactory(project=project, title="Risks")
    place = CitationFactory(entry=CatalogEntryFactory(project=project, source=cited), section=before)
    elsewhere = CitationFactory(
        entry=CatalogEntryFactory(source=cited, project=ProjectFactory(workspace=desk.workspace))
    )
    client = desk.client()
    page = preview(client, ids([cited, uncited]), section=after.pk)
    assert "Not cited in" in page.content.decode()
    confirm(client, page)
    assert Citation.objects.get(pk=place.pk).section == after
    assert Citation.objects.get(pk=elsewhere.pk).section_id == elsewhere.section_id
    undo(client)
    assert Citation.objects.get(pk=place.pk).section == before


def test_a_section_of_another_workspace_cannot_be_chosen(desk: Desk, other_desk: Desk) -> None:
    foreign = SectionFactory(project=ProjectFactory(workspace=other_desk.workspace))
    page = preview(desk.client(), ids(sources_of(desk, 1)), section=foreign.pk)
    assert page.status_code == 422


@pytest.mark.parametrize(
    "edit",
    [
        {},
        {"rights": "x", "empty_rights": "on"},
        {"classification": "cosmic"},
        {"add_tags": "t" * 200, "deed": "edit"},
        {"deed": "drop", "note": " "},
    ],
)
def test_an_edit_that_cannot_be_says_so_and_writes_nothing(desk: Desk, edit: dict[str, Any]) -> None:
    client = desk.client(Role.ADMIN)
    page = preview(client, ids(sources_of(desk, 1)), **edit)
    if page.status_code == 200:
        page = confirm(client, page)
    assert page.status_code == 422
    assert "note-error" in page.content.decode()
    assert not ChangeSet.objects.exists()


def test_choosing_nothing_leads_back_to_the_list(desk: Desk) -> None:
    sources_of(desk, 1)
    answer = desk.client().post("/sources/edit/", {"query": "q=source"}, follow=True)
    assert answer.redirect_chain == [("/sources/?q=source", 302)]
    assert "No source is chosen" in answer.content.decode()


def test_many_are_dropped_with_one_reason_and_brought_back(desk: Desk) -> None:
    chosen = [
        apply(SourceFactory(workspace=desk.workspace), verdict)
        for verdict in (Verdict.THIN, Verdict.VERIFIED_ACCESSIBLE, Verdict.HARD_404)
    ]
    assert ReviewItem.objects.filter(closed_at=None).count() == 1
    client = desk.client(Role.EDITOR)
    confirm(client, preview(client, ids(chosen), deed="drop", note="Not relevant"))
    assert set(Source.objects.values_list("disposition", "decided")) == {(Disposition.DROP, "drop")}
    assert set(Decision.objects.values_list("reason", flat=True)) == {"Not relevant"}
    assert Decision.objects.exclude(check_seen=None).exclude(evidence_fingerprint="").count() == 3
    assert not ReviewItem.objects.filter(closed_at=None).exists()
    page = preview(client, ids(chosen), deed="drop", note="Again").content.decode()
    assert "0 sources would change" in page
    undo(client)
    assert set(Source.objects.values_list("decided", flat=True)) == {""}
    assert sorted(Source.objects.values_list("disposition", flat=True)) == ["drop", "keep", "review"]
    assert ReviewItem.objects.filter(closed_at=None).count() == 1


def test_a_drop_of_many_stands_once_in_the_queue_with_its_undo(desk: Desk) -> None:
    chosen = [apply(SourceFactory(workspace=desk.workspace), Verdict.THIN) for _ in range(3)]
    client = desk.client(Role.EDITOR)
    confirm(client, preview(client, ids(chosen), deed="drop", note="Not relevant"))
    rail = BeautifulSoup(client.get("/queue/").content, "lxml").select(".feed li")
    assert len(rail) == 1
    assert "and 2 others" in rail[0].text
    client.post(rail[0].form["action"], {"next": "/queue/"})  # type: ignore[index]
    assert set(Source.objects.values_list("decided", flat=True)) == {""}
    assert not BeautifulSoup(client.get("/queue/").content, "lxml").select(".feed li")


def test_many_are_marked_retracted_and_unmarked_each_with_its_undo(desk: Desk) -> None:
    chosen = sources_of(desk, 2)
    client = desk.client(Role.ADMIN)
    confirm(client, preview(client, ids(chosen), deed="retract", note="Notice 7"))
    assert set(Source.objects.values_list("retracted", "retraction_note")) == {(True, "Notice 7")}
    confirm(client, preview(client, ids(chosen), deed="unretract", note="Notice withdrawn", over_decisions="on"))
    assert set(Source.objects.values_list("retracted", "retraction_note")) == {(False, "")}
    undo(client)
    assert set(Source.objects.values_list("retracted", "retraction_note")) == {(True, "Notice 7")}
    assert "Notice withdrawn" in client.get("/history/").content.decode()


def test_what_an_editor_decided_otherwise_is_left_alone_and_named_unless_that_is_meant(desk: Desk) -> None:
    plain, judged, gone = sources_of(desk, 3)
    RetractionDecisionFactory(source=judged, status="none-found", reason="Another work is meant", by=desk.person())
    Source.objects.filter(pk=gone.pk).update(merged_into=plain)
    client = desk.client(Role.ADMIN)
    look = preview(client, ids([plain, judged, gone]), deed="retract", note="Notice 7")
    words = look.content.decode()
    assert "1 source: An editor decided otherwise (not retracted)." in words
    assert "Another work is meant" in words
    assert "1 source: Not here any more" in words
    confirm(client, look)
    assert list(Source.objects.filter(retracted=True)) == [plain]
    look = preview(client, ids([plain, judged]), deed="retract", note="Notice 7", over_decisions="on")
    confirm(client, look)
    assert set(Source.objects.filter(retracted=True)) == {plain, judged}
    look = preview(client, ids([judged]), deed="unretract", note="Wrong again")
    assert "An editor decided otherwise (retracted)" in look.content.decode()


@pytest.mark.parametrize(
    ("role", "deed", "allowed"),
    [
        (Role.READER, "edit", False),
        (Role.CURATOR, "edit", True),
        (Role.CURATOR, "drop", False),
        (Role.EDITOR, "drop", True),
        (Role.EDITOR, "retract", False),
        (Role.EDITOR, "unretract", False),
        (Role.ADMIN, "retract", True),
        (Role.ADMIN, "nonsense", False),
    ],
)
def test_each_deed_needs_its_role(desk: Desk, role: Role, deed: str, allowed: bool) -> None:
    data = {**ids(sources_of(desk, 1)), "deed": deed, "rights": "CC0", "note": "why"}
    client = desk.client(role)
    assert client.post("/sources/edit/", data).status_code == (200 if allowed else 403)
    assert client.post("/sources/edit/apply/", data).status_code == (409 if allowed else 403)
    assert not ChangeSet.objects.exists()


def test_chosen_sources_are_checked_again_in_their_projects(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    chosen = sources_of(desk, 3)
    for source in chosen[:2]:
        apply(source, Verdict.VERIFIED_ACCESSIBLE)
        CatalogEntryFactory(project=project, source=source)
    client = desk.client()
    answer = client.post("/sources/recheck/", ids(chosen))
    run = CheckRun.objects.get()
    assert answer.headers["Location"] == f"/runs/{run.job.uuid}/"
    assert sorted(run.job.items.values_list("subject_id", flat=True)) == [one.pk for one in chosen[:2]]
    page = client.post("/sources/recheck/", everything(), follow=True).content.decode()
    assert "is being checked already" in page
    assert desk.client(Role.READER).post("/sources/recheck/", ids(chosen)).status_code == 403


def test_an_edit_of_what_makes_the_fingerprint_is_none_of_the_bulk_form(desk: Desk) -> None:
    (source,) = sources_of(desk, 1)
    client = desk.client()
    confirm(client, preview(client, ids([source]), rights="CC0", title="Forged title"))
    source.refresh_from_db()
    assert source.title == "Source 000"
    assert source.fingerprint in {"", fingerprint(title=source.title)}
