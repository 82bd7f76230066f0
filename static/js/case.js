// The case page: keys, marks, quotes and the draft. Every action is a form on the page first.

import "./find.js";
import { compareExplanations } from "./explaining.js";
import { fragment } from "./fragments.js";
import { bind, listen } from "./keys.js";
import { seen } from "./minimap.js";
import { Outbox } from "./outbox.js";
import { locatedQuote, selectedQuote } from "./quote.js";
import "./values.js";
import * as trace from "./trace.js";
import "./pane.js";

const element = (id) => document.getElementById(id);
const control = (key) => document.querySelector(`[data-key="${CSS.escape(key)}"]`);
const marker = () => element("marker");
const claimForm = () => element("claim-form");
const TYPING_PAUSE = 600;

document.body.classList.add("scripted");

const outbox = marker() && new Outbox(`${document.body.dataset.user}:${location.pathname}`, {
  token: () => ({ lease: marker().elements.token.value, csrf: marker().elements.csrfmiddlewaretoken.value }),
  onFragments: swap,
  onState: tell,
});

// A line above the Sign button, where it cannot scroll away; empty takes it away.
function tell(text) {
  const line = element("offline");
  if (!line) return;
  line.textContent = text;
  line.hidden = !text;
  if (text && outbox?.entries.length) element("saved").textContent = "not saved yet";
}

// Replace each element that the answer brings, by id, without taking away what one is doing.
function swap(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  const active = document.activeElement;
  const focus = { id: active.id, name: active.name, value: active.value };
  for (const fresh of [...template.content.children]) {
    const old = element(fresh.id);
    if (!old) continue;
    const open = [...old.querySelectorAll("details")].map((one) => one.open);
    // A step alone comes without its row: that it reads like its counterpart is known here.
    if (old.matches("article.same")) fresh.classList.add("same");
    old.replaceWith(fresh);
    fresh.querySelectorAll("details").forEach((one, index) => { one.open = open[index] ?? false; });
    window.htmx?.process(fresh);
  }
  restore();
  trace.redraw();
  if (!document.contains(active)) {
    const same = focus.id ? element(focus.id) : focus.name && document.querySelector(`[name="${CSS.escape(focus.name)}"]`);
    (same || element(`s${trace.selected}`))?.focus({ preventScroll: true });
  }
}

// Unsent values win over what the server drew: they are newer.
function restore() {
  for (const [name, value] of Object.entries(outbox?.values ?? {})) {
    const field = claimForm()?.elements[name];
    if (field && field.value !== value) field.value = value;
  }
}

function send(url, values) {
  // Which reading of the run the step's number is of: a change may be sent long after.
  outbox?.add(url, { step: trace.selected, reading: marker().elements.reading.value, explain: new URLSearchParams(location.search).get("explain") ?? "", ...values });
}

async function cite() {
  const url = control("c")?.getAttribute("formaction");
  if (!url) return;
  let quote = selectedQuote();
  if (quote === undefined) quote = await locatedQuote();
  if (quote?.refusal) return tell(quote.refusal);
  if (quote === undefined) return tell("Only text of this run, on the left, can be quoted. Nothing was cited.");
  tell("");
  send(url, quote ?? {});
  window.getSelection().removeAllRanges();
}

// Where in the run the selected text appears, earliest first.
async function origin() {
  const text = window.getSelection().toString().trim();
  if (!text) return tell("Select the value to look for, then press v.");
  const address = `${element("browser").dataset.values}?${new URLSearchParams({ text, step: trace.selected })}`;
  const html = await fragment(address);
  if (html === null) return tell("The server did not answer. Try again.");
  swap(html);
  element("values").scrollIntoView({ block: "nearest" });
}

// Signing waits for what is still on its way; what cannot be sent is told and kept.
async function signAt(address) {
  if (!outbox.entries.length || await outbox.flush()) location.assign(address);
}

// A press of a submit button in one of the draft's forms becomes a change in the outbox.
document.addEventListener("submit", (event) => {
  const form = event.target;
  const button = event.submitter;
  if (!outbox || !(form.id === "marker" || form.id === "claim-form" || "draft" in form.dataset)) return;
  event.preventDefault();
  if (button?.dataset.key === "c") return cite();
  if (button?.dataset.to) return signAt(button.dataset.to);
  const values = form.id === "claim-form" ? {} : Object.fromEntries(new FormData(form));
  delete values.token; delete values.csrfmiddlewaretoken;
  if (button?.name) values[button.name] = button.value;
  send(button?.getAttribute("formaction") ?? form.action, values);
  if ("draft" in form.dataset) trace.select(values.step);
});

function save(event) {
  const field = event.target;
  if (!outbox || field.form?.id !== "claim-form" || !field.name) return;
  element("saved").textContent = "not saved yet";
  const delay = event.type === "input" && field.matches("textarea, input:not([type=radio])") ? TYPING_PAUSE : 0;
  outbox.add(claimForm().action, { [field.name]: field.value }, { field: field.name, delay });
}
document.addEventListener("input", save);
document.addEventListener("change", save);

trace.whenSelected((article) => {
  for (const field of document.querySelectorAll("#marker [name=step], #claim-form [name=step]")) field.value = trace.selected;
  const target = marker()?.elements.target;
  if (target) target.value = article.getAttribute("aria-label").replace("Step ", "Step #");
});

bind("next-step", () => trace.move(1));
bind("previous-step", () => trace.move(-1));
const JUMPS = {
  "next-lane": "lane-below", "previous-lane": "lane-above",
  "next-in-lane": "after-in-lane", "previous-in-lane": "before-in-lane",
  "next-candidate": "next-candidate", "previous-candidate": "previous-candidate",
  "next-gap": "next-gap", "previous-gap": "previous-gap",
  "next-error": "next-error", "previous-error": "previous-error",
  "to-start": "start", "to-end": "end", "to-origin": "origin", "to-failure": "failure",
  upstream: "up", downstream: "down",
};
for (const [name, jump] of Object.entries(JUMPS)) bind(name, () => trace.go(jump));
const diverges = { when: () => Boolean(element("browser")?.dataset.divergences) };
bind("next-divergence", () => trace.divergence(1), diverges);
bind("previous-divergence", () => trace.divergence(-1), diverges);
bind("seen-here", () => seen(), { when: () => Boolean(element("seen")) });
bind("first-appearance", origin);
bind("compare", () => open("beside-menu"), { when: () => Boolean(element("beside-menu")) });
const explaining = () => document.querySelector("#explaining:not([hidden]) a") ?? document.querySelector("a[data-explain]");
bind("explanations", () => explaining().focus(), { when: () => Boolean(explaining()) });
bind("filter", () => element("filters")?.querySelector("summary, input:not([type=hidden])")?.focus());
bind("write", () => element("note")?.focus(), { when: () => Boolean(element("note")) });
bind("unfold", () => trace.unfold());
bind("back", () => { uncover(); return trace.select(trace.selected); });

// What opened over the trace closes once one goes on elsewhere.
function uncover(target) {
  for (const one of document.querySelectorAll(".heads details[open]")) if (!one.contains(target)) one.open = false;
}
for (const kind of ["pointerdown", "focusin"]) document.addEventListener(kind, (event) => uncover(event.target));

function open(id) {
  element(id).open = true;
  element(id).querySelector("summary").focus();
}

document.addEventListener("click", (event) => {
  const key = event.target.closest("button[data-key]")?.dataset.key;
  if (key === "[" || key === "]") trace.divergence(key === "]" ? 1 : -1);
});
// Steps that are not on the page now need not be drawn again.
document.body.addEventListener("htmx:beforeSwap", (event) => {
  const template = document.createElement("template");
  template.innerHTML = event.detail.serverResponse;
  for (const one of [...template.content.children]) if (one.matches("article") && !element(one.id)) one.remove();
  event.detail.serverResponse = template.innerHTML;
});
// A comparison that was made meanwhile is shown at once to who has done nothing yet on the page.
let touched = false;
for (const kind of ["keydown", "pointerdown", "wheel"]) document.addEventListener(kind, () => { touched = true; }, { passive: true });
document.body.addEventListener("htmx:afterSwap", () => { if (!touched && document.querySelector("[data-compared]")) location.reload(); });
document.body.addEventListener("htmx:afterSettle", () => trace.redraw());

compareExplanations(swap);
listen();
trace.begin();
restore();
if (outbox?.entries.length) outbox.flush();
