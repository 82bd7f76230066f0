"""Traces that try to break or take over the page which shows them, as documents for the door.

Each function makes one native run as bytes, so that it comes in as a stranger's file does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from tests.harmless import EVIL

Json = dict[str, Any]

MARKDOWN = """# <img src=http://evil.example/h.png onerror=alert(1)>
![pixel](http://evil.example/p.png) ![](//evil.example/q.png) ![d](data:image/svg+xml,<svg/>)
[click](javascript:alert(2)) [also](JaVaScRiPt&colon;alert(3)) <javascript:alert(4)>
<iframe src="http://evil.example/"></iframe><style>* { display: none }</style>
<link rel=stylesheet href=http://evil.example/a.css><base href=http://evil.example/>
<details open ontoggle=alert(5)><summary>x</summary></details><form action=http://evil.example>
[ref]: http://evil.example/ "</script><script>alert(6)</script>"

| a | b |
|---|---|
| <script>alert(7)</script> | ![t](http://evil.example/t.png) |

```html
</pre></code><script>alert(8)</script>
```
"""
ANSI = (
    "\x1b]8;;javascript:alert(1)\x07link\x1b]8;;\x07\x1b[2J\x1b[H\x1b[31;1;5;7;8mhidden\x1b[0m"
    "\x1b]0;title\x07\x1b[999999999999m\x1b[38;2;999;999;999m\x1b[38;5\x1b[?25l\x9b31mC1\x1bP+q\x1b\\"
    "\x1b]52;c;ZXZpbA==\x07\x1b["
) * 40
UNICODE = (
    "\u202eright to left\u202c \u2066isolated\u2069 \ufeff\u200b\u200d\u00ad\u2028\u2029"
    " e"
    + "\u0301" * 3_000
    + " \U000e0041\U000e007f 👩‍👩‍👧‍👦 漢字 עברית العربية \U0010ffff \x00 \x07 \x85 \x7f"
)


def run(name: str, steps: Iterable[Json], **given: Any) -> bytes:
    listed = list(steps)
    keys = dict.fromkeys(step["actor"] for step in listed)
    actors = [{"id": key, "role": key[:190], "kind": "agent"} for key in keys]
    document = {
        "schema": "inquest-run/2",
        "run": {"id": name, "source": "hostile", "outcome": "failed", **given},
        "actors": actors,
        "steps": listed,
    }
    return json.dumps(document).encode()


def step(number: int, *parts: Json, actor: str = "agent", **given: Any) -> Json:
    inputs = [f"s{number - 1}"] if number else []
    own = {"id": f"s{number}", "sequence": number, "actor": actor}
    return {**own, "inputs": inputs, "parts": list(parts), **given}


def message(text: str) -> Json:
    return {"type": "message", "text": text}


def everywhere(text: str) -> list[Json]:
    """Steps with this text wherever a trace may put text."""
    call = {"type": "tool_request", "tool": text, "call": text, "arguments": {text: [text]}}
    answer = {"type": "tool_response", "call": text, "status": "error", "text": text}
    state = {"type": "state", "artifact": text, "before": text, "after": text, "change": text}
    check = {"type": "verification", "check": text, "verdict": "failed", "text": text}
    choice = {"type": "decision", "text": text, "chosen": text, "rejected": [{"option": text}]}
    inner = {"type": "interpretation", "text": text}
    parts = (call, answer, state, check, choice, inner, {"type": "error", "text": text})
    return [step(n, part, actor=text) for n, part in enumerate(parts * 3)]


def markup() -> bytes:
    failure = {"id": EVIL, "statement": EVIL, "expected": EVIL, "observed": EVIL}
    task = {"id": EVIL, "text": EVIL}
    return run(EVIL, everywhere(EVIL), failures=[failure], task=task, system={"name": EVIL})


def markdown() -> bytes:
    return run("markdown", (step(n, message(MARKDOWN)) for n in range(30)))


def unicode() -> bytes:
    return run("unicode", [*everywhere(UNICODE[:180]), step(21, message(UNICODE))])


def surrogates() -> bytes:
    return run("surrogates", everywhere("alone \ud800 and \udfff, turned \udc00\ud800"))


def terminal() -> bytes:
    response = {"type": "tool_response", "call": "c", "status": "ok", "text": ANSI}
    return run("terminal", (step(n, response, message(ANSI)) for n in range(20)))


def long_text() -> bytes:
    """Ten million characters in lines, and as many in one line."""
    lines, one = "a line of a log <b>\n" * 500_000, "<i>word</i> " * 833_000
    return run("long", [step(0, message(lines)), step(1, message(one)), step(2, message("end"))])


def deep() -> bytes:
    nested = "[" * 50_000 + "]" * 50_000
    objects = '{"a":' * 5_000 + "1" + "}" * 5_000
    quotes = ">" * 5_000 + " deep " + "- " * 2_000 + "*" * 5_000 + "[" * 5_000
    texts = (nested, objects, quotes, "<div>" * 5_000)
    return run("deep", (step(n, message(text)) for n, text in enumerate(texts)))


def wide() -> bytes:
    """An object of very many keys, a table of very many columns, and one of very many rows."""
    keys = json.dumps({f"key {n} <b>": [n] * 9 for n in range(20_000)})
    columns = "\n".join(",".join(f"c{n}" for n in range(3_000)) for _ in range(5))
    rows = "\n".join(f"{n},<b>{n}</b>,=1+1" for n in range(20_000))
    return run("wide", (step(n, message(text)) for n, text in enumerate((keys, columns, rows))))


def crowd() -> bytes:
    steps = (step(n, message(f"I am {n}."), actor=f"a{n} <b>") for n in range(5_000))
    return run("crowd", steps)


def many_parts() -> bytes:
    return run("parts", (step(n, *(message(f"{n} {p}") for p in range(60))) for n in range(40)))


def numbers() -> bytes:
    huge = "[1e400, -1e400, 1e-400, -0.0, " + "9" * 4_000 + ", 0." + "1" * 4_000 + "]"
    given = {
        "type": "tool_request",
        "tool": "t",
        "call": "c",
        "arguments": {"n": 2**63, "f": 1e308},
    }
    return run("numbers", [step(0, message(huge)), step(1, given), step(2, message("9" * 40_000))])


def tangled() -> bytes:
    """Each step takes all before it as its inputs."""
    steps = [step(n, message(f"step {n}")) for n in range(400)]
    for n, each in enumerate(steps):
        each["inputs"] = [f"s{m}" for m in range(n)]
    return run("tangled", steps)


ALL: tuple[Callable[[], bytes], ...] = (
    markup, markdown, unicode, surrogates, terminal, long_text, deep, wide, crowd, many_parts,
    numbers, tangled,
)  # fmt: skip
