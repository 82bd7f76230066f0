from django.urls import path

from reviews.api.cases import Cases
from reviews.api.verdicts import ExportedVerdicts, OnePostmortem, Verdicts

app_name = "reviews-api"
urlpatterns = [
    path("cases", Cases.as_view(), name="cases"),
    path("verdicts", Verdicts.as_view(), name="verdicts"),
    path("postmortems/<int:postmortem_id>", OnePostmortem.as_view(), name="postmortem"),
    path("exports/verdicts.jsonl", ExportedVerdicts.as_view(), name="export-verdicts"),
]
