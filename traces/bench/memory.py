"""The most memory that reading one large document takes, in a process of its own."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from traces.bench.figures import Figure

MIB = 2**20
PROGRAM = """
import sys
from traces.bench import documents, memory
from traces.formats import intake
content = documents.content("memory", steps=int(sys.argv[1]))
before = memory.peak()
intake.take(content)
print(len(content), before, memory.peak())
"""


def bench(*, quick: bool) -> Iterator[Figure]:
    """Parsing only: what is written goes to the database row by row."""
    steps = 4_000 if quick else 40_000
    done = subprocess.run(  # noqa: S603 - our own program and a number
        [sys.executable, "-c", PROGRAM, str(steps)], check=True, capture_output=True, text=True
    )
    size, before, after = map(int, done.stdout.split())
    yield Figure("document", size / MIB, "MiB")
    yield Figure("peak before it is read, with it", before / MIB, "MiB")
    yield Figure("peak of reading it", after / MIB, "MiB")
    yield Figure("peak of reading it", after / size, "of its size")


def peak() -> int:
    """The most bytes of memory that this process had at once."""
    status = Path("/proc/self/status")
    if status.exists():  # what `resource` says here begins with the parent's peak
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
