// One registry for all keys of a page. Two actions on one key are an error at start, not a surprise.

const actions = new Map();

export function onKey(key, action, { repeats = false } = {}) {
  if (actions.has(key)) throw new Error(`The key ${key} has two actions.`);
  actions.set(key, { action, repeats });
}

function typing(target) {
  if (target.isContentEditable || target.closest("select, textarea")) return true;
  const input = target.closest("input");
  return input !== null && !["radio", "checkbox", "button", "submit"].includes(input.type);
}

// Nothing fires while typing, composing, in a dialog, or with a modifier. AltGr is no modifier:
// on many keyboards it is how [ and ] are typed.
function ours(event) {
  const modified = event.ctrlKey || event.metaKey || event.altKey;
  return !event.isComposing && !typing(event.target) && !document.querySelector("dialog[open]")
    && (!modified || event.getModifierState("AltGraph"));
}

export function listen() {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || !ours(event)) return;
    const found = actions.get(event.key);
    if (!found || (event.repeat && !found.repeats)) return;
    event.preventDefault();
    found.action();
  });
}
