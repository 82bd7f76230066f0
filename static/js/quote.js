// A selection in the page as a range of code points in a part's text. Invisible characters are
// drawn as marks (.ctl) and count as the characters they stand for: one, or data-length.

function length(node) {
  if (node.nodeType === Node.TEXT_NODE) return [...node.data].length;
  if (node.classList?.contains("ctl")) return Number(node.dataset.length ?? 1);
  return [...node.childNodes].reduce((sum, child) => sum + length(child), 0);
}

function offset(element, node, position) {
  const range = document.createRange();
  range.setStart(element, 0);
  range.setEnd(node, position);
  return length(range.cloneContents());
}

function textAround(node) {
  return (node.nodeType === Node.TEXT_NODE ? node.parentElement : node)?.closest("article[id^=s] .text[data-start]");
}

// The selected range as {step, part, start, end}; null without a selection; undefined when what is
// selected is no text of this run. A selection that runs past one text is cut at its end.
export function selectedQuote(selection = window.getSelection()) {
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const element = textAround(range.startContainer);
  if (!element) return undefined;
  const base = Number(element.dataset.start);
  const start = base + offset(element, range.startContainer, range.startOffset);
  const inside = element.contains(range.endContainer);
  const end = base + (inside ? offset(element, range.endContainer, range.endOffset) : length(element));
  if (end <= start) return undefined;
  return { step: element.closest("article").dataset.step, part: element.dataset.part, start, end };
}

// Words selected in a rendered value (.rendered[data-locate]), as the range of its text that holds
// them. {refusal} says why there is none; undefined when they are not of such a value.
export async function locatedQuote(selection = window.getSelection()) {
  if (!selection.rangeCount || selection.isCollapsed) return undefined;
  const { startContainer: node, endContainer } = selection.getRangeAt(0);
  const around = (node.nodeType === Node.TEXT_NODE ? node.parentElement : node)?.closest("article[id^=s] .rendered[data-locate]");
  if (!around) return undefined;
  if (!around.contains(endContainer)) return { refusal: "The selection goes beyond one value. Nothing was cited." };
  const step = around.closest("article").dataset.step;
  const part = around.dataset.part;
  const response = await fetch(`${around.dataset.locate}?${new URLSearchParams({ text: selection.toString() })}`).catch(() => null);
  if (!response?.ok) return { refusal: "The server did not answer. Nothing was cited: try again, or switch the value to Raw." };
  const { ranges } = await response.json();
  if (ranges.length === 1) return { step, part, start: ranges[0][0], end: ranges[0][1] };
  const why = ranges.length ? "These words stand in the text more than once" : "These words do not stand in the text as they are shown";
  return { refusal: `${why}. Nothing was cited: switch the value to Raw and select them there.` };
}
