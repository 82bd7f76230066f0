"""What became of documents that were received."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Count
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from traces import gaps, rereading
from traces.access import ProjectRequest, member
from traces.models import Gap, Receipt, Role
from traces.moments import moment_in
from traces.receipts import Account, accounts_of

ON_PAGE = 50


@require_GET
@member()
def receipt_list(request: ProjectRequest) -> HttpResponse:
    """All receipts of the project, or those of one upload: they have their time in common."""
    receipts = Receipt.objects.filter(project=request.project)
    at = moment_in(request.GET.get("at", ""))
    if at:
        receipts = receipts.filter(received_at=at)
    ordered = receipts.select_related("received_by").order_by("-received_at", "pk")
    page = Paginator(ordered, ON_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "accounts": accounts_of(page.object_list), "at": at}
    return render(request, "traces/receipts.html", context)


@require_GET
@member()
def receipt(request: ProjectRequest, receipt_id: int) -> HttpResponse:
    receipts = Receipt.objects.select_related("document", "received_by").defer("document__content")
    try:
        account = accounts_of([receipts.get(project=request.project, pk=receipt_id)])[0]
    except Receipt.DoesNotExist as error:
        raise Http404("No such receipt.") from error
    may_read = request.membership.may(Role.REVIEWER)
    context = {
        "account": account,
        "receipt": account.receipt,
        "kinds": list(kinds_of(account)),
        "formats": rereading.offered(account.receipt) if may_read else [],
    }
    return render(request, "traces/receipt.html", context)


def kinds_of(account: Account) -> Iterable[dict[str, Any]]:
    """The kinds of gaps in the receipt's runs with their numbers, commonest first."""
    found = Gap.objects.filter(run__in=[run.id for run in account.runs])
    counted = found.values_list("kind").annotate(count=Count("pk")).order_by("-count", "kind")
    for name, count in counted:
        yield {"name": name, "count": count, "kind": gaps.KINDS.get(name)}
