// Moving through the trace: the selected step, jumps, divergences, and the address of the place.

import { StepList } from "./list.js";
import { openValues } from "./values.js";

const list = (selector, root = document) => [...root.querySelectorAll(selector)];
const pane = document.getElementById("browser");
const rows = document.getElementById("rows");
const article = (number) => document.getElementById(`s${number}`);
const listeners = [];

// What the address says beside the step: of another one the page is drawn anew.
const PLACES = ["step", "row", "go", "from", "until"];
function others(search = location.search) {
  return [...new URLSearchParams(search)].filter(([name]) => !PLACES.includes(name) && name !== "find");
}

export let selected = Number(rows?.querySelector(".chunk")?.dataset.selected ?? 0);
export const steps = rows && new StepList(pane, rows, pane.dataset.rows, others);

export function whenSelected(listener) {
  listeners.push(listener);
}

// Draw the selection again after the server replaced elements.
export function redraw() {
  list("article.sel").forEach((one) => one.classList.toggle("sel", one.id === `s${selected}`));
  article(selected)?.classList.add("sel");
}

// Select a step that may not be on the page; `push` leaves the way back there.
export async function select(number, { focus = true, push = false, align = "" } = {}) {
  let target = article(number);
  if (!target) {
    await steps.show({ step: number });
    target = article(number);
    align ||= "start";
  }
  if (!target) return uncover(number);
  selected = Number(number);
  redraw();
  remember({ step: selected }, push);
  show(target, align);
  if (focus) target.focus({ preventScroll: true });
  listeners.forEach((listener) => listener(target));
  steps.fill();
}

// A step that a filter hides is opened beside what the filter shows.
function uncover(number) {
  const address = new URL(location);
  if (!others().some(([name]) => ["actor", "part", "kind", "status", "text"].includes(name))) return;
  PLACES.forEach((name) => address.searchParams.delete(name));
  address.searchParams.append("open", `${number}-${number}`);
  address.searchParams.set("step", number);
  location.assign(address);
}

function remember(place, push) {
  const address = new URL(location);
  PLACES.forEach((name) => address.searchParams.delete(name));
  Object.entries(place).forEach(([name, value]) => address.searchParams.set(name, value));
  address.hash = "";
  if (address.href === location.href) return;
  history[push ? "pushState" : "replaceState"](null, "", address);
}

// A step that does not fit is shown from its head; one that does is moved as little as possible.
function show(target, align) {
  const heads = pane.querySelector(".heads").offsetHeight;
  const view = pane.getBoundingClientRect();
  const box = target.getBoundingClientRect();
  // What is said of the row stands above its steps, and is seen with them.
  const top = (target.closest(".row")?.querySelector(".explain") ?? target).getBoundingClientRect().top;
  const tall = box.height > view.height / 2;
  if (align === "start" || tall || top < view.top + heads) pane.scrollTop += top - view.top - heads - 8;
  else if (box.bottom > view.bottom) pane.scrollTop += box.bottom - view.bottom + 8;
  // On a narrow screen the trace is one of several things below each other: the page scrolls too.
  const stacked = getComputedStyle(document.body).display === "block";
  if (stacked && (view.top < 0 || view.bottom > innerHeight)) pane.scrollIntoView({ block: "start" });
}

// The step in view that a key starts from when the selected one is not on the page.
function inView() {
  const view = pane.getBoundingClientRect();
  return list("article[id^=s]", rows).find((one) => one.getBoundingClientRect().bottom > view.top + 60);
}

export async function move(by) {
  const current = article(selected);
  if (!current) return inView() && select(inView().dataset.step);
  const all = list("article[id^=s]", rows);
  const next = all[all.indexOf(current) + by];
  if (next) return select(next.dataset.step);
  const more = by > 0 ? steps.last + 1 < steps.total : steps.first > 0;
  if (!more) return;
  await (by > 0 ? steps.append() : steps.prepend());
  const grown = list("article[id^=s]", rows);
  const there = grown[grown.indexOf(current) + by];
  if (there) return select(there.dataset.step);
}

// A jump by its name, which the server resolves over the whole run: "end", "next-gap", "up", ...
export async function go(name) {
  const chunk = await steps.jump({ step: selected, go: name });
  if (!chunk) return;
  const step = Number(chunk.dataset.selected);
  if (!article(step)) steps.put(chunk);
  if (step === selected) return select(step);
  return select(step, { push: true });
}

// A row of the comparison, which may lack a step of ours.
export async function toRow(index, { push = true } = {}) {
  const find = () => rows.querySelector(`.row[data-row="${index}"]`);
  if (!find()) await steps.show({ row: index });
  const row = find();
  if (!row) return;
  const own = row.querySelector("article[id^=s]");
  if (own) await select(own.dataset.step, { push });
  else remember({ row: index }, push);
  list(".row.at").forEach((one) => one.classList.remove("at"));
  row.classList.add("at");
  row.scrollIntoView({ block: "center" });
}

export function divergence(by) {
  const all = (pane.dataset.divergences || "").split(",").filter(Boolean).map(Number);
  if (!all.length) return;
  const at = rows.querySelector(".row.at");
  const here = at ? all.indexOf(Number(at.dataset.row)) : -1;
  const main = all.indexOf(Number(pane.dataset.main));
  const next = here < 0 ? Math.max(main, 0) : (here + by + all.length) % all.length;
  const output = document.getElementById("divergence-count");
  if (output) output.textContent = `${next + 1} of ${all.length}`;
  return toRow(all[next]);
}

// Open everything that is folded or cut in the selected row, or fold it again.
export function unfold() {
  const row = article(selected)?.closest(".row");
  if (!row) return false;
  const folds = list("details", row);
  const open = openValues(row) > 0 || folds.some((one) => !one.open);
  folds.forEach((one) => { one.open = open; });
}

// "showing 401-420 of 50,000": what is in view, and of how many.
let waiting = false;
function tellWhere() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    const view = pane.getBoundingClientRect();
    const heads = pane.querySelector(".heads").offsetHeight;
    const own = list("article[id^=s]", rows).map((one) => [one, one.getBoundingClientRect()]);
    const above = own.filter(([, box]) => box.bottom <= view.top + heads);
    const seen = own.slice(above.length).filter(([, box]) => box.top < view.bottom).map(([one]) => one);
    const where = document.getElementById("where");
    if (!where) return;
    // Rows of the other run alone, or rows that are yet to be drawn.
    if (!seen.length) {
      const beside = above.length && above.length < own.length;
      where.textContent = beside ? `after step #${above.at(-1)[0].dataset.step} of ${where.dataset.total}` : `${where.dataset.total} steps`;
      return;
    }
    const [first, last] = [seen[0], seen.at(-1)].map((one) => Number(one.dataset.step));
    where.textContent = `steps #${first}–#${last} of ${where.dataset.total}`;
  });
}

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const anchor = event.target.closest("a:not(svg a)");
  const jump = anchor?.dataset.go;
  const row = anchor?.dataset.row;
  const number = /#s(\d+)$/.exec(anchor?.getAttribute("href") ?? "")?.[1];
  const here = anchor && new URL(anchor.href).pathname === location.pathname;
  if (jump) { event.preventDefault(); return go(jump); }
  if (row && here) { event.preventDefault(); return toRow(row); }
  if (number && here && same(anchor)) { event.preventDefault(); return select(number, { push: true }); }
  const own = event.target.closest("article[id^=s]");
  if (own && !event.target.closest("a, button, summary, input, select, textarea") && window.getSelection().isCollapsed)
    select(own.dataset.step, { focus: false });
});

// A link that changes more than the step draws the page anew.
function same(anchor) {
  const asked = others(new URL(anchor.href).search);
  return !asked.length || String(asked) === String(others());
}

const drawn = String(others());
window.addEventListener("popstate", () => {
  if (String(others()) !== drawn) return location.reload();
  const place = new URLSearchParams(location.search);
  if (place.has("row")) return toRow(place.get("row"), { push: false });
  select(place.get("step") ?? 0);
});
document.addEventListener("inquest:go", (event) => select(event.detail.step, { push: true, ...event.detail }));

// Draw the first place: called once, when the page's keys and forms are ready.
export async function begin() {
  if (!steps) return;
  pane.addEventListener("inquest:scrolled", tellWhere);
  pane.addEventListener("inquest:drawn", () => { redraw(); tellWhere(); });
  const place = new URLSearchParams(location.search);
  const hashed = /^#s(\d+)$/.exec(location.hash)?.[1];
  if (place.has("row") && !place.has("step")) await toRow(place.get("row"), { push: false });
  else if (place.has("step") || place.has("go") || hashed !== undefined)
    await select(place.has("go") ? selected : hashed ?? selected, { align: "start" });
  else if (article(selected)) await select(selected, { focus: false });
  tellWhere();
  performance.mark("usable");
}
