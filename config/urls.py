from django.urls import include, path

urlpatterns = [
    path("accounts/", include("allauth.urls")),
    path("api/v1/", include("config.api")),
    path("p/<slug:slug>/", include("traces.urls")),
    path("p/<slug:slug>/", include("attribution.urls")),
    path("", include("reviews.urls")),
]
