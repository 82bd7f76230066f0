"""Dates and times in other spellings, as patterns over folded text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
# Each as folded text: in German and French where they differ.
FOREIGN = (
    *(("januar", "janvier"), ("februar", "f\u00e9vrier"), ("m\u00e4rz", "mars"), ("avril",)),
    *(("mai",), ("juni", "juin"), ("juli", "juillet"), ("ao\u00fbt",), ("septembre",)),
    *(("oktober", "octobre"), ("novembre",), ("dezember", "d\u00e9cembre")),
)
NAMES_OF = tuple(
    tuple(dict.fromkeys((month, *foreign, month[:4], month[:3])))
    for month, foreign in zip(MONTHS, FOREIGN, strict=True)
)
MONTH_OF = {name: number for number, names in enumerate(NAMES_OF, 1) for name in names}
NAMES = "|".join(MONTH_OF)
# What a date may begin with, however it is written.
HEADS = "".join(sorted({*"0123456789", *(name[0] for name in MONTH_OF)}))
ORDINAL = "(?:st|nd|rd|th|er)?"
DAY = (
    r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}"
    r"|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{4}"
    rf"|[0-9]{{1,2}}{ORDINAL}\.?[ -](?:of )?(?:{NAMES})\.?,?[ -][0-9]{{4}}"
    rf"|(?:{NAMES})\.? [0-9]{{1,2}}{ORDINAL},? [0-9]{{4}}"
)
ZONE = r" ?(?:z\b|utc\b|gmt\b|[+-][0-9]{2}:?[0-9]{2}(?![0-9]))"
TIME = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?: ?[ap]m\b)?"
BETWEEN = r"(?:t|,? (?:at )?)"
DATE = re.compile(rf"(?<![0-9])(?:{DAY})(?![0-9])(?:{BETWEEN}{TIME}(?:{ZONE})?)?")
PARTS = re.compile(
    rf"(?P<day>{DAY})(?:{BETWEEN}(?P<h>[0-9]{{1,2}}):(?P<m>[0-9]{{2}})"
    rf"(?::(?P<s>[0-9]{{2}})(?:[.,](?P<f>[0-9]+))?)?(?: ?(?P<half>[ap])m)?(?P<zone>{ZONE})?)?"
)


def spellings(text: str) -> tuple[str, str]:
    """A pattern for a text that `DATE` matches, and what each of its matches contains."""
    parts = PARTS.fullmatch(text)
    days = sorted(set(_days(parts["day"]))) if parts else []
    if not parts or not days:
        return re.escape(text), text
    pattern = f"(?<![0-9])(?:{'|'.join(map(_day, days))})"
    if parts["h"]:
        return f"{pattern}(?:t|,?\\s++(?:at\\s++)?){_time(parts)}", str(days[0].year)
    return f"{pattern}(?![0-9])", str(days[0].year)


def _days(text: str) -> Iterator[date]:
    """The days that may be meant: of 03/04/2026 there are two."""
    numbers = [int(number) for number in re.findall("[0-9]+", text)]
    name = re.search(rf"(?:{NAMES})(?![^\W\d_])", text)
    if name:
        yield from _valid(numbers[1], MONTH_OF[name[0]], numbers[0])
    elif text[:4].isdigit():
        yield from _valid(*numbers)
    else:
        yield from _valid(numbers[2], numbers[1], numbers[0])
        yield from _valid(numbers[2], numbers[0], numbers[1])


def _valid(year: int, month: int, day: int) -> Iterator[date]:
    try:
        yield date(year, month, day)
    except ValueError:
        return


def _day(day: date) -> str:
    year = f"{day.year:04}"
    name = rf"(?:{'|'.join(NAMES_OF[day.month - 1])})\.?"
    return "|".join(
        (
            f"{year}[-/.]0?{day.month}[-/.]0?{day.day}(?![0-9])",
            f"{year}{day.month:02}{day.day:02}",
            f"0?{day.day}[-/.]0?{day.month}[-/.]{year}",
            f"0?{day.month}/0?{day.day}/{year}",
            rf"0?{day.day}{ORDINAL}\.?[\s-](?:of\s)?{name},?[\s-]{year}",
            rf"{name}\s0?{day.day}{ORDINAL},?\s{year}",
        )
    )


def _time(parts: re.Match[str]) -> str:
    """The same time of day to the same second; said in another zone it is another text."""
    hour = int(parts["h"])
    if parts["half"]:
        hour = hour % 12 + (12 if parts["half"] == "p" else 0)
    rest = f":?{parts['m']}{_seconds(parts['s'] or '00', (parts['f'] or '').rstrip('0'))}"
    half = "p" if hour >= 12 else "a"
    by_24 = rf"0?{hour}{rest}(?!\s?[ap]m\b)"
    by_12 = rf"0?{hour % 12 or 12}{rest}\s?{half}m\b"
    return f"(?:{by_24}|{by_12}){_zone(parts['zone'])}"


def _seconds(seconds: str, fraction: str) -> str:
    if fraction:
        return f":?{seconds}[.,]{fraction}0*+(?![0-9])"
    exact = f":?{seconds}(?:[.,]0++)?+"
    return (f"(?:{exact})?+" if seconds == "00" else exact) + "(?![:.]?[0-9])"


def _zone(zone: str | None) -> str:
    """A text that names no zone may mean this one; one that names another does not."""
    if zone is None:
        return ""
    offset = re.fullmatch(r" ?([+-])([0-9]{2}):?([0-9]{2})", zone)
    if offset and offset.group(2, 3) != ("00", "00"):
        same = rf"[{offset[1]}]{offset[2]}:?{offset[3]}"
    else:
        same = r"(?:z|utc|gmt|[+-]00:?00)"
    return rf"(?:\s?{same})?+(?!\s?(?:(?:z|utc|gmt)\b|[+-][0-9]{{2}}:?[0-9]{{2}}))"
