// Colours the words of topics, and says of the word that is pointed at how likely each topic is there.
// Each choice is a link that does the same without JavaScript.
import { percent } from "./format.js";

const WAIT = 150; // ms that a pointer rests on a word before its topics are asked for
const text = document.querySelector("#text");
const said = document.querySelector("[data-marked]");
const tip = document.querySelector("[data-tip]");
const choices = [...document.querySelectorAll("[data-show]")];
const picks = [...document.querySelectorAll(".pick")];
const words = [...text.querySelectorAll(".w")];
const bars = [...document.querySelectorAll(".strip .s")];
const STRONG = 3; // as the server has it
const ONWARD = getComputedStyle(text).direction === "rtl" ? -1 : 1; // words that the arrow to the right goes on

const title = (topic) => picks.find((pick) => pick.dataset.topic === topic)?.querySelector(".chip").textContent ?? "";

function shown(show) {
  if (show === "all") return new Set(picks.map((pick) => pick.dataset.topic));
  if (show === "strongest") return new Set(picks.slice(0, STRONG).map((pick) => pick.dataset.topic));
  return new Set([show]);
}

function paint(show) {
  const topics = shown(show);
  let marked = 0;
  for (const word of words) {
    const on = topics.has(word.dataset.topic);
    word.classList.toggle("on", on);
    marked += on;
  }
  text.classList.toggle("several", show === "all" || show === "strongest");
  for (const bar of bars) bar.classList.toggle("on", topics.has(bar.dataset.topic));
  for (const choice of choices) {
    const on = choice.dataset.show === show;
    choice.setAttribute("aria-pressed", on);
    const address = new URL(location);
    address.searchParams.set("show", on ? "strongest" : choice.dataset.show);
    address.searchParams.delete("topic");
    choice.href = `${address.search}#text`;
  }
  const label = title(show);
  said.textContent = label ? `${marked} of the ${words.length} counted words ${marked === 1 ? "is" : "are"} assigned to ${label}, and marked.` : "";
}

function choose(show) {
  const address = new URL(location);
  address.searchParams.set("show", show);
  address.searchParams.delete("topic");
  address.hash = "";
  history.pushState(null, "", address);
  paint(show);
}

// A topic that is none of this document's is marked nowhere, as the server has it.
const asked = () => {
  const { searchParams } = new URL(location);
  return searchParams.get("show") || searchParams.get("topic") || "strongest";
};
for (const choice of choices) {
  const toggle = (event) => {
    event.preventDefault();
    choose(choice.getAttribute("aria-pressed") === "true" ? "strongest" : choice.dataset.show);
  };
  choice.addEventListener("click", (event) => {
    if (!event.metaKey && !event.ctrlKey && !event.shiftKey) toggle(event);
  });
  choice.addEventListener("keydown", (event) => { if (event.key === " ") toggle(event); }); // as buttons do
}
addEventListener("popstate", () => paint(asked()));
if (picks.length) paint(asked());

// The word that is pointed at. What the evidence says of it stands in the page; the other topics are asked for.
const known = new Map(); // a word of this document has the same topics wherever it stands in it
let current = null;
let timer;
let request;

function place(word) {
  const at = word.getBoundingClientRect();
  const around = tip.offsetParent.getBoundingClientRect();
  const left = Math.min(Math.max(0, at.left - around.left), around.width - tip.offsetWidth);
  tip.style.left = `${Math.max(0, left)}px`;
  tip.style.top = `${at.bottom - around.top + 4}px`;
}

function tell(word, topics) {
  const own = `${title(word.dataset.topic)} ${word.dataset.p}%`;
  const others = (topics ?? []).filter(({ number }) => String(number) !== word.dataset.topic)
    .map(({ label, name, probability }) => `${label}${name ? ` ${name}` : ""} ${percent(probability)}`);
  const strong = document.createElement("b");
  strong.textContent = own;
  tip.replaceChildren(strong, others.length ? ` then ${others.join(", ")}` : topics ? " and hardly another" : "");
  tip.hidden = false;
  place(word);
}

async function ask(word) {
  const key = word.dataset.word;
  if (!known.has(key)) {
    request?.abort();
    request = new AbortController();
    try {
      const answer = await fetch(`${text.dataset.words}${key}.json`, { signal: request.signal });
      if (!answer.ok) return;
      known.set(key, (await answer.json()).topics);
    } catch { return; } // another word was pointed at, or the network is away: what stands there stays
  }
  if (current === word) tell(word, known.get(key));
}

function point(word) {
  if (word === current) return;
  current?.classList.remove("here");
  current = word;
  clearTimeout(timer);
  if (!word) { tip.hidden = true; return; }
  word.classList.add("here");
  tell(word, known.get(word.dataset.word));
  timer = setTimeout(() => ask(word), WAIT);
}

text.addEventListener("pointerover", ({ target, pointerType }) => { if (pointerType === "mouse") point(target.closest(".w")); });
text.addEventListener("pointerleave", ({ pointerType }) => { if (pointerType === "mouse" && !text.contains(document.activeElement)) point(null); });
// A click asks the other way round: which words has this topic besides? A finger that taps is told first, and asks by the second tap.
let touched = false;
text.addEventListener("pointerdown", ({ pointerType, target }) => { touched = pointerType !== "mouse" && target.closest(".w") !== current; });
text.addEventListener("click", ({ target }) => {
  const word = target.closest(".w");
  if (!word) return point(null);
  if (!getSelection().isCollapsed) return;
  point(word);
  if (!touched) choose(asked() === word.dataset.topic ? "strongest" : word.dataset.topic);
});
text.addEventListener("keydown", (event) => {
  const step = { ArrowRight: ONWARD, ArrowLeft: -ONWARD }[event.key];
  if (event.key === "Escape") return point(null);
  if (event.key === "Enter" && current) return choose(asked() === current.dataset.topic ? "strongest" : current.dataset.topic);
  if (!step || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !words.length) return;
  event.preventDefault();
  const word = words[(words.indexOf(current) + step + words.length) % words.length] ?? words[0];
  point(word);
  word.scrollIntoView({ block: "nearest" });
});
text.addEventListener("blur", () => point(null));
