"""Native documents for property tests, made from the structs of a version of the format."""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import timedelta, timezone
from typing import Any

from hypothesis import strategies as st
from msgspec import inspect

from traces.formats.native import v1, v2

NAMES = st.sampled_from(["s1", "s2", "s3", "a", "b", "é" * 201])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=3,
)
# What is longer than a name may be is for another test to refuse.
WORDS = st.sampled_from(["", "s1", "s2", "s3", "a", "b", "a (b)\n\nto: c", "陳美玲", "x" * 150])
ZONES = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
TIMES = st.datetimes() | st.datetimes(timezones=ZONES)
PAYLOADS = st.binary(max_size=20).map(
    lambda content: {"media_type": "image/png", "content": base64.b64encode(content).decode()}
) | (
    st.fixed_dictionaries(
        {
            "media_type": st.just("text/plain; charset=utf-8"),
            "sha256": st.just("0a" * 32),
            "size": st.integers(0, 2**63 - 1),
        }
    )
)


def documents(struct: type[v1.Document]) -> st.SearchStrategy[dict[str, Any]]:
    """Documents that fit the struct; ids are few, so that steps meet each other."""
    return made(inspect.type_info(struct))


def made(kind: inspect.Type) -> st.SearchStrategy[Any]:
    return MAKERS[type(kind)](kind)


def strings(kind: inspect.StrType) -> st.SearchStrategy[str]:
    if kind.pattern:
        return st.just("0a" * 32)
    return WORDS.filter(bool) if kind.min_length else WORDS


def lists(kind: inspect.ListType) -> st.SearchStrategy[list[Any]]:
    return st.lists(made(kind.item_type), max_size=3)


def mappings(kind: inspect.DictType) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(NAMES, made(kind.value_type), max_size=2)


def objects(kind: inspect.StructType) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with each required key and any of the others."""
    if kind.cls is v2.Payload:
        return PAYLOADS
    fields = {field.encode_name: field for field in kind.fields}
    tag = {kind.tag_field: st.just(kind.tag)} if kind.tag_field else {}
    return st.fixed_dictionaries(
        tag | {name: made(field.type) for name, field in fields.items() if field.required},
        optional={name: made(field.type) for name, field in fields.items() if not field.required},
    )


MAKERS: dict[type[inspect.Type], Callable[[Any], st.SearchStrategy[Any]]] = {
    inspect.Metadata: lambda kind: made(kind.type),
    inspect.StructType: objects,
    inspect.UnionType: lambda kind: st.one_of([made(each) for each in kind.types]),
    inspect.ListType: lists,
    inspect.DictType: mappings,
    inspect.LiteralType: lambda kind: st.sampled_from(kind.values),
    inspect.DateTimeType: lambda _: TIMES.map(lambda moment: moment.isoformat()),
    inspect.IntType: lambda kind: st.integers(kind.ge, 2**40),
    inspect.StrType: strings,
    inspect.BoolType: lambda _: st.booleans(),
    inspect.NoneType: lambda _: st.none(),
    inspect.AnyType: lambda _: VALUES,
}


def paths(kind: inspect.Type, place: str = "") -> set[str]:
    """Where a struct has fields: names with those of their objects, as `steps/parts/text`."""
    found: set[str] = set()
    for struct in structs(kind):
        for field in struct.fields:
            here = f"{place}/{field.encode_name}".lstrip("/")
            found |= {here} | paths(field.type, here)
    return found


def structs(kind: inspect.Type) -> list[inspect.StructType]:
    """The structs that a field may hold, also in a list."""
    if isinstance(kind, inspect.UnionType):
        return [struct for each in kind.types for struct in structs(each)]
    if isinstance(kind, inspect.ListType):
        return structs(kind.item_type)
    if isinstance(kind, inspect.Metadata):
        return structs(kind.type)
    return [kind] if isinstance(kind, inspect.StructType) else []
