// The map: one tab stop that names any step and jumps to it, and what lights up with a selection.
// Without this script its links lead to each step, or to the first of each stretch.

import { fragment } from "./fragments.js";
import { selected, whenSelected } from "./trace.js";

const SVG = "http://www.w3.org/2000/svg";
const PATIENCE = 40, SETTLED = 90, KNOWN = 400;
const element = (id) => document.getElementById(id);
const figure = () => element("minimap");
const board = () => figure()?.querySelector("svg.whole");

// Where the probe stands: { step, row, text, before, after }; the last answers are kept.
let at = null;
let wanted = 0;
const known = new Map();

// What the address keeps beside the step, so that links in answers keep it too.
function kept() {
  const query = new URLSearchParams(location.search);
  ["step", "row", "go", "from", "until"].forEach((name) => query.delete(name));
  return query;
}

async function ask(step, row) {
  const map = figure().dataset;
  const query = new URLSearchParams({ step, ...(row === undefined ? {} : { row }) });
  const address = `${map.at}?${query}`;
  if (!known.has(address)) {
    const response = await fetch(address).catch(() => null);
    if (!response?.ok || !response.headers.get("Content-Type")?.startsWith("application/json")) return null;
    if (known.size > KNOWN) known.clear();
    known.set(address, await response.json());
  }
  return known.get(address);
}

const across = (step) => {
  const { names, plot, total } = figure().dataset;
  return Number(names) + Math.floor(step * Number(plot) / Number(total));
};
const down = (row) => Number(figure().dataset.top) + row * Number(figure().dataset.lane);

// The step and the row under the pointer.
function under(event, svg) {
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  const { names, plot, total, top, lane, rows } = figure().dataset;
  const step = Math.floor((point.x - Number(names)) / Number(plot) * Number(total));
  const row = Math.round((point.y - Number(top)) / Number(lane));
  return { step: clamp(step, Number(total)), row: clamp(row, Number(rows)), inside: point.x >= Number(names) - 4 };
}
const clamp = (value, size) => Math.max(0, Math.min(size - 1, value));

// The marks that the reader or an attributor has set on a step, by their titles.
function marksOn(step) {
  const titles = figure().querySelectorAll(`.signs a[data-step="${step}"] title`);
  return [...titles].map((one) => one.textContent.split(":")[0]);
}

function name(found) {
  return [found.text, ...marksOn(found.step)].join(", ");
}

function tell(found) {
  at = found;
  element("map-readout").textContent = name(found);
  const probe = element("map-probe");
  const x = (across(found.step) + across(found.step + 1)) / 2;
  const y = down(found.row);
  probe.firstChild.setAttribute("d", `M${x} ${y - 9}v18M${x - 5} ${y - 9}h10M${x - 5} ${y + 9}h10`);
  probe.setAttribute("aria-valuenow", found.step);
  probe.setAttribute("aria-valuetext", name(found));
}

// Name a step; of several that are asked for at once only the last.
async function probe(step, row) {
  const mine = ++wanted;
  const found = await ask(step, row);
  if (!found || mine !== wanted || !figure()) return null;
  tell(found);
  return found;
}

const go = (step) => document.dispatchEvent(new CustomEvent("inquest:go", { detail: { step } }));

const MOVES = {
  ArrowLeft: () => at.before === null ? null : probe(at.before),
  ArrowRight: () => at.after === null ? null : probe(at.after),
  ArrowUp: () => at.row > 0 && probe(at.step, at.row - 1),
  ArrowDown: () => at.row + 1 < Number(figure().dataset.rows) && probe(at.step, at.row + 1),
  Home: () => probe(0),
  End: () => probe(Number(figure().dataset.total) - 1),
  PageUp: () => page(-1),
  PageDown: () => page(1),
  Enter: () => go(at.step),
};

// A stretch further in the same row, or at least to the next step of it.
async function page(by) {
  const next = by < 0 ? at.before : at.after;
  if (next === null) return;
  const far = clamp(at.step + by * Math.max(10, Number(figure().dataset.page)), Number(figure().dataset.total));
  const from = at.step;
  const found = await probe(by < 0 ? Math.min(far, next) : Math.max(far, next), at.row);
  if (found && (found.step - from) * by <= 0) await probe(next);
}

async function pressed(event) {
  const move = MOVES[event.key];
  if (!move || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  event.preventDefault();
  if (!at) await probe(Number(element("map-lit").dataset.step ?? 0));
  if (at) move();
}

// Make the drawn map one control: a slider over steps, beside links for the pointer alone.
function prepare() {
  const svg = board();
  if (!svg || element("map-probe")) return;
  svg.querySelectorAll("a").forEach((anchor) => anchor.setAttribute("tabindex", "-1"));
  element("map-strip").querySelectorAll("a").forEach((anchor) => anchor.setAttribute("tabindex", "-1"));
  if (Number(figure().dataset.total) < 1) return;
  const slider = document.createElementNS(SVG, "g");
  const values = {
    id: "map-probe", role: "slider", tabindex: "0", "aria-label": "Step on the map", "aria-valuemin": "0",
    "aria-valuemax": String(Number(figure().dataset.total) - 1), "aria-orientation": "horizontal",
  };
  Object.entries(values).forEach(([key, value]) => slider.setAttribute(key, value));
  slider.append(document.createElementNS(SVG, "path"));
  svg.append(slider);
  const step = Number(element("map-lit").dataset.step ?? 0);
  slider.setAttribute("aria-valuenow", step);
  slider.setAttribute("aria-valuetext", element("map-readout").textContent || `#${step}`);
  // The cross is drawn for whoever moves it; until then the selected step is marked.
  slider.addEventListener("focus", () => at ? tell(at) : probe(step));
  slider.addEventListener("keydown", pressed);
}

let hovering = 0;
function hovered(event) {
  const svg = board();
  if (!svg?.contains(event.target)) return;
  const place = under(event, svg);
  if (!place.inside) return;
  const sign = event.target.closest(".signs a");
  clearTimeout(hovering);
  hovering = setTimeout(() => sign ? probe(sign.dataset.step) : probe(place.step, place.row), PATIENCE);
}

// A click means the step under it, not the first of its stretch; a mark means its own.
async function clicked(event) {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const sign = figure()?.contains(event.target) && event.target.closest("a[data-step]");
  if (sign) {
    event.preventDefault();
    // The page's own handler is for links of HTML.
    event.stopPropagation();
    return go(Number(sign.dataset.step));
  }
  const strip = event.target.closest("#map-strip");
  const svg = strip ?? board();
  if (!svg?.contains(event.target)) return;
  const place = under(event, svg);
  if (!place.inside) return;
  event.preventDefault();
  event.stopPropagation();
  clearTimeout(hovering);
  if (strip) return tick(event.target, place.step);
  const found = await probe(place.step, place.row);
  if (found) go(found.step);
}

function tick(target, step) {
  const steps = (target.closest("g")?.dataset.steps ?? "").split(",").filter(Boolean).map(Number);
  if (!steps.length) return;
  go(steps.reduce((best, one) => Math.abs(one - step) < Math.abs(best - step) ? one : best));
}

// What stands before and after the selected step, on the map and on the rows of the page.
let asked = 0;
async function light(step) {
  if (element("map-lit").dataset.step === String(step)) return rows();
  const mine = ++asked;
  await new Promise((done) => setTimeout(done, SETTLED));
  if (mine !== asked || !figure()) return;
  const html = await fragment(`${figure().dataset.reach}?${new URLSearchParams({ step })}`);
  if (mine !== asked || html === null) return;
  replace(html);
  rows();
  const named = await ask(step);
  if (named && mine === asked && !figure().matches(":hover") && document.activeElement.id !== "map-probe") tell(named);
}

function replace(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  for (const fresh of [...template.content.children]) element(fresh.id)?.replaceWith(fresh);
}

function rows() {
  const told = element("reach")?.dataset.ranges;
  if (!told) return;
  const ranges = JSON.parse(told);
  const holds = (name, step) => ranges[name].some(([first, last]) => first <= step && step <= last);
  for (const article of document.querySelectorAll("article.step[id^=s]")) {
    const step = Number(article.dataset.step);
    const surely = holds("before", step) || holds("after", step);
    const perhaps = holds("perhaps_before", step) || holds("perhaps_after", step);
    article.classList.toggle("lit", surely || perhaps);
    article.classList.toggle("perhaps", perhaps);
  }
}

// What the actor of the selected step could see there, where the page has room for it.
export async function seen() {
  if (!element("seen")) return;
  const query = kept();
  query.set("step", element("map-lit").dataset.step ?? 0);
  const html = await fragment(`${figure().dataset.seen}?${query}`);
  if (html === null) return;
  replace(html);
  prepare();
  element("seen").scrollIntoView({ block: "nearest" });
}

// Drawn again by the server, with the reader's marks, it is another element in the same place:
// what was found, where the reader is on it, and what they have selected since, stay.
function redrawn(records) {
  const old = records.flatMap((one) => [...one.removedNodes]).findLast((one) => one.id === "minimap");
  if (!old || !figure()) return;
  const found = old.querySelector("#map-strip g") && !figure().querySelector("#map-strip g");
  if (found) element("map-strip").replaceWith(old.querySelector("#map-strip"));
  prepare();
  if (at) tell(at);
  const lost = document.activeElement === document.body && old.contains(focused);
  if (lost) element("map-probe")?.focus({ preventScroll: true });
  light(selected);
}

let focused = null;

if (figure()) {
  prepare();
  rows();
  new MutationObserver(redrawn).observe(figure().parentElement, { childList: true });
  document.addEventListener("focusin", (event) => { focused = event.target; });
  document.addEventListener("pointermove", hovered, { passive: true });
  figure().parentElement.addEventListener("click", clicked);
  element("browser")?.addEventListener("inquest:drawn", rows);
  whenSelected((article) => light(Number(article.dataset.step)));
}
