"""Python's search for reference rings, kept from work that makes many objects and no ring."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """No search for rings inside this; what nobody refers to is freed at once all the same.

    The search walks over all living objects each time their number has grown by a quarter: when
    a long run is read, that was half of the processor time. Threads share the collector: who
    finds it paused leaves it to the one who paused it.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
