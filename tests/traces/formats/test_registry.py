"""Formats are told apart by content, and doubt is an answer."""

from __future__ import annotations

import json
import re
import time
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from traces.formats import intake, registry
from traces.formats.base import Document, Limits, ParsedRun, Reading, Sample, Unreadable
from traces.formats.files.containers import Member
from traces.formats.files.documents import decoded
from traces.transcript import Actor, ActorKind, Part, PartKind, Step, StepKind, Transcript


def sample(value: object) -> Sample:
    return decoded(Member(json.dumps(value).encode()), Limits()).sample()


class Diary:
    """A format as a plug-in would bring it."""

    name = "diary"
    version = "3"

    def recognise(self, sample: Sample) -> str | None:
        return "key diary" if any("diary" in item for item in sample.objects) else None

    def read(self, document: Document) -> Reading:
        value = document.records[0].value
        if value["diary"] == "broken":
            raise KeyError("page 7")
        if value["diary"] == "empty":
            raise Unreadable("There is nothing in this diary.")
        data = {"pages": {7}} if value["diary"] == "odd" else {}
        part = Part(PartKind.MESSAGE, value["diary"], data)
        step = Step(0, "0", "author", StepKind.MESSAGE, (part,))
        author = Actor("author", "author", ActorKind.AGENT)
        return Reading((ParsedRun(Transcript("d-1", "diary", (author,), (step,))),))


DIARY = Diary()
NOT_A_FORMAT = EntryPoint("broken", "no.such.module:FORMAT", registry.GROUP)


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> list[EntryPoint]:
    """Entry points as installed packages would add them; none at first."""
    listed: list[EntryPoint] = []
    monkeypatch.setattr(
        registry, "entry_points", lambda group: listed if group == registry.GROUP else []
    )
    registry.formats.cache_clear()
    yield listed
    registry.formats.cache_clear()


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(Unreadable, match=r'no format "minutes".*messages,.* native,.* whowhen'):
        registry.named("minutes")


def test_what_nothing_fits_is_refused_with_its_beginning() -> None:
    with pytest.raises(Unreadable) as refused:
        registry.detect(sample({"spans": ["x" * 500]}))
    assert '{"spans": ["xxx' in refused.value.excerpt
    assert "xxx" not in str(refused.value)
    assert f"of {len(registry.formats())}" in str(refused.value)
    assert len(refused.value.excerpt) < 300


def test_doubt_between_formats_is_refused_with_both_rules() -> None:
    both = {"mistake_step": "1", "history": [], "messages": [{"role": "user", "content": "x"}]}
    with pytest.raises(Unreadable, match=r"More than one format fits: messages .* whowhen "):
        registry.detect(sample(both))


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"schema": "inquest-run/1"}, "native"),
        ({"schema": "inquest-run/99"}, "native"),
        ([{"schema": "inquest-run/1"}], "native"),
        ({"mistake_agent": "a", "history": []}, "whowhen"),
        ([{"role": "user", "content": "hi"}], "messages"),
        ({"messages": [{"role": "assistant", "tool_calls": []}]}, "messages"),
    ],
)
def test_formats_are_known_by_their_keys(value: object, name: str) -> None:
    format_, rule = registry.detect(sample(value))
    assert format_.name == name
    assert rule


def test_every_built_in_format_is_named_as_its_module() -> None:
    names = [path.replace(".", "_") for path in registry.FORMATS]
    assert [format_.name for format_ in registry.built_in()] == names
    assert all(re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", name) for name in names)
    assert sorted(registry.FORMATS) == list(registry.FORMATS)


def test_a_format_goes_before_formats_that_there_are() -> None:
    names = {format_.name for format_ in registry.built_in()}
    for format_ in registry.built_in():
        assert names.issuperset(registry.before(format_)), format_.name


def test_a_plugin_that_cannot_be_loaded_leaves_the_others(
    plugins: list[EntryPoint], caplog: pytest.LogCaptureFixture
) -> None:
    plugins.append(NOT_A_FORMAT)
    assert list(registry.formats()) == [format_.name for format_ in registry.built_in()]
    assert "broken could not be loaded" in caplog.text


def test_a_plugin_reads_what_it_recognises(plugins: list[EntryPoint]) -> None:
    plugins.append(EntryPoint("diary", f"{__name__}:DIARY", registry.GROUP))
    (run,) = intake.take(b'{"diary": "Dear diary"}').runs
    assert (run.format, run.rule) == ("diary@3", "key diary")
    assert run.transcript.steps[0].text == "Dear diary"


def test_what_a_plugin_raises_is_a_sentence(
    plugins: list[EntryPoint], caplog: pytest.LogCaptureFixture
) -> None:
    plugins.append(EntryPoint("diary", f"{__name__}:DIARY", registry.GROUP))
    with pytest.raises(Unreadable, match="The format diary failed on this document") as raised:
        intake.take(b'{"diary": "broken"}')
    assert raised.value.excerpt == "KeyError: 'page 7'"


def test_a_plugin_may_refuse_in_its_own_words(plugins: list[EntryPoint]) -> None:
    plugins.append(EntryPoint("diary", f"{__name__}:DIARY", registry.GROUP))
    with pytest.raises(Unreadable, match="There is nothing in this diary"):
        intake.take(b'{"diary": "empty"}')


def test_what_no_record_can_hold_is_refused(plugins: list[EntryPoint]) -> None:
    plugins.append(EntryPoint("diary", f"{__name__}:DIARY", registry.GROUP))
    result = intake.take(b'{"diary": "odd"}')
    assert result.runs == ()
    assert result.refusals[0].reason == "The run holds what no record can."
    assert result.refusals[0].excerpt.startswith("set has")


def test_a_plugin_cannot_take_a_built_in_name(plugins: list[EntryPoint]) -> None:
    plugins.append(EntryPoint("native", f"{__name__}:FALSE_NATIVE", registry.GROUP))
    assert registry.named("native") in registry.built_in()


class FalseNative(Diary):
    name = "native"


FALSE_NATIVE: Any = FalseNative()


class Logbook(Diary):
    """Knows diaries of ships, which are narrower than diaries."""

    name = "logbook"
    before = ("diary",)

    def recognise(self, sample: Sample) -> str | None:
        return "key ship" if any("ship" in item for item in sample.objects) else None


LOGBOOK = Logbook()


def test_a_narrower_format_goes_before_the_one_it_names(plugins: list[EntryPoint]) -> None:
    plugins.append(EntryPoint("diary", f"{__name__}:DIARY", registry.GROUP))
    plugins.append(EntryPoint("logbook", f"{__name__}:LOGBOOK", registry.GROUP))
    assert registry.detect(sample({"diary": "x"})) == (DIARY, "key diary")
    assert registry.detect(sample({"diary": "x", "ship": "y"})) == (LOGBOOK, "key ship")


def test_the_lists_of_modules_are_sorted() -> None:
    assert list(registry.FORMATS) == sorted(registry.FORMATS)
    assert list(registry.JOINERS) == sorted(registry.JOINERS)


def test_an_installed_package_brings_a_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = tmp_path / "ship_logs-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: ship-logs\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        f"[inquest.formats]\nlogbook = {__name__}:LOGBOOK\nnothing = ship_logs_of_nobody:FORMAT\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    registry.formats.cache_clear()
    try:
        assert registry.named("logbook") is LOGBOOK
        (run,) = intake.take(b'{"diary": "Land ahoy", "ship": "Beagle"}').runs
    finally:
        monkeypatch.undo()
        registry.formats.cache_clear()
    assert (run.format, run.rule) == ("logbook@3", "key ship")
    with pytest.raises(Unreadable):
        registry.named("logbook")


LARGE = {
    "many keys": {f"k{number}": number for number in range(60_000)},
    "a long list": {"messages": [{"role": "user", "content": "x"}] * 60_000},
    "a long list below": {"info": {}, "data": {"spans": [{"a": 1}] * 60_000}},
    "long names": [{"type": "a" * 100_000, "role": "b" * 100_000, "schema": "c" * 100_000}] * 20,
    "large objects": [{"type": "x", "messages": [{"a": 1}] * 900, "history": [1] * 900}] * 60,
    "many objects": [{"uuid": 1, "type": {"x": []}}] * 60_000,
}


@pytest.mark.parametrize("name", LARGE)
def test_detection_costs_no_more_than_decoding(name: str) -> None:
    content = json.dumps(LARGE[name]).encode()
    decoding, detecting = [], []
    for _ in range(3):
        begin = time.process_time()
        document = decoded(Member(content), Limits())
        middle = time.process_time()
        registry.candidates(document.sample())
        decoding.append(middle - begin)
        detecting.append(time.process_time() - middle)
    assert min(detecting) <= max(min(decoding), 0.05)
