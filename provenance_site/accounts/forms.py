"""Forms of the account pages."""

from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.validators import UnicodeUsernameValidator

from provenance_site.accounts.models import User
from provenance_site.accounts.roles import Clearance, Role

_CLEARANCES = [(clearance.value, clearance.value) for clearance in Clearance]
TOKEN_DAYS = ((30, "30 days"), (90, "90 days"), (366, "a year"))


class SignInForm(AuthenticationForm):
    """User name and password. One message for an unknown name, a wrong password and an inactive person."""

    error_messages = {
        "invalid_login": "User name and password do not match. Both are case-sensitive; check the caps lock key.",
        "inactive": "User name and password do not match. Both are case-sensitive; check the caps lock key.",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Django names the first field after the model's; here it is called what the other pages call it."""
        super().__init__(*args, **kwargs)
        self.fields["username"].label = "User name"


class NewPasswordForm(PasswordChangeForm):
    """A person's own new password, with the old one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Says the rules in one line: Django's list does not fit where a field's help stands."""
        super().__init__(*args, **kwargs)
        self.fields["new_password1"].help_text = "At least 10 characters; not your own name, not a common password."
        self.fields["new_password2"].label = "New password again"
        self.fields["new_password2"].help_text = ""


class TokenForm(forms.Form):
    """A new API token."""

    name = forms.CharField(max_length=100, help_text="What will use it, so that you know which one to revoke later.")
    days = forms.TypedChoiceField(label="Valid for", choices=TOKEN_DAYS, coerce=int, initial=90)


class AddPersonForm(forms.Form):
    """A person to be added to the workspace."""

    username = forms.CharField(
        label="User name",
        max_length=150,
        validators=[UnicodeUsernameValidator()],
        help_text="Of someone who can sign in here already, or a new one: letters, digits and @ . + - _",
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )
    role = forms.ChoiceField(choices=[(role.value, role.value) for role in Role], initial=Role.READER)
    clearance = forms.ChoiceField(
        label="Reads up to", choices=_CLEARANCES, initial=Clearance.RESTRICTED, required=False
    )

    def clean_username(self) -> str:
        """The name in the form in which users are stored (NFKC)."""
        return str(User.normalize_username(self.cleaned_data["username"]))

    def clean_role(self) -> Role:
        """The role as the enum."""
        return Role(self.cleaned_data["role"])

    def clean_clearance(self) -> Clearance:
        """The clearance as the enum; everything where nothing is chosen."""
        return Clearance(self.cleaned_data["clearance"] or Clearance.RESTRICTED)


class RoleForm(forms.Form):
    """A member's new role, and up to which label they read."""

    role = forms.ChoiceField(
        choices=[(role.value, role.value) for role in Role], widget=forms.Select(attrs={"class": "form-select w-auto"})
    )
    clearance = forms.ChoiceField(
        choices=_CLEARANCES, required=False, widget=forms.Select(attrs={"class": "form-select w-auto"})
    )

    def __init__(self, *args: Any, member: str = "", **kwargs: Any) -> None:
        """`member` is said to screen readers: a page has one such field for each person."""
        super().__init__(*args, **kwargs)
        self.fields["role"].label = f"Role of {member}" if member else "Role"
        self.fields["clearance"].label = f"{member} reads up to" if member else "Reads up to"

    def clean_role(self) -> Role:
        """The role as the enum."""
        return Role(self.cleaned_data["role"])

    def clean_clearance(self) -> Clearance | None:
        """The clearance as the enum; None leaves it as it is."""
        told = self.cleaned_data["clearance"]
        return Clearance(told) if told else None
