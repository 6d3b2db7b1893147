// Searches the texts of texts.js (`collection`): a row is title, date, topic, its page, text, whether it is cut.
const SHOWN = 50; // documents
const BEFORE = 120; // characters of a passage before the first word that was found
const LENGTH = 400;

const form = document.getElementById("search");
const said = document.getElementById("said");
const list = document.getElementById("found");
// Small letters, of the same number: some letters become two otherwise, and places would be others
const lower = (text) => [...text].map((letter) => (letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter)).join("");
const lowered = collection.map(([title, , , , text]) => lower(`${title}\n${text}`));

function places(text, words) {
  const found = [];
  for (const word of words) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) found.push([at, at + word.length]);
  }
  return found.sort(([a], [b]) => a - b);
}

// Text from begin to end, with what was found marked; markup is never made of texts.
function marked(text, found, begin, end) {
  const parts = document.createElement("p");
  let done = begin;
  parts.dir = "auto";
  for (const [from, to] of found) {
    if (from < done || to > end) continue;
    const mark = document.createElement("mark");
    mark.textContent = text.slice(from, to);
    parts.append(text.slice(done, from), mark);
    done = to;
  }
  parts.append(text.slice(done, end));
  return parts;
}

function item(number, words) {
  const [title, date, topic, page, text, isCut] = collection[number];
  const found = places(lower(text), words);
  const line = document.createElement("li");
  const head = document.createElement("h2");
  head.textContent = [title, date].filter(Boolean).join(", ");
  const first = found.length ? found[0][0] : 0;
  const begin = text.lastIndexOf(" ", Math.max(0, first - BEFORE)) + 1;
  const whole = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = isCut ? "The beginning of the text" : "The text";
  whole.append(summary);
  whole.addEventListener("toggle", () => {
    if (whole.open && whole.children.length === 1) whole.append(marked(text, found, 0, text.length));
  });
  line.append(head, marked(text, found, begin, Math.min(text.length, begin + LENGTH)));
  if (page) {
    const link = document.createElement("a");
    link.href = page;
    link.textContent = topic;
    const largest = document.createElement("p");
    largest.append("Largest topic: ", link);
    line.append(largest);
  }
  line.append(whole);
  return line;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const words = lower(document.getElementById("q").value).split(/\s+/).filter(Boolean);
  const hits = [];
  if (words.length) {
    lowered.forEach((text, number) => {
      if (words.every((word) => text.includes(word))) hits.push([places(text, words).length, number]);
    });
  }
  hits.sort(([a, i], [b, j]) => b - a || i - j);
  list.replaceChildren(...hits.slice(0, SHOWN).map(([, number]) => item(number, words)));
  const count = `${hits.length.toLocaleString("en")} document${hits.length === 1 ? "" : "s"}`;
  said.textContent = !words.length ? "Type a word." : hits.length > SHOWN ? `${count}; the ${SHOWN} with most of these words:` : count;
});
