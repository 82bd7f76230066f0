"""Runs that look like real ones, of any length: agents that plan, search, write, check and retry.

A story is told scene by scene: the planner hands a piece of work to researchers (a fork), takes
their reports together (a join), a coder changes a file until its tests pass, and a verifier
checks it. Two stories of one task and length, one failed and one not, are the same but for
some scenes: other arguments, further attempts, scenes left out, checks that fail.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from traces.bench import answers
from traces.bench.documents import text
from traces.compact import compact
from traces.facts import fact_lines, with_facts
from traces.formats.native.parts import KIND_BY_PART
from traces.transcript import (
    Actor,
    ActorKind,
    Failure,
    Gap,
    Link,
    LinkKind,
    Outcome,
    Part,
    PartKind,
    Report,
    Step,
    StepStatus,
    Transcript,
)

BEGUN = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
RESEARCHERS = ("researcher#1", "researcher#2", "researcher#3")
CODERS = ("coder#1", "coder#2")
AGENTS = ("planner#1", *RESEARCHERS, *CODERS, "verifier#1")
FILES = ("quote.py", "invoice.py", "booking.py", "schema.sql")
GAPS = ("cut_text", "no_times", "sequence_hole", "missing_verification", "retry_without_reason")
INFERRED = "same text in both"
# One scene in so many of the failed run differs in such a way from the other.
OTHER_ARGUMENTS, LEFT_OUT, FURTHER_ATTEMPT = 7, 17, 11


def story(task: str, *, steps: int, failed: bool) -> Transcript:
    """One run. The same task, length and outcome give the same run."""
    told = Story(task, failed=failed)
    told.says("user#1", PartKind.INPUT, text(Random(task), 900))  # noqa: S311
    while len(told.steps) < steps:
        told.scene()
    return told.whole(steps)


class Story:
    def __init__(self, task: str, *, failed: bool) -> None:
        self.task, self.failed, self.scenes = task, failed, 0
        self.chance = Random(task)  # noqa: S311
        self.now = BEGUN
        self.steps: list[Step] = []
        self.links: list[Link] = []
        self.gaps: list[Gap] = []
        self.versions = dict.fromkeys(FILES, 0)

    def scene(self) -> None:
        number = self.scenes
        self.scenes += 1
        self.chance = Random(f"{self.task} {number}")  # noqa: S311
        if self.failed and number % LEFT_OUT == LEFT_OUT - 1:
            return
        plan = self.plans()
        reports = [self.researches(who, plan) for who in RESEARCHERS[: 2 + number % 2]]
        handed = self.says("planner#1", PartKind.MESSAGE, answers.prose(self.chance), *reports)
        for source in reports[1:]:
            self.links.append(Link(source, handed, LinkKind.JOIN))
        self.verifies(self.writes(CODERS[number % 2], handed))
        if number % 23 == 22:
            kind = GAPS[number // 23 % len(GAPS)]
            self.gaps.append(Gap(kind, f"Seen in scene {number}.", len(self.steps) - 1))

    def plans(self) -> int:
        last = len(self.steps) - 1
        rejected = [{"option": text(self.chance, 60), "reason": text(self.chance, 80)}]
        chosen = {"chosen": text(self.chance, 40), "rejected": rejected}
        thought = part(PartKind.INTERPRETATION, text(self.chance, 700))
        decided = part(PartKind.DECISION, text(self.chance, 400), chosen)
        return self.step("planner#1", thought, decided, inputs=(last,))

    def researches(self, who: str, plan: int) -> int:
        """Two calls and a report, which consumes both. The first one is where the fork begins."""
        first = self.calls(who, self.chance.choice(("search", "fetch")), plan)
        self.links.append(Link(plan, first, LinkKind.SPAWN))
        second = self.calls(who, self.chance.choice(("read_file", "query")), first)
        report = self.says(who, PartKind.MESSAGE, answers.page(self.chance), second)
        self.links.append(Link(first, report, LinkKind.CONSUMES, INFERRED))
        return report

    def writes(self, who: str, handed: int) -> int:
        """A change, and tests of it: again and again until they pass."""
        name = self.chance.choice(FILES)
        change = self.changes(who, name, handed)
        tried = self.calls(who, "run_tests", change, fails=(fails := self.fails()))
        self.links.append(Link(handed, change, LinkKind.HANDOFF))
        for attempt in range(2, 2 + fails):
            change = self.changes(who, name, tried)
            again = self.calls(who, "run_tests", change, attempt=attempt, fails=fails - attempt + 1)
            self.links.append(Link(tried, again, LinkKind.RETRY_OF))
            tried = again
        return tried

    def fails(self) -> int:
        """How often the tests of this scene fail before they pass."""
        usual = self.scenes % 5 == 0
        return usual + (self.failed and self.scenes % FURTHER_ATTEMPT == 0)

    def changes(self, who: str, name: str, cause: int) -> int:
        before = self.versions[name]
        self.versions[name] = before + 1
        data = {"artifact": name, "before": f"v{before}", "after": f"v{before + 1}"}
        return self.step(
            who, part(PartKind.STATE, answers.code(self.chance), data), inputs=(cause,)
        )

    def verifies(self, tested: int) -> int:
        wrong = self.failed and self.scenes % 13 == 0
        verdict = "failed" if wrong else "passed"
        data = {"check": f"acceptance {self.scenes}", "verdict": verdict}
        found = answers.failing_log(self.chance) if wrong else answers.log(self.chance)
        return self.step("verifier#1", part(PartKind.VERIFICATION, found, data), inputs=(tested,))

    def calls(self, who: str, tool: str, cause: int, *, attempt: int = 1, fails: int = 0) -> int:
        where, words = answers.path(self.chance), text(self.chance, 120)
        if self.failed and self.scenes % OTHER_ARGUMENTS == 0:
            where = f"archive/{where}"
        call = f"c{len(self.steps)}"
        given = {"path": where, "query": words, "limit": 50, "options": {"recursive": True}}
        request = part(PartKind.TOOL_REQUEST, compact(given), {"tool": tool, "call": call})
        found = answers.failing_log if fails else answers.ANSWERS[tool]
        result = {"call": call, "status": "error" if fails else "ok", "duration_ms": 1_200}
        response = part(PartKind.TOOL_RESPONSE, found(self.chance), result)
        broken = (part(PartKind.ERROR, f"exit status {fails}: tests failed"),) if fails else ()
        return self.step(
            who,
            *(request, response, *broken),
            inputs=(cause,),
            tool=tool,
            status=StepStatus.ERROR if fails else StepStatus.OK,
            attempt=attempt if attempt > 1 else None,
            attempt_reason="the tests failed" if attempt > 1 else None,
        )

    def says(self, who: str, kind: PartKind, words: str, *inputs: int) -> int:
        return self.step(who, part(kind, words), inputs=inputs)

    def step(self, who: str, *parts: Part, inputs: tuple[int, ...], **given: Any) -> int:
        number = len(self.steps)
        begun = self.now
        self.now += timedelta(seconds=self.chance.randrange(1, 9))
        kinds = {each.kind for each in parts}
        made = Step(
            number,
            f"s{number}",
            who,
            next(step for part, step in KIND_BY_PART.items() if part in kinds),
            parts,
            started_at=begun,
            ended_at=self.now,
            **({"status": StepStatus.OK} | given),
        )
        self.steps.append(made)
        self.links += [Link(source, number, LinkKind.CONSUMES) for source in inputs if source >= 0]
        return number

    def whole(self, count: int) -> Transcript:
        """The first so many steps as a run: the last one is a check that says how it ended."""
        verdict = "failed" if self.failed else "passed"
        ending = part(PartKind.VERIFICATION, text(Random(0), 900), {  # noqa: S311
            "check": "acceptance", "verdict": verdict,
        })  # fmt: skip
        last = self.steps[count - 1]
        kind = KIND_BY_PART[PartKind.VERIFICATION]
        status = {"status": StepStatus.OK, "tool": None, "attempt": None, "attempt_reason": None}
        final = replace(last, actor="harness#1", kind=kind, parts=(ending,), **status)  # type: ignore[arg-type]
        failure = Failure("f1", "The booking is missing.", exposed_by=count - 1)
        return Transcript(
            external_id=f"{self.task} {verdict} {count}",
            source="bench",
            actors=tuple(map(actor, ("user#1", *AGENTS, "harness#1"))),
            steps=(*self.steps[: count - 1], final),
            links=tuple(link for link in self.links if link.target < count),
            gaps=tuple(gap for gap in self.gaps if gap.step is not None and gap.step < count),
            failures=(failure,) if self.failed else (),
            reports=(Report(verdict, "harness", count - 1),),
            outcome=Outcome.FAILED if self.failed else Outcome.SUCCEEDED,
            task_id=f"{self.task} {count}",
            task_text=text(Random(self.task), 400),  # noqa: S311
            system={"name": "bench", "version": "1"},
            started_at=BEGUN,
            ended_at=last.ended_at,
            schema="bench",
        )


def part(kind: PartKind, words: str, data: Mapping[str, Any] | None = None) -> Part:
    """As the reader of native runs makes it: facts stand below the text, too."""
    return Part(kind, with_facts(words, fact_lines(data or {})), data or {})


def actor(key: str) -> Actor:
    role, _, instance = key.partition("#")
    kind = {"user": ActorKind.HUMAN, "harness": ActorKind.HARNESS}.get(role, ActorKind.AGENT)
    return Actor(key, role, kind, instance, model="model-1" if kind is ActorKind.AGENT else None)
