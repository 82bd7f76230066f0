"""Gaps in the times of a run."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from traces.gaps.kind import Finder, Kind
from traces.gaps.systematic import once_if_common
from traces.transcript import Gap, Step, Transcript

KINDS = {
    "no_times": Kind(
        "No times",
        "No step has a time, so durations, overlaps and time-outs cannot be seen.",
        "Record when each step began and ended, with an offset.",
    ),
    "negative_duration": Kind(
        "Ends before it starts",
        "A step's times contradict each other; its duration means nothing.",
        "Take both times from one monotonic clock.",
    ),
    "clock_skew": Kind(
        "Clocks disagree",
        "A step starts before the one whose output it used, or its times lie outside of its run's,"
        " or it was written down before it began. Order here follows the links.",
        "Synchronise the clocks of all hosts, and record links.",
    ),
    "late_arrival": Kind(
        "Came late",
        "The step was written down after the record was closed, or begins after the run ended:"
        " who judged the run by then had not seen it.",
        "Close a run when its last step is written, and send what comes later as its own run.",
    ),
}


def no_times(transcript: Transcript) -> Iterator[Gap]:
    if transcript.steps and not any(step.started_at for step in transcript.steps):
        yield Gap("no_times", "No step has a time.")


def negative_duration(transcript: Transcript) -> Iterator[Gap]:
    for step in transcript.steps:
        if step.started_at and step.ended_at and step.ended_at < step.started_at:
            early = step.started_at - step.ended_at
            yield Gap("negative_duration", f"Ends {early} before it starts.", step.number)


def clock_skew(transcript: Transcript) -> Iterator[Gap]:
    for link in transcript.links:
        before = transcript.steps[link.source].started_at
        after = transcript.steps[link.target].started_at
        if link.recorded and before and after and after < before:
            detail = f"Starts {before - after} before step {link.source}, which it follows."
            yield Gap("clock_skew", detail, link.target)


def outside_of_the_run(transcript: Transcript) -> list[Gap]:
    return once_if_common(_outside(transcript), among=len(transcript.steps))


def _outside(transcript: Transcript) -> Iterator[Gap]:
    """Steps whose times cannot be by the clock of the run, or of the recorder."""
    began, ended = transcript.started_at, transcript.ended_at
    for step in transcript.steps:
        if began and step.started_at and step.started_at < began:
            early = began - step.started_at
            yield Gap("clock_skew", f"Starts {early} before the run.", step.number)
        elif ended and step.ended_at and begins_by(step, ended) and step.ended_at > ended:
            late = step.ended_at - ended
            yield Gap("clock_skew", f"Ends {late} after the run ended.", step.number)
        elif step.recorded_at and step.started_at and step.recorded_at < step.started_at:
            early = step.started_at - step.recorded_at
            yield Gap("clock_skew", f"Written down {early} before it started.", step.number)


def begins_by(step: Step, moment: datetime) -> bool:
    """Whether a step does not begin later, which would be another gap."""
    return not step.started_at or step.started_at <= moment


def late_arrival(transcript: Transcript) -> list[Gap]:
    return once_if_common(_late(transcript), among=len(transcript.steps))


def _late(transcript: Transcript) -> Iterator[Gap]:
    closed, ended = transcript.closed_at, transcript.ended_at
    for step in transcript.steps:
        if closed and step.recorded_at and step.recorded_at > closed:
            late = step.recorded_at - closed
            yield Gap("late_arrival", f"Written {late} after the record was closed.", step.number)
        elif ended and step.started_at and step.started_at > ended:
            late = step.started_at - ended
            yield Gap("late_arrival", f"Begins {late} after the run ended.", step.number)


FINDERS: tuple[Finder, ...] = (
    no_times,
    negative_duration,
    clock_skew,
    outside_of_the_run,
    late_arrival,
)
