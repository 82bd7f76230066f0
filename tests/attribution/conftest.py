"""Attributors of other people: a small installed package with the entry points we look for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from attribution import registry

type_of_plug_in = Callable[..., None]

HEAD = """
from attribution.attributors.base import Attributor, Proposal, Role, excerpt
"""


@pytest.fixture
def plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type_of_plug_in]:
    """Installs `code` as a package with entry points: `plug_in(code, guess="Guess")`."""

    def install(code: str, **entries: str) -> None:
        (tmp_path / "plugged.py").write_text(HEAD + code)
        metadata = tmp_path / "plugged-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1.0\n")
        lines = (f"{name} = plugged:{value}\n" for name, value in entries.items())
        (metadata / "entry_points.txt").write_text("[inquest.attributors]\n" + "".join(lines))
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.delitem(sys.modules, "plugged", raising=False)
        registry.registered.cache_clear()

    yield install
    sys.modules.pop("plugged", None)
    registry.registered.cache_clear()


@pytest.fixture
def crashing(plug_in: type_of_plug_in) -> str:
    """The label of an installed attributor that always raises."""
    plug_in(
        """
class Crashing(Attributor):
    name, version = "crashing", 1

    def propose(self, reading):
        raise RuntimeError("the model is on holiday")
""",
        crashing="Crashing",
    )
    return "crashing@1"
