"""A document's bytes, opened, searched, and written anew without what a policy withholds.

A bundle is written as a plain zip that depends on nothing but its members; gzip is stored
inflated. What cannot be opened and decoded cannot be searched, and so is never kept.
"""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import NamedTuple

from traces.formats.base import Limits, Unreadable
from traces.formats.files import containers
from traces.formats.files.documents import encoding_of
from traces.redaction.matching import NOT_OURS, Found, Lookalike, found_in
from traces.redaction.policy import Policy
from traces.redaction.scanning import TooNested, scanned

UNCHECKED = (
    "The project's policy withholds values, and what cannot be opened and read cannot be searched"
    " for them"
)
BEGINNINGS = ("{", "[", '"')
# Text of another encoding in the midst of this one, which would be searched for in vain.
WIDE = re.compile(r"(?:[ -~]\0{1,3}){4}")
UNDECODED = re.compile("[\udc80-\udcff]")


class Unopened(Unreadable):
    """The document cannot be searched, and so must not be stored."""


class Value(NamedTuple):
    """What one placeholder stands for."""

    type: str
    action: str
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """A text and what is withheld from it."""

    text: str
    found: Sequence[Found] = ()

    def written(self, standing: Standing) -> str:
        pieces: list[str] = []
        done = 0
        for each in self.found:
            instead = standing.instead_of(each)
            if instead is not None:
                pieces += (self.text[done : each.start], instead)
                done = each.end
        return "".join((*pieces, self.text[done:]))

    def replaced(self, sign: str) -> str:
        """The text with this in the place of whatever is withheld."""
        pieces, done = [""], 0
        for each in self.found:
            pieces += (self.text[done : each.start], sign)
            done = each.end
        return "".join((*pieces, self.text[done:]))


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands in the place of values: their numbers, and the placeholders given before."""

    numbers: Mapping[Value, int] = field(default_factory=dict)
    known: Collection[Lookalike] = ()

    def withholds(self, found: Found) -> bool:
        return found.rule is not None and found.lookalike not in self.known

    def instead_of(self, found: Found) -> str | None:
        """The text to write, or None where what is there stays."""
        if found.lookalike in self.known:
            return None
        if found.rule is None:
            return f"{found.quote}{found.value[:-1]}{NOT_OURS}]{found.quote}"
        value = value_of(found)
        return f"{found.quote}[{value.type}-{self.numbers[value]}]{found.quote}"


@dataclass(frozen=True, slots=True)
class Member:
    """One document. The mark is the bytes before its text that say how it is encoded."""

    name: Text
    text: Text
    encoding: str = "utf-8"
    mark: bytes = b""

    def written(self, standing: Standing) -> bytes:
        text = self.text.written(standing)
        return self.mark + text.encode(self.encoding, errors_of(self.encoding))


@dataclass(frozen=True, slots=True)
class Search:
    """What a policy takes in a document. The numbers of its placeholders come from outside."""

    members: tuple[Member, ...]
    is_bundle: bool

    def found(self) -> Iterator[Found]:
        for member in self.members:
            for each in member.name.found:
                yield replace(each, field="(name of a file)")
            yield from member.text.found

    def lookalikes(self) -> set[Lookalike]:
        return {each.lookalike for each in self.found() if each.lookalike}

    def counted(self, standing: Standing) -> Counter[tuple[str, Value, str]]:
        """How often each value is withheld, by rule and field."""
        return Counter(
            (each.rule.name, value_of(each), each.field)
            for each in self.found()
            if each.rule and standing.withholds(each)
        )

    def written(self, standing: Standing) -> bytes:
        """The bytes to store."""
        if not self.is_bundle:
            return self.members[0].written(standing)
        buffer = BytesIO()
        # Stored and not deflated: the same members are the same bytes wherever they are written.
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
            for name, member in zip(self.names(standing), self.members, strict=True):
                archive.writestr(zipfile.ZipInfo(name), member.written(standing))
        return buffer.getvalue()

    def names(self, standing: Standing) -> list[str]:
        names = (member.name.written(standing) for member in self.members)
        return list(containers.told_apart(names))


def value_of(found: Found) -> Value:
    assert found.rule  # noqa: S101 - only what a rule takes is a value
    return Value(found.rule.type, found.rule.action, found.rule.role, found.value)


def search(content: bytes, policy: Policy, limits: Limits) -> Search:
    """What the policy takes in these bytes. Raises Unopened if they cannot be searched."""
    try:
        members, refusals = containers.opened(content, limits)
    except containers.TooLarge:
        raise
    except Unreadable as error:
        raise unopened(error) from error
    if not content.startswith((containers.ZIP, containers.EMPTY_ZIP)):
        return Search((searched(members[0], policy),), is_bundle=False)
    opened = [noted(each, policy) for each in members]
    closed = [note(each.position, each.reason, policy) for each in refusals]
    around = [remark(each, policy) for each in members[:1] if each.around]
    return Search((*opened, *closed, *around), is_bundle=True)


def unopened(error: Unreadable) -> Unopened:
    return Unopened(f"{error} {UNCHECKED}: nothing was stored.")


def searched(member: containers.Member, policy: Policy) -> Member:
    """The member with what the policy takes. Raises Unopened if it is damaged or no text."""
    if member.damage:
        raise unopened(Unreadable(member.damage))
    encoding, body = encoding_of(member.content)
    try:
        text = body.decode(encoding, errors_of(encoding))
    except UnicodeDecodeError as error:
        what = f"From byte {error.start:,} on, the file is not valid {encoding.upper()}."
        raise unopened(Unreadable(what)) from error
    if is_binary(text):
        raise unopened(Unreadable("This is no text."))
    try:
        found = scanned(text, policy)
    except TooNested as error:
        raise unopened(Unreadable("JSON in strings is nested too deep.")) from error
    mark = member.content[: len(member.content) - len(body)]
    return Member(search_text(member.name, policy), Text(text, found), encoding, mark)


def noted(member: containers.Member, policy: Policy) -> Member:
    try:
        return searched(member, policy)
    except Unopened as error:
        return note(member.name, str(error).split(UNCHECKED)[0].strip(), policy)


def note(name: str, reason: str, policy: Policy) -> Member:
    """What a bundle holds in the place of a file that could not be searched: a sentence."""
    named = search_text(name, policy)
    return Member(named, Text(f"This file was not stored. {reason} {UNCHECKED}.\n"))


def remark(member: containers.Member, policy: Policy) -> Member:
    """What was wrong with the whole bundle, which is whole again once it is written anew."""
    return Member(Text("(archive)"), search_text(f"{member.around}\n", policy))


def search_text(text: str, policy: Policy) -> Text:
    """What the detectors take in a text that is no document: a file's name, a sentence."""
    return Text(text, found_in(text, policy, policy.everywhere()))


def errors_of(encoding: str) -> str:
    """How bytes that are not of their encoding pass through unchanged."""
    return "surrogateescape" if encoding.startswith("utf-8") else "surrogatepass"


def is_binary(text: str) -> bool:
    """Whether it holds bytes that are no text and does not even begin as JSON does."""
    if "\0" in text and WIDE.search(text):
        return True
    if text.lstrip(" \t\r\n")[:1] in BEGINNINGS:
        return False
    return "\0" in text or bool(UNDECODED.search(text))
