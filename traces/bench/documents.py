"""Native runs, made up in memory: a kilobyte of text a step, tools, checks, states and links."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

BEGUN = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
AGENTS = ("planner", "coder", "tester", "verifier")
PROSE = (
    "the booking of October was quoted at 1,250.00 and the archive is complete so the next step"
    " reads interfaces/quote.py before anything is sent because version 3 retired the old field"
    " while tests pass on the fixture of 2026-01-04 and nobody asked which schema it holds"
)
# Everything is cut from this: choosing each word anew would take longer than reading it.
SHELF = " ".join(random.Random(1).choices(PROSE.split(), k=40_000))  # noqa: S311


def run(name: str, *, steps: int, failed: bool = False) -> dict[str, Any]:
    """One run. The same name and number give the same run."""
    chance = random.Random(name)  # noqa: S311
    return {
        "schema": "inquest-run/1",
        "run": {
            "id": name,
            "source": "bench",
            "task": {"id": f"task-{chance.randrange(100)}", "text": text(chance, 400)},
            "system": {"name": "bench", "version": "1", "models": {"planner": "model-1"}},
            "initial_state": {"reference": "commit 4f1c", "digest": "sha256:4f1c"},
            "started_at": BEGUN.isoformat(),
            "outcome": "failed" if failed else "succeeded",
            "reports": [{"by": "harness", "value": "failed" if failed else "passed"}],
            "failures": [{"id": "f1", "statement": "The booking is missing."}] if failed else [],
        },
        "actors": [
            {"id": f"{role}#1", "role": role, "kind": "agent", "instance": "1", "model": "model-1"}
            for role in AGENTS
        ],
        "steps": [step(number, chance) for number in range(steps)],
    }


def step(number: int, chance: random.Random) -> dict[str, Any]:
    begun = BEGUN + timedelta(seconds=2 * number)
    inputs = {f"s{number - back}" for back in (1, chance.randint(1, 9)) if number >= back}
    return {
        "id": f"s{number}",
        "sequence": number,
        "actor": f"{AGENTS[number // 3 % 4]}#1",
        "started_at": begun.isoformat(),
        "ended_at": (begun + timedelta(seconds=1)).isoformat(),
        "status": "ok",
        "inputs": sorted(inputs),
        "parts": list(parts(number, chance)),
    }


def parts(number: int, chance: random.Random) -> Iterator[Mapping[str, Any]]:
    """Three in five steps call a tool, as agents do; the others say, decide or check."""
    if number % 5 < 3:
        call = f"c{number}"
        arguments = {"path": f"src/module_{number}.py", "query": text(chance, 120), "limit": 50}
        yield {"type": "tool_request", "tool": "search", "call": call, "arguments": arguments}
        yield {"type": "tool_response", "call": call, "status": "ok", "text": text(chance, 850)}
    elif number % 5 == 3:
        yield {"type": "interpretation", "text": text(chance, 500)}
        yield {"type": "decision", "text": text(chance, 450), "chosen": "send the quote"}
    elif number % 10 == 4:
        yield {"type": "message", "text": text(chance, 1000), "to": "coder#1"}
    else:
        before, after = f"v{number // 10}", f"v{number // 10 + 1}"
        yield {"type": "state", "artifact": "quote.py", "before": before, "after": after}
        yield {
            "type": "verification",
            "check": "unit tests",
            "verdict": "passed",
            "text": text(chance, 900),
        }


def text(chance: random.Random, length: int) -> str:
    begin = chance.randrange(len(SHELF) - length)
    return SHELF[begin : begin + length]


def content(name: str, *, steps: int, failed: bool = False) -> bytes:
    return orjson.dumps(run(name, steps=steps, failed=failed))
