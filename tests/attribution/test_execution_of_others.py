"""Attributors that other people wrote: they may raise, propose nonsense or be gone."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from attribution import obligations
from attribution.attributors.base import Obligation
from attribution.execution import execute
from attribution.models import Analysis, Candidate
from tests.attribution.conftest import type_of_plug_in
from tests.attribution.scenes import calls, failed, passed, says
from tests.factories import AT, make_project, make_run
from traces.models import AuditEntry, Project, Run
from traces.transcript import Opinion

pytestmark = [pytest.mark.django_db, pytest.mark.database]

LATER = AT + timedelta(minutes=7)


@pytest.fixture
def project() -> Project:
    return make_project()


def failure(project: Project, **fields: Any) -> Run:
    broken = calls(1, "run", answer="no such file", status="error", path="x")
    return make_run(project, failed(says(0, "Go."), broken, **fields))


@pytest.fixture
def analysis(project: Project) -> Analysis:
    return failure(project).analyses.get(attributor="last-error@1")


def audited(analysis: Analysis) -> list[str]:
    entries = AuditEntry.objects.filter(subject=f"analysis:{analysis.pk}").order_by("number")
    return list(entries.values_list("action", flat=True))


def test_an_attributor_that_raises_is_tried_three_times_and_then_failed(
    project: Project, crashing: str
):
    run = failure(project)
    analysis = run.analyses.get(attributor=crashing)

    for tries in (1, 2):
        execute(analysis_id=analysis.pk, at=AT)
        analysis.refresh_from_db()
        assert (analysis.status, analysis.tries) == ("queued", tries)
        assert audited(analysis) == []
    execute(analysis_id=analysis.pk, at=AT)

    analysis.refresh_from_db()
    assert (analysis.status, analysis.tries) == ("failed", 3)
    assert analysis.error.startswith("Traceback")
    assert "RuntimeError: the model is on holiday" in analysis.error
    assert analysis.finished_at
    assert audited(analysis) == ["analysis.failed"]
    execute(analysis_id=analysis.pk, at=LATER)
    assert audited(analysis) == ["analysis.failed"]


def test_others_go_on_when_one_fails(project: Project, crashing: str):
    run = failure(project)

    for _ in range(3):
        for analysis in run.analyses.all():
            execute(analysis_id=analysis.pk, at=AT)

    assert dict(run.analyses.values_list("attributor", "status")) == {
        "last-error@1": "done",
        "first-divergence@1": "done",
        crashing: "failed",
    }


def test_an_attributor_that_is_gone_fails_with_its_name(analysis: Analysis):
    Analysis.objects.filter(pk=analysis.pk).update(attributor="oracle@1", tries=2)

    execute(analysis_id=analysis.pk, at=AT)

    analysis.refresh_from_db()
    assert analysis.status == "failed"
    assert "No attributor 'oracle@1' is installed." in analysis.error


def test_a_proposal_without_a_quote_fails_the_analysis(project: Project, plug_in: type_of_plug_in):
    plug_in(
        """
class Hunch(Attributor):
    name, version = "hunch", 1

    def propose(self, reading):
        return [Proposal(0, "planner", Role.PRODUCED, 0.9, "Just a feeling.", ())]
""",
        hunch="Hunch",
    )
    analysis = failure(project).analyses.get(attributor="hunch@1")
    for _ in range(3):
        execute(analysis_id=analysis.pk, at=AT)

    analysis.refresh_from_db()
    assert analysis.status == "failed"
    assert "Proposal for step #0: it quotes nothing from the record." in analysis.error
    assert not Candidate.objects.filter(analysis=analysis).exists()


def test_a_traceback_is_kept_from_its_end(project: Project, plug_in: type_of_plug_in):
    plug_in(
        """
class Loud(Attributor):
    name, version = "loud", 1

    def propose(self, reading):
        raise RuntimeError("x" * 100_000 + " at last\\0")
""",
        loud="Loud",
    )
    analysis = failure(project).analyses.get(attributor="loud@1")
    execute(analysis_id=analysis.pk, at=AT)

    analysis.refresh_from_db()
    assert len(analysis.error) <= 8_000
    assert "at last" in analysis.error


SEES = """
class Sees(Attributor):
    name, version = "sees", 1
    needs_reference = True

    def propose(self, reading):
        assert not reading.transcript.opinions and not reading.transcript.withheld
        assert not reading.reference.opinions and not reading.reference.withheld
        owed = reading.contracts[0].text if reading.contracts else "nothing"
        quotes = (excerpt(reading.transcript, 0),)
        return [Proposal(0, "planner", Role.MISSED, 0.5, f"Owed: {owed}.", quotes)]
"""


@pytest.fixture
def _currency_is_owed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(obligations, "_sources", [])
    owed = (Obligation("currency", "verifier", "look at the status"),)
    obligations.provide(lambda run: owed)


@pytest.mark.usefixtures("_currency_is_owed")
def test_an_attributor_sees_contracts_and_no_labels(project: Project, plug_in: type_of_plug_in):
    plug_in(SEES, sees="Sees")
    opinion = Opinion(source="a file", native_step="1", base=0, step=1, actor="coder")
    labels: dict[str, Any] = {"opinions": (opinion,), "withheld": {"ground_truth": "coder"}}
    make_run(project, passed(says(0, "Go."), **labels))
    analysis = failure(project, **labels).analyses.get(attributor="sees@1")

    execute(analysis_id=analysis.pk, at=AT)

    analysis.refresh_from_db()
    assert (analysis.status, analysis.error) == ("done", "")
    assert analysis.candidates.get().rationale == "Owed: look at the status."


def test_a_source_of_obligations_registers_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(obligations, "_sources", [])
    owed = (Obligation("a", "coder", "test it"),)

    def source(run: Run) -> tuple[Obligation, ...]:
        return owed

    obligations.provide(source)
    obligations.provide(source)

    assert obligations.in_force(Run()) == owed


@pytest.mark.django_db(transaction=True)
def test_no_transaction_is_open_while_an_attributor_works(plug_in: type_of_plug_in):
    plug_in(
        """
from django.db import connection


class Asks(Attributor):
    name, version = "asks", 1

    def propose(self, reading):
        quotes = (excerpt(reading.transcript, 0),)
        said = f"In a transaction: {connection.in_atomic_block}."
        return [Proposal(0, "planner", Role.PRODUCED, 0.5, said, quotes)]
""",
        asks="Asks",
    )
    analysis = failure(make_project()).analyses.get(attributor="asks@1")

    execute(analysis_id=analysis.pk, at=AT)

    assert analysis.candidates.get().rationale == "In a transaction: False."
