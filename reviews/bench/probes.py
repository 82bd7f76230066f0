"""What is asked of a page in the browser, as JavaScript that the browser's own tools run."""

# Before the page: each frame, its time, whether no step is in the middle of the list, and the
# most elements at once. Works on pages whose list scrolls by itself and on those that scroll whole.
WATCHING = """
window.inquestBench = {
  most: 0, frames: [],
  list() {
    for (let one = document.querySelector("article[id^=s]"); one; one = one.parentElement)
      if (/auto|scroll/.test(getComputedStyle(one).overflowY)) return one;
    return document.scrollingElement;
  },
  box() {
    const list = this.list();
    const box = list === document.scrollingElement
      ? { left: 0, width: innerWidth, top: 0, height: innerHeight } : list.getBoundingClientRect();
    return [box.left + box.width / 4, box.top + box.height / 2];
  },
  blank() {
    const at = document.elementFromPoint(...this.box());
    return !at?.closest(".row, article, details, .folded");
  },
};
const elements = document.getElementsByTagName("*");
requestAnimationFrame(function frame(now) {
  const bench = window.inquestBench;
  bench.most = Math.max(bench.most, elements.length);
  if (document.querySelector("article")) bench.frames.push([now, bench.blank()]);
  requestAnimationFrame(frame);
});
"""
# When the page said that it is usable; null if it has not after so many milliseconds.
MARKED = """(patience) => new Promise((done) => {
  (function look() {
    const [mark] = performance.getEntriesByName("usable");
    if (mark) done(mark.startTime);
    else if (performance.now() > patience) done(null);
    else setTimeout(look, 10);
  })();
})"""
ANSWERED = """(() => {
  const [one] = performance.getEntriesByType("navigation");
  return one.responseStart - one.requestStart;
})()"""
ELEMENTS = "document.querySelectorAll('*').length"
SELECTED = "document.querySelector('article.sel')?.dataset.step"
# The moment, once the selection is another one; null after a second.
MOVED = """(before) => new Promise((done) => {
  const until = performance.now() + 1000;
  (function look() {
    const now = document.querySelector("article.sel")?.dataset.step;
    if (now !== undefined && now !== before) done(performance.now());
    else if (performance.now() > until) done(null);
    else setTimeout(look, 4);
  })();
})"""
MIDDLE = "inquestBench.box()"
# Scroll to a share of the list by its scroll bar; the moment it began.
SCROLLED = """(share) => {
  const list = inquestBench.list();
  list.scrollTop = (list.scrollHeight - list.clientHeight) * share;
  return performance.now();
}"""
# Milliseconds until steps are drawn there, for at least a tenth of a second.
DRAWN = """(begun) => new Promise((done) => {
  let since = null;
  requestAnimationFrame(function look(now) {
    if (inquestBench.blank()) since = null; else since ??= now;
    if (since !== null && now - since > 100) done(Math.max(0, since - begun));
    else if (now - begun > 10000) done(10000);
    else requestAnimationFrame(look);
  });
})"""
