from django.urls import path

from attribution.views import run

app_name = "attribution"
urlpatterns = [
    path("runs/<uuid:run_id>/", run.run, name="run"),
]
