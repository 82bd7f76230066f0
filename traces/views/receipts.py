"""What became of documents that were received."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from traces import rereading
from traces.access import ProjectRequest, member
from traces.models import Receipt, Role
from traces.moments import moment_in
from traces.receipts import accounts_of

ON_PAGE = 50
# Filters of the list, with the words for what each may be.
FILTERS = {"status": Receipt.Status, "via": Receipt.Via}


@require_GET
@member()
def receipt_list(request: ProjectRequest) -> HttpResponse:
    """All receipts of the project, or those of one upload: they have their time in common."""
    receipts = Receipt.objects.filter(project=request.project)
    at = moment_in(request.GET.get("at", ""))
    if at:
        receipts = receipts.filter(received_at=at)
    chosen = chosen_in(request)
    ordered = of_documents(receipts.filter(**chosen)).order_by("-received_at", "pk")
    page = Paginator(ordered, ON_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "accounts": accounts_of(page.object_list),
        "at": at,
        "chosen": chosen,
        "filters": [(name, choices.choices) for name, choices in FILTERS.items()],
    }
    return render(request, "traces/receipts.html", context)


def chosen_in(request: ProjectRequest) -> dict[str, str]:
    """The filters of an address; a value that no receipt can have is none."""
    given = {name: request.GET.get(name, "") for name in FILTERS}
    return {name: value for name, value in given.items() if value in FILTERS[name].values}


@require_GET
@member()
def receipt(request: ProjectRequest, receipt_id: int) -> HttpResponse:
    """One receipt. While its document is still to be read, the page asks again by itself."""
    try:
        receipts = of_documents(Receipt.objects.filter(project=request.project))
        account = accounts_of([receipts.get(pk=receipt_id)])[0]
    except Receipt.DoesNotExist as error:
        raise Http404("No such receipt.") from error
    may_read = request.membership.may(Role.REVIEWER)
    offer = rereading.offered(account.receipt) if may_read else rereading.NOTHING
    context = {"account": account, "receipt": account.receipt, "offer": offer}
    return render(request, "traces/receipt.html", context)


def of_documents(receipts: QuerySet[Receipt]) -> QuerySet[Receipt]:
    """Receipts with what stands around them, but for the bytes."""
    return receipts.select_related("document", "received_by").defer("document__content")
