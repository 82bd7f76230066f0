from django.urls import path

from traces.views import documents, payloads, receipts, runs, uploads

app_name = "traces"
urlpatterns = [
    path("runs/", runs.run_list, name="run-list"),
    path("runs/upload/", uploads.upload, name="upload"),
    path("runs/<uuid:run_id>/payloads/<slug:sha256>/", payloads.payload, name="payload"),
    path("receipts/", receipts.receipt_list, name="receipt-list"),
    path("receipts/<int:receipt_id>/", receipts.receipt, name="receipt"),
    path("documents/<slug:sha256>/", documents.document, name="document"),
]
