"""The screens of closed-corpus writing: outline, corpus, drafts; without scripts, for readers and curators."""

import html
import json
import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import DjangoAssertNumQueries

from lineage.models import Claim
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel
from sources.core.citations import Action, Standing
from sources.core.findings import Disposition
from sources.core.outline import Part
from sources.models import CorpusEntry, Draft, OutlineSection, Project, Source
from sources.queries.outlines import parts_of, state_of
from sources.services import retractions
from sources.views.drafts import LINES
from tests.clock import NOW
from tests.desk import HTMX, Desk
from tests.factories import CatalogEntryFactory, DraftVersionFactory, SourceFactory
from tests.unit.sources.disturbance import everything
from tests.unit.sources.writing import DRAFT, FOUND, GAUGE, draft_of, found, keep, project_of, section_of, version

pytestmark = pytest.mark.django_db


def text_of(answer: Any) -> str:
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split()))


def outline_form(*parts: dict[str, Any], seen: str = "") -> dict[str, Any]:
    sent: dict[str, Any] = {"seen": seen, "part-TOTAL_FORMS": len(parts), "part-INITIAL_FORMS": 0}
    for number, part in enumerate(parts):
        sent |= {f"part-{number}-{name}": value for name, value in part.items()}
    return sent


# -- the outline -------------------------------------------------------------------------------------------------------


def test_an_outline_is_written_on_screen_reordered_and_renamed(desk: Desk) -> None:
    project, client = project_of(desk), desk.client()
    address = f"/p/{project.uuid}/outline/"
    assert "No outline yet" in text_of(client.get(address))
    first = outline_form(
        {"title": "Market", "guiding_questions": "How large?\nWho buys?\n", "preferred_sources": "harbour.example"},
        {"title": "Team", "guiding_questions": "", "preferred_sources": ""},
        {"title": "", "guiding_questions": "", "preferred_sources": ""},
    )
    assert "The outline is saved: 2 sections." in text_of(client.post(address, first, follow=True))
    assert parts_of(project) == [
        Part("Market", ("How large?", "Who buys?"), ("harbour.example",), "market"),
        Part("Team", slug="team"),
    ]
    page = client.get(address).content.decode()
    assert "How large?\nWho buys?" in page
    again = outline_form(
        {"slug": "market", "title": "The market", "position": 2},
        {"slug": "team", "title": "Team", "position": 1},
        seen=state_of(parts_of(project)),
    )
    client.post(address, again)
    assert [(part.title, part.slug) for part in parts_of(project)] == [("Team", "team"), ("The market", "market")]
    stale = client.post(address, first | {"seen": "0" * 64})
    assert stale.status_code == 409
    assert "Somebody saved this outline meanwhile" in text_of(stale)


def test_an_outline_from_an_old_page_overwrites_nothing_by_whatever_way_it_comes(desk: Desk) -> None:
    project, client = project_of(desk), desk.client()
    address = f"/p/{project.uuid}/outline/"
    client.post(address, outline_form({"title": "Theirs"}))
    # A mistake in the old page does not make it a new one.
    mistaken = client.post(address, outline_form({"title": "Mine", "position": "-3"}, seen="0" * 64))
    assert (mistaken.status_code, f'name="seen" value="{"0" * 64}"' in mistaken.content.decode()) == (422, True)
    late = client.post(f"{address}take/", {"text": "sections:\n  - title: Mine\n", "seen": "0" * 64})
    assert (late.status_code, "- title: Mine" in text_of(late)) == (409, True)
    assert [part.title for part in parts_of(project)] == ["Theirs"]
    # Told of it, the person may put their own in its place.
    state = state_of(parts_of(project))
    assert f'name="seen" value="{state}"' in late.content.decode()
    client.post(f"{address}take/", {"text": "sections:\n  - title: Mine\n", "seen": state})
    assert [part.title for part in parts_of(project)] == ["Mine"]


def test_an_outline_comes_and_goes_as_yaml_and_a_fault_names_its_line(desk: Desk) -> None:
    project, client = project_of(desk), desk.client()
    take = f"/p/{project.uuid}/outline/take/"
    bad = client.post(take, {"text": "sections:\n  - title: A\n  - questions: [x]\n"})
    assert bad.status_code == 422
    assert "Line 3: this section has no `title:`" in text_of(bad)
    assert not OutlineSection.objects.exists()
    given = SimpleUploadedFile("outline.yaml", b"Market:\n  guiding_questions: ['How large?']\nTeam:\n")
    assert "saved: 2 sections" in text_of(client.post(take, {"file": given}, follow=True))
    answer = desk.client(Role.READER).get(f"/p/{project.uuid}/outline.yaml")
    assert answer["Content-Disposition"] == 'attachment; filename="outline.yaml"'
    assert "How large?" in answer.content.decode()
    assert "one of the two" in text_of(client.post(take, {}))


def test_an_outline_is_given_back_by_undo(desk: Desk) -> None:
    project, client = project_of(desk), desk.client()
    address = f"/p/{project.uuid}/outline/"
    client.post(address, outline_form({"title": "Market"}))
    client.post(address, outline_form({"title": "Team"}))
    undo = re.findall(r'action="(/changes/[^"]+/undo/)"', client.get("/history/").content.decode())
    client.post(undo[0], {"next": "/history/"})
    assert [part.title for part in parts_of(project)] == ["Market"]


# -- the corpus --------------------------------------------------------------------------------------------------------


def test_the_corpus_shows_what_is_kept_with_verdict_and_excerpt(desk: Desk) -> None:
    project, client = project_of(desk), desk.client()
    assert "Nothing is kept here yet" in text_of(client.get(f"/p/{project.uuid}/corpus/"))
    market, _ = section_of(project), keep(desk, section_of(project, "Team"))
    keep(desk, market)
    Source.objects.update(retracted=True)
    told = text_of(client.get(f"/p/{project.uuid}/corpus/?section=market"))
    for words in (
        "src-001",
        "The gauge of the harbour",
        "Verified",
        "retracted",
        "tide gauge harbour",
        "searxng, place 1",
    ):
        assert words in told
    assert FOUND.excerpt in told
    page = client.get(f"/p/{project.uuid}/corpus/?q=nothing such", headers=HTMX)
    assert "Nothing matches" in text_of(page)
    assert "<html" not in page.content.decode()
    assert client.get(f"/p/{project.uuid}/corpus/?section=none").status_code == 404


def test_sources_are_taken_in_and_out(desk: Desk) -> None:
    project, client = project_of(desk), desk.client()
    section = section_of(project)
    source = SourceFactory(workspace=desk.workspace, disposition=Disposition.KEEP)
    CatalogEntryFactory(project=project, source=source, number=7)
    page = f"/p/{project.uuid}/corpus/?section=market"
    assert "1 kept source of the project is not in this section" in text_of(client.get(page))
    taken = client.post(f"/p/{project.uuid}/corpus/take-in/", {"section": section.slug}, follow=True)
    assert "1 source taken into “Market”" in text_of(taken)
    assert "src-007" in text_of(taken)
    out = client.post(f"/p/{project.uuid}/corpus/remove/", {"entry": CorpusEntry.objects.get().pk}, follow=True)
    assert "src-007 is taken out of “Market”" in text_of(out)
    assert client.post(f"/p/{project.uuid}/corpus/remove/", {"entry": "x"}).status_code == 404


def test_the_pack_is_a_file_and_has_excerpts_where_they_are_asked_for(desk: Desk) -> None:
    project = project_of(desk)
    keep(desk, section_of(project))
    reader = desk.client(Role.READER)
    plain = reader.get(f"/p/{project.uuid}/corpus/pack.md?section=market")
    assert plain["Content-Disposition"] == 'attachment; filename="corpus-market.md"'
    assert "src-001" in plain.content.decode()
    assert FOUND.excerpt not in plain.content.decode()
    assert "The gauge was set in 1887" in reader.get(f"/p/{project.uuid}/corpus/pack.md?excerpts=all").content.decode()
    told = json.loads(reader.get(f"/p/{project.uuid}/corpus/pack.json").content)
    assert [one["id"] for one in told["sources"]] == ["src-001"]
    assert reader.get(f"/p/{project.uuid}/corpus/pack.md?excerpts=some").status_code == 404
    Source.objects.update(sensitivity="internal_only")
    assert json.loads(reader.get(f"/p/{project.uuid}/corpus/pack.json").content)["sources"] == []
    assert "src-001" in desk.client().get(f"/p/{project.uuid}/corpus/pack.json").content.decode()


# -- drafts ------------------------------------------------------------------------------------------------------------


def test_a_draft_goes_through_the_gate_and_its_problems_lead_to_their_lines(desk: Desk) -> None:
    project, client = project_of(desk), desk.client()
    keep(desk, section_of(project))
    assert "No drafts yet" in text_of(client.get(f"/p/{project.uuid}/drafts/"))
    text = DRAFT + "\r\nIt is the oldest. [src-047]\r\n<script>alert(1)</script> [x](javascript:alert(2))\r\n"
    answer = client.post(f"/p/{project.uuid}/drafts/", {"name": "Memo", "text": text}, follow=True)
    draft = Draft.objects.get()
    assert answer.redirect_chain[-1][0] == f"/d/{draft.uuid}/"
    page = answer.content.decode()
    assert '<li id="L5" class="has-error">' in page
    assert 'href="?version=1&amp;part=1#L5">Line 5, column' in page
    assert "src-047" in text_of(answer)
    assert "needs-source : It is the oldest." in text_of(answer)
    assert 'href="#note-1">[1]</a>' in page
    assert 'id="note-1"' in page
    assert f'<a href="{GAUGE}" rel="nofollow noopener noreferrer">The gauge of the harbour</a>' in page
    assert "<script>alert" not in page
    assert 'href="javascript' not in page
    assert "Over 20 %" in text_of(answer)
    assert "A material claim has no evidence" in text_of(answer)
    assert "Memo" in text_of(client.get(f"/p/{project.uuid}/drafts/"))


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({"name": "", "text": "x"}, "Name : This field is required."),
        ({"name": "A", "text": " "}, "The draft is empty"),
        ({"name": "Memo", "text": "x"}, "There is a draft “Memo” already"),
    ],
    ids=["no name", "no text", "name taken"],
)
def test_a_fault_of_a_new_draft_names_its_field_and_writes_nothing(desk: Desk, sent: dict[str, str], told: str) -> None:
    project = project_of(desk)
    draft_of(desk, project, "There.")
    client = desk.client()
    before = everything()
    answer = client.post(f"/p/{project.uuid}/drafts/", sent)
    assert answer.status_code == 422
    assert told in text_of(answer)
    assert everything() == before


def test_another_version_is_compared_and_one_from_an_old_page_is_refused(desk: Desk) -> None:
    project, client = project_of(desk), desk.client()
    draft = draft_of(desk, project, "One line.\nAnother line.\n")
    form = client.get(f"/d/{draft.uuid}/new/").content.decode()
    assert "Another line." in form
    assert 'name="seen" value="1"' in form
    given = {"text": "One line.\r\nAnother word.\r\nMore.\r\n", "seen": "1"}
    assert "Version 2 went through the gate" in text_of(client.post(f"/d/{draft.uuid}/new/", given, follow=True))
    assert draft.versions.get(number=2).text == "One line.\nAnother word.\nMore.\n"
    stale = client.post(f"/d/{draft.uuid}/new/", {"text": "Mine.", "seen": "1"})
    assert stale.status_code == 409
    for told in ("Mine.", "Look at version 2", 'name="seen" value="2"'):
        assert told in stale.content.decode()
    file = SimpleUploadedFile("mine.md", b"From my file.")
    assert "From my file." in text_of(client.post(f"/d/{draft.uuid}/new/", {"file": file, "seen": "1"}))
    # The form came with the text of the newest version; a file chosen beside it takes its place.
    shown = {"text": "One line.\r\nAnother word.\r\nMore.\r\n", "seen": "2"}
    both = client.post(f"/d/{draft.uuid}/new/", shown | {"text": "Mine.", "file": SimpleUploadedFile("a.md", b"x")})
    assert "there are both" in text_of(both)
    beside = shown | {"file": SimpleUploadedFile("mine.md", b"One line.\nAnother word.\nMore.\n")}
    assert client.post(f"/d/{draft.uuid}/new/", beside).headers["Location"] == f"/d/{draft.uuid}/"
    long = SimpleUploadedFile("long.md", b"word " * 400_001)
    refused = client.post(f"/d/{draft.uuid}/new/", {"file": long, "seen": "2"})
    assert "Or choose a file : A draft has at most 2,000,000 characters" in text_of(refused)
    page = client.get(f"/d/{draft.uuid}/diff/").content.decode()
    assert "<del>line</del><ins>word</ins>" in page
    assert "<ins>More.</ins>" in page
    assert "Version 1 is the first" in text_of(client.get(f"/d/{draft.uuid}/diff/?after=1"))
    assert client.get(f"/d/{draft.uuid}/diff/?after=9").status_code == 404
    again = client.post(f"/d/{draft.uuid}/again/", follow=True)
    assert "Nothing changed: version 2 says the same." in text_of(again)


def test_a_version_is_compared_with_the_one_before_it_where_one_between_was_taken_back(desk: Desk) -> None:
    draft = draft_of(desk, project_of(desk), "One line.\n")
    version(desk, draft, "Taken back.\n")
    draft.versions.get(number=2).delete()
    version(desk, draft, "One word.\n")
    assert "<del>line</del><ins>word</ins>" in desk.client().get(f"/d/{draft.uuid}/diff/").content.decode()


def test_files_of_a_draft_are_downloaded(desk: Desk) -> None:
    project = project_of(desk)
    keep(desk, section_of(project))
    draft = draft_of(desk, project, DRAFT + "[src-047]\n")
    reader = desk.client(Role.READER)
    gated = reader.get(f"/d/{draft.uuid}/gated.md")
    assert gated["Content-Disposition"] == 'attachment; filename="memo-v1-gated.md"'
    assert gated.content.decode() == draft.versions.get().gated_text
    assert reader.get(f"/d/{draft.uuid}/given.md?version=1").content.decode() == DRAFT + "[src-047]\n"
    for name in ("citations", "problems", "changes"):
        told = json.loads(reader.get(f"/d/{draft.uuid}/{name}.json").content)
        assert (told["draft"], told["version"]) == ("Memo", 1)
        assert told[name] == getattr(draft.versions.get(), name)
    assert reader.get(f"/d/{draft.uuid}/gated.md?version=2").status_code == 404


def test_reconciling_is_looked_at_before_it_is_written(desk: Desk) -> None:
    project, client = project_of(desk), desk.client()
    keep(desk, section_of(project))
    draft = draft_of(desk, project, f"Tides. [^1] Ships. [^2]\n\n[^1]: [Old]({GAUGE})\n[^2]: [X](https://x.example/)\n")
    before = everything()
    look = client.get(f"/d/{draft.uuid}/reconcile/?version=1")
    assert everything() == before
    assert "Dropped" in text_of(look)
    assert "Make it the next version" in text_of(look)
    done = client.post(f"/d/{draft.uuid}/reconcile/?version=1", {"seen": "1"}, follow=True)
    assert "Version 2 went through the gate" in text_of(done)
    assert "What reconciling changed" in text_of(done)
    late = client.post(f"/d/{draft.uuid}/reconcile/?version=1", {"seen": "1"}, follow=True)
    assert "Somebody gave this draft another version meanwhile" in text_of(late)


def test_the_policy_is_chosen_on_the_page(desk: Desk) -> None:
    project, client = project_of(desk), desk.client()
    draft = draft_of(desk, project)
    sent = {"mode": "hybrid", "retracted": "warn", "dropped": "refuse", "internal_only": "refuse", "stale": "refuse"}
    assert "The policy is saved" in text_of(client.post(f"/d/{draft.uuid}/policy/", sent, follow=True))
    draft.refresh_from_db()
    assert draft.mode == "hybrid"
    assert draft.policy[Standing.RETRACTED] == Action.WARN
    assert client.post(f"/d/{draft.uuid}/policy/", sent | {"mode": "lax"}).status_code == 422


def test_a_long_draft_is_shown_part_by_part(desk: Desk) -> None:
    project, client = project_of(desk), desk.client()
    keep(desk, section_of(project))
    draft = draft_of(desk, project, "A line.\n" * (LINES + 5) + "Wrong. [src-047]\n")
    page = client.get(f"/d/{draft.uuid}/").content.decode()
    assert f"part=2#L{LINES + 6}" in page
    assert f'id="L{LINES + 6}"' not in page
    assert f'id="L{LINES + 6}" class="has-error"' in client.get(f"/d/{draft.uuid}/?part=2").content.decode()


@pytest.mark.parametrize("version_asked", ["2", "0", "x", "9" * 30, "-1"])
def test_a_version_that_is_not_there_is_not_found(desk: Desk, version_asked: str) -> None:
    draft = draft_of(desk, project_of(desk))
    assert desk.client().get(f"/d/{draft.uuid}/?version={version_asked}").status_code == 404


def test_a_reader_reads_and_writes_nothing(desk: Desk) -> None:
    project = project_of(desk)
    keep(desk, section_of(project))
    draft = draft_of(desk, project)
    reader, before = desk.client(Role.READER), everything()
    for address in (f"/p/{project.uuid}/outline/", f"/p/{project.uuid}/corpus/?section=market", f"/d/{draft.uuid}/"):
        page = reader.get(address)
        assert page.status_code == 200
        assert 'method="post" action="/p/' not in page.content.decode()
        assert 'method="post" action="/d/' not in page.content.decode()
    for address, sent in (
        (f"/p/{project.uuid}/outline/", outline_form({"title": "A"})),
        (f"/p/{project.uuid}/outline/take/", {"text": "A:\n"}),
        (f"/p/{project.uuid}/corpus/take-in/", {"section": "market"}),
        (f"/p/{project.uuid}/corpus/remove/", {"entry": CorpusEntry.objects.get().pk}),
        (f"/p/{project.uuid}/drafts/", {"name": "B", "text": "x"}),
        (f"/d/{draft.uuid}/new/", {"text": "x"}),
        (f"/d/{draft.uuid}/again/", {}),
        (f"/d/{draft.uuid}/reconcile/", {}),
        (f"/d/{draft.uuid}/policy/", {"mode": "strict"}),
    ):
        assert reader.post(address, sent).status_code == 403, address
    assert everything() == before


@pytest.mark.parametrize("number", [10, 20])
@pytest.mark.parametrize(
    ("screen", "queries"),
    [("/p/{}/outline/", 5), ("/p/{}/corpus/", 7), ("/p/{}/drafts/", 7), ("/d/{}/", 16), ("/d/{}/diff/", 7)],
)
def test_a_screen_costs_the_same_queries_whatever_its_length(
    desk: Desk, number: int, screen: str, queries: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    project = project_of(desk)
    section = section_of(project)
    keep(desk, section, [found(f"https://harbour.example/{place}") for place in range(number)])
    for place in range(1, number + 1):
        OutlineSection.objects.create(project=project, section=section_of(project, f"S{place}"), position=place)
        DraftVersionFactory(draft__project=project)
    cited = "".join(f"Claim {place} of it. [src-{place:03d}]\n" for place in range(1, number + 1))
    draft = draft_of(desk, project, cited)
    version(desk, draft, cited + "More.\n")
    client = desk.client()
    client.get("/")
    with django_assert_num_queries(queries):
        assert client.get(screen.format(draft.uuid if "/d/" in screen else project.uuid)).status_code == 200


def test_the_project_leads_to_its_writing(desk: Desk) -> None:
    project: Project = project_of(desk)
    page = desk.client().get(f"/p/{project.uuid}/").content.decode()
    for place in ("outline", "corpus", "drafts"):
        assert f'href="/p/{project.uuid}/{place}/"' in page


def test_the_release_check_of_a_draft_names_each_claim_and_leads_to_its_line(desk: Desk) -> None:
    project = project_of(desk)
    keep(desk, section_of(project))
    text = f"{DRAFT}\nThe harbour is the oldest. [src-047]\n"
    made = draft_of(desk, project, text).versions.get()
    sources = Source.objects.values_list("pk", flat=True)
    person = desk.person(Role.ADMIN)
    retractions.mark(
        workspace_id=desk.workspace.pk, source_ids=sources, note="Gone", by=person, channel=Channel.PAGE, at=NOW
    )
    client = desk.client(Role.READER)
    page = client.get(f"/d/{made.draft.uuid}/").content.decode()
    reasons = dict(re.findall(r'<a href="\?version=1&amp;part=1#L(\d+)">“([^”]+)”</a>', page))
    lines = text.splitlines()
    assert set(reasons.values()) == {"The harbour is the oldest.", "The tide rises by 3.1 metres at the gauge."}
    assert all(said.rstrip(".") in lines[int(line) - 1] for line, said in reasons.items())
    assert made.entity is not None
    whole = text_of(client.get("/lineage/release/", {"ref": made.entity.ref}))
    assert all(f"“{said}”" in whole for said in reasons.values())
    Claim.objects.update(text="")
    assert "claim" in text_of(client.get(f"/d/{made.draft.uuid}/")).split("May it be handed on?")[1]


@pytest.mark.parametrize("address", ["outline/", "harvests/"])
def test_no_field_is_called_optional_where_that_depends_on_the_others(desk: Desk, address: str) -> None:
    project = project_of(desk)
    section_of(project)
    page = desk.client().get(f"/p/{project.uuid}/{address}").content.decode()
    assert "<label" in page
    assert "optional</span>" not in page
