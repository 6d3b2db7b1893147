// One topic, lit wherever it stands on the page: pointing at, or focusing, anything with data-topic="7" gives the class
// `lit` to every element with the same number. Charts, which are no elements, hear `topiclight` on the document
// ({detail: 7, or null}), and say what is pointed at in them by a `topic` event that bubbles.
let lit = null;

export function light(number) {
  if (number === lit) return;
  for (const item of document.querySelectorAll(".lit[data-topic]")) item.classList.remove("lit");
  lit = number;
  if (lit !== null) for (const item of document.querySelectorAll(`[data-topic="${lit}"]`)) item.classList.add("lit");
  document.dispatchEvent(new CustomEvent("topiclight", { detail: lit }));
}

function pointed({ target }) {
  if (target.closest?.("[data-plot]")) return; // a chart says itself what is pointed at
  const item = target.closest?.("[data-topic]");
  if (item?.closest("[data-unlit]")) return; // topics of several runs, where a number is not one topic
  light(item?.dataset.topic ? Number(item.dataset.topic) : null);
}

document.addEventListener("pointerover", pointed);
document.addEventListener("focusin", pointed);
document.addEventListener("focusout", ({ relatedTarget }) => relatedTarget || light(null));
document.documentElement.addEventListener("pointerleave", () => light(null));
document.addEventListener("topic", ({ detail }) => light(detail));
