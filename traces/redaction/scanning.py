"""Every scalar of a JSON text with its path, in one pass that nothing stops.

The text may be one value, one a line, one behind the other, broken, cut or no JSON at all: what
is inside quotes is decoded, what is outside is looked at as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from traces.redaction.figures import number_around
from traces.redaction.matching import STANDING, Found, found_in, lookalike_in
from traces.redaction.policy import Policy, Rule
from traces.redaction.selectors import State
from traces.redaction.signs import Signs
from traces.redaction.stretches import Span, body_of, readings
from traces.redaction.unescaping import Unescaped
from traces.redaction.uniting import united

# A string, and whether a colon follows; a word or placeholder outside quotes; what opens; closes.
TOKEN = re.compile(
    r'("[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z))(\s*+:)?+'
    r"|(\[[A-Z][A-Z0-9_]{0,28}-[1-9][0-9]{0,8}\]|[^\s\"{}\[\]:,]++)|([\[{])|([\]}])",
    re.DOTALL,
)
# How JSON in a string may begin, as it is spelled there, and as it is meant.
NESTING = re.compile(r"\s*+(?:[{\[]|\\)")
BEGINNINGS = ("{", "[", '"')
# Nested deeper than any reader follows: such levels are counted and not told apart.
DEEPEST = 1_000
# Names of a path that are shown, and the longest: keys may be as long as the document.
NAMES_SHOWN, LONGEST_SHOWN = 30, 80
# JSON in a string in a string in a string. Who goes deeper hides something.
MOST_NESTED = 16


class TooNested(ValueError):
    """Strings hold JSON in strings that hold JSON, deeper than anybody looks."""


def scanned(text: str, policy: Policy) -> list[Found]:
    """All that the policy takes in a document's text, in order, no two overlapping."""
    signs = Signs(text, policy)
    if signs.none and not policy.selectors:
        return []
    first, *others = readings(text)
    found = read(text, policy, signs, first)
    more = [read(text, policy, Signs(text, policy), each) for each in others]
    crossing = [rule for rule in policy.everywhere() if rule.detector and rule.detector.crosses]
    if crossing and not text.lstrip().startswith(BEGINNINGS):
        more.append(found_in(text, policy, crossing))
    return united(text, policy, [found, *more]) if any(more) else found


def read(text: str, policy: Policy, signs: Signs, reading: Sequence[Span]) -> list[Found]:
    scan = Scan(text, policy, signs=signs, root=policy.selectors.root)
    for start, end in reading:
        scan.over(start, end)
    return scan.found


class Scan:
    """One pass over one text. `found` is in the order of the text."""

    def __init__(
        self,
        text: str,
        policy: Policy,
        *,
        signs: Signs,
        root: State,
        path: str = "",
        depth: int = 0,
    ) -> None:
        self.text, self.policy, self.signs = text, policy, signs
        self.selecting = bool(policy.selectors)
        self.root, self.path, self.depth = root, path, depth
        self.found: list[Found] = []
        self.start_again(0)

    def start_again(self, place: int) -> None:
        """Another value begins here: whatever was left open is closed."""
        self.names: list[str] = []
        self.states = [self.root]
        self.children = [self.root]
        self.unnamed = 0
        self.done = place
        self.words: list[Found] = []

    def over(self, start: int, end: int) -> None:
        self.start_again(start)
        for token in TOKEN.finditer(self.text, start, end):
            HANDLERS[token.lastindex or 0](self, token)
        self.outside(end)

    def literal(self, token: re.Match[str]) -> None:
        if self.signs.next < token.start() or self.words:
            self.outside(token.start())
        self.done = end = token.end()
        state = self.children[-1]
        marked = self.signs.next < end
        if not (marked or state):
            return
        whole = self.policy.whole(state)
        if not (marked or whole or NESTING.match(self.text, token.start() + 1)):
            return
        rules = self.signs.before(end)
        start, end = body_of(self.text, token.start(), end)
        if not whole:
            self.found += self.inside(start, end, state, rules if marked else None)
        elif start < end:
            value = Unescaped(self.text[start:end]).text
            self.found.append(self.taken(start, end, value, whole))

    def key(self, token: re.Match[str]) -> None:
        if self.signs.next < token.start() or self.words:
            self.outside(token.start())
        start, end = token.span(1)
        self.done = end
        name = self.text[start + 1 : end - 1]
        if self.selecting:
            name = Unescaped(name).text if "\\" in name else name
            self.children[-1] = self.policy.selectors.below(self.states[-1], name)
        if self.names:
            self.names[-1] = name
        if self.signs.next < end:
            rules = self.scoped(self.signs.before(end))
            self.found += self.inside(start + 1, end - 1, frozenset(), rules)

    def opened(self, token: re.Match[str]) -> None:
        if self.signs.next < token.start() or self.words:
            self.outside(token.start())
        self.done = token.end()
        if len(self.names) >= DEEPEST:
            self.unnamed += 1
            return
        state = self.children[-1]
        in_list = token[4] == "["
        self.names.append("*" if in_list else "")
        self.states.append(state)
        if in_list and self.selecting:
            state = self.policy.selectors.below(state, None)
        self.children.append(state)

    def closed(self, token: re.Match[str]) -> None:
        if self.signs.next < token.start() or self.words:
            self.outside(token.start())
        self.done = token.end()
        if self.unnamed:
            self.unnamed -= 1
        elif self.names:
            for stack in (self.names, self.states, self.children):
                stack.pop()
        if not self.names:
            self.children[0] = self.root

    def word(self, token: re.Match[str]) -> None:
        """A number, or whatever stands outside quotes. What is null holds nothing to withhold."""
        if not self.selecting:
            return
        whole = self.policy.whole(self.children[-1])
        if whole and token[0] != "null":
            self.words.append(self.taken(*token.span(), token[0], whole, quote='"'))

    def outside(self, end: int) -> None:
        """Look at what stands outside quotes since the last token that was none."""
        words, self.words = self.words, []
        if self.signs.next >= end:
            self.found += words
            return
        rules = self.scoped(self.signs.before(end))
        start, text = self.done, self.text[self.done : end]
        words = [each.moved(each.start - start, each.end - start) for each in words]
        found = found_in(text, self.policy, rules, words)
        self.found += [self.placed(self.quoted(text, each), start) for each in found]

    def quoted(self, text: str, found: Found) -> Found:
        """What replaces a number is a string; the whole number goes, and not some of its digits."""
        if found.quote:
            return found
        if found.lookalike:
            return replace(found, quote='"')
        number = number_around(text, found.start, found.end)
        if number:
            return Found(*number, text[slice(*number)], found.rule, quote='"')
        return Found(found.start, found.end, found.value, found.rule, quote='"' * bool(self.names))

    def scoped(self, rules: Sequence[Rule]) -> list[Rule]:
        """Those of these rules that speak of the field at hand."""
        taking = self.policy.taking(self.children[-1])
        return [rule for rule in rules if not rule.fields or rule in taking]

    def inside(
        self, start: int, end: int, state: State, rules: Sequence[Rule] | None
    ) -> list[Found]:
        written = self.text[start:end]
        view = Unescaped(written)
        found = self.nested(view.text, state, is_marked=rules is not None)
        if rules is not None:
            found = found_in(view.text, self.policy, self.scoped(rules), found)
        return [self.placed(each.spelled(view), start) for each in found]

    def nested(self, text: str, state: State, *, is_marked: bool) -> list[Found]:
        """What rules take by its field in JSON that is written in a string."""
        beginning = text.lstrip()
        if not (state and beginning.startswith(BEGINNINGS)) or STANDING.match(beginning):
            return []
        if self.depth >= MOST_NESTED:
            raise TooNested
        # Without rules that look into fields of their own, all is found in the string itself.
        looking = is_marked and self.policy.looks_into_fields
        scan = Scan(
            text,
            self.policy,
            signs=Signs(text if looking else "", self.policy, length=len(text)),
            root=state,
            path=self.field(),
            depth=self.depth + 1,
        )
        scan.over(0, len(text))
        return scan.found

    def taken(self, start: int, end: int, value: str, rule: Rule, quote: str = "") -> Found:
        lookalike = lookalike_in(value, self.policy)
        return Found(start, end, value, rule, self.field(), lookalike, quote)

    def placed(self, found: Found, start: int) -> Found:
        start, end = found.start + start, found.end + start
        return replace(found, start=start, end=end, field=found.field or self.field())

    def field(self) -> str:
        """Where we are, as people write it: names, and * for a place in a list."""
        shown = [name if len(name) <= LONGEST_SHOWN else "*" for name in self.names[:NAMES_SHOWN]]
        return "/".join(filter(None, (self.path, *shown)))


# By the number of the last group that matched in TOKEN.
HANDLERS: tuple[Callable[[Scan, re.Match[str]], None], ...] = (
    Scan.word,
    Scan.literal,
    Scan.key,
    Scan.word,
    Scan.opened,
    Scan.closed,
)
