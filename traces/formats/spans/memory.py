"""What was said in a run so far, which prompts of all its model calls are compared with."""

from __future__ import annotations

from collections import defaultdict

from traces.formats.spans.prompts import Thread
from traces.formats.spans.steps import Steps
from traces.formats.spans.tree import MOST_LEVELS
from traces.formats.steps.building import Builder, Draft


class Memory:
    """What was said in a run so far, and by whom, for all its model calls."""

    def __init__(self, builder: Builder, steps: Steps) -> None:
        self.builder, self.steps = builder, steps
        self.threads: defaultdict[str, Thread] = defaultdict(Thread)
        self.heard: dict[tuple[str, str, int], Draft] = {}
        self.told: dict[tuple[str, str, int], Draft] = {}
        # The steps of tools of each agent so far, in order.
        self.tools: defaultdict[str, list[Draft]] = defaultdict(list)
        # The first model call that had a tool's answer.
        self.used_by: dict[str, Draft] = {}
        self.first_words = ""
        self.acting: set[str] = set()

    def is_called(self, actor: str) -> bool:
        """Whether an agent lies inside another one that does something itself."""
        parent, levels = self.builder.actors[actor].parent, 0
        while parent and levels < MOST_LEVELS:
            if parent in self.acting:
                return True
            parent, levels = self.builder.actors[parent].parent, levels + 1
        return False
