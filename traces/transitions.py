"""A recorded change of an artifact, and two that met: each says itself in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from traces.completeness import listed

# Characters of what was accepted in which a version is looked for.
LONGEST = 200


@dataclass(frozen=True, slots=True)
class Transition:
    """One recorded change of one artifact. Versions are None where the record names none.

    `accepted` is the version that won, `resolution` what became of this one (accepted, rejected,
    merged), `rule` what decided it and `against` the steps it raced with.
    """

    artifact: str
    step: int
    before: str | None = None
    after: str | None = None
    change: str = ""
    accepted: str = ""
    rule: str = ""
    resolution: str = ""
    against: tuple[str, ...] = ()
    # That it names no version after it because the record has no word on it.
    after_unknown: bool = False

    @property
    def deletes(self) -> bool:
        """Whether it left nothing where there was a version."""
        return self.before is not None and self.after is None and not self.after_unknown

    @property
    def settles(self) -> bool:
        """Whether it says which of several versions stays, or by which rule."""
        return bool(self.accepted or self.rule or self.resolution)

    @property
    def met_another(self) -> bool:
        """Whether it says itself that there was another version beside its own."""
        other = self.accepted and self.after and not names(self.accepted, self.after)
        return bool(self.against or self.resolution or other)

    @property
    def stays(self) -> str:
        """The version that it says was accepted: one that it names, or its own."""
        own = self.after if self.resolution == "accepted" else ""
        return self.accepted or own or ""

    def sentence(self) -> str:
        if self.before is None and self.after is None:
            return f"Step {self.step} changed {self.artifact}; the versions are not recorded."
        if self.before is None:
            return f"Step {self.step} left {self.artifact} at {self.after}."
        if self.after is None:
            return f"Step {self.step} changed {self.artifact} from {self.before} to no version."
        if self.before == self.after:
            return f"Step {self.step} left {self.artifact} unchanged at {self.after}."
        return f"Step {self.step} changed {self.artifact} from {self.before} to {self.after}."


@dataclass(frozen=True, slots=True)
class Race:
    """Changes of one artifact that did not know of each other, in the order of their steps.

    `settled` are the transitions, contenders or later ones, that say what was accepted and why.
    """

    artifact: str
    before: str | None
    contenders: tuple[Transition, ...]
    settled: tuple[Transition, ...] = ()

    @property
    def steps(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(each.step for each in self.contenders))

    @property
    def accepted(self) -> str:
        """The version that stayed, in the record's words; empty if it does not say."""
        return next((each.stays for each in reversed(self.settled) if each.stays), "")

    @property
    def said_to_stay(self) -> tuple[str, ...]:
        """The versions called accepted that somebody made: more than one is a contradiction."""
        found: list[str] = []
        made = {each.after for each in (*self.contenders, *self.settled)}
        for said in (each.stays for each in self.settled if each.stays):
            if not made.isdisjoint(called(said)) and not any(
                names(said, known) or names(known, said) for known in found
            ):
                found.append(said)
        return tuple(found)

    @property
    def rule(self) -> str:
        return "; ".join(dict.fromkeys(each.rule for each in self.settled if each.rule))

    @property
    def winners(self) -> tuple[Transition, ...]:
        """Contenders that the record calls accepted or merged."""
        return tuple(each for each in self.contenders if self._stays(each))

    @property
    def losers(self) -> tuple[Transition, ...]:
        """Contenders that were rejected; none while the record does not say what was accepted."""
        return tuple(
            each
            for each in self.contenders
            if each.resolution == "rejected" or (self.accepted and not self._stays(each))
        )

    def _stays(self, each: Transition) -> bool:
        if each.resolution:
            return each.resolution in ("accepted", "merged")
        return bool(each.after and names(self.accepted, each.after))

    def sentence(self) -> str:
        who = listed([str(step) for step in self.steps])
        steps = "Steps" if len(self.steps) > 1 else "Step"
        start = f" from {self.before}" if self.before else ""
        begun = f"{steps} {who} raced on {self.artifact}{start}"
        if not self.settled:
            return f"{begun}; the record does not say which version was accepted, nor by what rule."
        ending = f"accepted was {self.accepted}" if self.accepted else "no version was accepted"
        by = f", by the rule {self.rule}" if self.rule else ", by no recorded rule"
        others = [each for each in self.said_to_stay if not names(self.accepted, each)]
        but = f"; the record also says {listed(others)}" if others else ""
        return f"{begun}; {ending}{by}{but}."


def names(words: str, version: str) -> bool:
    """Whether what was written as accepted names this version: "v2" or "v2 (by hand)"."""
    return version in called(words)


def called(words: str) -> Iterator[str]:
    """Every version that these words name: what is written, and "v2" where it is "v2 (by hand)"."""
    yield words
    yield from (words[:end] for end in range(1, min(len(words), LONGEST)) if words[end] in " (")
