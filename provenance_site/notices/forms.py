"""What a person chooses about notices, as forms."""

from django import forms

from provenance_site.notices.paces import Pace


class MailForm(forms.Form):
    """How often there is mail."""

    pace = forms.ChoiceField(choices=[(pace.value, pace.label) for pace in Pace], label="Notices by mail")


class FeedForm(forms.Form):
    """A new feed address."""

    name = forms.CharField(max_length=100, label="For which reader", help_text="So that you know it when you end it.")


class WebhookForm(forms.Form):
    """Where a webhook is told."""

    url = forms.CharField(max_length=2_000, label="Address", help_text="With https://. It is sent signed JSON by POST.")
