app_name = "attribution"
urlpatterns: list[object] = []
