"""Every trace opens and scrolls: without an error, a request elsewhere, a dialog, or much on the
page, whatever is in it and however long it is; and what it says to show is what stands there."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from django.urls import reverse
from playwright.sync_api import Error, Page

from reviews.models import Case
from tests import real
from tests.browser import hostile
from tests.browser.conftest import Person
from tests.factories import AT, make_project, make_run
from traces import ingest
from traces.bench.stories import story
from traces.models import Project, Receipt, Run

MOST_ELEMENTS, MOST_BYTES = 3_000, 300 * 1024
# The most elements that were there in any frame.
WATCHING = """
window.mostElements = 0;
const elements = document.getElementsByTagName("*");
requestAnimationFrame(function frame() {
  window.mostElements = Math.max(window.mostElements, elements.length);
  requestAnimationFrame(frame);
});
"""
# Polled in the page: its policy forbids what Playwright's own waiting does.
WAITED = """(patience, right) => new Promise((done) => {
  const until = performance.now() + patience;
  (function look() {
    if (right()) done(true);
    else if (performance.now() > until) done(false);
    else setTimeout(look, 20);
  })();
})"""
USABLE = "() => performance.getEntriesByName('usable').length > 0"
SCROLLED = """(share) => {
  const list = document.getElementById("browser");
  list.scrollTop = (list.scrollHeight - list.clientHeight) * share;
}"""
# Whether the line above the list names the first and the last step in view, and how many there are.
TRUE = """() => {
  const pane = document.getElementById("browser");
  const { top, bottom } = pane.getBoundingClientRect();
  const heads = pane.querySelector(".heads").offsetHeight;
  const seen = [...document.querySelectorAll("#rows article[id^=s]")].filter((one) => {
    const box = one.getBoundingClientRect();
    return box.bottom > top + heads && box.top < bottom;
  }).map((one) => Number(one.dataset.step));
  const told = document.getElementById("where").textContent.replaceAll(",", "").match(/\\d+/g);
  return seen.length > 0 && told?.map(Number).join() === [seen[0], seen.at(-1), COUNT].join();
}"""
WHERE = "document.getElementById('where')?.textContent"


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def ada(people, project) -> Person:
    ada = people("ada")
    ada.context.add_init_script(WATCHING)
    # A page that is not ready after this is broken on this machine, too.
    ada.page.set_default_timeout(20_000)
    return ada


def faults_of(ada: Person, path: str, steps: int) -> list[str]:
    """What is wrong with a page of a run of so many steps that is opened, scrolled and walked."""
    page, faults = ada.page, []
    before = len(ada.complaints)

    def requested(request) -> None:
        address = urlsplit(request.url)
        if address.scheme not in ("data", "blob") and address.netloc not in ada.address:
            faults.append(f"request to {request.url[:200]}")

    def asked(dialog) -> None:
        faults.append(f"dialog: {dialog.message[:200]}")
        dialog.dismiss()

    page.on("request", requested)
    page.on("dialog", asked)
    try:
        answer = page.goto(ada.address + path, wait_until="domcontentloaded")
        size = len(answer.body())
        if size > MOST_BYTES:
            faults.append(f"{size:,} bytes")
        if answer.status != 200 or not waited(page, USABLE, 15_000):
            faults.append(f"it never becomes usable: {answer.status}")
        else:
            faults += walked(ada, steps)
    except Error as error:
        faults.append(str(error)[:300])
    page.remove_listener("request", requested)
    page.remove_listener("dialog", asked)
    return faults + ada.complaints[before:]


def waited(page: Page, right: str, patience: int) -> bool:
    """Wait so many milliseconds at most for something to be right in the page."""
    return bool(page.evaluate(f"() => ({WAITED})({patience}, {right})"))


def walked(ada: Person, steps: int) -> list[str]:
    page, faults = ada.page, []
    if not steps:
        return [] if page.evaluate(WHERE) == "no steps" else [page.evaluate(WHERE)]
    for share in (0, 0.4, 1):
        page.evaluate(SCROLLED, share)
        if not waited(page, TRUE.replace("COUNT", str(steps)), 8_000):
            faults.append(f"at {share} of {steps} it says {page.evaluate(WHERE)!r}")
    ada.presses(*"kkkjj")
    page.wait_for_timeout(50)
    most = page.evaluate("window.mostElements")
    return faults + ([f"{most:,} elements"] if most > MOST_ELEMENTS else [])


def opened(ada: Person, runs) -> dict[str, list[str]]:
    """The faults of the pages of these runs, by the names of those that have any."""
    found = {run.external_id[:60]: faults_of(ada, page_of(run), run.step_count) for run in runs}
    return {name: faults for name, faults in found.items() if faults}


def page_of(run: Run) -> str:
    return reverse("attribution:run", args=[run.project.slug, run.pk])


def taken(project: Project, content: bytes, name: str) -> list[Run]:
    """The runs of a document that comes in by the door; none if it is refused."""
    receipt = ingest.ingest(
        project=project, content=content, filename=name, via=Receipt.Via.COMMAND, by=None, at=AT
    )
    return list(Run.objects.filter(pk__in=receipt.made).select_related("project"))


@pytest.mark.parametrize("make", hostile.ALL, ids=lambda make: make.__name__)
def test_a_hostile_trace_stays_what_it_is(ada, project, make):
    runs = taken(project, make(), f"{make.__name__}.json")
    assert sum(run.step_count for run in runs) > 1
    assert opened(ada, runs) == {}


def test_the_quirks_of_real_recorders_open(ada, project):
    folder = real.path_of("formats/quirks")
    files = sorted(path for path in folder.iterdir() if path.suffix in (".json", ".jsonl"))
    runs = [run for path in files for run in taken(project, path.read_bytes(), path.name)]
    assert len(runs) > 5
    assert opened(ada, runs) == {}


def test_the_longest_real_runs_and_a_sample_open(ada, project):
    folder = real.path_of("whowhen/Hand-Crafted")
    by_size = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_size)
    files = dict.fromkeys([*by_size[-3:], *by_size[::12]])
    runs = [run for path in files for run in taken(project, path.read_bytes(), path.name)]
    assert max(run.step_count for run in runs) >= 100
    assert opened(ada, runs) == {}


def test_a_run_of_fifty_thousand_steps_opens_alone_and_as_a_case(ada, project):
    run = make_run(project, story("long", steps=50_000, failed=True))
    assert opened(ada, [run]) == {}
    case = Case.objects.get(run=run)
    assert faults_of(ada, case.get_absolute_url(), 50_000) == []
