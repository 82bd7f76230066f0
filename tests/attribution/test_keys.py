"""The registry of keys: what it refuses, what it promises, and that the pages keep it."""

from __future__ import annotations

import re
import string
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from hypothesis import given
from hypothesis import strategies as st

from attribution import keys
from attribution.keys import CASE, RUN, Action

ROOT = Path(__file__).parents[2]
TEMPLATES = [
    path
    for folder in ("attribution", "reviews")
    for path in (ROOT / "templates" / folder).glob("*.html")
]
JUMP = Action("jump", ("j",), "Moving", "jump", "a link")
# What DESIGN.md fixes, by key.
FIXED = {
    "j": "next-step", "k": "previous-step", "l": "next-lane", "h": "previous-lane",
    "n": "next-candidate", "p": "previous-candidate", "[": "previous-divergence",
    "]": "next-divergence", "u": "upstream", "d": "downstream", "c": "cite", "f": "mark-first",
    "x": "mark-exposing", "m": "mark-missed", "/": "search", "s": "sign", "r": "revise",
    "z": "unresolved", "?": "all-keys",
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"keys": ()}, "jump has no key."),
        ({"pages": ()}, "jump is on no page."),
        ({"pages": ("attic",)}, "jump is on a page that there is not."),
        ({"group": "Attic"}, "jump is in a group that there is not."),
        ({"words": ""}, "jump does not say what it does, and how without its key."),
        ({"instead": ""}, "jump does not say what it does, and how without its key."),
        (
            {"button": True, "repeats": True},
            "jump would press its button again and again while held.",
        ),
    ],
)
def test_an_action_that_is_not_whole_is_refused(changes, fault):
    assert keys.faults([replace(JUMP, **changes)]) == [fault]


@pytest.mark.parametrize(
    "key",
    ["Tab", "Enter", " ", "ArrowDown", "Home", "PageDown", "F5", "Insert", "CapsLock", "Dead",
     "Process", "Backspace", "ContextMenu", "'", "´", "\u202e", "jj", ""],
)  # fmt: skip
def test_a_key_of_the_browser_or_a_screen_reader_is_refused(key):
    (fault,) = keys.faults([replace(JUMP, keys=(key,))])
    assert fault == f"The key {key!r} of jump belongs to the browser or a screen reader."


def test_two_actions_of_one_key_are_refused_where_both_are():
    other = replace(JUMP, name="other", pages=(CASE,))
    assert keys.faults([JUMP, other]) == [
        "The key j does 2 things on the page of a case: jump, other."
    ]
    assert keys.faults([replace(JUMP, pages=(RUN,)), other]) == []


def test_a_key_twice_in_one_action_is_refused():
    assert keys.faults([replace(JUMP, keys=("j", "j"), pages=(RUN,))]) == [
        "The key j does 2 things on the page of a run: jump, jump."
    ]


def test_two_actions_of_one_name_are_refused():
    again = replace(JUMP, keys=("k",))
    assert keys.faults([JUMP, again]) == ["2 actions are called jump."]


@given(st.lists(st.sampled_from(string.ascii_letters), max_size=8))
def test_a_registry_is_sound_exactly_when_its_keys_differ(letters):
    actions = [replace(JUMP, name=f"a{n}", keys=(key,)) for n, key in enumerate(letters)]
    assert (keys.faults(actions) == []) == (len(set(letters)) == len(letters))


def test_a_collision_stops_the_start(monkeypatch):
    monkeypatch.setattr(keys, "ACTIONS", (*keys.ACTIONS, JUMP))
    with pytest.raises(SystemCheckError, match=r"attribution\.E002.*next-step, jump"):
        call_command("check")


def test_the_registry_is_sound():
    assert keys.faults(keys.ACTIONS) == []


def test_keys_that_people_know_stay_theirs():
    found = {key: each.name for each in keys.on(CASE) for key in each.keys}
    assert {key: found.get(key) for key in FIXED} == FIXED


def test_a_page_is_told_its_own_keys_and_the_names_of_others():
    told = keys.registry(RUN)
    names = {each["name"] for each in told["actions"]}
    assert "sign" not in names
    assert {"sign", "cite", "start-from"} <= set(told["elsewhere"])
    assert names | set(told["elsewhere"]) == {each.name for each in keys.ACTIONS}
    assert told["actions"][0] == {
        "name": "next-step", "keys": ["j"], "repeats": True, "button": False,
    }  # fmt: skip


def test_a_range_of_keys_is_shown_by_its_ends():
    start = next(each for each in keys.ACTIONS if each.name == "start-from")
    assert (start.labels, start.is_range) == (("1", "9"), True)


def test_every_button_that_a_key_presses_is_in_a_template():
    found = {key for path in TEMPLATES for key in re.findall(r'data-key="(.)"', path.read_text())}
    pressed = {key for each in keys.ACTIONS if each.button for key in each.keys}
    assert pressed - found <= set("123456789")


def test_no_template_shows_a_key_that_does_nothing():
    known = {label for each in keys.ACTIONS for label in (*each.keys, *each.labels)}
    for path in TEMPLATES:
        text = path.read_text()
        shown = re.findall(r'<kbd>([^<{]+)</kbd>|data-key="([^"{]+)"', text)
        named = {one.replace("&lt;", "<").replace("&gt;", ">") for pair in shown for one in pair}
        assert named - {""} <= known, path.name
        actions = set(re.findall(r'data-action="([^"{]+)"', text))
        assert actions <= {each.name for each in keys.ACTIONS}, path.name


def test_the_guide_lists_exactly_these_keys():
    guide = (ROOT / "docs" / "reviewer.md").read_text()
    table = guide.split("### Keys\n")[1].split("\n#")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    listed = [key for row in rows for key in re.findall(r"`([^`]+)`", row.split("|")[1])]
    assert listed == [label for each in keys.ACTIONS for label in each.labels]
