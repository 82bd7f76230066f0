from django.urls import include, path

from traces.views import otlp

urlpatterns = [
    path("accounts/", include("allauth.urls")),
    path("api/v1/", include("config.api")),
    # Where every OTLP exporter sends to, below whatever endpoint it was given.
    path("v1/traces", otlp.traces, name="otlp-traces"),
    path("v1/logs", otlp.logs, name="otlp-logs"),
    path("v1/metrics", otlp.metrics, name="otlp-metrics"),
    path("p/<slug:slug>/", include("traces.urls")),
    path("p/<slug:slug>/", include("attribution.urls")),
    path("", include("reviews.urls")),
]
