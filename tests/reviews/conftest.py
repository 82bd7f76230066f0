"""A case on somebody's desk, for the tests of its pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponse
from django.utils import timezone

from reviews import assignment
from reviews.models import Case, Draft
from tests.clients import address, signed_in
from tests.reviews.scenes import make_scene, user


class Desk:
    """Somebody who has taken a case, at its page: with plain forms, or with our script."""

    def __init__(self, case: Case, name: str = "ada", *, script: bool = False) -> None:
        self.case, self.name = case, name
        slot = assignment.take(case=case, reviewer=user(name), at=timezone.now())
        self.token = str(slot.token)
        self.client = signed_in(name, script=script)

    def get(self, view: str = "case", **query: Any) -> HttpResponse:
        return self.client.get(address(view, self.case), query)

    def post(self, view: str, **given: Any) -> HttpResponse:
        """What a form of the page sends: its token, and what is given."""
        return self.client.post(address(view, self.case), {"token": self.token, **given})

    @property
    def fields(self) -> dict[str, Any]:
        """The draft as it is stored; empty if there is none."""
        draft = Draft.objects.filter(case=self.case, reviewer__username=self.name).first()
        return draft.fields if draft else {}


@pytest.fixture
def case(db: None) -> Case:
    """The scene's case, which two people may judge."""
    return make_scene(signatures=2)


@pytest.fixture(params=[False, True], ids=["form", "script"])
def desk(request: pytest.FixtureRequest, case: Case) -> Desk:
    """Ada's desk, once with plain forms and once with our script."""
    return Desk(case, script=request.param)


@pytest.fixture
def desk_of(case: Case) -> Callable[..., Desk]:
    return lambda name="ada", *, script=False: Desk(case, name, script=script)
