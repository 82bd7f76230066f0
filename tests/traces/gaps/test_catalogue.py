from pathlib import Path

from traces.gaps import KINDS, catalogue

DOCS = Path(__file__).parents[3] / "docs" / "gaps.md"


def test_the_page_is_made_from_the_kinds() -> None:
    assert DOCS.read_text() == catalogue.page()


def test_the_page_has_every_kind_once() -> None:
    for name, kind in KINDS.items():
        assert catalogue.page().count(f"| `{name}` | {kind.title} |") == 1
