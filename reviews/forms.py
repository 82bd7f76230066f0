"""Forms parse what people write; they never save."""

from __future__ import annotations

from django import forms

from reviews.models import Claim
from traces.models import SCOPES, Role


class Words(forms.CharField):
    """Longer text. Browsers send its line ends as CR LF; they are kept as LF."""

    widget = forms.Textarea

    def to_python(self, value: object) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")


class DeclineForm(forms.Form):
    reason = Words(
        label="Why do you decline?",
        help_text="For example a conflict of interest, or a trace that cannot be read.",
    )


class RevisionForm(forms.Form):
    revision_reason = Words(label="What did you change from the candidate, and why?")


class UnresolvedForm(forms.Form):
    unresolved_reason = forms.ChoiceField(
        choices=Claim.UnresolvedReason, widget=forms.RadioSelect, label="Why can it not be decided?"
    )
    missing_observation = Words(
        label="Which observation would have separated the explanations?",
        help_text="Name it so that somebody could record it next time.",
    )


class VerdictForm(forms.Form):
    """`adopted` is a claim's id, or empty for unresolved; `seen` the claims on the page."""

    adopted = forms.IntegerField(required=False)
    reason = Words(label="Reason, for the record")
    missing_observation = Words(
        required=False,
        label="If unresolved: which observation would settle it?",
    )


class MemberForm(forms.Form):
    username = forms.CharField(max_length=150, label="User name or e-mail")
    role = forms.ChoiceField(choices=Role)


class ApiKeyForm(forms.Form):
    name = forms.CharField(max_length=80)
    scopes = forms.MultipleChoiceField(
        choices=[(scope, scope) for scope in SCOPES], widget=forms.CheckboxSelectMultiple
    )
