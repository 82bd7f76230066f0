"""Members, policy, contracts and API keys of a project."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviews.forms import ApiKeyForm
from reviews.models import Policy
from traces import keys
from traces.access import ProjectRequest, member
from traces.models import ApiKey, Role


@require_GET
@member()
def settings(request: ProjectRequest) -> HttpResponse:
    return render(request, "reviews/settings.html", _context(request, ApiKeyForm()))


@require_POST
@member(Role.LEAD)
def create_api_key(request: ProjectRequest) -> HttpResponse:
    """Make a key and show its text once, in the answer itself; it is stored nowhere."""
    form = ApiKeyForm(request.POST)
    context = _context(request, form)
    if form.is_valid():
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


def _context(request: ProjectRequest, form: ApiKeyForm) -> dict[str, object]:
    project = request.project
    return {
        "members": project.memberships.select_related("user").order_by("role", "user__username"),
        "policy": Policy.objects.in_force(project) if project.policies.exists() else None,
        "contracts": project.contracts.order_by("component", "key"),
        "keys": project.api_keys.live().select_related("created_by").order_by("-created_at"),
        "form": form,
    }
