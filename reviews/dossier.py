"""Everything one person may see of one case, gathered for a page. Reads; never writes."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.contrib.auth.models import User

from attribution import candidates
from attribution.beside import Beside
from attribution.drawn_steps import Marks
from attribution.models import Candidate
from attribution.place import Place
from attribution.viewing import Viewing
from reviews import grounds, visibility
from reviews.claim_facts import Fact, facts_of_claim, finding_of
from reviews.findings import APPARATUS, Finding, Proposal, missing_for
from reviews.gathered import Explanation, RolesByStep
from reviews.marking import blamable_actors, carriers_between, marks_of
from reviews.measurement.accuracy import NOT_MEASURED, accuracy_by_attributor
from reviews.models import Case, Category, Claim, Contract, Draft, Slot, Verdict
from reviews.whole_claims import whole
from traces import outlines, quarantine, reading
from traces.models import Membership, Quarantine, Role
from traces.outline import Outline
from traces.reading import Surroundings
from traces.transcript import Actor, Opinion


class Dossier:
    """A case for one reader. Each part is read from the database once, when first asked for."""

    def __init__(self, case: Case, user: User, membership: Membership) -> None:
        self.case, self.user, self.membership = case, user, membership

    def reread(self) -> Dossier:
        """The same after a change to the draft. The record did not change and is kept."""
        again = Dossier(self.case, self.user, self.membership)
        for name in ("outline", "surroundings"):
            if name in vars(self):
                setattr(again, name, vars(self)[name])
        return again

    def on_the_desk(self, slot: Slot | None, draft: Draft | None) -> None:
        """What came with the case is not read again: the reader's lease and draft, if any."""
        self.slot = slot if self.case.status == Case.Status.OPEN else None
        self.draft = draft if self.slot else None

    @cached_property
    def outline(self) -> Outline:
        return outlines.outline_of_run(self.case.run)

    @cached_property
    def surroundings(self) -> Surroundings:
        return reading.surroundings_of(self.case.run, opinions=self.sees_opinions)

    @cached_property
    def actor_by_key(self) -> dict[str, Actor]:
        return {actor.key: actor for actor in self.surroundings.actors}

    def actor_of(self, step: int) -> Actor:
        return self.actor_by_key[self.outline.lane(step).key]

    @cached_property
    def slot(self) -> Slot | None:
        """The reader's own lease on the case, if they hold one and have not answered it."""
        if self.case.status != Case.Status.OPEN:
            return None
        return self.case.slots.held_by(self.user.pk).first()

    @cached_property
    def draft(self) -> Draft | None:
        mine = self.case.drafts.filter(reviewer_id=self.user.pk)
        return mine.first() if self.slot else None

    @cached_property
    def fields(self) -> dict[str, Any]:
        return self.draft.fields if self.draft else {}

    @cached_property
    def finding(self) -> Finding:
        return Finding.from_fields(self.fields)

    @cached_property
    def claims(self) -> list[Claim]:
        """The claims this reader may see: see `reviews.visibility`. With a lease: none yet."""
        if self.slot:
            return []
        return whole(visibility.visible_claims(self.case, self.user, self.membership))

    @cached_property
    def own_claim(self) -> Claim | None:
        return next((claim for claim in self.claims if claim.reviewer_id == self.user.pk), None)

    @cached_property
    def exclusion(self) -> Quarantine | None:
        """What sets the case's run aside. The views' cases know whether anything does."""
        return quarantine.standing(self.case.run) if getattr(self.case, "is_aside", True) else None

    @property
    def may_take(self) -> bool:
        """Whether to offer the case: who has read a claim could not judge it blind."""
        opened = self.case.status == Case.Status.OPEN and self.slot is None
        offered = opened and not self.claims and self.exclusion is None
        return offered and self.membership.may(Role.REVIEWER)

    @property
    def adopted(self) -> Claim | None:
        """The claim that the standing verdict adopts."""
        wanted = self.verdict.adopted_id if self.verdict else None
        return next((claim for claim in self.claims if claim.pk == wanted), None)

    @cached_property
    def claim_facts(self) -> dict[int, tuple[Fact, ...]]:
        """What each visible claim says, by its id."""
        roles = self.actor_names if self.claims else []
        return {claim.pk: facts_of_claim(claim, roles=roles) for claim in self.claims}

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """All verdicts on the case, the standing one first."""
        if self.case.status != Case.Status.SETTLED:
            return []
        signed = self.case.verdicts.select_related("signed_by", "adopted__reviewer")
        return list(signed.order_by("-number"))

    @property
    def verdict(self) -> Verdict | None:
        """The verdict that stands."""
        return next(iter(self.verdicts), None)

    @cached_property
    def sees_opinions(self) -> bool:
        signed = self.own_claim is not None
        return visibility.may_see_opinions(self.case, self.membership, signed=signed)

    @cached_property
    def opinions(self) -> tuple[Opinion, ...]:
        return self.surroundings.opinions if self.sees_opinions else ()

    @property
    def expected_answer(self) -> str:
        """The right answer, when one came with the file and the reader may see labels."""
        return reading.expected_answer_of(self.case.run) if self.sees_opinions else ""

    @cached_property
    def proposed(self) -> candidates.Proposed:
        return candidates.of(self.case.run)

    @property
    def progress(self) -> candidates.Progress:
        return self.proposed.progress

    @cached_property
    def explanations(self) -> list[Explanation]:
        ranked = self.proposed.ranked
        measured = (
            accuracy_by_attributor(self.case.project, leaving_out=self.case) if ranked else {}
        )
        return [
            Explanation(
                number=number,
                candidate=candidate,
                role=self.actor_by_key[candidate.actor].role,
                measured=measured.get(candidate.analysis.attributor, NOT_MEASURED).sentence(),
            )
            for number, candidate in enumerate(ranked, start=1)
        ]

    @cached_property
    def chosen(self) -> Candidate | None:
        """The candidate the draft starts from."""
        wanted = self.finding.candidate
        if wanted is None:
            return None
        return next((e.candidate for e in self.explanations if e.candidate.pk == wanted), None)

    @property
    def chosen_is_far(self) -> bool:
        """Whether the chosen candidate is among those that the page folds away."""
        return any(e.candidate == self.chosen for e in self.explanations[3:])

    @cached_property
    def proposal(self) -> Proposal | None:
        if self.chosen is None:
            return None
        actor = self.actor_by_key[self.chosen.actor]
        return Proposal(self.chosen.step, actor.key, self.chosen.part, actor.kind.value)

    def missing(self, outcome: str) -> list[str]:
        return missing_for(self.finding, outcome, self.proposal)

    @cached_property
    def actor_names(self) -> RolesByStep:
        """The role behind each step, by number."""
        return RolesByStep(self.outline)

    @property
    def blamable_actors(self) -> list[Actor]:
        acting = {lane.key for lane in self.outline.lanes}
        return blamable_actors(self.surroundings.actors, acting, self.finding.actor)

    @cached_property
    def apparatus(self) -> list[tuple[str, str]]:
        return [(name, getattr(self.finding, name)) for name in APPARATUS]

    @cached_property
    def suggested_carriers(self) -> list[int]:
        """Recorded steps on the way from the decisive to the exposing one, not yet marked."""
        return carriers_between(self.outline, self.finding)

    @cached_property
    def contracts(self) -> list[Contract]:
        return grounds.contracts_in_force(self.case.run)

    @cached_property
    def contracts_for(self) -> dict[int, list[tuple[str, list[Contract]]]]:
        """Per missed step the contracts in force: those of its own role, then the others."""
        found = {}
        # A reading that came later may have fewer steps than the marks are of.
        for step in {miss.step for miss in self.finding.misses if miss.step < len(self.outline)}:
            role = self.outline.lane(step).role
            own = [contract for contract in self.contracts if contract.component == role]
            others = [contract for contract in self.contracts if contract.component != role]
            found[step] = [(role, own), ("others", others)]
        return found

    @cached_property
    def categories(self) -> list[Category]:
        newest = self.case.project.categories.order_by("key", "-version").distinct("key")
        return sorted(newest, key=lambda category: category.name)

    @cached_property
    def marks(self) -> Marks:
        """What is marked in the trace: the reader's draft or claim, else the verdict's claim."""
        finding = self.finding if self.slot else finding_of(self.own_claim or self.adopted)
        numbered = [(e.number, e.candidate.step) for e in self.explanations]
        return marks_of(finding, numbered)

    def viewing(self, place: Place, beside: Beside) -> Viewing:
        """The run as the reader looks at it, with their marks."""
        found = Viewing(self.case.run, place, beside)
        found.reader, found.opinions = self.user, self.sees_opinions
        # What this read already is not read again.
        if found.other is None and {"surroundings", "outline"} <= vars(self).keys():
            found.surroundings, found.outlines = self.surroundings, [self.outline]
        self.surroundings, self.outline = found.surroundings, found.outline
        found.marks = self.marks
        return found
