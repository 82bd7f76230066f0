// Two explanations beside each other without leaving the page. Without this, the links do.

import { fragment } from "./fragments.js";

const section = () => document.getElementById("explaining");

async function show(address, swap) {
  const html = await fragment(`${section().dataset.address}${address.search}`);
  if (html === null) return false;
  swap(html);
  return true;
}

// `swap` replaces each element that an answer brings by its id.
export function compareExplanations(swap) {
  document.addEventListener("click", async (event) => {
    const link = event.target.closest?.("a[data-explain]");
    if (!link || !section() || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    // Of the link only the explanations: the step may be another one by now.
    const address = new URL(location.href);
    const wanted = new URL(link.href).searchParams.get("explain");
    address.hash = "";
    if (wanted) address.searchParams.set("explain", wanted);
    else address.searchParams.delete("explain");
    if (!await show(address, swap)) return location.assign(link.href);
    history.pushState(history.state, "", address);
    if (wanted?.includes(",")) section().scrollIntoView({ block: "nearest" });
  });
  window.addEventListener("popstate", () => {
    const address = new URL(location.href);
    if (section() && (address.searchParams.get("explain") ?? "") !== section().dataset.shown) show(address, swap);
  });
}
