from __future__ import annotations

import pytest
from django.core.checks import run_checks
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from attribution import registry
from tests.attribution.conftest import type_of_plug_in

GUESS = """
class Guess(Attributor):
    name, version = "guess", 1

    def propose(self, reading):
        return []


class Again(Guess):
    pass


class Other(Guess):
    version = 2


class NoAttributor:
    pass


class Long(Guess):
    name = "x" * 90
"""


def found_faults() -> list[str]:
    return [str(each.msg) for each in run_checks() if each.id == "attribution.E001"]


def test_an_unknown_label_is_refused_with_the_known_ones():
    with pytest.raises(registry.UnknownAttributor) as refused:
        registry.by_label("oracle@1")

    assert str(refused.value) == (
        "No attributor 'oracle@1' is installed. Known: last-error@1, first-divergence@1."
    )


def test_two_attributors_of_one_label_stop_the_start(plug_in: type_of_plug_in):
    plug_in(GUESS, guess="Guess", again="Again")

    assert found_faults() == ["2 attributors are called guess@1: give one another name or version."]
    with pytest.raises(SystemCheckError, match="guess@1"):
        call_command("check")


def test_a_built_in_label_cannot_be_taken(plug_in: type_of_plug_in):
    plug_in(
        """
class Mine(Attributor):
    name, version = "last-error", 1

    def propose(self, reading):
        return []
""",
        mine="Mine",
    )

    assert found_faults() == [
        "2 attributors are called last-error@1: give one another name or version."
    ]
    assert type(registry.by_label("last-error@1")).__name__ == "LastError"


@pytest.mark.parametrize("value", ["NoAttributor", "Missing"])
def test_an_entry_point_that_is_no_attributor_is_said_so(plug_in: type_of_plug_in, value: str):
    plug_in(GUESS, broken=value, guess="Guess")

    assert found_faults() == [f"The entry point broken = plugged:{value} is no attributor."]
    assert list(registry.registered()) == ["last-error@1", "first-divergence@1", "guess@1"]


def test_a_package_that_cannot_be_imported_does_not_take_the_others_down(
    plug_in: type_of_plug_in,
):
    plug_in("import a_module_that_nobody_has", broken="Broken")

    assert found_faults() == ["The entry point broken = plugged:Broken is no attributor."]
    assert list(registry.registered()) == ["last-error@1", "first-divergence@1"]


def test_a_label_has_to_fit_its_column(plug_in: type_of_plug_in):
    plug_in(GUESS, long="Long")

    assert found_faults() == [f"The label {'x' * 90}@1 is longer than 80 characters."]


def test_the_built_in_attributors_are_sound():
    assert found_faults() == []
    assert list(registry.registered()) == ["last-error@1", "first-divergence@1"]


def test_two_versions_of_one_attributor_live_side_by_side(plug_in: type_of_plug_in):
    plug_in(GUESS, guess="Guess", other="Other")

    assert found_faults() == []
    assert registry.by_label("guess@1").label == "guess@1"
    assert registry.by_label("guess@2").label == "guess@2"
