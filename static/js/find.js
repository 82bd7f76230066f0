// Search inside the whole run: the server says where the next place is, loaded or not; here it is
// brought onto the page, opened and highlighted. Without this script the form leads to a list.

import { bind } from "./keys.js";
import * as trace from "./trace.js";

const form = document.getElementById("find");
const field = form?.elements.q;
const pane = document.getElementById("browser");
const answer = () => document.getElementById("found");
const list = (selector, root) => [...root.querySelectorAll(selector)];
const HIGHLIGHTED = 1000;
let asking = null;
let before = null;
let current = null;
// Whether the reader was brought to the place that was answered last.
let arrived = true;

// Ask for a place: the one beside the current, or of other words the first from the selected step.
async function find(direction, { move = true } = {}) {
  const words = field.value.trim();
  if (!words) return close();
  const { q, at, step } = answer().dataset;
  // Who went on to another step meanwhile goes on from there.
  const same = q === words && at !== undefined && (!arrived || Number(step) === trace.selected);
  const data = new FormData(form);
  data.set("q", words);
  data.set("step", trace.selected);
  if (same) data.set("at", at);
  if (same ? arrived : q === words || direction === "previous") data.set("direction", direction);
  asking?.abort();
  asking = new AbortController();
  const content = await fetched(`${form.action}?${new URLSearchParams(data)}`, asking.signal);
  if (!content) return;
  for (const fresh of [...content.children]) document.getElementById(fresh.id)?.replaceWith(fresh);
  const hit = answer();
  remember(words);
  arrived = move;
  const drawn = document.getElementById(`s${hit.dataset.step}`);
  if (hit.dataset.step === undefined) current = null;
  else if (move) await go({ ...hit.dataset });
  else current = drawn && inPart(drawn, hit.dataset);
  highlight();
}

async function fetched(address, signal) {
  try {
    const response = await fetch(address, { headers: { "X-Inquest": "fragments" }, signal });
    // Who was signed out meanwhile gets a page, which belongs nowhere here.
    if (!response.ok || !response.headers.has("X-Inquest")) throw new Error("no answer");
    const template = document.createElement("template");
    template.innerHTML = await response.text();
    return template.content;
  } catch (error) {
    if (error.name !== "AbortError") answer().textContent = "The search got no answer. Press Enter to try again.";
    return null;
  }
}

function remember(words) {
  const address = new URL(location);
  if (words) address.searchParams.set("find", words);
  else address.searchParams.delete("find");
  if (address.href !== location.href) history.replaceState(history.state, "", address);
}

async function go(hit) {
  await trace.select(hit.step, { push: true, focus: false });
  const article = document.getElementById(`s${hit.step}`);
  if (!article || article.classList.contains("grey")) return open(hit.step);
  current = inPart(article, hit) ?? await unfolded(article, hit);
  if (!current) return;
  for (let fold = parent(current).closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  const view = pane.getBoundingClientRect();
  const box = current.getBoundingClientRect();
  const heads = pane.querySelector(".heads")?.offsetHeight ?? 0;
  if (box.top < view.top + heads || box.bottom > view.bottom) pane.scrollTop += box.top - view.top - view.height / 3;
}

// The step is folded away by the filter, or there for context only: open it, which draws the page anew.
function open(step) {
  const address = new URL(location);
  address.searchParams.append("open", `${step}-${step}`);
  address.searchParams.set("step", step);
  address.hash = `s${step}`;
  location.assign(address);
}

const parent = (range) => (range.startContainer.nodeType === Node.TEXT_NODE ? range.startContainer.parentElement : range.startContainer);
const texts = (article, part) => list(`[data-part="${CSS.escape(part)}"], [data-part="${CSS.escape(part)}"] ~ .moved`, article);

// Where the place stands in what is drawn of its part; nothing if that is not drawn as text.
function inPart(article, hit) {
  let end = 0;
  for (const text of texts(article, hit.part)) {
    if (text.matches(".rendered")) continue;
    const start = text.dataset.start === undefined ? end : Number(text.dataset.start);
    end = start + size(text);
    const [from, to] = [Number(hit.start), Number(hit.end)];
    if (start <= from && from < end) return rangeOf(text, from - start, Math.min(to, end) - start);
  }
  return texts(article, hit.part).filter((one) => one.matches(".rendered")).flatMap((one) => matches(one, field.value.trim()))[0];
}

// All of the part as it was written, in place of the beginning or the picture of it.
async function unfolded(article, hit) {
  const value = texts(article, hit.part)[0]?.closest(".value");
  if (!value) return undefined;
  const fresh = await fetched(`${form.dataset.run}steps/${hit.step}/parts/${hit.part}/?as=raw&lines=all`);
  if (!fresh) return undefined;
  value.replaceWith(fresh.firstElementChild);
  return inPart(article, hit);
}

// Characters as the record counts them: a mark stands for those that cannot be seen.
function size(node) {
  if (node.nodeType === Node.TEXT_NODE) return [...node.data].length;
  if (node.classList?.contains("ctl")) return Number(node.dataset.length ?? 1);
  return [...node.childNodes].reduce((sum, child) => sum + size(child), 0);
}

function rangeOf(element, start, end) {
  const range = document.createRange();
  range.selectNodeContents(element);
  range.setStart(...spot(element, start));
  range.setEnd(...spot(element, end));
  return range;
}

function spot(node, offset) {
  if (node.nodeType === Node.TEXT_NODE) return [node, [...node.data].slice(0, offset).join("").length];
  for (const child of node.childNodes) {
    const long = size(child);
    if (offset <= long) return child.classList?.contains("ctl") ? [node, [...node.childNodes].indexOf(child) + (offset ? 1 : 0)] : spot(child, offset);
    offset -= long;
  }
  return [node, node.childNodes.length];
}

// The words in one element, whatever their case: also across the marks within it.
function matches(element, words) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes = [];
  let whole = "";
  while (walker.nextNode()) { nodes.push([whole.length, walker.currentNode]); whole += walker.currentNode.data; }
  const [low, sought] = [whole.toLowerCase(), words.toLowerCase()];
  if (!sought || low.length !== whole.length) return [];
  const place = (index) => { const [start, node] = nodes.findLast(([first]) => first <= index); return [node, index - start]; };
  const found = [];
  for (let at = low.indexOf(sought); at >= 0 && found.length < HIGHLIGHTED; at = low.indexOf(sought, at + sought.length)) {
    const range = document.createRange();
    range.setStart(...place(at));
    const [node, last] = place(at + sought.length - 1);
    range.setEnd(node, last + 1);
    found.push(range);
  }
  return found;
}

function highlight() {
  if (!CSS.highlights) return;
  const words = answer()?.dataset.q;
  const all = words ? list("#rows article[id^=s] :is(.text, .rendered)", document).flatMap((one) => matches(one, words)) : [];
  CSS.highlights.set("found", new Highlight(...all.slice(0, HIGHLIGHTED)));
  if (current?.startContainer.isConnected) CSS.highlights.set("found-now", new Highlight(current));
  else CSS.highlights.delete("found-now");
}

function close() {
  asking?.abort();
  field.value = "";
  const empty = document.createElement("span");
  empty.id = "found";
  if (answer().dataset.total) document.getElementById("map-strip")?.setAttribute("display", "none");
  answer().replaceWith(empty);
  current = null;
  remember("");
  highlight();
}

if (form) {
  bind("search", () => { before = document.activeElement; field.focus(); field.select(); });
  const sought = { when: () => field.value.trim() !== "" };
  bind("next-hit", () => find("next"), sought);
  bind("previous-hit", () => find("previous"), sought);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    find(event.submitter?.value || "next");
  });
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter") { event.preventDefault(); find(event.shiftKey ? "previous" : "next"); }
    if (event.key === "Escape") {
      event.preventDefault();
      // What was found stays, so that the next hit is one key away; emptying the field ends it.
      const found = answer().dataset.step !== undefined && answer().dataset.q === field.value.trim();
      if (!found) close();
      const back = !found && before?.isConnected && before !== document.body ? before : document.getElementById(`s${trace.selected}`);
      (back ?? pane).focus({ preventScroll: true });
    }
  });
  field.addEventListener("input", () => { if (!field.value) close(); });
  pane.addEventListener("inquest:drawn", highlight);
  window.addEventListener("popstate", () => {
    field.value = new URLSearchParams(location.search).get("find") ?? "";
    if (field.value !== (answer().dataset.q ?? "")) find("next", { move: false });
  });
  if (field.value.trim()) find("next", { move: false });
}
