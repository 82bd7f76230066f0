"""Raw documents, as they came."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404, HttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET

from traces import quarantine
from traces.access import ProjectRequest, member
from traces.models import Membership, Opinion, RawDocument, Role, Run

LABELLED = (
    "This file holds labels or expected answers beside the trace, or it may, because no run came"
    " of it. So that reviewers judge without them, only leads may open it."
)

REPLACED = (
    "A redacted copy has replaced this file, because it holds what the project withholds. Only"
    " leads may open it."
)


@require_GET
@member()
def document(request: ProjectRequest, sha256: str) -> HttpResponse:
    """The bytes, always as a file to keep: nothing in them may run in a browser."""
    try:
        found = RawDocument.objects.get(project=request.project, sha256=sha256)
    except RawDocument.DoesNotExist as error:
        raise Http404("No such document.") from error
    require_open(found, request.membership)
    return HttpResponse(
        bytes(found.content),
        content_type="application/octet-stream",
        headers={
            "Content-Disposition": content_disposition_header(
                as_attachment=True, filename=f"{found.sha256[:16]}.trace"
            ),
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "private, no-store",
        },
    )


def require_open(document: RawDocument, membership: Membership) -> None:
    """Raises PermissionDenied, with the reason, for a member who may not see these bytes."""
    if membership.may(Role.LEAD):
        return
    if holds_personal_data(document):
        raise quarantine.Restricted
    if not RawDocument.objects.filter(pk=document.pk).current().exists():
        raise PermissionDenied(REPLACED)
    if may_hold_labels(document):
        raise PermissionDenied(LABELLED)


def may_hold_labels(document: RawDocument) -> bool:
    """Whether anything speaks against showing it: it was not wholly read, or labels were."""
    if document.receipts.filter(refused_count__gt=0).exists():
        return True
    if document.labels.exists():
        return True
    found = runs_of(document)
    labelled = Exists(Opinion.objects.filter(run=OuterRef("pk"), label=None))
    return not found.exists() or found.filter(labelled | ~Q(withheld={})).exists()


def holds_personal_data(document: RawDocument) -> bool:
    """Whether any of its runs is set aside for that."""
    return runs_of(document).filter(quarantine.restricted()).exists()


def runs_of(document: RawDocument) -> QuerySet[Run]:
    """Runs made of these bytes, and those that some receipt of them found to be known."""
    named = document.receipts.values_list("made", "known")
    keys = {key for made, known in named for key in (*made, *known)}
    return Run.objects.filter(Q(document=document) | Q(pk__in=keys))
