from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from django.db import DataError, connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.factories import make_project, make_run
from traces import copying
from traces.models import Gap, Run
from traces.transcript import StepKind

pytestmark = [pytest.mark.django_db, pytest.mark.database]

ODD = (
    '\\\n\r\t"{},' + copying.UNIT + copying.RECORD + copying.NOTHING + "\x01\x7fN\u2028é\U0001f600"
)
# All that Postgres holds: no NUL and no half of a pair.
texts = st.text(
    st.one_of(
        st.sampled_from(ODD), st.characters(exclude_characters="\x00", exclude_categories=["Cs"])
    ),
    max_size=20,
) | st.sampled_from(["", "\\N", "\\.", copying.NOTHING, "NULL", "null"])
moments = st.datetimes(
    min_value=datetime(1900, 1, 1),  # noqa: DTZ001 - the zone comes below
    timezones=st.integers(-14 * 60, 14 * 60).map(lambda m: timezone(timedelta(minutes=m))),
)
TYPES = "(a text, b text, n bigint, at timestamptz, data jsonb, many text[])"
rows = st.tuples(
    texts,
    texts | st.none(),
    st.integers(-(2**63), 2**63 - 1) | st.none(),
    moments | st.none(),
    st.dictionaries(texts, texts | st.integers(-(2**60), 2**60) | st.none(), max_size=3),
    st.lists(texts, max_size=3).map(tuple),
)


class Table:
    """Stands for a model of a table without one."""

    class _meta:
        db_table = "copied"


def copied(given: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """What comes back of rows that were copied into a table, in their order."""
    table: Any = Table
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"CREATE TEMPORARY TABLE copied {TYPES} ON COMMIT DROP")
        copying.copy(table, ("a", "b", "n", "at", "data", "many"), iter(given))
        cursor.execute("SELECT a, b, n, at, data::text, many FROM copied ORDER BY ctid")
        found = list(cursor.fetchall())
        cursor.execute("DROP TABLE copied")
    return found


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(rows, max_size=8))
def test_what_is_copied_comes_back_as_it_was(given: list[tuple[Any, ...]]) -> None:
    found = copied(given)
    assert [row[:4] for row in found] == [row[:4] for row in given]
    assert [row[5] for row in found] == [list(row[5]) for row in given]


@pytest.mark.parametrize("text", ["a\x00b", "half \ud800"])
def test_what_no_table_holds_is_refused(text: str) -> None:
    with pytest.raises((DataError, UnicodeEncodeError)), transaction.atomic():
        copied([("fine", None, 1, None, {}, ()), (text, None, 2, None, {}, ())])


@pytest.mark.parametrize("count", [0, 1, copying.CHUNK, copying.CHUNK + 1, 3 * copying.CHUNK])
def test_any_number_of_rows(count: int) -> None:
    given = [(f"row {n}", None, n, None, {"n": n}, ("x",)) for n in range(count)]
    assert [row[2] for row in copied(given)] == list(range(count))


def test_one_row_with_a_separator_in_it_changes_no_other() -> None:
    odd = f"a{copying.UNIT}b{copying.RECORD}c{copying.NOTHING}"
    names = ["before", odd, copying.NOTHING, "after"]
    found = copied([(name, None, None, None, {}, ()) for name in names])
    assert [row[0] for row in found] == names
    assert {row[1:4] for row in found} == {(None, None, None)}


def test_words_of_the_record_and_times_are_written_as_they_are() -> None:
    at = datetime(2026, 1, 5, 9, 0, 0, 123456, tzinfo=UTC)
    ((kind, _, _, found, data, _),) = copied([(StepKind.TOOL, None, None, at, {"é": '"'}, ())])
    assert (kind, found, data) == ("tool", at, '{"é": "\\""}')


def test_models_are_filled_too() -> None:
    run = make_run(make_project())
    before = Gap.objects.count()
    copying.copy(Gap, ("run_id", "step", "kind", "detail"), [(str(run.pk), None, "k", "a\tb")])
    assert Gap.objects.count() == before + 1
    assert Run.objects.get().gaps.get(kind="k").detail == "a\tb"
