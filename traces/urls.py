from django.urls import path

from traces.views import (
    documents,
    failures,
    payloads,
    quarantine,
    raw_records,
    receipts,
    record,
    rereading,
    runs,
    states,
    steps,
    uploads,
    withheld,
)

app_name = "traces"
urlpatterns = [
    path("runs/", runs.run_list, name="run-list"),
    path("runs/upload/", uploads.upload, name="upload"),
    path("runs/<uuid:run_id>/set-aside/", quarantine.set_aside, name="set-aside"),
    path("quarantine/", quarantine.ledger, name="quarantine"),
    path("quarantine/<int:quarantine_id>/lift/", quarantine.lift, name="lift-quarantine"),
    path("quarantine/<int:quarantine_id>/dismiss/", quarantine.dismiss, name="dismiss-quarantine"),
    path("runs/<uuid:run_id>/record/", record.record, name="run-record"),
    path("runs/<uuid:run_id>/record/gaps/", record.gaps_of_kind, name="run-gaps"),
    path("runs/<uuid:run_id>/record/raw/", raw_records.raw_records, name="run-raw-records"),
    path("runs/<uuid:run_id>/raw/", raw_records.raw_record, name="run-raw-record"),
    path("runs/<uuid:run_id>/states/", states.states, name="run-states"),
    path("runs/<uuid:run_id>/steps/<int:number>/", steps.step, name="run-step"),
    path("runs/<uuid:run_id>/failures/add/", failures.add_failure, name="add-failure"),
    path("runs/<uuid:run_id>/payloads/<slug:digest>/", payloads.payload, name="payload"),
    path("runs/<uuid:run_id>/payloads/<slug:digest>/picture/", payloads.picture, name="picture"),
    path("receipts/", receipts.receipt_list, name="receipt-list"),
    path("receipts/<int:receipt_id>/", receipts.receipt, name="receipt"),
    path("receipts/<int:receipt_id>/read-as/", rereading.read_as, name="read-as"),
    path("withheld/<slug:placeholder>/", withheld.withheld, name="withheld"),
    path("documents/<slug:sha256>/", documents.document, name="document"),
]
