"""What tools answer and agents say, made up: code, coloured logs, tables, Markdown, JSON, prose.

Each function takes a source of chance and gives some 700 to 1,700 characters.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

from traces.bench.documents import text

NAMES = ("quote", "invoice", "booking", "ledger", "dock", "parser", "schema", "archive", "release")
PLACES = ("src", "tests", "docs", "interfaces", "migrations")
LEVELS = ("\x1b[32mPASSED\x1b[0m", "\x1b[32mPASSED\x1b[0m", "\x1b[33mSKIPPED\x1b[0m")


def path(chance: Random) -> str:
    return f"{chance.choice(PLACES)}/{chance.choice(NAMES)}_{chance.randrange(400)}.py"


def code(chance: Random) -> str:
    functions = (
        f"def {chance.choice(NAMES)}_{chance.randrange(900)}(order: Order, *, limit: int ="
        f" {chance.randrange(90)}) -> Quote:\n"
        f'    """{text(chance, 60)}"""\n'
        f"    if order.total > limit:\n"
        f'        raise Refused(f"{{order.id}}: above {{limit}}")\n'
        f"    return Quote(order.id, lines=[line.price for line in order.lines])\n"
        for _ in range(4)
    )
    return "from __future__ import annotations\n\n" + "\n\n".join(functions)


def log(chance: Random) -> str:
    lines = (
        f"tests/test_{chance.choice(NAMES)}.py::test_{number}_{chance.choice(NAMES)}"
        f" {chance.choice(LEVELS)} [{chance.randrange(100):3}%]"
        for number in range(18)
    )
    ending = f"\x1b[1m{chance.randrange(400)} passed\x1b[0m in {chance.random() * 60:.2f}s"
    return "\n".join((*lines, ending))


def failing_log(chance: Random) -> str:
    ending = "\x1b[31mFAILED\x1b[0m: AssertionError: assert 201 == 409"
    return f"{log(chance)}\n{ending}"


def table(chance: Random) -> str:
    lines = (
        f"{number},{chance.choice(NAMES)},{chance.randrange(10_000) / 100:.2f},"
        f"2026-01-{chance.randrange(1, 29):02},{text(chance, 24)!r}"
        for number in range(20)
    )
    return "\n".join(("id,item,price,day,remark", *lines))


def page(chance: Random) -> str:
    item, other = chance.sample(NAMES, 2)
    return (
        f"# How the {item} works\n\n{text(chance, 300)}.\n\n"
        f"| field | type | since |\n|---|---|---|\n"
        f"| {item}_id | uuid | 1 |\n| {other} | text | {chance.randrange(9)} |\n\n"
        f"- **{text(chance, 60)}**\n- see [{other}](https://docs.example/{other})\n\n"
        f"```python\nclient.post('/v1/{item}', json={{'{other}': {chance.randrange(99)}}})\n```\n\n"
        f"> {text(chance, 300)}"
    )


def records(chance: Random) -> str:
    found = [
        {
            "path": path(chance),
            "line": chance.randrange(1, 400),
            "score": round(chance.random(), 4),
            "match": text(chance, 90),
            "owner": {"team": chance.choice(NAMES), "active": chance.random() < 0.7},
        }
        for _ in range(6)
    ]
    return json.dumps({"total": chance.randrange(6, 900), "hits": found})


def prose(chance: Random) -> str:
    return ".\n\n".join(text(chance, chance.randrange(250, 450)) for _ in range(3)) + "."


# What each tool answers with.
ANSWERS: dict[str, Callable[[Random], str]] = {
    "search": records,
    "fetch": page,
    "read_file": code,
    "query": table,
    "run_tests": log,
}
