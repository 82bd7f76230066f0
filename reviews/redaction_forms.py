"""The form of a redaction policy: a row for each rule, parsed into the rules of a policy."""

from __future__ import annotations

from typing import Any

from django import forms

from reviews.forms import Words
from traces.models import Action, Role
from traces.redaction.detectors import DETECTORS

MOST_RULES = 100
# For a project without a policy: what hardly anybody wants in a trace, and nobody needs to judge.
SUGGESTED: list[dict[str, Any]] = [
    {"name": "Tokens", "detector": "api_keys", "action": "redact"},
    {"name": "Web tokens", "detector": "jwt", "action": "redact"},
    {"name": "Credentials", "detector": "credentials", "action": "redact"},
    {"name": "Private keys", "detector": "private_keys", "action": "redact"},
    {"name": "Card numbers", "detector": "cards", "action": "redact"},
    {"name": "Addresses", "detector": "emails", "action": "encrypt"},
    {
        "name": "Passwords",
        "fields": ["**/password", "**/passwd", "**/secret"],
        "action": "redact",
        "type": "PASSWORD",
    },
]


class RuleForm(forms.Form):
    name = forms.CharField(max_length=80, required=False)
    detector = forms.ChoiceField(
        required=False,
        choices=[("", "the whole field"), *((d.name, d.title) for d in DETECTORS.values())],
        label="Takes",
    )
    fields_ = Words(
        required=False,
        label="In these fields",
        widget=forms.Textarea(attrs={"rows": 2, "placeholder": "everywhere"}),
    )
    action = forms.ChoiceField(choices=Action)
    role = forms.ChoiceField(
        choices=[("", "—"), *Role.choices], required=False, label="Restricted to"
    )
    type = forms.CharField(
        required=False, max_length=29, widget=forms.TextInput(attrs={"placeholder": "by itself"})
    )

    def says_something(self) -> bool:
        """Whether the row was filled in and is to stay: its action is always set to something."""
        given = self.cleaned_data
        filled = given.get("name") or given.get("detector") or given.get("fields_")
        return bool(filled) and not given.get("DELETE")

    def rule(self) -> dict[str, Any]:
        """The rule as the policy keeps it: what was left empty is not there."""
        given = dict(self.cleaned_data)
        fields = [line.strip() for line in given.pop("fields_").splitlines() if line.strip()]
        given.pop("DELETE", None)
        given.pop("ORDER", None)
        return {name: value for name, value in (given | {"fields": fields}).items() if value}


RuleFormSet = forms.formset_factory(
    RuleForm, extra=2, can_delete=True, max_num=MOST_RULES, validate_max=True
)


def formset_of(rules: list[dict[str, Any]] | None) -> Any:
    """The rows of a policy, or of the suggestion where there is none yet."""
    initial = [
        {**rule, "fields_": "\n".join(rule.get("fields", []))}
        for rule in (SUGGESTED if rules is None else rules)
    ]
    return RuleFormSet(initial=initial, prefix="rule")


def rules_from(formset: Any) -> list[dict[str, Any]]:
    """The rules of a valid formset, without rows that are empty or were taken out."""
    return [form.rule() for form in formset.forms if form.says_something()]
