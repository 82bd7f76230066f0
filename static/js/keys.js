// The keys of a page. Which there are, and what each is called, the server says (#key-registry,
// from attribution/keys.py); here a function is bound to each name, and it is decided when a key
// is ours at all.

const FLASH = 180;
const SWITCH = "inquest:keys";
const given = JSON.parse(document.getElementById("key-registry")?.textContent ?? '{"actions": [], "elsewhere": []}');
const elsewhere = new Set(given.elsewhere);
const actions = new Map();
const byKey = new Map();
const bound = new Map();
// The physical key whose action ran and that is still down.
let held = null;
// A jump on its way: what is pressed next is meant for the step that it leads to.
let pending = null;
let listening = false;

for (const action of given.actions) {
  actions.set(action.name, action);
  for (const key of action.keys) {
    if (byKey.has(key)) throw new Error(`The key ${key} has two actions: ${byKey.get(key).name}, ${action.name}.`);
    byKey.set(key, action);
  }
}

// Let a function do what the registry calls `name`. It answers false when there was nothing to do:
// the key is then left to the browser. `when` tells beforehand whether the page has it now; the
// sheet asks too. What only another page has is passed over, so that pages can share a script.
export function bind(name, run, { when = () => true } = {}) {
  if (!actions.has(name)) {
    if (elsewhere.has(name) || !actions.size) return;
    throw new Error(`No action of the registry is called ${name}.`);
  }
  if (actions.get(name).button) throw new Error(`${name} presses a button: nothing can be bound to it.`);
  if (bound.has(name)) throw new Error(`${name} is bound twice.`);
  bound.set(name, { run, when });
}

// Run an action as its key would; false when there is nothing to do.
export function perform(name) {
  const one = bound.get(name);
  return one?.when() ? one.run() : false;
}

const control = (key) => [...document.querySelectorAll(`[data-key="${CSS.escape(key)}"]`)]
  .find((one) => !one.disabled && !one.closest("[hidden], [inert]"));
const available = (action, keys = action.keys) => (action.button ? keys.some(control) : bound.get(action.name)?.when() ?? false);

function typing(target) {
  if (target.isContentEditable || target.closest("select, textarea, [role=textbox], [role=combobox], [role=searchbox]")) return true;
  const input = target.closest("input");
  return input !== null && !["radio", "checkbox", "button", "submit", "reset", "file", "image"].includes(input.type);
}

const menu = (target) => target.closest("details.menu[open], details[data-menu][open]");
// What lies over the trace while it is open; it takes no letters.
const cover = (target) => menu(target) ?? target.closest(".heads details[open]");

// A menu or list box takes letters for itself: they go to the entry that begins with them.
const choosing = (target) => target.closest("[role=menu], [role=menubar], [role=listbox], [popover]") !== null || menu(target) !== null;

// AltGr is no modifier: on many keyboards it is how [ and ] are typed. Windows tells it as Ctrl
// with Alt, and on a Mac the Option key does the same without saying so.
function modified(event) {
  if (event.metaKey) return true;
  if (event.getModifierState("AltGraph")) return false;
  return event.ctrlKey || (event.altKey && !/^Mac/.test(navigator.platform));
}

function ours(event, target, action) {
  if (event.isComposing || event.keyCode === 229 || modified(event)) return false;
  if (document.querySelector("dialog[open], [role=dialog]:not([hidden])") || choosing(target)) return false;
  if (action.name === "back") return true;
  return switchedOn() && !typing(target);
}

function pressed(event) {
  // A key that is held after it moved the focus into a field must not write there.
  if (event.repeat && held === event.code && !byKey.get(event.key)?.repeats) return event.preventDefault();
  const action = byKey.get(event.key);
  const target = event.composedPath()[0];
  if (event.defaultPrevented || !action || !(target instanceof Element)) return;
  if (action.name === "back" && !event.isComposing && cover(target)) return shut(cover(target), event);
  if (!ours(event, target, action) || (event.repeat && !action.repeats) || !available(action, [event.key])) return;
  if (pending) {
    event.preventDefault();
    if (!event.repeat) after(pending.then(() => act(action, event.key, event)));
    return;
  }
  const nothing = after(act(action, event.key, event));
  // Escape also leaves full screen and clears a field: these stay the browser's.
  if (nothing === false || action.name === "back") return;
  held = event.code;
  event.preventDefault();
}

// Escape leaves a menu for its own summary before it leaves for the trace.
function shut(open, event) {
  open.open = false;
  open.querySelector("summary").focus();
  event.preventDefault();
}

function act(action, key, event) {
  if (!available(action)) return false;
  flash(control(key));
  return action.button ? control(key).click() : bound.get(action.name).run(event);
}

// Remember work that takes its time, until it is done.
function after(work) {
  if (!(work instanceof Promise)) return work;
  const mine = pending = work.catch(() => {}).finally(() => { if (pending === mine) pending = null; });
  return work;
}

function flash(one) {
  if (!one) return;
  one.classList.add("pressed");
  setTimeout(() => one.classList.remove("pressed"), FLASH);
}

// A control with data-action does by a click what its key does.
function clicked(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const name = event.target.closest("[data-action]")?.dataset.action;
  if (name && actions.has(name) && perform(name) !== false) event.preventDefault();
}

// Letters can be switched off, for people who speak to their computer or press keys by accident.
const switchedOn = () => localStorage.getItem(SWITCH) !== "off";

function showSheet() {
  const sheet = document.getElementById("keys");
  if (!sheet) return false;
  for (const row of sheet.querySelectorAll("[data-of]")) row.hidden = !available(actions.get(row.dataset.of));
  for (const group of sheet.querySelectorAll("section")) group.hidden = !group.querySelector("[data-of]:not([hidden])");
  document.getElementById("keys-on").checked = switchedOn();
  const before = document.activeElement;
  sheet.addEventListener("close", () => before?.isConnected && before.focus({ preventScroll: true }), { once: true });
  sheet.showModal();
}

// What the registry names and nobody bound would be a promise that is not kept.
function complain() {
  const idle = [...actions.values()].filter((one) => !one.button && !bound.has(one.name)).map((one) => one.name);
  if (idle.length) console.error(`Keys without an action: ${idle.join(", ")}.`);
}

export function listen() {
  if (listening) return;
  listening = true;
  document.addEventListener("keydown", pressed);
  document.addEventListener("keyup", (event) => { if (event.code === held) held = null; });
  window.addEventListener("blur", () => { held = null; });
  document.addEventListener("click", clicked);
  document.getElementById("keys-on")?.addEventListener("change", (event) => {
    if (event.target.checked) localStorage.removeItem(SWITCH);
    else localStorage.setItem(SWITCH, "off");
  });
  // Other modules of the page may bind until it has loaded.
  if (document.readyState === "complete") setTimeout(complain);
  else window.addEventListener("load", complain);
}

if (actions.has("all-keys")) bind("all-keys", showSheet);
