// Topics over time: the stacked chart, and what the small ones say under the pointer. Every link is one of the table's.
import * as charts from "./charts.js";
import { count, percent } from "./format.js";

export async function timeline(element, choose) {
  const answer = await fetch(element.dataset.stack, { headers: { Accept: "application/json" } });
  if (!answer.ok) return;
  const { time } = await answer.json();
  const unit = element.dataset.unit;
  const written = (value) => (value === null ? "no words" : unit === "shares" ? percent(value) : `${count(value)} words`);
  const documents = (bin, number) => location.assign(time.bins[bin].url + (number === null ? "" : `&has=${number}%3A0`));

  // The chart ---------------------------------------------------------------------------------------------------

  let lit = null;
  const shown = new Set(time.stacked.map(({ number }) => number));
  const draw = () => charts.stacked(element, {
    bins: time.bins, series: time.stacked.map((topic) => ({ ...topic, label: topic.name || topic.label, values: topic.values[unit] })), other: time.other_drawn ? time.other[unit] : null, unit, lit,
  }, { onPoint: documents, onSpan: (first, last) => choose(span(time.bins[first].url).from, span(time.bins[last].url).to) });
  document.addEventListener("topiclight", ({ detail }) => {
    const next = shown.has(detail) ? detail : null;
    if (next === lit) return;
    lit = next;
    draw();
  });
  addEventListener("themechange", draw);
  draw();

  // The small ones ----------------------------------------------------------------------------------------------

  const values = new Map(time.multiples.map((topic) => [topic.number, topic.values[unit]]));
  for (const link of document.querySelectorAll("[data-small]")) {
    const number = Number(link.closest("[data-topic]").dataset.topic);
    const said = link.parentElement.querySelector("[data-value]");
    const peak = said.textContent;
    const bin = ({ clientX }) => {
      const { left, width } = link.getBoundingClientRect();
      return Math.min(Math.max(Math.round(((clientX - left) / width) * (time.bins.length - 1)), 0), time.bins.length - 1);
    };
    link.addEventListener("pointermove", (event) => { said.textContent = `${time.bins[bin(event)].label}: ${written(values.get(number)[bin(event)])}`; });
    link.addEventListener("pointerleave", () => { said.textContent = peak; });
    link.addEventListener("click", (event) => {
      if (event.detail === 0 || event.ctrlKey || event.metaKey || event.shiftKey) return; // by keyboard: the topic's page, as it says
      event.preventDefault();
      documents(bin(event), number);
    });
  }
}

const span = (url) => Object.fromEntries(new URL(url, location).searchParams);
