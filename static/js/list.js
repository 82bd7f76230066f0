// A list of steps of any length in a scrolling pane: only the rows near the view are on the page.
// The server draws chunks of rows; spacers above and below stand for the rest, so that the
// scroll bar is that of the whole run.

// Elements on the page before the rows furthest from the view are let go.
const MOST = 2500;
const SETTLED = 90;
// Milliseconds until what got no answer is asked for again.
const AGAIN = 2000;
// Screens beyond the view that are drawn before they are reached, and kept although nobody looks.
// What is let go must be further away than what is drawn, or rows would come and go for ever.
const AHEAD = 0.6;
const KEPT = 0.8;

export class StepList {
  // `pane` scrolls and holds `rows`; `address` gives chunks, and keeps what the query names.
  constructor(pane, rows, address, query) {
    Object.assign(this, { pane, rows, address, query });
    this.above = spacer(rows, "afterbegin");
    this.below = spacer(rows, "beforeend");
    this.busy = null;
    this.total = Number(this.chunks[0]?.dataset.total ?? 0);
    this.average = this.measured() || 80;
    this.space();
    pane.addEventListener("scroll", () => this.scrolled(), { passive: true });
    new ResizeObserver(() => this.resized()).observe(pane);
  }

  get chunks() { return [...this.rows.querySelectorAll(":scope > .chunk")]; }
  get first() { return Number(this.chunks[0]?.dataset.first ?? 0); }
  get last() { return Number(this.chunks.at(-1)?.dataset.last ?? -1); }

  measured() {
    const chunks = this.chunks;
    const count = this.last - this.first + 1;
    return count > 0 ? chunks.reduce((sum, one) => sum + one.offsetHeight, 0) / count : 0;
  }

  // The spacers as they should be when nothing in view may move: only their outer edges count.
  space() {
    this.above.style.height = `${this.first * this.average}px`;
    this.below.style.height = `${Math.max(0, this.total - 1 - this.last) * this.average}px`;
  }

  // Draw the chunk that the parameters name instead of all others. Answers the step it is for.
  async show(parameters) {
    const chunk = await this.jump(parameters);
    return chunk && this.put(chunk);
  }

  // The chunk that somebody asked for; scrolling asks for none until it is here.
  async jump(parameters) {
    this.jumping = (this.jumping ?? 0) + 1;
    try {
      return await this.fetch(parameters, true);
    } finally {
      this.jumping -= 1;
    }
  }

  // Let a chunk take the place of all others.
  put(chunk) {
    this.chunks.forEach((one) => one.remove());
    this.above.after(chunk);
    this.average = this.measured() || this.average;
    this.space();
    this.drawn(chunk);
    return Number(chunk.dataset.selected);
  }

  async fetch(parameters, replacing = false) {
    if (this.busy && !replacing) return null;
    const asked = this.busy = Symbol("asked");
    try {
      const response = await fetch(`${this.address}?${new URLSearchParams([...this.query(), ...Object.entries(parameters)])}`,
        { headers: { "X-Inquest": "fragments" } });
      if (this.busy !== asked) return null;
      if (!response.ok || response.headers.get("X-Inquest") !== "fragments") {
        // Signed out, or no longer there: the page itself says which.
        if (replacing) location.reload();
        return null;
      }
      const template = document.createElement("template");
      template.innerHTML = await response.text();
      return this.busy === asked ? template.content.querySelector(".chunk") : null;
    } catch {
      return null;
    } finally {
      if (this.busy === asked) this.busy = null;
    }
  }

  drawn(chunk) {
    window.htmx?.process(chunk);
    this.pane.dispatchEvent(new CustomEvent("inquest:drawn", { detail: { chunk } }));
  }

  scrolled() {
    this.pane.dispatchEvent(new CustomEvent("inquest:scrolled"));
    this.anchor = this.atTop();
    this.settle(SETTLED);
    this.fill();
  }

  settle(pause) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settled(), pause);
  }

  // The first row in view, and how far it stands from the top.
  atTop() {
    const { top, bottom } = this.pane.getBoundingClientRect();
    const boxes = [...this.rows.querySelectorAll(".row")].map((row) => [row, row.getBoundingClientRect()]);
    const [row, box] = boxes.find(([, one]) => one.bottom > top && one.top < bottom) ?? [];
    return row && { row, offset: box.top - top };
  }

  // Rows of another width have another height: what was at the top of the view stays there.
  resized() {
    this.average = this.measured() || this.average;
    this.space();
    if (this.anchor?.row.isConnected) {
      const { top } = this.pane.getBoundingClientRect();
      this.pane.scrollTop += this.anchor.row.getBoundingClientRect().top - top - this.anchor.offset;
    }
    this.pane.dispatchEvent(new CustomEvent("inquest:scrolled"));
    this.settled();
  }

  // Where the view is within the list, in pixels: its top, its bottom, and those of the chunks.
  view() {
    const pane = this.pane.getBoundingClientRect();
    const chunks = this.chunks;
    if (!chunks.length) return null;
    const begin = chunks[0].getBoundingClientRect().top;
    const end = chunks.at(-1).getBoundingClientRect().bottom;
    return { top: pane.top, bottom: pane.bottom, height: pane.height, begin, end };
  }

  // After a long way by the scroll bar: draw the rows that belong there.
  async settled() {
    if (this.jumping) return;
    const view = this.view();
    if (!view || (view.begin < view.bottom && view.end > view.top)) return this.fill();
    const into = view.top - this.above.getBoundingClientRect().top;
    const row = Math.max(0, Math.min(this.total - 1, Math.floor(into / this.average)));
    const end = row + 4 >= this.total;
    if (await this.show(end ? { until: this.total - 1 } : { from: row }) === null) return this.settle(AGAIN);
    const shown = this.chunks[0];
    if (end) this.pane.scrollTop = this.pane.scrollHeight;
    else this.pane.scrollTop += shown.getBoundingClientRect().top - this.pane.getBoundingClientRect().top;
    this.fill();
  }

  // Add chunks until more than the view is drawn on either side; let go of the rest.
  async fill() {
    const view = this.view();
    if (!view || this.busy || this.jumping || view.begin > view.bottom || view.end < view.top) return;
    let grown;
    if (this.last + 1 < this.total && view.end < view.bottom + AHEAD * view.height) grown = await this.append();
    else if (this.first > 0 && view.begin > view.top - AHEAD * view.height) grown = await this.prepend();
    else return;
    if (!grown) return this.settle(AGAIN);
    this.prune();
    requestAnimationFrame(() => this.fill());
  }

  async append() {
    const chunk = await this.fetch({ from: this.last + 1 });
    if (!chunk || Number(chunk.dataset.first) !== this.last + 1) return false;
    this.below.before(chunk);
    this.space();
    this.drawn(chunk);
    return true;
  }

  async prepend() {
    const chunk = await this.fetch({ until: this.first - 1 });
    if (!chunk || Number(chunk.dataset.last) !== this.first - 1) return false;
    this.still(() => { this.above.after(chunk); this.space(); });
    this.drawn(chunk);
    return true;
  }

  // Change what is above the view without moving what is in it.
  still(change) {
    const anchor = this.chunks.find((one) => one.getBoundingClientRect().bottom > this.pane.getBoundingClientRect().top) ?? this.chunks[0];
    const before = anchor.getBoundingClientRect().top;
    change();
    this.pane.scrollTop += anchor.getBoundingClientRect().top - before;
  }

  prune() {
    while (this.chunks.length > 1 && document.getElementsByTagName("*").length > MOST) {
      const view = this.view();
      const chunks = this.chunks;
      const far = view.top - view.begin > view.end - view.bottom ? chunks[0] : chunks.at(-1);
      const box = far.getBoundingClientRect();
      const margin = KEPT * view.height;
      if (box.bottom > view.top - margin && box.top < view.bottom + margin) return;
      if (far.contains(document.activeElement)) this.pane.focus({ preventScroll: true });
      this.still(() => { far.remove(); this.space(); });
    }
  }
}

function spacer(rows, where) {
  const element = document.createElement("div");
  element.className = "spacer";
  element.setAttribute("aria-hidden", "true");
  rows.insertAdjacentElement(where, element);
  return element;
}
