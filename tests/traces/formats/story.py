"""The story of `stories/STORY.md`: what of it must be found in each format, and how it is found."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from traces.formats import intake
from traces.transcript import ActorKind, PartKind, Step, StepKind, StepStatus, Transcript

FOLDER = Path(__file__).parent / "stories"
JUDGEMENT = "zebra"


@dataclass(frozen=True, slots=True)
class Telling:
    """How a format tells the story. What it can tell is the default.

    `agents` are the roles under which the two agents are found. `records` is the JSON pointer of
    the list that holds the raw records; empty where there is one a line or one an element.
    `any_order` is for formats in which the order of records means nothing.
    """

    format: str
    agents: tuple[str, str] = ("triage", "refunds")
    hears: bool = True
    says: bool = True
    answers: bool = True
    fails: bool = True
    hands_over: bool = False
    judges: bool = False
    records: str = ""
    any_order: bool = False


# How the dialects of OTLP differ. Tools of the indexed generation return what went wrong.
OTLP: dict[str, dict[str, Any]] = {
    "adk": {"hands_over": True},
    "genai": {"judges": True},
    "genai-logs": {},
    "logfire": {},
    "openinference": {"hands_over": True, "judges": True},
    "openllmetry": {},
    "openllmetry-indexed": {"fails": False},
    "vercel": {},
}
# The file's name, and how it tells the story.
STORIES: dict[str, Telling] = {
    "adk_events.jsonl": Telling("adk_events", hands_over=True),
    "ag2.json": Telling("ag2", fails=False, records="/chat_history"),
    "atof.jsonl": Telling("atof", fails=False, any_order=True),
    "autogen.jsonl": Telling("autogen", hands_over=True),
    "autogen_log.jsonl": Telling("autogen_log", hands_over=True),
    "crewai.jsonl": Telling("crewai", hears=False, any_order=True),
    "langgraph.json": Telling("langgraph", any_order=True),
    "langgraph_events.jsonl": Telling("langgraph_events"),
    "langgraph_stream.jsonl": Telling("langgraph_stream"),
    "inspect.json": Telling("inspect", hands_over=True, judges=True, records="/samples/0/events"),
    "atif.json": Telling("atif", fails=False, records="/steps", any_order=True),
    "claude_code.jsonl": Telling("claude_code", ("main", "main")),
    "claude_stream.jsonl": Telling("claude_stream", ("main", "main")),
    "codex_exec.jsonl": Telling("codex_exec", ("main", "main"), hears=False),
    "codex_rollout.jsonl": Telling("codex_rollout", ("main", "main")),
    "copilot_events.jsonl": Telling("copilot_events", ("main", "main")),
    "managed_agents.jsonl": Telling("managed_agents", ("triage", "triage")),
    "openclaw.jsonl": Telling("openclaw", ("triage", "triage"), any_order=True),
    "openhands-v0.output.jsonl": Telling(
        "openhands",
        ("CodeActAgent", "CodeActAgent"),
        judges=True,
        records="/history",
        any_order=True,
    ),
    "openhands-v1.events.jsonl": Telling("openhands", ("agent", "agent")),
    "messages.openai.json": Telling("messages", ("assistant", "assistant"), fails=False),
    "gemini_cli.json": Telling("gemini_cli", ("gemini", "gemini"), records="/messages"),
    "messages.anthropic.json": Telling("messages", ("assistant", "assistant")),
    "messages.exchanges.jsonl": Telling(
        "messages", ("assistant", "assistant 2"), fails=False, any_order=True
    ),
    "messages.responses.json": Telling("messages", ("assistant", "assistant"), fails=False),
    "otel_console.jsonl": Telling("otel_console", hands_over=True, judges=True, any_order=True),
    "trail.json": Telling("trail", hands_over=True, records="/spans/*/child_spans", any_order=True),
    **{
        f"otlp.{dialect}.json": Telling(
            "otlp", records="/resourceSpans/*/scopeSpans/*/spans", any_order=True, **more
        )
        for dialect, more in OTLP.items()
    },
    "langfuse.json": Telling("langfuse", judges=True, records="/observations", any_order=True),
    "langsmith.json": Telling("langsmith", judges=True, any_order=True),
    "mlflow.json": Telling("mlflow", judges=True, records="/data/spans", any_order=True),
    "openai_agents.jsonl": Telling("openai_agents", hands_over=True, any_order=True),
    "pydantic_ai.json": Telling("pydantic_ai", ("agent", "agent")),
    "smolagents_memory.json": Telling("smolagents_memory", ("agent", "agent")),
    "swe_agent.json": Telling(
        "swe_agent", ("main", "main"), fails=False, judges=True, records="/trajectory"
    ),
    "tau2.json": Telling(
        "tau_bench", ("assistant", "assistant"), judges=True, records="/simulations/*/messages"
    ),
    "tau_bench.json": Telling(
        "tau_bench", ("assistant", "assistant"), fails=False, records="/*/traj"
    ),
}


def told(transcript: Transcript) -> list[tuple[Any, ...]]:
    """What happens in a run, in words that are the same for all formats."""
    return [each for step in transcript.steps if (each := happening(step, transcript))]


def happening(step: Step, transcript: Transcript) -> tuple[Any, ...] | None:
    actor = transcript.actor_of(step)
    # In benchmarks the user is a model too.
    if actor.kind is ActorKind.HUMAN or actor.role == "user":
        return ("heard", step.text)
    if actor.kind is not ActorKind.AGENT:
        return None
    if step.kind is StepKind.TOOL:
        request = next(part for part in step.parts if part.kind is PartKind.TOOL_REQUEST)
        answers = [p.text for p in step.parts if p.kind is PartKind.TOOL_RESPONSE]
        errors = [p.text for p in step.parts if p.kind is PartKind.ERROR]
        answer = value_of((answers or errors or [""])[0])
        failed = step.status is StepStatus.ERROR
        return ("asked", actor.role, step.tool, value_of(request.text), answer, failed)
    if step.kind is StepKind.HANDOFF:
        to = next((part.data["to"] for part in step.parts if "to" in part.data), "")
        return ("handed over", actor.role, to)
    said = [part.text for part in step.parts if part.kind is PartKind.MESSAGE]
    return ("said", actor.role, "\n".join(filter(None, said)))


def value_of(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def expected(telling: Telling) -> list[tuple[Any, ...]]:
    """The story as this format has to tell it."""
    first, second = telling.agents
    found = {"id": "A-17", "total": "12.05"}

    def asked(who: str, tool: str, arguments: Any, answer: Any, *, failed: bool) -> tuple[Any, ...]:
        answer = answer if telling.answers else ""
        return ("asked", who, tool, arguments, answer, failed and telling.fails)

    def said(who: str, text: str) -> tuple[Any, ...]:
        return ("said", who, text if telling.says else "")

    return [
        *([("heard", "Refund order A-18, please.")] if telling.hears else []),
        said(first, "Looking the order up."),
        asked(first, "find_order", {"id": "A-18"}, "No order A-18.", failed=True),
        said(first, "A-18 must be A-17."),
        asked(first, "find_order", {"id": "A-17"}, found, failed=False),
        *([("handed over", first, second)] if telling.hands_over else []),
        said(second, "Refunding A-17."),
        asked(
            second, "refund", {"id": "A-17", "amount": "120.50"}, "Refunded 120.50.", failed=False
        ),
        said(second, "Done: 120.50 refunded for A-17."),
    ]


def content_of(name: str) -> bytes:
    return (FOLDER / name).read_bytes()


def run_of(name: str) -> intake.TakenRun:
    """The one run in a story's file."""
    (run,) = intake.take(content_of(name)).runs
    return run
