from dataclasses import replace

import pytest

from tests.factories import make_step, make_transcript
from tests.traces.gaps.pieces import answers, asks, check, found, state
from traces.gaps.references import moves


@pytest.mark.parametrize(
    "name",
    ["latest", "HEAD", "head~2", "main", "shop@main", "image:latest", "origin/main", "*", "tip",
     "refs/heads/fix", "current repository state", "The current version", "working tree",
     "git:billing@main",
     "@HEAD", "https://git.example/shop.git@main", "reg:5000/py:latest", "docker://python:latest",
     "the current state of the repository", "develop", "upstream/develop",
     "https://git.example/shop/blob/main/README.md"],
)  # fmt: skip
def test_names_that_move_are_known(name: str) -> None:
    assert moves(name)


@pytest.mark.parametrize(
    "name",
    ["", "1.4", "plan@2", "main@3f2a91c", "src/main", "sha256:12", "domain", "latest-2026-11-02",
     "release/2026-11b", "44512 rows", "running", "maintained", None, 7,
     "sha256:9f2c", "v1.2.3", "shop@v1.2.3", "py:latest@sha256:12", "headline",
     "shop:domain", "redevelop", "reg:5000/py:3.13",
     "https://git.example/main",
     "the current state of play"],
)  # fmt: skip
def test_names_of_one_version_are_not_suspected(name: object) -> None:
    assert not moves(name)


def test_moving_versions_are_found_at_their_step() -> None:
    pinned = {"name": "base", "version": "latest", "digest": "sha256:1"}
    transcript = make_transcript(
        make_step(0, parts=(state("app", "main", "3f2a"),)),
        make_step(1, parts=(check(subject="HEAD"),)),
        make_step(2, parts=(answers(artifacts=[{"name": "base", "version": "latest"}]),)),
        make_step(3, parts=(answers(artifacts=[pinned]),)),
        make_step(4, parts=(state("app", "3f2a", "4b1c"), check(subject="4b1c"))),
    )
    assert found(transcript, "mutable_reference") == [0, 1, 2]


def test_an_environment_that_moves_is_found() -> None:
    given = (
        "python:3.13, postgres:latest",
        "python 3.13.1, postgres 17.2-bookworm",
        {"image": "docker://python:latest"},
        ["py@sha256:12"],
        7,
    )
    steps = [
        make_step(n, parts=(replace(asks(), data={"call": "c", "environment": each}),))
        for n, each in enumerate(given)
    ]
    assert found(make_transcript(*steps), "mutable_reference") == [0, 2]


def test_an_initial_state_that_moves_is_found_without_being_told() -> None:
    for given, there in (("main", [None]), ("3f2a", [])):
        transcript = make_transcript(initial_state={"reference": given})
        assert found(transcript, "mutable_initial_state") == there
    pinned = make_transcript(initial_state={"reference": "main", "digest": "sha256:1"})
    assert found(pinned, "mutable_initial_state") == []
