"""`{% load desk %}`: what the tags draw, and that they escape what comes from outside."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum
from typing import Any

import pytest
from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.template import Context, Template
from django.test import RequestFactory
from django.urls import path
from django.utils import timezone as django_timezone
from pytest_django import Settings

from provenance_site.kit.templatetags.desk import segments_of
from sources.core.findings import Verdict


def nowhere(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


urlpatterns = [path("", nowhere, name="start"), path("queue/", nowhere, name="queue")]

HOSTILE = '"><script>x()</script>'


class Mood(StrEnum):
    """An enum that explains itself."""

    FINE = "fine"
    PLAIN = "plain"

    @property
    def label(self) -> str:
        return "All <fine>"

    @property
    def tone(self) -> str:
        return "good"

    @property
    def icon(self) -> str:
        return "check"

    @property
    def explanation(self) -> str:
        return "Nothing & nobody"


def draw(source: str, path: str = "/", **context: Any) -> str:
    context.setdefault("request", RequestFactory().get(path))
    return Template("{% load desk %}" + source).render(Context(context)).strip()


# -- signs -------------------------------------------------------------------------------------------------------------
def test_a_chip_says_its_word_beside_icon_and_colour() -> None:
    chip = draw("{% chip mood %}", mood=Mood.FINE)
    assert "All &lt;fine&gt;" in chip
    assert 'class="chip chip-good" title="Nothing &amp; nobody"' in chip
    assert "icons.svg#check" in chip


def test_a_long_chip_prints_its_explanation() -> None:
    assert "Nothing &amp; nobody</span>" in draw("{% chip mood long=True %}", mood=Mood.FINE)


@pytest.mark.parametrize("nothing", [None, ""])
def test_a_source_without_a_verdict_is_not_checked_yet(nothing: object) -> None:
    assert "Not checked yet" in draw("{% chip nothing %}", nothing=nothing)


def test_nothing_is_drawn_where_emptiness_has_no_word() -> None:
    assert draw('{% chip nothing empty="" %}', nothing=None) == ""


def test_a_thing_without_signs_is_drawn_as_its_text() -> None:
    assert "chip-idle" in draw("{% chip thing %}", thing=HOSTILE)
    assert "<script>" not in draw("{% chip thing %}", thing=HOSTILE)


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_has_an_icon_that_exists(verdict: Verdict) -> None:
    assert f"#{verdict.icon}" in draw("{% chip verdict %}", verdict=verdict)


def test_no_two_verdicts_share_an_icon() -> None:
    assert len({verdict.icon for verdict in Verdict}) == len(Verdict)


def test_an_icon_is_decoration_unless_it_stands_alone() -> None:
    assert 'aria-hidden="true"' in draw('{% icon "lock" %}')
    assert 'role="img" aria-label="Locked"' in draw('{% icon "lock" "Locked" %}')


def test_an_icon_that_does_not_exist_is_our_mistake() -> None:
    with pytest.raises(LookupError, match="'lokc'"):
        draw('{% icon "lokc" %}')


def test_a_stacked_bar_covers_its_whole_width_in_order() -> None:
    segments = segments_of([(Verdict.THIN, 1), (Verdict.HARD_404, 0), (Verdict.VERIFIED_GATED, 3)])
    assert [(part.sign.label, part.x, part.width) for part in segments] == [
        (Verdict.THIN.label, 0, 250),
        (Verdict.VERIFIED_GATED.label, 250, 750),
    ]


def test_a_stacked_bar_leaves_room_for_what_is_not_done() -> None:
    assert [part.width for part in segments_of([(Verdict.THIN, 1)], total=4)] == [250]


def test_a_stacked_bar_of_nothing_is_empty() -> None:
    assert segments_of([]) == []


def test_a_stacked_bar_is_told_in_words() -> None:
    bar = draw("{% stack counts %}", counts=[(Verdict.THIN, 1_234)])
    assert "Too thin to judge" in bar
    assert "1,234" in bar
    assert "style=" not in bar


# -- places ------------------------------------------------------------------------------------------------------------
@pytest.fixture
def _own_addresses(settings: Settings) -> None:
    settings.ROOT_URLCONF = __name__


@pytest.mark.usefixtures("_own_addresses")
def test_a_link_to_an_address_that_is_not_installed_is_not_drawn() -> None:
    assert draw("{% nav_link 'no-such-address' 'Queue' %}") == ""


@pytest.mark.usefixtures("_own_addresses")
@pytest.mark.parametrize(
    ("path", "mark"),
    [
        ("/queue/", 'aria-current="page"'),
        ("/queue/7/", 'aria-current="true"'),
        ("/s/7/", 'aria-current="true"'),
        ("/elsewhere/", ""),
    ],
)
def test_a_link_is_marked_where_the_person_is(path: str, mark: str) -> None:
    link = draw("{% nav_link 'queue' 'Queue' chord='g q' owns='/s/ /t/' %}", path=path)
    assert 'href="/queue/"' in link
    assert 'data-chord="g q"' in link
    assert mark in link
    assert ("aria-current" in link) == bool(mark)


@pytest.mark.usefixtures("_own_addresses")
@pytest.mark.parametrize(("path", "is_marked"), [("/", True), ("/queue/", False)])
def test_the_start_page_owns_nothing_by_itself(path: str, is_marked: bool) -> None:
    assert ("aria-current" in draw("{% nav_link 'start' 'Start' %}", path=path)) == is_marked


def test_query_with_changes_the_query_string_of_the_page() -> None:
    assert draw("{% query_with sort='-title' %}", path="/?q=a%26b&page=3") == "?q=a%26b&amp;sort=-title"


def test_query_fields_carry_the_rest_of_the_query_through_a_form() -> None:
    fields = draw('{% query_fields skip="q,page" %}', path="/?q=1&page=2&verdict=a&verdict=%22%3E")
    assert fields == (
        '<input type="hidden" name="verdict" value="a"><input type="hidden" name="verdict" value="&quot;&gt;">'
    )


def test_one_page_needs_no_links_to_others() -> None:
    assert draw("{% pagination page %}", page=Paginator([1, 2], 5).page(1)) == ""


def test_pages_keep_the_filter_and_say_where_the_person_is() -> None:
    page = Paginator(range(1_001), 50).page(3)
    nav = draw('{% pagination page target="results" noun="source" %}', path="/?q=x", page=page)
    assert "101–150 of 1,001 sources" in nav
    assert 'aria-current="page"' in nav
    assert 'href="?q=x&amp;page=4" rel="next" hx-get="?q=x&amp;page=4" hx-target="#results"' in nav


def test_pages_without_a_target_are_plain_links() -> None:
    assert "hx-" not in draw("{% pagination page %}", page=Paginator(range(9), 2).page(2))


# -- forms -------------------------------------------------------------------------------------------------------------
class Letter(forms.Form):
    """One field of each kind."""

    subject = forms.CharField(help_text="In a few words.")
    kind = forms.ChoiceField(choices=[("a", "A")], required=False)
    way = forms.ChoiceField(choices=[("post", "By post")], widget=forms.RadioSelect)
    copy = forms.BooleanField(required=False, label="Keep a copy")
    own = forms.CharField(required=False, widget=forms.TextInput(attrs={"class": "code"}))


def test_a_field_ties_help_and_error_to_its_input() -> None:
    field = draw("{% field form.subject %}", form=Letter({}))
    assert '<label for="id_subject">' in field
    assert 'id="id_subject_helptext"' in field
    assert 'id="id_subject_error"' in field
    assert 'aria-describedby="id_subject_helptext id_subject_error"' in field
    assert 'class="form-control is-invalid"' in field


def test_a_field_that_may_stay_empty_says_so() -> None:
    assert "optional" in draw("{% field form.kind %}", form=Letter())
    assert "optional" not in draw("{% field form.subject %}", form=Letter())


def test_a_group_of_choices_has_a_legend() -> None:
    assert "<legend>Way" in draw("{% field form.way %}", form=Letter())


def test_a_checkbox_stands_before_its_label() -> None:
    field = draw("{% field form.copy %}", form=Letter())
    assert field.index("checkbox") < field.index("Keep a copy")


def test_a_field_keeps_the_classes_of_its_widget() -> None:
    assert 'class="code form-control"' in draw("{% field form.own %}", form=Letter())


def test_a_form_with_errors_names_each_field_at_its_top() -> None:
    form = draw('{% include "kit/_form.html" with submit="Send" %}', form=Letter({}))
    assert '<a href="#id_subject">Subject</a>: This field is required.' in form
    assert ">Send</button>" in form


# -- moments and texts -------------------------------------------------------------------------------------------------
def test_a_moment_carries_its_exact_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(django_timezone, "now", lambda: datetime(2026, 3, 2, 9, 30, tzinfo=UTC))
    there = datetime(2026, 3, 2, 10, 25, 7, tzinfo=timezone(timedelta(hours=1)))
    assert draw("{{ moment|ago_or_date }}", moment=there) == (
        '<time datetime="2026-03-02T09:25:07+00:00" title="2 Mar 2026, 09:25:07 UTC">4 minutes ago</time>'
    )
    assert ">2 Mar 2026, 09:25:07 UTC</time>" in draw("{{ moment|utc }}", moment=there)


@pytest.mark.parametrize("name", ["ago_or_date", "utc"])
def test_what_has_not_happened_is_never(name: str) -> None:
    assert draw(f"{{{{ moment|{name} }}}}", moment=None) == "never"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("{{ 1234567|thousands }}", "1,234,567"),
        ("{{ none|thousands }}", ""),
        ("{{ 2|counted:'entry,entries' }}", "2 entries"),
        ("{{ 1200|counted:'source' }}", "1,200 sources"),
        ("{{ share|percent }}", "99 %"),
        ("{{ none|percent }}", "–"),
        ("{{ text|middle_cut:9 }}", "&lt;b&gt;abc…&lt;i"),
    ],
)
def test_numbers_and_texts_are_written_for_people(source: str, words: str) -> None:
    assert draw(source, none=None, share=0.9999, text="<b>abcdef<i") == words


@pytest.mark.parametrize(
    ("side", "drawn"),
    [
        ("", "a <del>&lt;b&gt;</del><ins>c</ins>"),
        ("before", "a <del>&lt;b&gt;</del>"),
        ("after", "a <ins>c</ins>"),
    ],
)
def test_pieces_are_marked_up_and_escaped(side: str, drawn: str) -> None:
    parts: Iterable[tuple[str, str]] = [("same", "a "), ("del", "<b>"), ("ins", "c")]
    assert draw("{% pieces parts side=side %}", parts=parts, side=side) == drawn


def test_two_titles_are_compared_in_place() -> None:
    drawn = draw("{% title_diff 'Harbour 2023' 'Harbour 2024' %}")
    assert drawn == "Harbour <del>2023</del><ins>2024</ins>"
