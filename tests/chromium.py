"""Finds a Chromium for the browser tests. `python -m tests.chromium` installs one if need be."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find() -> str | None:
    """INQUEST_CHROMIUM, one on the PATH, or Playwright's own; None if there is none."""
    named = os.environ.get("INQUEST_CHROMIUM")
    if named:
        return named
    on_path = next(filter(None, map(shutil.which, NAMES)), None)
    return on_path or _of_playwright()


def install() -> None:
    """From the system's packages as root, else Playwright's own, and say so."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        _run("apt-get", "update")
        _run("apt-get", "install", "--yes", "--no-install-recommends", "chromium")
    else:
        _run(sys.executable, "-m", "playwright", "install", "chromium")


def _of_playwright() -> str | None:
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def _run(*command: str) -> None:
    sys.stderr.write(f"No Chromium found: running {' '.join(command)}\n")
    # Standard output is for the path alone.
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False)


if __name__ == "__main__":
    if find() is None:
        install()
    print(find() or sys.exit("No Chromium could be installed: set INQUEST_CHROMIUM."))  # noqa: T201
