// The curves of several runs: asked for as data, drawn as lines. All else on the page is HTML.
import * as charts from "./charts.js";

const part = document.querySelector("[data-compare]");
const plot = (name) => part.querySelector(`[data-chart="${name}"] [data-plot]`);
let runs = [];

function say(name, sentence) {
  const line = document.createElement("p");
  line.className = "waiting";
  line.textContent = sentence;
  plot(name).replaceChildren(line);
}

function draw() {
  for (const [name, places] of [["held_out", 3], ["coherence", 2]]) {
    const curves = runs
      .map(({ id, metrics }, place) => ({ label: `run ${id}`, place, x: metrics.tokens, y: metrics[name] }))
      .filter(({ y }) => y.some((value) => value !== null));
    if (curves.length) charts.curves(plot(name), curves, { x: "words read", places });
    else say(name, "None of these runs was measured so.");
  }
}

const address = location.pathname.replace(/\/$/, ".json") + location.search;
const response = await fetch(address, { headers: { Accept: "application/json" } });
if (response.ok) {
  const data = await response.json();
  runs = data.runs.map(({ id }) => ({ id, metrics: data.metrics[id] }));
  draw();
  addEventListener("themechange", draw);
} else for (const name of ["held_out", "coherence"]) say(name, "The curves could not be fetched. Reload the page; the table below says the same.");
