from django.urls import re_path

from traces.api import schema  # noqa: F401 - registers itself
from traces.api.failures import Failures
from traces.api.payloads import OnePayload
from traces.api.quarantine import Ledger
from traces.api.raw_records import RawRecords
from traces.api.receipts import OneReceipt, Receipts
from traces.api.relations import OfRun
from traces.api.runs import OneRun, Runs, Steps

app_name = "traces-api"
RUN = r"^runs/(?P<run_id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
# With and without the slash: a redirect would lose a POST's body.
urlpatterns = [
    re_path(r"^runs/?$", Runs.as_view(), name="runs"),
    re_path(rf"{RUN}/?$", OneRun.as_view(), name="run"),
    re_path(rf"{RUN}/failures/?$", Failures.as_view(), name="failures"),
    re_path(rf"{RUN}/relations/?$", OfRun.as_view(), name="relations"),
    re_path(rf"{RUN}/steps/?$", Steps.as_view(), name="steps"),
    re_path(rf"{RUN}/raw-records/?$", RawRecords.as_view(), name="raw-records"),
    re_path(rf"{RUN}/payloads/(?P<digest>[0-9a-f]{{64}})/?$", OnePayload.as_view(), name="payload"),
    re_path(r"^receipts/?$", Receipts.as_view(), name="receipts"),
    re_path(r"^receipts/(?P<receipt_id>[0-9]{1,18})/?$", OneReceipt.as_view(), name="receipt"),
    re_path(r"^quarantine/?$", Ledger.as_view(), name="quarantine"),
]
