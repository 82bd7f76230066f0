from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.factories import make_project
from tests.traces.otlp.spans_format import Spans
from traces.formats import registry
from traces.models import Project
from traces.otlp import sending, waiting


@pytest.fixture(autouse=True)
def _this_process_knows_nothing() -> None:
    """What it remembers of other tests' rows and messages."""
    waiting.forget()
    sending.forget()


@pytest.fixture
def _plain_reader() -> Iterator[None]:
    """Traces are read by the plainest reader, as if it were a plug-in."""
    formats = registry.formats()
    before = dict(formats)
    formats["otlp"] = Spans()  # type: ignore[index]
    yield
    formats.clear()  # type: ignore[attr-defined]
    formats.update(before)  # type: ignore[attr-defined]


@pytest.fixture
def project() -> Project:
    return make_project()
