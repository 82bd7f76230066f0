"""The REST routes, collected from the three apps. The words are those of the design."""

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

urlpatterns = [
    path("", include("traces.api.urls")),
    path("", include("reviews.api.urls")),
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
]
