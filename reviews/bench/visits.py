"""Pages of the trace browser in a real Chromium: a program of its own, for `reviews.bench.browse`.

`python -m reviews.bench.visits` reads one JSON document: the address of the server, who signs in,
and pages by path; it writes one line of JSON for each page. It needs Playwright, which is for
development, and a Chromium; nothing else of Inquest imports it.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, Playwright, sync_playwright

from reviews.bench import probes

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
SIZE: Any = {"width": 1440, "height": 900}
# Milliseconds: an operation that takes longer is given up; nothing more is drawn after a pause.
PATIENCE, PAUSE = 120_000, 400
# Milliseconds after which a page marks no moment at which it is usable.
MARKED = 10_000
# Visits beforehand, by which each process of the server has read its templates.
WARMING = 3
# Times that a page is opened; presses of j; milliseconds of turning the wheel by so many pixels.
OPENED, PRESSES, WHEELING, NOTCH, EVERY = 5, 50, 3_000, 120, 40


def main() -> None:
    asked = json.load(sys.stdin)
    with sync_playwright() as playwright:
        browser = launched(playwright)
        state = signed_in(browser, asked)
        for path in asked["pages"][:2] * WARMING:
            visit(browser, state, asked["address"] + path, using=False)
        for path in asked["pages"]:
            print(json.dumps(of_page(browser, state, asked, path)), flush=True)  # noqa: T201
        browser.close()


def launched(playwright: Playwright) -> Browser:
    """On the PATH, or Playwright's own."""
    on_path = next(filter(None, map(shutil.which, NAMES)), None)
    own = playwright.chromium.executable_path
    if not on_path and not Path(own).exists():
        sys.exit("No Chromium was found on the PATH, nor Playwright's own.")
    return playwright.chromium.launch(executable_path=on_path or own, args=ARGUMENTS)


def signed_in(browser: Browser, asked: dict[str, Any]) -> Any:
    context = browser.new_context()
    page = context.new_page()
    page.goto(asked["address"] + "/accounts/login/")
    page.fill("#id_login", asked["user"])
    page.fill("#id_password", asked["password"])
    page.press("#id_password", "Enter")
    page.wait_for_url(lambda url: "/accounts/" not in url)
    state: Any = context.storage_state()
    context.close()
    return state


def of_page(browser: Browser, state: Any, asked: dict[str, Any], path: str) -> dict[str, Any]:
    """What opening it takes, the median of several, and then what using it takes, once."""
    times = asked.get("opened", OPENED)
    opens = [visit(browser, state, asked["address"] + path, using=False) for _ in range(times)]
    used: dict[str, Any] = visit(browser, state, asked["address"] + path, using=True)["used"]
    return {name: statistics.median(one[name] for one in opens) for name in opens[0]} | used


def visit(browser: Browser, state: Any, address: str, *, using: bool) -> dict[str, Any]:
    """One visit with nothing in the browser's cache."""
    context = browser.new_context(viewport=SIZE, storage_state=state)
    context.add_init_script(probes.WATCHING)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    devtools = context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.send("Performance.enable")
    sizes: list[int] = []
    devtools.on("Network.loadingFinished", lambda told: sizes.append(told["encodedDataLength"]))
    try:
        page.goto(address, wait_until="domcontentloaded")
        found: dict[str, Any] = {"usable": usable(page)}
        page.wait_for_load_state("networkidle")
        found["bytes"] = sum(sizes)
        found["answered"] = page.evaluate(probes.ANSWERED)
        found["elements"] = page.evaluate(probes.ELEMENTS)
        found["heap"] = heap(devtools)
        if using:
            found["used"] = used(page, devtools)
    finally:
        context.close()
    return found


def usable(page: Page) -> float:
    """Milliseconds from the begin of the navigation until rows stand there and keys work.

    The page marks the moment. One that does not: when a press of j has moved the selection.
    """
    marked = page.evaluate(probes.MARKED, MARKED)
    return float(moved(page)["at"] if marked is None else marked)


def moved(page: Page) -> dict[str, float]:
    """Press j until it moves the selection: when that was, and how long the last press took."""
    before = page.evaluate(probes.SELECTED)
    while True:
        begun = page.evaluate("performance.now()")
        page.keyboard.press("j")
        at = page.evaluate(probes.MOVED, before)
        if at is not None:
            return {"at": at, "took": at - begun}


def heap(devtools: CDPSession) -> float:
    metrics = devtools.send("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in metrics if one["name"] == "JSHeapUsedSize"))


def used(page: Page, devtools: CDPSession) -> dict[str, Any]:
    found: dict[str, Any] = {"key": moved(page)["took"]}
    for _ in range(PRESSES - 1):
        page.keyboard.press("j")
    page.wait_for_timeout(PAUSE)
    found["elements after keys"] = page.evaluate(probes.ELEMENTS)
    found |= wheeled(page)
    for name, share in (("middle", 0.5), ("end", 1)):
        begun = page.evaluate(probes.SCROLLED, share)
        found[f"drawn {name}"] = page.evaluate(probes.DRAWN, begun)
        page.wait_for_timeout(PAUSE)
        found[f"elements {name}"] = page.evaluate(probes.ELEMENTS)
    found["most elements"] = page.evaluate("inquestBench.most")
    devtools.send("HeapProfiler.collectGarbage")
    found["heap after"] = heap(devtools)
    return found


def wheeled(page: Page) -> dict[str, float]:
    """Turn the wheel for a while over the list of steps; how smooth that was."""
    x, y = page.evaluate(probes.MIDDLE)
    page.mouse.move(x, y)
    page.evaluate("inquestBench.frames = []")
    for _ in range(WHEELING // EVERY):
        page.mouse.wheel(0, NOTCH)
        page.wait_for_timeout(EVERY)
    frames = page.evaluate("inquestBench.frames")
    gaps = [after[0] - before[0] for before, after in pairwise(frames)]
    return {
        "slow frames": sum(gap > 50 for gap in gaps),
        "slowest frame": max(gaps, default=0),
        "blank frames": sum(blank for _, blank in frames) / max(1, len(frames)),
    }


if __name__ == "__main__":
    main()
