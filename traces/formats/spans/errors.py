"""Errors of spans: each once, at the deepest span that has it, however many wrap it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from traces.formats.spans.actors import Cast
from traces.formats.spans.span import Role
from traces.formats.spans.steps import moment
from traces.formats.spans.tree import Node
from traces.formats.steps.building import Draft
from traces.formats.steps.conversation import with_data
from traces.transcript import Part, PartKind, StepKind, StepStatus

AGAIN = "exception repeated on a span around it"
IN_RESULT = "exception repeated in the tool's result"
# What the OpenAI Agents SDK writes instead of what went wrong.
REDACTED = "Error details are redacted"
# Errors inside a span that one of its own is compared with.
MOST = 20


class Trouble(NamedTuple):
    """One thing that went wrong in a span."""

    type: str
    text: str
    data: dict[str, Any]

    def part(self) -> Part:
        capture = {"text": "withheld"} if REDACTED in self.text else {}
        text = self.text or self.type
        if not text:
            capture = {"text": "not_captured"}
        data = {"type": self.type, **self.data} if self.type else self.data
        return Part(PartKind.ERROR, text, data, capture)

    def repeats(self, texts: Sequence[str]) -> bool:
        """Whether it says again what went wrong inside."""
        if not texts:
            return False
        return not self.text or any(text in self.text or self.text in text for text in texts)


def place_errors(children_first: Sequence[Node], cast: Cast) -> None:
    inside: defaultdict[str, list[str]] = defaultdict(list)
    for node in children_first:
        if node.facts.role is Role.JUDGEMENT:
            continue
        found = inside.pop(node.id, [])
        troubles = {(each.type, each.text): each for each in troubles_of(node)}
        if troubles:
            told(node, list(troubles.values()), found, cast)
            found = [*found, *(text for _, text in troubles if text)]
        if node.parent is not None and found:
            inside[node.parent.id] += found[:MOST]


def told(node: Node, troubles: Sequence[Trouble], inside: Sequence[str], cast: Cast) -> None:
    builder = cast.builder
    new = [each for each in troubles if not each.repeats(inside)]
    if len(new) < len(troubles):
        builder.folded[AGAIN] += len(troubles) - len(new)
    draft = node.draft or (node.folded_into.draft if node.folded_into else None)
    if draft is None:
        for number, trouble in enumerate(new):
            own_step(node, trouble, number, cast)
        return
    draft.status = status_of(troubles)
    had = {part.text for part in draft.parts}
    for trouble in new:
        if trouble.text and trouble.text in had:
            builder.folded[IN_RESULT] += 1
            draft.parts = [
                with_data(part, exception=trouble.type) if part.text == trouble.text else part
                for part in draft.parts
            ]
        else:
            draft.parts.append(trouble.part())


def own_step(node: Node, trouble: Trouble, number: int, cast: Cast) -> None:
    """An error that no step inside explains is one by itself."""
    name = f"{node.id}.error{number or ''}"
    ended = node.span.end_ns
    cast.builder.drafts[name] = Draft(
        id=name,
        actor=node.actor or cast.actor_of(node),
        kind=StepKind.ERROR,
        parts=[trouble.part()],
        order=(ended if ended is not None else node.place[0], 3, number),
        pointer=node.span.pointer,
        status=status_of([trouble]),
        started_at=moment(ended),
        ended_at=moment(ended),
    )


def status_of(troubles: Sequence[Trouble]) -> StepStatus:
    names = " ".join(each.type for each in troubles).lower()
    if "timeout" in names or "deadline" in names:
        return StepStatus.TIMEOUT
    return StepStatus.CANCELLED if "cancelled" in names else StepStatus.ERROR


def troubles_of(node: Node) -> Iterator[Trouble]:
    span, facts = node.span, node.facts
    found = False
    for event in span.events:
        if event.name == "exception":
            given = event.attributes
            stack = given.get("exception.stacktrace")
            data = {"stacktrace": stack} if isinstance(stack, str) and stack else {}
            text = given.get("exception.message")
            yield Trouble(
                str(given.get("exception.type") or ""), text if isinstance(text, str) else "", data
            )
            found = True
    if not found and (facts.error is not None or span.status == "error"):
        yield Trouble(facts.error_type, facts.error or span.message, {})
