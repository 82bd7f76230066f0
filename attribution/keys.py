"""Every key of the run page and the case page, in one place: plain Python.

The sheet of keys, the script that listens, the guide and the tests read this registry. What
`faults` finds stops the start, so that no key ever does two things on one page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

RUN, CASE = "run", "case"
PAGES = {RUN: "the page of a run", CASE: "the page of a case"}
BOTH = (RUN, CASE)
GROUPS = ("Moving", "Cause", "Comparison", "Finding", "Marking", "Claim", "Page")
# How a key is written where its name is long.
SHORT = {"Escape": "Esc"}
# Single characters that are not ours: what presses buttons and scrolls, what opens the find bar
# of Firefox, and what a keyboard reports while it waits for the letter below an accent.
TAKEN = frozenset(" '´`^¨~")


@dataclass(frozen=True)
class Action:
    """What a key does. `keys` are values of KeyboardEvent.key; `words` finish "this key: …".

    `button` says that a key presses the control with this key as its data-key; all others are
    bound to a function by `name`. `instead` is how the same is done without the key: a screen
    reader may keep letters for itself.
    """

    name: str
    keys: tuple[str, ...]
    group: str
    words: str
    instead: str
    pages: tuple[str, ...] = BOTH
    repeats: bool = False
    button: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        """The keys as the sheet writes them: of more than two, the first and the last."""
        shown = self.keys if len(self.keys) < 3 else (self.keys[0], self.keys[-1])
        return tuple(SHORT.get(key, key) for key in shown)

    @property
    def is_range(self) -> bool:
        return len(self.keys) > 2


def _moving(name: str, key: str, words: str, instead: str, **more: Any) -> Action:
    return Action(name, (key,), "Moving", words, instead, **more)


def _pressing(name: str, key: str, group: str, words: str, instead: str) -> Action:
    """A button of the case page."""
    return Action(name, (key,), group, words, instead, (CASE,), button=True)


LINK = "link above the steps"
NUMBER = "the step's number, or its box on the map"
UNDER = "button under “Mark the selected step”"
FOOTER = "button below the claim"

ACTIONS: tuple[Action, ...] = (
    _moving("next-step", "j", "next step", NUMBER, repeats=True),
    _moving("previous-step", "k", "previous step", NUMBER, repeats=True),
    _moving("next-lane", "l", "lane below: next actor", "a box in that lane of the map"),
    _moving("previous-lane", "h", "lane above: previous actor", "a box in that lane of the map"),
    _moving("next-in-lane", "J", "next step of this actor", "a box in that lane", repeats=True),
    _moving("previous-in-lane", "K", "its previous step", "a box in that lane", repeats=True),
    _moving("next-candidate", "n", "next candidate", "the step that an explanation names"),
    _moving("previous-candidate", "p", "previous candidate", "the step that an explanation names"),
    _moving("next-gap", "g", "next gap", f"Gap, {LINK}"),
    _moving("previous-gap", "G", "previous gap", "the steps of gaps, on the page of the record"),
    _moving("next-error", ">", "next error", f"Error, {LINK}"),
    _moving("previous-error", "<", "previous error", "the red boxes on the map"),
    _moving("to-start", "0", "first step", f"Start, {LINK}"),
    _moving("to-end", "$", "last step", f"End, {LINK}"),
    Action(
        "to-origin", (",",), "Cause", "suspected origin of the failure",
        "the step of your mark, or of the best explanation",
    ),
    Action("to-failure", (".",), "Cause", "where the failure showed", f"Failure, {LINK}"),
    Action("upstream", ("u",), "Cause", "upstream: nearest input", f"Inputs, {LINK}"),
    Action("downstream", ("d",), "Cause", "downstream: nearest affected", f"Affected, {LINK}"),
    Action("seen-here", ("i",), "Cause", "what could this actor see here?", "cause, in the step"),
    Action(
        "first-appearance", ("v",), "Cause", "where the selected value first appeared",
        "the page of values, or the search",
    ),
    Action(
        "next-divergence", ("]",), "Comparison", "next divergence", "the list of divergences"
    ),
    Action(
        "previous-divergence", ("[",), "Comparison", "previous divergence",
        "the list of divergences",
    ),
    Action("compare", ("b",), "Comparison", "choose what stands beside", "the menu of that name"),
    Action(
        "explanations", ("B",), "Comparison", "two explanations beside each other",
        "compare, below an explanation",
    ),
    Action(
        "lock-scroll", ("y",), "Comparison", "lock or unlock scrolling", "Lock, Unlock",
        button=True,
    ),
    Action("search", ("/",), "Finding", "search in this run", "the search field"),
    Action("next-hit", (";",), "Finding", "next hit", "Next, Previous beside the field"),
    Action("previous-hit", (":",), "Finding", "previous hit", "Next, Previous beside the field"),
    Action("filter", ("q",), "Finding", "filter steps", "the filters above the steps"),
    _pressing("cite", "c", "Marking", "cite the selection, or the step", UNDER),
    _pressing("mark-first", "f", "Marking", "first upstream step", UNDER),
    _pressing("mark-exposing", "x", "Marking", "exposed the failure", UNDER),
    _pressing("mark-carrier", "w", "Marking", "carried the error on", UNDER),
    _pressing("mark-missed", "m", "Marking", "missed it here", UNDER),
    _pressing("mark-considered", "a", "Marking", "considered, not it", UNDER),
    _pressing("take", "t", "Claim", "take the case", "button of that name"),
    Action(
        "start-from", tuple("123456789"), "Claim", "start from this candidate",
        "start here, below an explanation", (CASE,), button=True,
    ),
    Action("write", ("e",), "Claim", "write what you see", "the first field of the claim", (CASE,)),
    _pressing("sign", "s", "Claim", "sign", FOOTER),
    _pressing("revise", "r", "Claim", "revise", FOOTER),
    _pressing("unresolved", "z", "Claim", "unresolved", FOOTER),
    Action("unfold", ("o",), "Page", "unfold the step, fold it", "the folds in the step"),
    Action("all-keys", ("?",), "Page", "all keys", "Keys, at the top of the page"),
    Action("back", ("Escape",), "Page", "back to the trace", "the selected step, by Tab"),
)  # fmt: skip


def on(page: str, actions: Sequence[Action] | None = None) -> list[Action]:
    """The actions that a page has, in the order of the sheet."""
    return [each for each in (ACTIONS if actions is None else actions) if page in each.pages]


def grouped(actions: Sequence[Action]) -> list[tuple[str, list[Action]]]:
    """Groups that have actions, each with them, in the order of the sheet."""
    named = [(group, [each for each in actions if each.group == group]) for group in GROUPS]
    return [(group, own) for group, own in named if own]


def registry(page: str) -> dict[str, Any]:
    """What the page's script needs: its own actions, and the names of those held elsewhere."""
    here = on(page)
    return {
        "page": page,
        "actions": [
            {
                "name": each.name,
                "keys": list(each.keys),
                "repeats": each.repeats,
                "button": each.button,
            }
            for each in here
        ],
        "elsewhere": [each.name for each in ACTIONS if page not in each.pages],
    }


def faults(actions: Sequence[Action]) -> list[str]:
    """What is wrong with a registry, in words; nothing is ever listened to that has a fault."""
    return [*_doubled(actions), *(fault for each in actions for fault in _faults_of(each))]


def _doubled(actions: Sequence[Action]) -> Iterator[str]:
    names = Counter(each.name for each in actions)
    for name, count in names.items():
        if count > 1:
            yield f"{count} actions are called {name}."
    for page, words in PAGES.items():
        holders: dict[str, list[str]] = {}
        for each in on(page, actions):
            for key in each.keys:
                holders.setdefault(key, []).append(each.name)
        for key, held in holders.items():
            if len(held) > 1:
                yield f"The key {key} does {len(held)} things on {words}: {', '.join(held)}."


def _faults_of(action: Action) -> Iterator[str]:
    told = {
        "has no key": not action.keys,
        "is on no page": not action.pages,
        "is on a page that there is not": not set(action.pages) <= PAGES.keys(),
        "is in a group that there is not": action.group not in GROUPS,
        "does not say what it does, and how without its key": not (action.words and action.instead),
        "would press its button again and again while held": action.button and action.repeats,
    }
    yield from (f"{action.name} {words}." for words, wrong in told.items() if wrong)
    for key in action.keys:
        if not _is_ours(key):
            yield f"The key {key!r} of {action.name} belongs to the browser or a screen reader."


def _is_ours(key: str) -> bool:
    """One printable character that nobody else needs; and Escape, which leads back.

    Named keys scroll (arrows, Home, Page Down), move the focus (Tab), press what has it (Enter),
    or command the browser (F5) or a screen reader (Insert, Caps Lock).
    """
    return key == "Escape" or (len(key) == 1 and key.isprintable() and key not in TAKEN)
