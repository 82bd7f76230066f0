from django.urls import URLPattern, URLResolver, include, path

from reviews.views import (
    case,
    claims,
    draft,
    explanations,
    leases,
    lists,
    redaction,
    settings,
    verdicts,
)

app_name = "reviews"

case_urls = [
    path("", case.case, name="case"),
    path("rows/", case.rows, name="rows"),
    path("choices/", case.choices, name="choices"),
    path("explain/", explanations.explain, name="explain"),
    path("candidates/", case.candidates, name="candidates"),
    path("take/", leases.take, name="take"),
    path("heartbeat/", leases.heartbeat, name="heartbeat"),
    path("give-back/", leases.give_back, name="give-back"),
    path("decline/", leases.decline, name="decline"),
    path("draft/", draft.write, name="write-draft"),
    path("draft/mark/", draft.mark, name="mark"),
    path("draft/unmark/", draft.unmark, name="unmark"),
    path("draft/cite/", draft.cite, name="cite"),
    path("draft/uncite/", draft.uncite, name="uncite"),
    path("draft/start-from/", draft.start_from, name="start-from"),
    path("sign/", claims.sign, name="sign"),
    path("revise/", claims.revise, name="revise"),
    path("unresolved/", claims.unresolved, name="unresolved"),
    path("verdict/", verdicts.verdict, name="verdict"),
    path("postmortem.<str:kind>", verdicts.postmortem, name="postmortem"),
]
project_urls: list[URLPattern | URLResolver] = [
    path("", lists.work_list, name="work-list"),
    path("cases/", lists.cases, name="cases"),
    path("cases/take-next/", leases.take_next, name="take-next"),
    path("cases/<int:number>/", include(case_urls)),
    path("verdicts/", verdicts.verdicts, name="verdicts"),
    path("verdicts/public-key.pem", verdicts.public_key, name="public-key"),
    path("settings/", settings.settings, name="settings"),
    path("settings/redaction/", redaction.redaction, name="redaction"),
    path("settings/redaction/set/", redaction.set_redaction, name="set-redaction"),
    path("settings/redaction/apply/", redaction.apply_redaction, name="apply-redaction"),
    path("settings/members/", settings.set_role, name="set-role"),
    path("settings/members/<int:user_id>/remove/", settings.remove_member, name="remove-member"),
    path("settings/api-keys/create/", settings.create_api_key, name="create-api-key"),
    path("settings/api-keys/<int:key_id>/revoke/", settings.revoke_api_key, name="revoke-api-key"),
]
urlpatterns: list[URLPattern | URLResolver] = [
    path("", lists.home, name="home"),
    path("p/<slug:slug>/", include(project_urls)),
]
