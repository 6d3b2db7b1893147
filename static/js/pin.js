// What is marked in the text becomes the passage to pin, with its place in the text counted in characters.
const text = document.querySelector("#text");
const pin = document.querySelector("[data-pin]");
const { quote, start, end } = pin.querySelector("form").elements;
const characters = (string) => [...string].length; // as Python counts them, not UTF-16 units

document.addEventListener("selectionchange", () => {
  const selection = getSelection();
  if (selection.isCollapsed || !selection.rangeCount) return;
  const range = selection.getRangeAt(0);
  if (!text.contains(range.startContainer) || !text.contains(range.endContainer)) return;
  const before = document.createRange();
  before.selectNodeContents(text);
  before.setEnd(range.startContainer, range.startOffset);
  const marked = range.toString();
  quote.value = marked;
  start.value = Number(text.dataset.start ?? 0) + characters(before.toString()); // of a long text a part is shown
  end.value = Number(start.value) + characters(marked);
  pin.open = true;
});
// A passage that is typed or pasted is looked for in the text.
quote.addEventListener("input", () => { start.value = end.value = ""; });
