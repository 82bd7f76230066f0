"""The example in the documentation is code that works."""

from __future__ import annotations

import re

from attribution.attributors.base import Attributor, Reading, checked
from tests.attribution.scenes import ROOT, failed, says


def test_the_documented_attributor_proposes_a_candidate():
    text = (ROOT / "docs" / "attributors.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, type[Attributor]] = {}
    exec(code, names)
    run = failed(says(0, "Short."), says(1, "A longer message by far.", "coder"))

    (found,) = checked(names["LongestMessage"]().propose(Reading.of(run)), run)

    assert (found.step, found.actor) == (1, "coder")
    assert found.quotes[0].text == "A longer message by far."
