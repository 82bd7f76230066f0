"""The snippets of docs/sending.md, as they stand there, against a server that runs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from tests.traces.otlp.spans import make_key
from traces.models import Receipt, Run, Step
from traces.otlp import assembling, sending, waiting

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]
DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "sending.md").read_text()
MESSAGES = [
    {"role": "user", "content": "Where is order A-7?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "find_order", "arguments": '{"order": "A-7"}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "no such order"},
    {"role": "assistant", "content": "There is no such order."},
]


def block(heading: str, language: str, number: int = 0) -> str:
    """A block of code below a heading, as it stands in the text."""
    below = TEXT[TEXT.index(f"\n## {heading}\n") + 1 :]
    below = below[: below.find("\n## ")]
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", below, re.DOTALL)
    return found[number]


def run(command: list[str], cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_wrong_key_is_an_error_of_the_program(live_server: Any, tmp_path: Path) -> None:
    program = f"{block('Message lists', 'python')}\nsend({MESSAGES!r})\n"
    made = run(
        [sys.executable, "-c", program], tmp_path, INQUEST=live_server.url, INQUEST_KEY="inq_wrong"
    )
    assert made.returncode != 0
    assert "HTTP Error 401" in made.stderr
    assert not Run.objects.exists()


def test_message_lists_in_python(live_server: Any, tmp_path: Path) -> None:
    _, key = make_key()
    program = f"{block('Message lists', 'python')}\nprint(json.dumps(send({MESSAGES!r})))\n"
    variables = {"INQUEST": live_server.url, "INQUEST_KEY": key}
    first, again = (run([sys.executable, "-c", program], tmp_path, **variables) for _ in range(2))
    assert first.stderr == again.stderr == ""
    (made,) = json.loads(first.stdout)["made"]
    assert json.loads(again.stdout)["made"] == []
    assert str(Run.objects.get().pk) == made["id"]
    kinds = Step.objects.filter(run=made["id"]).order_by("number").values_list("kind", flat=True)
    assert list(kinds) == ["input", "decision", "tool", "message"]


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_json_lines_with_curl(live_server: Any, tmp_path: Path) -> None:
    _, key = make_key()
    lines = [{"messages": MESSAGES}, {"messages": MESSAGES[:1]}]
    (tmp_path / "runs.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    command = block("Files", "sh")
    variables = {"INQUEST": live_server.url, "INQUEST_KEY": key}
    sent = run(["sh", "-c", command], tmp_path, **variables)
    assert sent.returncode == 0, sent.stderr
    assert len(json.loads(sent.stdout)["made"]) == Run.objects.count() == 2
    refused = run(["sh", "-c", command], tmp_path, **variables | {"INQUEST_KEY": "inq_wrong"})
    assert refused.returncode == 22


def test_the_lines_that_send_spans(live_server: Any, tmp_path: Path) -> None:
    """The variables, the provider, and the span around an agent: a run with an agent's name."""
    waiting.forget()
    sending.forget()
    _, key = make_key()
    settings = dict(re.findall(r"^export (\w+)=(.*)$", block("OpenTelemetry", "sh"), re.MULTILINE))
    settings["OTEL_EXPORTER_OTLP_ENDPOINT"] = live_server.url
    settings["OTEL_EXPORTER_OTLP_HEADERS"] = settings["OTEL_EXPORTER_OTLP_HEADERS"].replace(
        "inq_...", key
    )
    call = (
        'with trace.get_tracer("t").start_as_current_span("execute_tool find_order") as span:\n'
        '        span.set_attribute("gen_ai.tool.name", "find_order")'
    )
    lines = block("OpenTelemetry", "python"), block("OpenTelemetry", "python", 1)
    program = "\n".join(lines).replace("...", call)
    made = run([sys.executable, "-c", program], tmp_path, **settings)
    assert made.stderr == ""
    assert Receipt.objects.get().accepted == 2
    assembling.assemble(at=timezone.now() + timedelta(seconds=6))
    (step,) = Step.objects.filter(run=Run.objects.get())
    assert (step.actor.split("@")[0], step.tool) == ("planner", "find_order")


def test_what_it_points_to_exists() -> None:
    headings = {
        re.sub(r"[^\w -]", "", each).lower().replace(" ", "-")
        for each in re.findall(r"^##+ (.*)$", TEXT, re.MULTILINE)
    }
    for path, anchor in re.findall(r"\]\(([\w.]*)(?:#([\w-]+))?\)", TEXT):
        if path:
            assert (DOCS / path).exists(), path
        elif anchor:
            assert anchor in headings, anchor
    for name in ("docs/ingest.md", "README.md"):
        assert "sending.md" in (DOCS.parent / name).read_text()
