"""axe finds nothing on any page, in light and in dark, and nothing is loaded from elsewhere."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.factories import AT
from tests.reviews.scenes import case_of, make_candidate, make_failed_run, make_scene, settle, sign
from tests.traces.formats.native_runs import native_run, native_step
from tests.traces.views.test_receipts import take
from traces import ingest
from traces.models import Receipt

PAGES = (
    "/p/demo/",
    "/p/demo/cases/",
    "/p/demo/cases/1/",
    "/p/demo/cases/1/verdict/",
    "/p/demo/cases/2/",
    "/p/demo/cases/2/sign/",
    "/p/demo/cases/2/unresolved/",
    "/p/demo/cases/2/decline/",
    "/p/demo/runs/",
    "/p/demo/runs/upload/",
    "/p/demo/receipts/",
    "/p/demo/verdicts/",
    "/p/demo/settings/",
    "/p/demo/nowhere/",
    "/accounts/password/change/",
)


@pytest.fixture
def project():
    """A settled case, and an open one with a candidate."""
    case = make_scene()
    settle(case, sign(case, "ada"))
    run = make_failed_run(case.project, "run-2")
    make_candidate(run)
    waiting = {"content": b"{}", "filename": "waiting.json", "via": Receipt.Via.API}
    ingest.receive(project=case.project, by=None, at=AT, **waiting)
    take(case.project, native_run(native_step(1), native_step(2, mood="sunny"), id="run-3"))
    take(case.project, b"no trace")
    return case_of(run)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(people, project, scheme):
    lena = people("lena", color_scheme=scheme)
    hosts = set()
    lena.page.on("request", lambda request: hosts.add(request.url.split("/")[2]))
    lena.goes_to("/p/demo/cases/2/")
    lena.presses("t")
    lena.sees("Your claim")
    run = f"/p/demo/runs/{project.run_id}/"
    names = ("record", "record/gaps", "record/raw", "raw", "states", "steps/1")
    audit = (f"{run}{page}/" for page in names)
    receipts = (f"/p/demo/receipts/{each.pk}/" for each in Receipt.objects.all())
    for path in (*PAGES, run, *audit, *receipts):
        lena.goes_to(path)
        found = Axe().run(lena.page).response["violations"]
        told = [(v["id"], node["html"][:160]) for v in found for node in v["nodes"][:3]]
        assert (path, told) == (path, [])
    assert hosts == {lena.address.split("/")[2]}
    lena.complaints[:] = [c for c in lena.complaints if "404" not in c]
