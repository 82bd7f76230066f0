"""What models were sent: the whole history each time, of which only the news is read.

A prompt that begins as the one before it of the same agent is read from there on. What is left
is compared by content: what somebody said is a step the first time it stands in a prompt, and is
folded after that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from traces.formats.base import Json
from traces.formats.chat.reading import INSTRUCTIONS, SENT, SENT_BACK
from traces.formats.spans.json_text import loads

# Where one text stands that is all that a model was sent.
WORDS = ("input", "prompt")
# Conversations of one agent that run beside each other, as sub-agents without names do.
MOST = 4


class Prompt:
    """The raw messages of a prompt, and how often each message in them was met."""

    __slots__ = ("counts", "damaged", "stem", "values")

    def __init__(self, values: Sequence[Json], stem: str = "", *, damaged: bool = False) -> None:
        self.values, self.stem, self.damaged = values, stem, damaged
        self.counts: Counter[tuple[str, str]] = Counter()


class Thread:
    """The prompts of one agent, the latest last, and the instructions it had beside them.

    `used` are the steps that its model calls have had before.
    """

    __slots__ = ("recent", "system", "used")

    def __init__(self) -> None:
        self.system: Json = None
        self.used: set[str] = set()
        self.recent: list[Prompt] = []

    def next(self, given: Json) -> tuple[Prompt, int]:
        """The prompt, and how many of its messages were read with one before it."""
        if isinstance(given, str):
            for known in reversed(self.recent):
                if known.stem and (rest := rest_of(given, known.stem)) is not None:
                    prompt = Prompt([*known.values, *rest], stem_of(given))
                    return self.after(known, prompt), len(known.values)
        prompt = opened(given)
        for known in reversed(self.recent):
            length = len(known.values)
            if length <= len(prompt.values) and prompt.values[:length] == known.values:
                return self.after(known, prompt), length
        self.recent = [*self.recent[1 - MOST :], prompt]
        return prompt, 0

    def after(self, known: Prompt, prompt: Prompt) -> Prompt:
        self.recent.remove(known)
        self.recent.append(prompt)
        prompt.counts = known.counts
        return prompt


def opened(given: Json) -> Prompt:
    """The messages that a prompt holds, one by one, not yet read."""
    if isinstance(given, str) and given.lstrip()[:1] in ("[", "{"):
        try:
            value = loads(given)
        except ValueError:
            return Prompt([given], damaged=True)
        return Prompt(listed(value), stem_of(given) if isinstance(value, list) else "")
    return Prompt(listed(given))


def listed(value: Json) -> list[Json]:
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        for key in (*SENT, *SENT_BACK):
            if isinstance(value.get(key), list):
                return [*instructions(value, key), *value[key]]
        for key in WORDS:
            if isinstance(value.get(key), str) and "role" not in value:
                return [*instructions(value, key), value[key]]
    return [] if value is None or value == "" else [value]


def instructions(request: dict[str, Json], key: str) -> list[Json]:
    """What a request tells the model apart from its messages."""
    found = [request[word] for word in INSTRUCTIONS if request.get(word) not in (None, "", [])]
    told = key not in SENT_BACK and "role" not in request
    return [{"role": "system", "content": each} for each in found] if told else []


def stem_of(text: str) -> str:
    """The text of a list without its end, with which a longer list begins."""
    return text.rstrip()[:-1].rstrip()


def rest_of(text: str, stem: str) -> list[Json] | None:
    """What a list has behind a known beginning; None if it does not begin so."""
    if not text.startswith(stem):
        return None
    rest = text[len(stem) :].lstrip()
    if rest == "]":
        return []
    if not rest.startswith(","):
        return None
    try:
        value = loads(f"[{rest[1:]}")
    except ValueError:
        return None
    return value if isinstance(value, list) else None
