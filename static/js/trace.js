// Moving through the trace: the selected step, its lane, its causes and effects.

const list = (selector, root = document) => [...root.querySelectorAll(selector)];
// Links that touch the steps on the page; no others come with it.
const links = JSON.parse(document.getElementById("links")?.textContent ?? "[]");
const listeners = [];

export let selected = Number(new URLSearchParams(location.search).get("step") ?? 0);

export const steps = () => list("article[id^=s]");
const article = (number) => document.getElementById(`s${number}`);

export function whenSelected(listener) {
  listeners.push(listener);
}

// Draw the selection again after the server replaced elements.
export function redraw() {
  list("article.sel").forEach((one) => one.classList.toggle("sel", one.id === `s${selected}`));
  article(selected)?.classList.add("sel");
  list("#minimap a").forEach((one) => one.classList.toggle("current", Number(one.dataset.step) === selected));
}

export function select(number, { focus = true } = {}) {
  const target = article(number);
  if (!target) {
    location.search = new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(location.search)), step: number });
    return;
  }
  selected = Number(number);
  light([]);
  redraw();
  const address = new URL(location);
  address.searchParams.set("step", selected);
  address.hash = "";
  history.replaceState(null, "", address);
  show(target);
  if (focus) target.focus({ preventScroll: true });
  listeners.forEach((listener) => listener(target));
}

// A step that does not fit is shown from its head; one that does is moved as little as possible.
function show(target) {
  const pane = document.getElementById("browser").getBoundingClientRect();
  const box = target.getBoundingClientRect();
  const tall = box.height > pane.height / 2;
  target.scrollIntoView({ block: tall || box.top < pane.top ? "start" : "nearest" });
}

export function move(by) {
  const all = steps();
  const at = all.findIndex((one) => one.id === `s${selected}`);
  const next = all[at + by];
  if (next) return select(next.dataset.step);
  const pager = list(".heads a.button").find((one) => one.textContent === (by > 0 ? "Later" : "Earlier"));
  pager?.click();
}

// The nearest step in the lane above or below.
export function lane(by) {
  const lanes = [...new Set(list("#minimap .boxes a").map((one) => one.querySelector("rect").getAttribute("y")))].map(Number).sort((a, b) => a - b);
  const at = list(`#minimap .boxes a[data-step="${selected}"] rect`).map((one) => Number(one.getAttribute("y")))[0];
  const wanted = lanes[lanes.indexOf(at) + by];
  const there = list("#minimap .boxes a").filter((one) => Number(one.querySelector("rect").getAttribute("y")) === wanted);
  const nearest = there.map((one) => Number(one.dataset.step)).sort((a, b) => Math.abs(a - selected) - Math.abs(b - selected))[0];
  if (nearest !== undefined) select(nearest);
}

function light(numbers) {
  const lit = new Set(numbers);
  list("article[id^=s], #minimap .boxes a").forEach((one) => one.classList.toggle("lit", lit.has(Number(one.dataset.step))));
}

function reach(from, source, target) {
  const seen = new Set();
  const waiting = [from];
  while (waiting.length) {
    const step = waiting.pop();
    for (const link of links) if (link[source] === step && !seen.has(link[target])) { seen.add(link[target]); waiting.push(link[target]); }
  }
  return seen;
}

// Go to the nearest input (or effect) and light up everything on that side of where one was.
export function cause(direction) {
  const [source, target] = direction === "up" ? [1, 0] : [0, 1];
  const near = links.filter((link) => link[source] === selected).sort((a, b) => b[2] - a[2] || Math.abs(a[target] - selected) - Math.abs(b[target] - selected))[0];
  const all = reach(selected, source, target);
  if (near) select(near[target]);
  light(all);
}

export function jump(selector, by) {
  const numbers = [...new Set(list(selector).map((one) => Number((one.querySelector("article[id^=s]") ?? one).dataset.step)))].filter((n) => !Number.isNaN(n)).sort((a, b) => a - b);
  const next = by > 0 ? numbers.find((n) => n > selected) : numbers.findLast((n) => n < selected);
  const wrapped = next ?? (by > 0 ? numbers[0] : numbers.at(-1));
  if (wrapped !== undefined) select(wrapped);
}

// Divergent rows may lack a step of ours; the row itself is the place to go.
export function divergence(by) {
  const rows = list("[data-divergence]");
  const output = document.getElementById("divergence-count");
  const at = rows.findIndex((row) => row.classList.contains("at"));
  const main = rows.findIndex((row) => row.classList.contains("first-divergence"));
  const next = at < 0 ? Math.max(main, 0) : (at + by + rows.length) % rows.length;
  rows.forEach((row, index) => row.classList.toggle("at", index === next));
  const row = rows[next];
  if (!row) return;
  const own = row.querySelector("article[id^=s]");
  if (own) select(own.dataset.step);
  row.scrollIntoView({ block: "center" });
  if (output) output.textContent = `${next + 1} of ${rows.length}`;
}

// Open everything that is folded in the selected row, or fold it again.
export function unfold() {
  const folds = list("details", article(selected)?.closest(".row") ?? document.createElement("p"));
  const open = folds.some((one) => !one.open);
  folds.forEach((one) => { one.open = open; });
}

let hits = [];
let hit = -1;
let sought = "";

// Find text in this run's steps on the page, folded ones too; says which hit of how many.
export function find(text, by = 1) {
  const wanted = text.trim().toLowerCase();
  if (wanted !== sought) [hits, hit, sought] = [wanted ? ranges(wanted) : [], by > 0 ? -1 : 0, wanted];
  CSS.highlights?.set("found", new Highlight(...hits));
  if (!hits.length) return wanted ? "not on this page" : "";
  hit = (hit + by + hits.length) % hits.length;
  CSS.highlights?.set("found-now", new Highlight(hits[hit]));
  const node = hits[hit].startContainer.parentElement;
  const folded = node.closest("details");
  if (folded) folded.open = true;
  select(node.closest("article").dataset.step, { focus: false });
  node.scrollIntoView({ block: "center" });
  return `${hit + 1} of ${hits.length}`;
}

function ranges(wanted) {
  const found = [];
  for (const step of steps()) {
    const texts = document.createTreeWalker(step, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const text = node.data.toLowerCase();
      for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + wanted.length);
        found.push(range);
      }
    }
  }
  return found;
}

document.addEventListener("click", (event) => {
  const anchor = event.target.closest("a[href*='#s']");
  const number = anchor && /#s(\d+)$/.exec(anchor.getAttribute("href"))?.[1];
  if (number && article(number) && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    history.pushState(null, "", location);
    return select(number);
  }
  const own = event.target.closest("article[id^=s]");
  if (own && !event.target.closest("a, button, summary, input") && window.getSelection().isCollapsed)
    select(own.dataset.step, { focus: false });
});
window.addEventListener("popstate", () => select(new URLSearchParams(location.search).get("step") ?? 0));
