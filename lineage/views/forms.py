"""Forms of lineage."""

from django import forms

from lineage.core.evidence import Fault, VerificationResult
from lineage.core.relations import EntityType, Label
from lineage.core.release import AUTHORITIES
from lineage.services.policies import Policy


class ReasonForm(forms.Form):
    """A deed that is kept with its reason."""

    reason = forms.CharField(max_length=2_000, label="Reason", widget=forms.Textarea(attrs={"rows": 3}))


class VerifyForm(forms.Form):
    """One look at a claim."""

    result = forms.ChoiceField(choices=[(one.value, one.value) for one in VerificationResult], label="Result")
    fault = forms.ChoiceField(
        choices=[("", "nothing"), *((one.value, one.value.replace("-", " ")) for one in Fault)],
        required=False,
        label="What went wrong",
        help_text="Needed where the claim fails.",
    )
    reason = forms.CharField(max_length=2_000, required=False, label="Note", widget=forms.Textarea(attrs={"rows": 2}))


class LowerForm(forms.Form):
    """A label to lower a node to."""

    to = forms.ChoiceField(choices=[(one.value, one.value) for one in Label], label="Lower it to")
    reason = forms.CharField(max_length=2_000, label="Reason", widget=forms.Textarea(attrs={"rows": 2}))


class RecallForm(forms.Form):
    """What made things that may be wrong: any of a transform, its version and a configuration."""

    transform = forms.CharField(max_length=40, required=False, label="Transform")
    version = forms.CharField(max_length=100, required=False, label="Version")
    config_hash = forms.CharField(max_length=64, required=False, label="Hash of the configuration")


class PolicyForm(forms.Form):
    """What holds for one type of node."""

    is_captured = forms.BooleanField(required=False, label="Captured")
    keeps_text = forms.BooleanField(required=False, label="Text of claims is kept")
    accepts_unpinned = forms.BooleanField(required=False, label="Refs without a version are stored as unresolved")
    retention_days = forms.IntegerField(required=False, label="Kept for days", help_text="Empty: for good.")
    least_authority = forms.ChoiceField(
        choices=[(one, one or "any") for one in ("", *(word for word in AUTHORITIES if word))],
        required=False,
        label="Least authority of evidence",
    )
    greatest_evidence_age_days = forms.IntegerField(
        required=False, label="Greatest age of evidence in days", help_text="Empty: any."
    )

    @property
    def policy(self) -> Policy:
        """The policy that the filled form says."""
        return Policy(**{name: self.cleaned_data[name] for name in Policy.__dataclass_fields__})


class RelayForm(forms.Form):
    """Another lineage service that is told of ours."""

    name = forms.CharField(max_length=100, label="Name")
    url = forms.CharField(max_length=2_000, label="Address", help_text="Where it takes lineage events.")
    token = forms.CharField(
        max_length=500,
        required=False,
        label="Token",
        help_text="Kept encrypted and not shown again.",
        widget=forms.PasswordInput,
    )


TYPES = [(one.value, one.value) for one in EntityType]
