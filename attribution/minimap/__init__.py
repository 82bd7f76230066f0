"""The causal minimap: one lane for each acting actor, steps in causal order, as SVG geometry.

Plain Python over a run's outline, and bounded in time, bytes and elements however long the run
is: steps are columns of a few paths, links are curves or the most frequent of them, and whatever
is left out is counted.
"""

from __future__ import annotations

from attribution.minimap.drawing import Hit, LitLayers, Minimap, draw, overlay
from attribution.minimap.lighting import Lit, lit_of
from attribution.minimap.scale import Scale, label
from attribution.minimap.ticks import STRIP, Strip, Ticks, strips

__all__ = [
    "STRIP",
    "Hit",
    "Lit",
    "LitLayers",
    "Minimap",
    "Scale",
    "Strip",
    "Ticks",
    "draw",
    "label",
    "lit_of",
    "overlay",
    "strips",
]
