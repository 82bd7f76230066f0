"""All benches by name, in the order in which they run. A new one is a line here."""

from __future__ import annotations

from attribution.bench import alignment, attributors
from reviews.bench import browse, claims, pages
from traces.bench import causality, ingest, memory, otlp, otlp_kill, values
from traces.bench.figures import Bench

BENCHES: dict[str, Bench] = {
    "ingest": ingest.bench,
    "otlp": otlp.bench,
    "otlp-kill": otlp_kill.bench,
    "memory": memory.bench,
    "causality": causality.bench,
    "values": values.bench,
    "attributors": attributors.bench,
    "alignment": alignment.bench,
    "claims": claims.bench,
    "pages": pages.bench,
    "browse": browse.bench,
}
