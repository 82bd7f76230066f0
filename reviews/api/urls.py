from django.urls import re_path

from reviews.api.cases import Cases
from reviews.api.verdicts import ExportedVerdicts, OnePostmortem, Verdicts

app_name = "reviews-api"
POSTMORTEM = r"^postmortems/(?P<postmortem_id>[0-9]{1,18})/?$"
# With and without the slash, as for runs.
urlpatterns = [
    re_path(r"^cases/?$", Cases.as_view(), name="cases"),
    re_path(r"^verdicts/?$", Verdicts.as_view(), name="verdicts"),
    re_path(POSTMORTEM, OnePostmortem.as_view(), name="postmortem"),
    re_path(r"^exports/verdicts\.jsonl/?$", ExportedVerdicts.as_view(), name="export-verdicts"),
]
