"""Harvests as people put them in: a budget, an outline's plan, an analyst's list, the queries one by one."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.forms import BaseFormSet, formset_factory
from django.http import QueryDict

from validation.core.harvest_tools import Tool
from validation.core.ports import Domains
from validation.core.query_plan import LONGEST_QUERY, MOST_QUERIES, PlannedQuery
from validation.core.routes import BadDomain, domains_in
from validation.services.harvest_plans import DEFAULT_BUDGET, MOST_CALLS, MOST_CANDIDATES, Budget

EMPTY_FORMS = 2
_MOST_LIST = 1_000_000


class DomainsField(forms.CharField):
    """Domains between spaces or commas; gives a tuple of them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, max_length=4_000, **options)

    def clean(self, value: Any) -> tuple[str, ...]:
        """The domains; an error that repeats the word that is none."""
        try:
            return domains_in(super().clean(value))
        except BadDomain as bad:
            raise forms.ValidationError(str(bad)) from bad


class BudgetForm(forms.Form):
    """What a harvest may spend."""

    calls = forms.IntegerField(
        min_value=0,
        max_value=MOST_CALLS,
        initial=DEFAULT_BUDGET.calls,
        label="Calls at most",
        help_text="One query to one search is a call. What was answered in the last week costs none.",
    )
    candidates = forms.IntegerField(
        min_value=1,
        max_value=MOST_CANDIDATES,
        initial=DEFAULT_BUDGET.candidates,
        label="Candidates at most",
        help_text="Each is fetched and checked as any source.",
    )

    @property
    def budget(self) -> Budget:
        """What was entered. Only after `is_valid`."""
        return Budget(self.cleaned_data["calls"], self.cleaned_data["candidates"])


class OutlineHarvestForm(BudgetForm):
    """A plan from the outline."""

    exclude = DomainsField(
        label="Leave out", help_text="Domains that nothing may be found on, such as the deal's own site."
    )


class ListHarvestForm(forms.Form):
    """An analyst's list, pasted or as a file."""

    hides_optional = True

    candidates = forms.IntegerField(
        min_value=1, max_value=MOST_CANDIDATES, initial=DEFAULT_BUDGET.candidates, label="Candidates at most"
    )
    text = forms.CharField(
        required=False,
        max_length=_MOST_LIST,
        strip=False,
        label="Sources.md",
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "class": "font-monospace"}),
        help_text="As the analyst wrote it: front matter with “mode: codified” and “sources:”, then what was rejected.",
    )
    file = forms.FileField(required=False, label="Or choose the file", help_text="At most 1 MB.")

    def clean(self) -> dict[str, Any]:
        """Asks for one of the two."""
        cleaned = super().clean() or {}
        upload = cleaned.get("file")
        if bool(cleaned.get("text", "").strip()) == bool(upload):
            raise forms.ValidationError("Paste the list or choose its file: one of the two.")
        if upload and upload.size > _MOST_LIST:
            self.add_error("file", f"The file has {upload.size:,} bytes; at most {_MOST_LIST:,} are taken. Split it.")
        return cleaned

    @property
    def given(self) -> bytes:
        """What was given, as bytes. Only after `is_valid`."""
        upload = self.cleaned_data["file"]
        return bytes(upload.read()) if upload else self.cleaned_data["text"].encode("utf-8", "surrogatepass")

    @property
    def budget(self) -> Budget:
        """What was entered; a list asks no search. Only after `is_valid`."""
        return Budget(0, self.cleaned_data["candidates"])


class QueryForm(forms.Form):
    """One query of a plan. Without a text it is left out."""

    hides_optional = True

    section = forms.ChoiceField(label="Section")
    text = forms.CharField(required=False, max_length=LONGEST_QUERY, label="Ask")
    include = DomainsField(label="Only on", help_text="Domains; none for the whole web.")
    exclude = DomainsField(label="Not on", help_text="Domains to leave out.")
    tools = forms.MultipleChoiceField(required=False, label="Searches", widget=forms.CheckboxSelectMultiple)
    why = forms.CharField(required=False, max_length=300, widget=forms.HiddenInput())
    leave_out = forms.BooleanField(required=False, label="Take this query out")

    def __init__(
        self, *args: Any, sections: Sequence[tuple[str, str]] = (), tools: Sequence[Tool] = (), **options: Any
    ) -> None:
        super().__init__(*args, **options)
        cast("forms.ChoiceField", self.fields["section"]).choices = list(sections)
        cast("forms.MultipleChoiceField", self.fields["tools"]).choices = [(one.value, one.label) for one in tools]

    @property
    def query(self) -> PlannedQuery | None:
        """The query as it was entered, None for one to leave out. Only after `is_valid`."""
        given = self.cleaned_data
        if given.get("leave_out") or not given.get("text", "").strip():
            return None
        return PlannedQuery(
            section=given["section"],
            text=given["text"],
            tools=tuple(Tool(name) for name in given["tools"]),
            domains=Domains(given["include"], given["exclude"]),
            why=given["why"],
        )


class QueryForms(BaseFormSet[QueryForm]):
    """All queries of a plan in their order."""

    @property
    def queries(self) -> list[PlannedQuery]:
        """The queries as they were entered. Only after `is_valid`."""
        return [query for form in self.forms if (query := form.query) is not None]


_FORMS = formset_factory(
    QueryForm, formset=QueryForms, extra=EMPTY_FORMS, max_num=MOST_QUERIES, absolute_max=MOST_QUERIES + EMPTY_FORMS
)


def query_forms(
    data: QueryDict | None = None,
    *,
    queries: Sequence[PlannedQuery] = (),
    sections: Sequence[tuple[str, str]],
    tools: Sequence[Tool],
) -> QueryForms:
    """The forms of these queries and two empty ones, or what was sent."""
    initial = [
        {
            "section": one.section,
            "text": one.text,
            "include": " ".join(one.domains.include),
            "exclude": " ".join(one.domains.exclude),
            "tools": [tool.value for tool in one.tools],
            "why": one.why,
        }
        for one in queries
    ]
    made = _FORMS(
        data,
        initial=None if data is not None else initial,
        prefix="query",
        form_kwargs={"sections": sections, "tools": tools},
    )
    return cast("QueryForms", made)
