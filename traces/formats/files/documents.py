"""From bytes to JSON values: encodings, one value or one a line, and what was cut or broken."""

from __future__ import annotations

import codecs
import json

from traces.formats.base import Document, Limits, Record, Refusal, Unreadable
from traces.formats.files import cleaning, containers
from traces.transcript import Gap

BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}


def decoded(member: containers.Member, limits: Limits) -> Document:
    """The JSON values of one document. Raises Unreadable with a sentence if there are none."""
    text, gaps = text_of(member.content)
    said = filter(None, (member.damage, member.around))
    gaps = (*(Gap("damaged", damage) for damage in said), *gaps)
    if not text.strip():
        raise Unreadable("The file is empty." if not text else "The file holds only white space.")
    records, refusals, lines = values_of(text, limits)
    return Document(
        content=member.content,
        records=tuple(records),
        lines=lines,
        name=member.name,
        gaps=gaps,
        refusals=tuple(refusals),
    )


def text_of(content: bytes) -> tuple[str, tuple[Gap, ...]]:
    """The text, and a gap if bytes in it are not of its encoding."""
    encoding, body = encoding_of(content)
    try:
        return body.decode(encoding), ()
    except UnicodeDecodeError as error:
        text = body.decode(encoding, "replace")
        what = f"From byte {error.start:,} on, the file is not valid {encoding.upper()}"
        return text, (Gap("damaged", f"{what}; such bytes are shown as \ufffd."),)


def encoding_of(content: bytes) -> tuple[str, bytes]:
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if content.startswith(mark):
            return encoding, content[len(mark) :]
    return json.detect_encoding(content[:4]), content


def values_of(text: str, limits: Limits) -> tuple[list[Record], list[Refusal], bool]:
    """Records, refused places, and whether there were several values, as one a line."""
    try:
        return [cleaning.only(text, depth=limits.depth)], [], False
    except json.JSONDecodeError as error:
        whole = error
    records, refusals = by_line(text, limits)
    if are_lines(records, refusals):
        return records, refusals, True
    records, refusals = one_after_another(cleaning.Reader(text, depth=limits.depth))
    if records:
        return records, refusals, True
    raise broken(whole)


def are_lines(records: list[Record], refusals: list[Refusal]) -> bool:
    """Whether one value a line is a good reading: more lines are good than not, or all but one."""
    good = sum(isinstance(record.value, (dict, list)) for record in records)
    return good > len(refusals) or (good > 0 and len(refusals) == 1 and len(records) == good)


def by_line(text: str, limits: Limits) -> tuple[list[Record], list[Refusal]]:
    records, refusals = [], []
    # Not splitlines(): that also cuts at U+2028, which JSON allows inside a string.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            position = f"line {number}"
            records.append(cleaning.only(line, depth=limits.depth, position=position))
        except json.JSONDecodeError as error:
            refusals.append(Refusal.of(broken(error), f"line {number}"))
        except Unreadable as error:
            refusals.append(Refusal.of(error, f"line {number}"))
    return records, refusals


def one_after_another(reader: cleaning.Reader) -> tuple[list[Record], list[Refusal]]:
    """Values written one behind the other, over several lines each."""
    records: list[Record] = []
    start, counted, line = reader.after_space(0), 0, 1
    while start < len(reader.text):
        line += reader.text.count("\n", counted, start)
        counted = start
        position = f"line {line}"
        try:
            record, start = reader.at(start, position=position)
        except json.JSONDecodeError as error:
            return records, [Refusal.of(broken(error), position)]
        if not isinstance(record.value, (dict, list)):
            return [], []
        records.append(record)
    return records, []


def broken(error: json.JSONDecodeError) -> Unreadable:
    """What is wrong with JSON, for people: was it cut, or is it none?"""
    text = error.doc
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        ending = f"It ends: {shown(text[-60:])}"
        return Unreadable("The JSON breaks off: the file was cut.", ending)
    around = text[max(0, error.pos - 20) : error.pos + 40]
    return Unreadable(
        f"This is not JSON: {error.msg} at line {error.lineno}, column {error.colno}.",
        f"Near {shown(around)}",
    )


def shown(text: str) -> str:
    """A piece of foreign text for a message, every odd character escaped."""
    return json.dumps(text)
