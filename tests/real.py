"""Real traces of other people's tools. They are no part of the project: tests skip without them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

BESIDE = Path(__file__).parents[2] / "shared" / "data"
DATA = Path(os.environ.get("INQUEST_SHARED_DATA") or BESIDE)
FORMATS = DATA / "formats"

needs_files = pytest.mark.skipif(not FORMATS.is_dir(), reason="The real files are not here.")


def each_of(files: Iterable[Path]) -> list[Any]:
    """A parameter for each of these files; without any, one that is skipped and says why."""
    found = sorted(files)
    if not found:
        return [pytest.param(None, marks=pytest.mark.skip(reason="The real files are not here."))]
    return [pytest.param(path, id=str(path.relative_to(DATA))) for path in found]


def path_of(name: str) -> Path:
    """A file or folder below the data; where it is not here the test is skipped."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{name} is not here.")
    return path


def content_of(name: str) -> bytes:
    return path_of(name).read_bytes()


def contents_of(pattern: str) -> list[bytes]:
    """All files below the data that a pattern fits; where there is none the test is skipped."""
    files = sorted(DATA.glob(pattern))
    if not files:
        pytest.skip(f"{pattern} is not here.")
    return [file.read_bytes() for file in files]
