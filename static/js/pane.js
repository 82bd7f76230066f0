// The right pane where it stands apart from the rows: a run that scrolls by itself, or what
// belongs to the selected step and follows it.

import { fragment } from "./fragments.js";
import { StepList } from "./list.js";
import { selected, whenSelected } from "./trace.js";

const pane = document.getElementById("beside");
const PAUSE = 150;
let timer = null;

if (pane?.dataset.rows) {
  const rows = pane.querySelector(".rows");
  new StepList(pane, rows, pane.dataset.rows, () => [["pane", "1"], ["with", "none"]]).fill();
}

async function follow() {
  const query = new URLSearchParams(location.search);
  query.set("step", selected);
  const html = await fragment(`${pane.dataset.follow}?${query}`);
  if (html === null) return;
  const template = document.createElement("template");
  template.innerHTML = html;
  document.getElementById("beside-content").replaceWith(template.content.firstElementChild);
}

if (pane?.dataset.follow) {
  whenSelected(() => { clearTimeout(timer); timer = setTimeout(follow, PAUSE); });
}
