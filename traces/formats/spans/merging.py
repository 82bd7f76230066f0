"""Spans that came more than once: the same again, with more in it, or another with the same id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from traces.formats.base import Json
from traces.formats.spans.calls import key_of
from traces.formats.spans.span import Facts, Role, Span
from traces.formats.spans.tree import Node
from traces.formats.steps.building import SENT_AGAIN, Builder

COMPLETED = "sent again with more content"
RECORDED_TWICE = "call recorded by two instrumentations"
# Different spans with one id that a further one is compared with, besides the one before it.
MOST = 50
# What may lie around a call, and is more than a wrapper of it.
DOING = frozenset({Role.MODEL, Role.TOOL, Role.AGENT})
# What one of two spans of a call may have and the other not.
CONTENT = ("prompt", "reply", "arguments", "result")
FIELDS = (
    "parent", "name", "start_ns", "end_ns", "attributes", "events", "links", "status", "message"
)  # fmt: skip


def unique(spans: Iterable[Span], builder: Builder) -> list[Span]:
    """Each span once. Another one with the same id is kept beside it, under an id of its own."""
    groups: dict[str, list[Span]] = {}
    for span in spans:
        groups.setdefault(span.id, []).append(span)
    kept = [group[0] for group in groups.values() if len(group) == 1]
    # In order of ids, so that what is said of them is the same for every order of arrival.
    for name in sorted(groups):
        if len(groups[name]) > 1:
            kept += told_apart(groups[name], builder)
    return kept


def told_apart(group: Sequence[Span], builder: Builder) -> list[Span]:
    # The fullest first, so that every order of arrival gives the same.
    group = sorted(group, key=fullness)
    kept: list[Span] = []
    for span in group:
        for known in (*kept[:MOST], *kept[-1:]):
            if merge(known, span):
                same = all(getattr(known, name) == getattr(span, name) for name in FIELDS)
                builder.folded[SENT_AGAIN if same else COMPLETED] += 1
                known.logs += [each for each in span.logs if each not in known.logs]
                known.also_from.append(span.pointer)
                break
        else:
            kept.append(span)
    for number, span in enumerate(kept[1:], start=2):
        builder.gap("duplicate_step", f'Another span has the id "{span.id}" too.')
        span.id = f"{span.id}#{number}"
    return kept


def fullness(span: Span) -> tuple[Any, ...]:
    """The fullest first; of equally full ones any, but always the same."""
    return (
        -len(span.attributes),
        not span.end_ns,
        -len(span.events),
        repr([getattr(span, name) for name in FIELDS]),
    )


def merge(known: Span, again: Span) -> bool:
    """Add what the second has more; False, and nothing is changed, if they contradict."""
    changes: dict[str, Json] = {}
    for name in FIELDS:
        one, other = getattr(known, name), getattr(again, name)
        if one == other or not other:
            continue
        if not one:
            changes[name] = other
        elif isinstance(one, dict) and agree(one, other):
            changes[name] = {**other, **one}
        elif isinstance(one, list) and isinstance(other, list) and within(one, other):
            changes[name] = max(one, other, key=len)
        else:
            return False
    for name, value in changes.items():
        setattr(known, name, value)
    return True


def agree(one: dict[str, Json], other: dict[str, Json]) -> bool:
    return all(one.get(key, value) == value for key, value in other.items())


def within(one: Sequence[Json], other: Sequence[Json]) -> bool:
    """Whether one list begins with the other."""
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def fold_duplicates(nodes: Sequence[Node], builder: Builder) -> None:
    """Fold what two instrumentations wrote of one call into the one of them that says more."""
    by_response: dict[str, Node] = {}
    for node in nodes:
        role = node.facts.role
        if role is not Role.MODEL and role is not Role.TOOL:
            continue
        outer = next((each for each in node.ancestors() if each.facts.role in DOING), None)
        if outer is not None and outer.facts.role is role and same_call(node, outer):
            fold(node, outer, builder)
        elif node.facts.response_id:
            known = by_response.setdefault(node.facts.response_id, node)
            if known is not node and known.overlaps(node) and same_call(node, known):
                fold(node, known, builder)


def fold(node: Node, outer: Node, builder: Builder) -> None:
    outer = outer.folded_into or outer
    kept, other = (node, outer) if content_of(node) > content_of(outer) else (outer, node)
    other.folded_into = kept
    for name in CONTENT:
        if getattr(kept.facts, name) is None:
            setattr(kept.facts, name, getattr(other.facts, name))
    kept.span.also_from += [other.span.pointer, *other.span.also_from]
    builder.folded[RECORDED_TWICE] += 1


def content_of(node: Node) -> int:
    facts = node.facts
    return sum(each is not None for each in (facts.prompt, facts.reply, facts.result))


def same_call(node: Node, outer: Node) -> bool:
    one, other = node.facts, outer.facts
    if one.role is Role.TOOL:
        return one.tool == other.tool and node.overlaps(outer) and same_use(node, outer)
    if (one.model and other.model and one.model != other.model) or not node.overlaps(outer):
        return False
    if one.response_id and other.response_id:
        return one.response_id == other.response_id
    return wraps(outer, node) or (one.reply is not None and said(one) == said(other))


def same_use(node: Node, outer: Node) -> bool:
    """Whether two spans of one tool are of one call of it."""
    one, other = node.facts, outer.facts
    if one.response_id and other.response_id:
        return one.response_id == other.response_id
    if one.call and other.call:
        return one.call == other.call
    apart = node.span.scope.name != outer.span.scope.name
    return apart and key_of(one.arguments) == key_of(other.arguments)


def wraps(outer: Node, node: Node) -> bool:
    """Whether one call lies in the other, and one of them says nothing that was said in it.

    An attempt that failed inside a call that did not is one of its own.
    """
    if outer not in node.ancestors() or (node.span.status == "error") > (
        outer.span.status == "error"
    ):
        return False
    return (outer.facts.reply is None) != (node.facts.reply is None)


def said(facts: Facts) -> list[tuple[str, list[str]]]:
    if facts.reply is None:
        return []
    return [
        (reply.text, [call.id for call in reply.calls])
        for reply in facts.read(facts.reply, "assistant")
    ]
