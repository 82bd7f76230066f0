// Values at length, branches of JSON and pictures, in place. Each is a link to a page first.

const VALUE = ".value a.more, .value a.mode";
const LINKS = `${VALUE}, .tree a.branch, .tree a.further, a.picture`;

async function fetched(address) {
  const response = await fetch(address, { headers: { "X-Inquest": "fragments" } });
  // Who was signed out meanwhile gets a page, which belongs nowhere here.
  if (!response.ok || !response.headers.has("X-Inquest")) return null;
  const template = document.createElement("template");
  template.innerHTML = await response.text();
  return template.content.firstElementChild;
}

function replaceValue(anchor, fresh) {
  fresh.tabIndex = -1;
  anchor.closest(".value").replaceWith(fresh);
  fresh.focus({ preventScroll: true });
}

function grow(anchor, fresh) {
  const first = fresh.firstElementChild;
  anchor.closest("li").replaceWith(...fresh.children);
  first?.querySelector("a")?.focus({ preventScroll: true });
}

// A branch that is open is closed by the same link.
function toggle(anchor, fresh) {
  anchor.setAttribute("aria-expanded", "true");
  anchor.after(fresh);
}

function showPicture(anchor) {
  const image = document.createElement("img");
  image.alt = "The picture of this payload";
  image.addEventListener("error", () => { location.assign(anchor.href); });
  image.src = anchor.href;
  anchor.replaceWith(image);
}

async function open(anchor) {
  if (anchor.matches("a.picture")) return showPicture(anchor);
  if (anchor.getAttribute("aria-expanded") === "true") {
    anchor.setAttribute("aria-expanded", "false");
    anchor.nextElementSibling?.remove();
    return;
  }
  if (anchor.dataset.busy) return;
  anchor.dataset.busy = "1";
  const fresh = await fetched(anchor.href).catch(() => null);
  delete anchor.dataset.busy;
  if (!fresh) return location.assign(anchor.href);
  if (anchor.matches("a.further")) grow(anchor, fresh);
  else if (anchor.matches("a.branch")) toggle(anchor, fresh);
  else replaceValue(anchor, fresh);
}

// Open every cut value inside an element; how many there were.
export function openValues(element) {
  const cut = [...element.querySelectorAll(".value a.more")];
  cut.forEach(open);
  return cut.length;
}

document.addEventListener("click", (event) => {
  if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const anchor = event.target.closest(LINKS);
  if (!anchor) return;
  event.preventDefault();
  open(anchor);
});
