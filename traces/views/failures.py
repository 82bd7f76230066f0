"""Adding a failure to a run, for who sees that it failed where the record does not say so."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.views.decorators.http import require_http_methods

from traces import failing, models, quarantine
from traces.access import ProjectRequest, member
from traces.models import Role, Run
from traces.transcript import Failure
from traces.views.runs import whole_number


def text(label: str, name: str, help_text: str, *, rows: int = 2) -> forms.CharField:
    """A field for one text of a failure, as long as the gate lets it be."""
    return forms.CharField(
        required=name == "statement",
        max_length=failing.LONGEST[name],
        label=label,
        help_text=help_text,
        widget=forms.Textarea(attrs={"rows": rows}) if rows > 1 else forms.TextInput(),
    )


class FailureForm(forms.Form):
    """Parses what somebody says about a failure; the gate checks it."""

    statement = text("What failed", "statement", "One sentence that somebody else can check.")
    expected = text("Expected", "expected", "What should have been there, in checkable terms.")
    observed = text("Observed", "observed", "What was there instead.")
    check = text(
        "By which check", "check", "The test, command or rule that tells them apart.", rows=1
    )
    exposed_by = forms.IntegerField(
        required=False,
        min_value=0,
        label="Exposing step",
        help_text="The number of the step at which it showed; empty if none did.",
    )
    consequence = forms.ChoiceField(
        required=False,
        choices=[("", "not said"), *((c, c.replace("_", " ")) for c in failing.CONSEQUENCES)],
        help_text="What hangs on the verdict. It ranks the case.",
    )

    def failure(self) -> Failure:
        # Browsers send line ends as CR LF; they are kept as LF.
        texts = {n: self.cleaned_data[n].replace("\r\n", "\n") for n in failing.LONGEST}
        step, consequence = self.cleaned_data["exposed_by"], self.cleaned_data["consequence"]
        return Failure(key="", exposed_by=step, consequence=consequence, **texts)


@require_http_methods(["GET", "POST"])
@member(Role.REVIEWER)
def add_failure(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    """The form, with nothing judged beforehand; or the failure added, and back to the run."""
    run, first = run_or_404(request, run_id), None
    posted = request.POST if request.method == "POST" else None
    form = FailureForm(posted, initial={"exposed_by": step_of(request, run)})
    if form.is_valid():
        try:
            return added(request, run, form.failure())
        except failing.Refused as error:
            first = getattr(error, "first", None)
            form.add_error(None, str(error))
    exclusion = quarantine.standing(run)
    context = {"run": run, "form": form, "first": first, "exclusion": exclusion}
    return render(request, "traces/add_failure.html", context)


def added(request: ProjectRequest, run: Run, failure: Failure) -> HttpResponse:
    origin = models.Failure.Origin.PERSON
    failing.add_failure(run=run, failure=failure, by=request.user, origin=origin, at=timezone.now())
    work_list = reverse("reviews:work-list", args=[request.project.slug])
    words = 'The failure is added. Its case is on the <a href="{}">work list</a>.'
    messages.success(request, format_html(words, work_list))
    page = reverse("attribution:run", args=[request.project.slug, run.pk])
    return redirect(f"{page}#failures")


def step_of(request: ProjectRequest, run: Run) -> int | None:
    """The step in the address, if the run has it."""
    given = request.GET.get("step", "")
    number = whole_number(given)
    return number if str(number) == given and number < run.step_count else None


def run_or_404(request: ProjectRequest, run_id: UUID) -> Run:
    """The run, if this member may read it: see `traces.quarantine`."""
    run = Run.objects.select_related("project").filter(project=request.project, pk=run_id).first()
    if run is None:
        raise Http404("No such run.")
    quarantine.require_readable(run, request.membership)
    return run
