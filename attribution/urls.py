from django.urls import path

from attribution.views import choices, explanations, find, keys, pairing, part, reach, run, values

app_name = "attribution"
urlpatterns = [
    path("runs/<uuid:run_id>/", run.run, name="run"),
    path("runs/<uuid:run_id>/rows/", run.rows, name="rows"),
    path("runs/<uuid:run_id>/beside/", run.beside, name="pane"),
    path("runs/<uuid:run_id>/choices/", choices.choices, name="choices"),
    path("runs/<uuid:run_id>/compare/", run.compare, name="compare"),
    path("runs/<uuid:run_id>/steps/<int:number>/parts/<int:position>/", part.part, name="part"),
    path(
        "runs/<uuid:run_id>/steps/<int:number>/parts/<int:position>/text/",
        part.text,
        name="part-text",
    ),
    path(
        "runs/<uuid:run_id>/steps/<int:number>/parts/<int:position>/locate/",
        part.located,
        name="part-locate",
    ),
    path(
        "runs/<uuid:run_id>/steps/<int:number>/parts/<int:position>/leaving/",
        part.leaving,
        name="leaving",
    ),
    path("runs/<uuid:run_id>/explain/", explanations.explain, name="explain"),
    path("runs/<uuid:run_id>/find/", find.find, name="find"),
    path("runs/<uuid:run_id>/pair/", pairing.pair, name="pair"),
    path("runs/<uuid:run_id>/unpair/", pairing.unpair, name="unpair"),
    path("runs/<uuid:run_id>/reach/", reach.reach, name="reach"),
    path("runs/<uuid:run_id>/seen/", reach.seen, name="seen"),
    path("runs/<uuid:run_id>/at/", reach.at, name="at"),
    path("runs/<uuid:run_id>/values/", values.appearances, name="values"),
    path("keys/", keys.sheet, name="keys"),
]
