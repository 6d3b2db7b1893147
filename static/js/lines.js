// Lines around a word end at words: a word that the window would cut is hidden. Its place stays, so that the words in the
// middle stay below one another, and the text stays for whoever copies it.
const boxes = [...document.querySelectorAll(".kwic :is(.before, .after)")].map((box) => {
  const inner = box.querySelector("bdi");
  return { box, inner, text: inner.textContent, pieces: pieces(inner.textContent) };
});

// Words with the space behind them; of a text without spaces its characters.
function pieces(text) {
  return text.match(/\S+\s*/g)?.every((piece) => piece.length < 30) ? text.match(/\s*\S+\s*/g) : [...text];
}

function hidden(text) {
  const span = document.createElement("span");
  span.className = "beyond";
  span.textContent = text;
  return span;
}

// Which pieces lie in the box as a whole; measured before anything is changed.
function seen({ box, inner, text, pieces: parts }) {
  inner.textContent = text;
  const node = inner.firstChild;
  const { left, right } = box.getBoundingClientRect();
  const range = document.createRange();
  let at = 0;
  return parts.map((part) => {
    range.setStart(node, at);
    range.setEnd(node, at + part.trimEnd().length);
    at += part.length;
    const place = range.getBoundingClientRect();
    return place.left >= left - 1 && place.right <= right + 1;
  });
}

function fit() {
  for (const each of boxes) each.inner.textContent = each.text;
  const wrapped = boxes.length && getComputedStyle(boxes[0].box).display !== "flex"; // on a phone and on paper
  if (wrapped) return;
  const all = boxes.map((each) => (each.text ? seen(each) : []));
  boxes.forEach(({ box, inner, pieces: parts }, i) => {
    const first = all[i].indexOf(true), last = all[i].lastIndexOf(true);
    if (all[i].every(Boolean)) return;
    const before = box.matches(".before");
    const cut = before ? (first < 0 ? parts.length : first) : last + 1;
    const [out, kept] = before ? [parts.slice(0, cut), parts.slice(cut)] : [parts.slice(cut), parts.slice(0, cut)];
    inner.replaceChildren(...(before ? [hidden(out.join("")), kept.join("")] : [kept.join(""), hidden(out.join(""))]));
  });
}

if (boxes.length) {
  let width = 0;
  new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width === width) return;
    ({ width } = contentRect);
    fit();
  }).observe(document.querySelector(".kwic"));
  document.fonts.ready.then(fit);
  addEventListener("beforeprint", () => boxes.forEach(({ inner, text }) => { inner.textContent = text; }));
  addEventListener("afterprint", fit);
}
