// The curves of several runs: asked for as data, drawn as lines. All else on the page is HTML.
import * as charts from "./charts.js";

const part = document.querySelector("[data-compare]");
const figures = [...part.querySelectorAll("[data-chart]")]; // webapp/core/runs/series.py says which
let runs = [];

function say(figure, sentence) {
  const line = document.createElement("p");
  line.className = "waiting";
  line.textContent = sentence;
  figure.querySelector("[data-plot]").replaceChildren(line);
}

function draw() {
  for (const figure of figures) {
    const { chart: name, places } = figure.dataset;
    const curves = runs
      .map(({ id, metrics }, place) => ({ label: `run ${id}`, place, x: metrics.tokens, y: metrics[name] }))
      .filter(({ y }) => y.some((value) => value !== null));
    if (curves.length) charts.curves(figure.querySelector("[data-plot]"), curves, { x: "words read", places: Number(places) });
    else say(figure, "None of these runs has this measure.");
  }
}

// What is folded has no width: charts are drawn when they are opened
const folded = part.querySelector("details");
const drawWhereOpen = () => folded.open && draw();

const address = location.pathname.replace(/\/$/, ".json") + location.search;
const response = await fetch(address, { headers: { Accept: "application/json" } });
if (response.ok) {
  const data = await response.json();
  runs = data.runs.map(({ id }) => ({ id, metrics: data.metrics[id] }));
  drawWhereOpen();
  folded.addEventListener("toggle", drawWhereOpen);
  addEventListener("themechange", drawWhereOpen);
} else for (const figure of figures) say(figure, "The curves could not be fetched. Reload the page; the table below says the same.");
