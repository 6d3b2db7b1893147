// What is marked in the text becomes the passage to pin and to cite, with its place in the text counted in characters.
const LONGEST = 5000; // characters, as the server has it
const text = document.querySelector("#text");
const pin = document.querySelector("[data-pin]");
const cite = document.querySelector("[data-cite]");
const fields = pin?.querySelector("form").elements; // who may not keep anything has no form
const characters = (string) => [...string].length; // as Python counts them, not UTF-16 units

function fill(marked, first, last) {
  fields.quote.value = marked;
  fields.start.value = first;
  fields.end.value = last;
  pin.open = true;
}

document.addEventListener("selectionchange", () => {
  const selection = getSelection();
  if (selection.isCollapsed || !selection.rangeCount) return;
  const range = selection.getRangeAt(0);
  if (!text.contains(range.startContainer) || !text.contains(range.endContainer)) return;
  const before = document.createRange();
  before.selectNodeContents(text);
  before.setEnd(range.startContainer, range.startOffset);
  const marked = range.toString();
  const first = Number(text.dataset.start ?? 0) + characters(before.toString()); // of a long text a part is shown
  const last = first + characters(marked);
  if (pin) fill(marked, first, last);
  if (marked.trim() && last - first <= LONGEST) {
    cite.querySelector("a").href = `${cite.dataset.cite}${first}-${last}/`;
    cite.hidden = false;
  }
});
// A passage that is typed or pasted is looked for in the text.
fields?.quote.addEventListener("input", () => { fields.start.value = fields.end.value = ""; });
// The address of a passage need not say where on the page it is.
if (!location.hash) document.querySelector("#passage")?.scrollIntoView({ block: "center" });
