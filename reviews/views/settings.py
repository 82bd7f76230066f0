"""Members, policy, contracts and API keys of a project."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Q
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviews.forms import ApiKeyForm, MemberForm
from reviews.models import Policy
from traces import keys, members
from traces.access import ProjectRequest, member
from traces.models import ApiKey, Role


@require_GET
@member()
def settings(request: ProjectRequest) -> HttpResponse:
    return render(request, "reviews/settings.html", _context(request, ApiKeyForm()))


@require_POST
@member(Role.LEAD)
def set_role(request: ProjectRequest) -> HttpResponse:
    """Add somebody who has an account, or change a member's role."""
    form = MemberForm(request.POST)
    if form.is_valid():
        name, role = form.cleaned_data["username"], Role(form.cleaned_data["role"])
        user = User.objects.filter(Q(username=name) | Q(email__iexact=name)).first()
        if user is None:
            messages.error(request, f"Nobody has the account {name}. The site's staff makes it.")
        else:
            _try(request, members.set_role, user=user, role=role)
    return redirect("reviews:settings", request.project.slug)


@require_POST
@member(Role.LEAD)
def remove_member(request: ProjectRequest, user_id: int) -> HttpResponse:
    found = request.project.memberships.select_related("user").filter(user_id=user_id).first()
    if found is None:
        raise Http404("No such member.")
    _try(request, members.remove, user=found.user)
    return redirect("reviews:settings", request.project.slug)


@require_POST
@member(Role.LEAD)
def create_api_key(request: ProjectRequest) -> HttpResponse:
    """Make a key and show its text once, in the answer itself; it is stored nowhere."""
    form = ApiKeyForm(request.POST)
    context = _context(request, form)
    if form.is_valid():
        context["form"] = ApiKeyForm()
        _, context["new_key"] = keys.create(
            project=request.project, by=request.user, at=timezone.now(), **form.cleaned_data
        )
    return render(request, "reviews/settings.html", context)


@require_POST
@member(Role.LEAD)
def revoke_api_key(request: ProjectRequest, key_id: int) -> HttpResponse:
    try:
        key = ApiKey.objects.live().get(project=request.project, pk=key_id)
    except ApiKey.DoesNotExist as error:
        raise Http404("No such key.") from error
    keys.revoke(key=key, by=request.user, at=timezone.now())
    messages.success(request, f"The key {key.name} is revoked.")
    return redirect("reviews:settings", request.project.slug)


def _try(request: ProjectRequest, verb: Callable[..., object], **given: object) -> None:
    try:
        verb(project=request.project, by=request.user, at=timezone.now(), **given)
        messages.success(request, "The members are changed.")
    except (members.LastLead, members.OwnRole) as error:
        messages.error(request, str(error))


def _context(request: ProjectRequest, form: ApiKeyForm) -> dict[str, object]:
    project = request.project
    return {
        "members": project.memberships.select_related("user").order_by("role", "user__username"),
        "policy": Policy.objects.in_force(project) if project.policies.exists() else None,
        "contracts": project.contracts.order_by("component", "key"),
        "keys": project.api_keys.live().select_related("created_by").order_by("-created_at"),
        "form": form,
        "member_form": MemberForm(),
    }
