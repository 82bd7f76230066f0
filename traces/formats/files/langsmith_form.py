"""The body that clients of LangSmith send: a form, of which the parts of each run make one object.

`post.<id>` is a run that began, `post.<id>.inputs` a field of it, `patch.<id>` its end.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict

from traces.formats.base import Json

START = b"--"
# A boundary is at most 70 bytes long, and nothing stands before the headers of the first part.
FIRST = re.compile(rb"--[^\r\n]{1,70}\r?\nContent-Disposition: form-data; name=\"(post|patch)\.")
NAME = re.compile(rb'^Content-Disposition:[^\r\n]{0,40}name="([^"\r\n]{1,400})"', re.IGNORECASE)
ENDING = b"--"


def as_json(content: bytes) -> tuple[bytes, str] | None:
    """The batch as JSON, and what was wrong with it; None if it is no such form."""
    if not content.startswith(START) or not FIRST.match(content):
        return None
    boundary = content[: content.index(b"\n")].rstrip(b"\r")
    form = Form()
    *whole, last = content.removeprefix(boundary).split(b"\n" + boundary)
    for part in whole:
        form.part(part)
    if not last.startswith(ENDING):
        form.part(last)
        form.lost += 1
    return form.batch(), f"{form.lost} parts are cut or no JSON." if form.lost else ""


class Form:
    """The runs of a form, by what happened to them and their ids, in the order they came."""

    def __init__(self) -> None:
        self.runs: defaultdict[str, dict[str, dict[str, Json]]] = defaultdict(dict)
        self.lost = 0

    def part(self, part: bytes) -> None:
        head, _, body = part.lstrip(b"\r\n").partition(b"\r\n\r\n")
        found = NAME.match(head)
        if found is None:
            self.lost += 1
            return
        what, _, rest = found[1].decode(errors="replace").partition(".")
        run, _, field = rest.partition(".")
        if what == "attachment":
            self.runs["patch"].setdefault(run, {"id": run}).setdefault("attachments", field)
            return
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            self.lost += 1
            return
        self.place(what, run, field, value)

    def place(self, what: str, run: str, field: str, value: Json) -> None:
        if what == "feedback":
            name = value.get("run_id") if isinstance(value, dict) else None
            known = self.runs["patch"].setdefault(str(name), {"id": name})
            known.setdefault("feedback", []).append(value)
            return
        known = self.runs[what].setdefault(run, {"id": run})
        if field:
            known[field] = value
        elif isinstance(value, dict):
            known.update(value)

    def batch(self) -> bytes:
        lists = {what: list(runs.values()) for what, runs in self.runs.items()}
        return json.dumps(lists).encode()
