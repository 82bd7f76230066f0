"""Database triggers for rows that nobody may change, whatever way they try.

They stop the application, bulk operations and raw SQL alike. The owner of the tables could
still drop them: for that there is the audit chain.
"""

import pgtrigger


class AppendOnly(pgtrigger.Protect):
    """Refuses UPDATE and DELETE of each row."""

    def __init__(self) -> None:
        super().__init__(name="append_only", operation=pgtrigger.Update | pgtrigger.Delete)


class NeverTruncated(pgtrigger.Trigger):
    """Refuses TRUNCATE, which row triggers do not see."""

    name = "never_truncated"
    operation = pgtrigger.Truncate
    level = pgtrigger.Statement
    when = pgtrigger.Before
    func = "RAISE EXCEPTION 'pgtrigger: Cannot truncate rows from % table', TG_TABLE_NAME;"


def never_deleted() -> pgtrigger.Trigger:
    """For rows that change, and whose history must not be cut."""
    return pgtrigger.Protect(name="never_deleted", operation=pgtrigger.Delete)


def append_only() -> list[pgtrigger.Trigger]:
    return [AppendOnly(), NeverTruncated()]
