"""Which formats there are, and which of them a document is in: by content, never by its name."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from traces.formats.base import Format, Joiner, Json, Sample, Unreadable

GROUP, JOINER_GROUP = "inquest.formats", "inquest.joiners"
# Modules and packages here that have a FORMAT, one a line and sorted. Each is named as its format:
# a dot stands for an underscore.
FORMATS = (
    "a2a",
    "adk_events",
    "ag2",
    "agentops",
    "agentrx",
    "agentrx.trajectory",
    "atif",
    "atof",
    "autogen",
    "autogen.log",
    "autogen.replay",
    "autogen.state",
    "claude.code",
    "claude.stream",
    "codex.exec",
    "codex.rollout",
    "copilot_events",
    "crewai",
    "gemini_cli",
    "harbor",
    "inspect",
    "langfuse",
    "langgraph",
    "langgraph.events",
    "langgraph.stream",
    "langsmith",
    "magentic_one",
    "managed_agents",
    "mast",
    "mast.labels",
    "mcp",
    "messages",
    "mini_swe_agent",
    "mlflow",
    "native",
    "openai_agents",
    "openclaw",
    "openhands",
    "otel_console",
    "otel_local",
    "otlp",
    "pydantic_ai",
    "smolagents_memory",
    "swe_agent",
    "tau_bench",
    "terminal_bench",
    "trail",
    "whowhen",
)
# Modules of this package that have a JOINER, one a line and sorted.
JOINERS: tuple[str, ...] = (
    "agentrx.joining",
    "atif",
    "claude.bundles",
    "harbor",
    "inspect",
    "openhands.folder",
    "terminal_bench",
)

logger = logging.getLogger(__name__)


@cache
def built_in() -> tuple[Format, ...]:
    return tuple(import_module(f"traces.formats.{name}").FORMAT for name in FORMATS)


@cache
def formats() -> Mapping[str, Format]:
    """Built-in formats first, then plug-ins. A plug-in cannot take a built-in's name."""
    known = {each.name: each for each in built_in()}
    for plugin in plugged_in(GROUP):
        known.setdefault(plugin.name, plugin)
    return known


@cache
def joiners() -> tuple[Joiner, ...]:
    """Built-in joiners first, then plug-ins."""
    known = (import_module(f"traces.formats.{name}").JOINER for name in JOINERS)
    return (*known, *plugged_in(JOINER_GROUP))


def plugged_in(group: str) -> Iterator[Any]:
    for entry in entry_points(group=group):
        try:
            plugin = entry.load()
            plugin.name, plugin.version  # noqa: B018 - what has neither is none
            yield plugin
        except Exception:  # foreign code may raise anything; the others must stay usable
            logger.exception("The plug-in %s could not be loaded.", entry.name)


def named(name: str) -> Format:
    try:
        return formats()[name]
    except KeyError as error:
        raise Unreadable(f'There is no format "{name}". Known formats: {listing()}.') from error


def detect(sample: Sample) -> tuple[Format, str]:
    """The one format whose rule fits, with the rule. Raises Unreadable on none and on several."""
    fitting = candidates(sample)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        which = ", ".join(f"{format_.name} ({rule})" for format_, rule in fitting)
        sentence = f"More than one format fits: {which}. Name the one to use."
    else:
        sentence = f"No known format fits, of {len(formats())}. Name the one to use, if it is one."
    raise Unreadable(sentence, f"It begins: {shortened(sample.first)}")


def candidates(sample: Sample) -> list[tuple[Format, str]]:
    """Every format whose rule fits, but for those that give way to another one that fits."""
    fitting = [
        (format_, rule) for format_ in formats().values() if (rule := format_.recognise(sample))
    ]
    give_way = {name for format_, _ in fitting for name in before(format_)}
    return [(format_, rule) for format_, rule in fitting if format_.name not in give_way]


def before(format_: Format) -> Sequence[str]:
    """The names of the formats that this one goes before where the rules of both fit.

    A format says so by an attribute `before`, and only where its own rule is the narrower one.
    """
    return getattr(format_, "before", ())


def listing() -> str:
    return ", ".join(formats())


def shortened(value: Json, length: int = 200) -> str:
    """A JSON value as text of at most `length` characters, for messages."""
    text = ""
    # Piece by piece: the value may be as large as a document.
    for piece in json.JSONEncoder(ensure_ascii=False).iterencode(value):
        text += piece[: length + 1]
        if len(text) > length:
            return f"{text[:length]}…"
    return text
