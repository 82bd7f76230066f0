app_name = "reviews-api"
urlpatterns: list[object] = []
