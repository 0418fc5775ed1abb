"""What people say of observations, concepts and documents; the rules themselves live in services."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from sources.core.entries import ObservationKind, Relationship
from sources.models import Concept, Observation, Project
from sources.queries.observations import ObservationFilter
from sources.services import concepts
from sources.services.chunks import About
from sources.services.concepts import Described
from sources.services.observations import MAX_BODY, Said, state_of

_KINDS = [(kind.value, kind.value.capitalize()) for kind in ObservationKind]
_DESCRIBED = ("name", "description", "identifier_type", "identifier_value")
RELATIONSHIPS = [(one.value, one.value.capitalize()) for one in Relationship]


class ObservationForm(forms.Form):
    """An observation, new or edited; `seen` is what was there when the form was opened."""

    body = forms.CharField(
        max_length=MAX_BODY,
        label="What was observed",
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="Plain text. Sources are linked afterwards, on the observation's page.",
    )
    kind = forms.ChoiceField(choices=_KINDS, label="Kind", initial=ObservationKind.NOTE.value)
    concepts = forms.CharField(
        required=False,
        max_length=5_000,
        label="Concepts",
        help_text="What it is about, with commas between the names. A new name makes a new concept.",
    )
    seen = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput())

    @staticmethod
    def values_of(row: Observation) -> dict[str, Any]:
        """The row as initial values; needs its concepts loaded."""
        return {
            "body": row.body,
            "kind": row.kind,
            "concepts": ", ".join(concept.name for concept in row.concepts.all()),
            "seen": state_of(row),
        }

    @property
    def said(self) -> Said:
        """What was entered. Only after `is_valid`."""
        given = self.cleaned_data
        return Said(given["body"], ObservationKind(given["kind"]), concepts.names_in(given["concepts"]))


class ObservationFilterForm(forms.Form):
    """The filter of the observations list, from the query string."""

    q = forms.CharField(required=False, max_length=500, label="Search")
    project = forms.ModelChoiceField(
        required=False,
        queryset=Project.objects.none(),
        to_field_name="uuid",
        label="Project",
        empty_label="All projects",
        widget=forms.Select(attrs={"class": "form-select"}),
    )
    kind = forms.ChoiceField(
        required=False,
        choices=[("", "All kinds"), *_KINDS],
        label="Kind",
        widget=forms.Select(attrs={"class": "form-select"}),
    )
    concept = forms.CharField(
        required=False,
        max_length=concepts.MAX_NAME,
        label="Concept",
        widget=forms.TextInput(attrs={"class": "form-control", "placeholder": "Concept", "list": "concept-names"}),
    )
    retracted = forms.ChoiceField(
        required=False,
        choices=[("", "Any sources"), ("yes", "On a retracted source")],
        label="Sources",
        widget=forms.Select(attrs={"class": "form-select"}),
    )

    def __init__(self, *args: Any, workspace_id: int, **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["project"]
        if isinstance(field, forms.ModelChoiceField):
            field.queryset = Project.objects.filter(workspace_id=workspace_id).order_by("name")

    @property
    def chosen(self) -> ObservationFilter:
        """How the list is narrowed. Only after `is_valid`."""
        given = self.cleaned_data
        return ObservationFilter(
            words=given["q"],
            project=given["project"].uuid if given["project"] else None,
            kind=given["kind"],
            concept=given["concept"].strip(),
            retracted=given["retracted"] == "yes",
        )


class LinkForm(forms.Form):
    """A source to link an observation to."""

    source = forms.UUIDField()
    relationship = forms.ChoiceField(choices=RELATIONSHIPS, initial=Relationship.CITED.value)


class ConceptForm(forms.Form):
    """A concept as people describe it; `seen` is what was there when the form was opened."""

    name = forms.CharField(max_length=concepts.MAX_NAME, label="Name")
    description = forms.CharField(
        required=False, max_length=20_000, label="Description", widget=forms.Textarea(attrs={"rows": 4})
    )
    identifier_type = forms.CharField(
        required=False, max_length=30, label="Identifier type", help_text="For example orcid, ror, fundref, doi."
    )
    identifier_value = forms.CharField(required=False, max_length=500, label="Identifier")
    seen = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput())

    @staticmethod
    def values_of(row: Concept) -> dict[str, Any]:
        """The row as initial values."""
        return {name: getattr(row, name) for name in _DESCRIBED} | {"seen": concepts.state_of(row)}

    @property
    def described(self) -> Described:
        """What was entered. Only after `is_valid`."""
        return Described(**{name: self.cleaned_data[name] for name in _DESCRIBED})


class ProjectConceptsForm(forms.Form):
    """Concepts that a project is about: names to add, and one to take away."""

    add = forms.CharField(required=False, max_length=5_000)
    remove = forms.CharField(required=False, max_length=concepts.MAX_NAME)


class ProjectOfConceptForm(forms.Form):
    """A project that is about a concept, or is so no longer."""

    project = forms.UUIDField()
    take_away = forms.BooleanField(required=False)


class IngestForm(forms.Form):
    """A document for a store, and what is said of it."""

    store = forms.CharField(
        max_length=200,
        label="Store",
        help_text="A new name makes a new store.",
        widget=forms.TextInput(attrs={"list": "store-names"}),
    )
    file = forms.FileField(label="File", help_text="A text, Markdown or code file, UTF-8, at most 10 MB.")
    path = forms.CharField(
        required=False,
        max_length=4_000,
        label="Path or address of the document",
        help_text="The document is known again by it. Left empty: the file's name.",
    )
    title = forms.CharField(
        required=False, max_length=1_000, label="Title", help_text="Left empty: the file's name without its ending."
    )
    doi = forms.CharField(
        required=False, max_length=2_000, label="DOI", help_text="It is written on every chunk of the document."
    )
    url = forms.CharField(required=False, max_length=8_000, label="URL of the source")
    version = forms.CharField(required=False, max_length=200, label="Version of the source")
    rights = forms.CharField(required=False, max_length=1_000, label="Rights", help_text="For example CC BY 4.0.")

    @property
    def about(self) -> About:
        """What was said of the document. Only after `is_valid`."""
        given = self.cleaned_data
        return About(given["title"], given["doi"], given["url"], given["version"], given["rights"])

    @property
    def document(self) -> tuple[str, bytes]:
        """The name it goes by, and its bytes. Only after `is_valid`."""
        upload: UploadedFile[bytes] = self.cleaned_data["file"]
        return self.cleaned_data["path"].strip() or upload.name or "file", upload.read()
