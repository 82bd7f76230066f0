"""An `.eval` with one sample of many events, which refer to all that was said before."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

EVAL = {"version": 2, "status": "success", "eval": {"run_id": "r", "task": "ships"}, "plan": {}}


def large_eval(events: int) -> bytes:
    """Half of the events are of models, half of tools; texts are kept apart from both."""
    messages: list[Any] = [{"id": "m", "role": "user", "content": "Count the ships."}]
    listed: list[Any] = []
    attachments: dict[str, str] = {}
    for number in range(events // 2):
        pair = turn(number, len(messages))
        listed.extend(pair)
        attachments[f"{number:032x}"] = f"quay {number}: " + " ".join(
            f"{number * factor * 7919 % 99991:x}" for factor in range(1, 30)
        )
        said = pair[0]["output"]["choices"][0]["message"]
        told = {"id": f"t{number}", "role": "tool", "tool_call_id": f"c{number}"}
        messages += [said, told | {"content": pair[1]["result"]}]
    sample = {
        "id": "s",
        "epoch": 1,
        "uuid": "u",
        "input": "Count the ships.",
        "events": listed,
        "attachments": attachments,
        "events_data": {"messages": messages, "calls": []},
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("samples/s_epoch_1.json", json.dumps(sample))
        archive.writestr("header.json", json.dumps(EVAL))
    return buffer.getvalue()


def turn(number: int, before: int) -> list[dict[str, Any]]:
    at = f"2026-03-01T10:00:00.{number:06d}+00:00"
    call = {"id": f"c{number}", "function": "look", "arguments": {"quay": number}}
    said = {"id": f"a{number}", "role": "assistant", "content": f"To quay {number}."}
    model = {
        "event": "model",
        "uuid": f"e{number}",
        "timestamp": at,
        "model": "small/1",
        "input": [],
        "input_refs": [[0, before]],
        "output": {"choices": [{"message": said | {"tool_calls": [call]}}]},
    }
    result = f"attachment://{number:032x}"
    tool = {"event": "tool", "uuid": f"x{number}", "timestamp": at, "result": result, **call}
    return [model, tool]
