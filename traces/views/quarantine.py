"""The ledger of runs that are set aside, or proposed to be, and a lead's decisions about them."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import CharField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Concat, JSONObject
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from traces import quarantine, withholding
from traces.access import ProjectRequest, member
from traces.models import AuditEntry, Project, Quarantine, Role, Run

ON_PAGE = 50
# Proposals that the page shows at once; deciding on some brings up the next.
PROPOSALS = 20
# Counting further would cost more than the page; the page says that there are more.
COUNTED = 1_000
DECIDED = [status for status in Quarantine.Status.choices if status[0] != "proposed"]
FILTERS = ("status", "reason")


@require_GET
@member()
def ledger(request: ProjectRequest) -> HttpResponse:
    """Proposals first, then every decision there ever was, the newest entry first."""
    rows = Quarantine.objects.filter(run__project=request.project)
    proposed = rows.filter(status=Quarantine.Status.PROPOSED)
    decided = filtered(rows.exclude(status=Quarantine.Status.PROPOSED), request)
    place = whole_number(request.GET.get("past", ""))
    # In the order of the key, which is an index: no other serves a whole project.
    newest = with_people(decided).order_by("-pk")
    shown = list((newest.filter(pk__lt=place) if place else newest)[: ON_PAGE + 1])
    before = whole_number(request.GET.get("before", ""))
    context = {
        "rows": shown[:ON_PAGE],
        "first": before + 1,
        "last": before + len(shown[:ON_PAGE]),
        "count": decided[: COUNTED + 1].count(),
        "counted": COUNTED,
        "older": shown[ON_PAGE - 1].pk if len(shown) > ON_PAGE else "",
        "proposals": proposed.select_related("run").order_by("pk")[:PROPOSALS],
        "filters": {name: request.GET.get(name, "") for name in FILTERS},
        "statuses": DECIDED,
        "reasons": Quarantine.Reason.choices,
    }
    return render(request, "traces/quarantine.html", context)


class SetAsideForm(forms.Form):
    """Parses what a lead says about a run; the gate checks it."""

    reason = forms.ChoiceField(choices=[("", "choose one"), *Quarantine.Reason.choices])
    note = forms.CharField(
        required=False,
        max_length=4_000,
        widget=forms.Textarea,
        help_text="What shows it: steps, log lines, a ticket. Everybody in the project reads this.",
    )
    owner = forms.ModelChoiceField(
        User.objects.none(), required=False, label="Who answers for it", empty_label=None
    )
    replacement = forms.CharField(
        required=False,
        max_length=200,
        label="Replaced by",
        help_text="The name or the id of a run of this project, if it was run again.",
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.project = project
        leads = User.objects.filter(memberships__project=project, memberships__role=Role.LEAD)
        self.fields["owner"].queryset = leads.order_by("username")  # type: ignore[attr-defined]

    def clean_note(self) -> str:
        """Browsers send line ends as CR LF; they are kept as LF."""
        note = str(self.cleaned_data["note"]).replace("\r\n", "\n")
        return without_withheld(self.project, note)

    def clean_replacement(self) -> Run | None:
        given = self.cleaned_data["replacement"].strip()
        if not given:
            return None
        runs = Run.objects.filter(project=self.project)
        found = list(runs.filter(Q(pk=id_in(given)) | Q(external_id=given))[:2])
        if not found:
            raise forms.ValidationError("No run of this project has this name or id.")
        if len(found) > 1:
            raise forms.ValidationError("Several runs have this name: give the id of one.")
        return found[0]


@require_http_methods(["GET", "POST"])
@member(Role.LEAD)
def set_aside(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    run, here = run_or_404(request, run_id), (request.project.slug, run_id)
    proposal = run.quarantines.filter(status=Quarantine.Status.PROPOSED).first()
    first: dict[str, object] = {"owner": request.user.pk}
    if proposal:
        first |= {"reason": proposal.reason, "note": proposal.note}
    given = request.POST if request.method == "POST" else None
    form = SetAsideForm(given, initial=first, project=request.project)
    if form.is_valid():
        try:
            quarantine.set_aside(run=run, by=request.user, at=timezone.now(), **form.cleaned_data)
            messages.success(request, f"{run} is set aside.")
            return back(request, otherwise=reverse("attribution:run", args=here))
        except quarantine.Refused as error:
            form.add_error(None, str(error))
    context = {"run": run, "form": form, "proposal": proposal, "back": request.GET.get("back", "")}
    return render(request, "traces/set_aside.html", context)


@require_POST
@member(Role.LEAD)
def lift(request: ProjectRequest, quarantine_id: int) -> HttpResponse:
    row, why, at = decision(request, quarantine_id)
    if why:
        try:
            quarantine.lift(quarantine=row, why=why, by=request.user, at=at)
            messages.success(request, f"{row.run} counts again.")
        except quarantine.Refused as error:
            messages.error(request, str(error))
    return back(request)


@require_POST
@member(Role.LEAD)
def dismiss(request: ProjectRequest, quarantine_id: int) -> HttpResponse:
    row, why, at = decision(request, quarantine_id)
    if why:
        try:
            quarantine.dismiss(quarantine=row, why=why, by=request.user, at=at)
            messages.success(request, f"The proposal is dismissed: {row.run} stays in.")
        except quarantine.Refused as error:
            messages.error(request, str(error))
    return back(request)


def decision(request: ProjectRequest, quarantine_id: int) -> tuple[Quarantine, str, datetime]:
    """The row that is decided about, the reason that was written, and now."""
    rows = Quarantine.objects.filter(run__project=request.project).select_related("run__project")
    row = rows.filter(pk=quarantine_id).first()
    if row is None:
        raise Http404("No such entry.")
    why = without_withheld(request.project, cleaned(request.POST.get("why", "")).strip())
    if not why:
        messages.error(request, "Say why: the reason stays in the ledger.")
    return row, why, timezone.now()


def run_or_404(request: ProjectRequest, run_id: UUID) -> Run:
    run = Run.objects.select_related("project").filter(project=request.project, pk=run_id).first()
    if run is None:
        raise Http404("No such run.")
    return run


def filtered(rows: QuerySet[Quarantine], request: ProjectRequest) -> QuerySet[Quarantine]:
    status, reason = (request.GET.get(name, "") for name in FILTERS)
    if status in dict(DECIDED):
        rows = rows.filter(status=status)
    if reason in Quarantine.Reason.values:
        rows = rows.filter(reason=reason)
    return rows


def with_people(rows: QuerySet[Quarantine]) -> QuerySet[Quarantine]:
    """With those who have a part in each, and `decider`: who set the run aside, by the audit."""
    decisions = AuditEntry.objects.filter(
        project=OuterRef("run__project"),
        subject=Concat(Value("run:"), Cast(OuterRef("run_id"), CharField())),
        action="quarantine.set_aside",
        data__contains=JSONObject(quarantine=OuterRef("pk")),
    )
    decider = Subquery(decisions.order_by("-number").values("actor__username")[:1])
    people = rows.select_related("run", "owner", "replacement", "lifted_by")
    return people.annotate(decider=decider)


def back(request: ProjectRequest, *, otherwise: str = "") -> HttpResponse:
    """To the page the form was on, if it is one of this site; else there, or to the ledger."""
    address = request.POST.get("back", "")
    if address.startswith("/") and url_has_allowed_host_and_scheme(address, allowed_hosts=None):
        return redirect(address)
    return redirect(otherwise or reverse("traces:quarantine", args=[request.project.slug]))


def without_withheld(project: Project, text: str) -> str:
    """What leads write passes the project's policy, as traces do."""
    return withholding.name_at_the_door(project=project, name=text, at=timezone.now())


def id_in(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def whole_number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


def cleaned(text: str) -> str:
    """Without NUL, which no database holds."""
    return text.replace("\x00", "")
