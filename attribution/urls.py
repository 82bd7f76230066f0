from django.urls import path

from attribution.views import run, values

app_name = "attribution"
urlpatterns = [
    path("runs/<uuid:run_id>/", run.run, name="run"),
    path("runs/<uuid:run_id>/rows/", run.rows, name="rows"),
    path("runs/<uuid:run_id>/compare/", run.compare, name="compare"),
    path("runs/<uuid:run_id>/values/", values.appearances, name="values"),
]
