"""The events that Codex writes beside its conversation: times, exit codes, errors and endings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from traces.formats.codex.items import Items
from traces.formats.records.event_log import Entry
from traces.formats.records.loose import Object, items, mapping, number, shown, state, text
from traces.formats.steps.building import Draft
from traces.formats.steps.conversation import Place, drafted
from traces.transcript import Fate, LinkKind, Part, PartKind, Report, StepKind, StepStatus

AGAIN = "texts that an event says again"
OF_CALLS = "events of a call that an item tells"
ENDINGS = frozenset({"task_complete", "turn_complete", "turn_aborted"})
NOTES = frozenset(
    {"token_count", "task_started", "turn_started", "agent_reasoning_section_break", "turn_diff"}
    | {"session_configured", "background_event", "warning", "deprecation_notice", "plan_update"}
    | {"thread_name_updated", "context_compacted", "undo_started", "undo_completed"}
    | {"shutdown_complete", "entered_review_mode", "exited_review_mode", "exec_approval_request"}
    | {"apply_patch_approval_request", "list_custom_prompts_response", "mcp_list_tools_response"}
    | {"agent_message_delta", "agent_reasoning_delta", "exec_command_output_delta"}
    | {"item_started", "item_completed", "get_history_entry_response"}
)
ATTEMPT = re.compile(r"\b(\d{1,4})/(\d{1,4})\b")
SAYS = {"agent_message": "reply", "agent_reasoning": "thought", "user_message": "heard"}


@dataclass(slots=True)
class Events:
    """Events of a run. `again` counts the texts that items hold, and events need not tell."""

    items: Items
    again: Counter[tuple[str, str]] = field(default_factory=Counter)
    echoed: Counter[tuple[str, str]] = field(default_factory=Counter)
    # Replies that no item holds, with the steps they are in.
    alone: list[tuple[Draft, Part]] = field(default_factory=list)
    echoes: list[tuple[tuple[str, str], str, datetime | None]] = field(default_factory=list)

    def look(self, payloads: Iterable[tuple[str, Object]]) -> None:
        """Look at all lines first: an event may come before the item that says the same."""
        for kind, payload in payloads:
            if kind == "response_item":
                self.look_at_item(payload)
            elif kind == "event_msg" and text(payload.get("type")) in SAYS:
                self.items.begun = True
                if payload.get("type") == "user_message":
                    self.items.heard[text(payload.get("message"))] += 1

    def look_at_item(self, payload: Object) -> None:
        kind = payload.get("type")
        if kind != "message" or payload.get("role") == "assistant":
            self.items.begun = True
        if kind == "message":
            texts = [text(mapping(each).get("text")) for each in items(payload.get("content"))]
            whose = "heard" if payload.get("role") == "user" else "reply"
            self.again[whose, "\n".join(texts)] += 1
        elif kind == "reasoning":
            for key in ("summary", "content"):
                texts = [text(mapping(each).get("text")) for each in items(payload.get(key))]
                for each in texts:
                    self.again["thought", each] += 1

    def event(self, payload: Object, entry: Entry, at: datetime | None) -> None:
        kind = text(payload.get("type"))
        place = Place(entry.pointer, (entry.number, 0), entry.pointer, at)
        call = self.items.calls.get(text(payload.get("call_id")))
        if kind in SAYS:
            self.said(SAYS[kind], payload, place)
        elif kind == "agent_reasoning_raw_content":
            self.said("thought", payload, place)
        elif kind in ("stream_error", "error"):
            self.failed(kind, payload, place)
        elif kind in ENDINGS:
            self.ended(kind, payload, place)
        elif kind == "thread_rolled_back":
            self.items.roll_back(number(payload.get("num_turns")) or 0)
            self.items.builder.record(place.pointer, Fate.CONTEXT, kind)
        elif call is not None:
            self.of_call(kind, payload, place, call)
        elif kind in NOTES or text(payload.get("call_id")):
            self.items.builder.record(place.pointer, Fate.CONTEXT, kind)
        else:
            self.items.builder.record(place.pointer, Fate.UNMAPPED, kind)

    def said(self, whose: str, payload: Object, place: Place) -> None:
        """A text: an item's once more, or one that no item holds."""
        said = text(payload.get("message")) or text(payload.get("text"))
        if self.again[whose, said] > 0:
            self.again[whose, said] -= 1
            self.foretell((whose, said), place)
            self.echoes.append(((whose, said), place.pointer, place.at))
        elif whose == "heard":
            part = Part(PartKind.INPUT, said)
            self.items.tell(part, StepKind.INPUT, self.items.person(), place)
        elif said:
            kind = PartKind.MESSAGE if whose == "reply" else PartKind.INTERPRETATION
            self.items.say(Part(kind, said), place)
            if whose == "reply" and self.items.call is not None:
                self.alone.append((self.items.call, self.items.call.parts[-1]))
        else:
            self.items.builder.record(place.pointer, Fate.CONTEXT, text(payload.get("type")))

    def foretell(self, key: tuple[str, str], place: Place) -> None:
        """Note an event that comes before all items of its reply: the reply is named by it."""
        to_come = len(self.items.said.get(key, ())) <= self.echoed[key]
        self.echoed[key] += 1
        if to_come and key[0] != "heard" and self.items.call is None and self.items.told is None:
            self.items.told = place

    def failed(self, kind: str, payload: Object, place: Place) -> None:
        """An error of the program; one of the stream is followed by another attempt."""
        said = text(payload.get("message")) or shown(payload.get("error") or dict(payload))
        draft = drafted(place, self.items.harness(), StepKind.ERROR, [Part(PartKind.ERROR, said)])
        draft.status = StepStatus.ERROR
        before, self.items.failing = self.items.failing, None
        draft = self.items.add(draft)
        if kind == "error":
            self.items.builder.report(Report("error", "framework", at=place.at, detail=said), draft)
            return
        if found := ATTEMPT.search(said[:500]):
            draft.attempt = int(found.group(1))
        if before is not None:
            self.items.builder.link(before.id, draft.id, LinkKind.RETRY_OF)
            draft.attempt_reason = before.parts[0].text
            draft.attempt_by = self.items.harness()
        self.items.failing = draft

    def ended(self, kind: str, payload: Object, place: Place) -> None:
        """The end of a turn, as the program tells it. It says nothing of the task."""
        self.items.call = None
        last = next(reversed(self.items.ends.values()), None)
        reason = text(payload.get("reason"))
        self.items.builder.report(Report(kind, "framework", at=place.at, detail=reason), last)
        self.items.builder.record(place.pointer, Fate.CONTEXT, kind, last)
        if text(payload.get("last_agent_message")):
            self.items.builder.fold(AGAIN)

    def of_call(self, kind: str, payload: Object, place: Place, call: Draft) -> None:
        """When a call began and ended, how, and what it changed or started."""
        self.items.builder.fold(OF_CALLS, place.pointer, call)
        if kind.endswith("_begin"):
            call.started_at = place.at or call.started_at
        elif kind.endswith("_end"):
            call.ended_at = place.at or call.ended_at
        code, success = payload.get("exit_code"), payload.get("success")
        if isinstance(code, int) and not isinstance(code, bool):
            call.status = StepStatus.OK if code == 0 else StepStatus.ERROR
        elif isinstance(success, bool):
            call.status = StepStatus.OK if success else StepStatus.ERROR
        if kind == "patch_apply_end" and call.status is not StepStatus.ERROR:
            for path, change in mapping(payload.get("changes")).items():
                word = text(mapping(change).get("type")) or next(iter(mapping(change)), "")
                call.parts.append(state(str(path), change=str(word)))
        started = payload.get("new_thread_id")
        if isinstance(started, str) and started:
            first = call.parts[0]
            call.parts[0] = Part(first.kind, first.text, {**first.data, "thread": started})

    def finish(self) -> None:
        """Put the texts that were said again to the steps that say them, with their times."""
        for step, part in self.alone:
            # The item that says it, if it comes, comes after those of the thoughts before it.
            step.parts[:] = [*(each for each in step.parts if each is not part), part]
        for key, pointer, at in self.echoes:
            drafts = self.items.said.get(key)
            draft = drafts[0] if drafts else None
            if drafts and len(drafts) > 1:
                drafts.popleft()
            self.items.builder.fold(AGAIN, pointer, draft)
            if draft is not None and at is not None:
                known = draft.started_at
                comparable = known is None or bool(known.tzinfo) == bool(at.tzinfo)
                if comparable and (known is None or at < known):
                    draft.started_at = at
        self.items.finish()
