app_name = "traces-api"
urlpatterns: list[object] = []
