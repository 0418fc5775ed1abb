"""A search provider's key or address as people put it in; the rules live in `core.providers`."""

from typing import Any

from django import forms

from validation.core.providers import MOST_CHARACTERS, Provider

_QUIET = {"spellcheck": "false", "autocapitalize": "none", "class": "font-monospace"}


class SecretForm(forms.Form):
    """One line. What was entered as a key is never put into a page again, not even beside its error."""

    secret = forms.CharField(max_length=MOST_CHARACTERS)

    def __init__(self, provider: Provider, data: Any = None) -> None:
        super().__init__(data)
        field = self.fields["secret"]
        field.label = provider.noun.capitalize()
        field.error_messages["required"] = f"Enter the {provider.noun}, or go back."
        if provider is Provider.SEARXNG:
            field.widget = forms.TextInput(
                attrs={**_QUIET, "inputmode": "url", "autocomplete": "off", "maxlength": str(MOST_CHARACTERS)}
            )
            field.help_text = "Its start page, such as https://searx.example.org/. It must answer in JSON."
        else:
            # Not "off": browsers would offer to keep a password.
            field.widget = forms.PasswordInput(
                attrs={**_QUIET, "autocomplete": "new-password", "maxlength": str(MOST_CHARACTERS)}
            )
            field.help_text = f"As your account at {provider.label} shows it. It is sent to {provider.label} alone."
