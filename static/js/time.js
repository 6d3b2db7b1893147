// Pointing at a chart of periods says what the bin holds, in every chart at once; pressing one of a large chart opens its passages. A chart of groups
// has a row for each, which says what it holds, and opens its passages in small charts, too.
import { count, percent } from "./format.js";

const box = document.querySelector("[data-trends]");
const charts = [...(box?.querySelectorAll("svg[data-left]") ?? [])];
const chartsOfGroups = [...(box?.querySelectorAll("svg[data-row-height]") ?? [])];
const outputs = [...(box?.querySelectorAll("output[data-read]") ?? [])];
let page; // the page's .json twin, asked for when it is first needed

// The list of topics to choose from is closed until a link to it is pressed.
const others = document.getElementById("others");
for (const link of document.querySelectorAll('a[href="#others"]')) link.addEventListener("click", () => { others.open = true; });

const asked = () => (page ??= fetch(box.dataset.json).then((answer) => (answer.ok ? answer.json() : null), () => null));

function binAt(svg, event) {
  const frame = svg.getBoundingClientRect();
  const x = ((event.clientX - frame.left) / frame.width) * svg.viewBox.baseVal.width;
  return Math.floor((x - Number(svg.dataset.left)) / Number(svg.dataset.step));
}

function say(data, i) {
  const bin = data?.bins[i];
  for (const [n, svg] of charts.entries()) {
    const cross = svg.querySelector("[data-cross]");
    const x = Number(svg.dataset.left) + (i + 0.5) * Number(svg.dataset.step);
    cross.setAttribute("d", bin ? `M${x} ${cross.dataset.top}V${cross.dataset.foot}` : "");
    const number = Number(svg.closest("[data-topic]").dataset.topic);
    const topic = data?.topics.find((each) => each.number === number); // charts are in order of their changes
    outputs[n].textContent = bin && topic ? sentence(bin, topic, i) : "";
  }
}

function sentence(bin, topic, i) {
  if (topic.share[i] === null) return `${bin.label}: no documents`;
  const documents = bin.documents === 1 ? "1 document" : `${count(bin.documents)} documents`;
  const ends = topic.low[i] === null ? "" : ` (${percent(topic.low[i])} to ${percent(topic.high[i])})`;
  return `${bin.label}: ${percent(topic.share[i])}${ends}, ${documents}`;
}

function rowAt(svg, event) {
  const frame = svg.getBoundingClientRect();
  const y = ((event.clientY - frame.top) / frame.height) * svg.viewBox.baseVal.height;
  return Math.floor((y - Number(svg.dataset.firstRow)) / Number(svg.dataset.rowHeight));
}

function openPassages(topic, bin) {
  if (!bin?.documents) return;
  const address = new URL(location);
  address.searchParams.set("topics", topic);
  address.searchParams.set("bin", bin.label);
  address.hash = "passages";
  location.assign(address);
}

for (const svg of chartsOfGroups) {
  const figure = svg.closest("[data-topic]"), number = Number(figure.dataset.topic), output = figure.querySelector("output[data-read]");
  svg.addEventListener("pointermove", async (event) => {
    const i = rowAt(svg, event), data = await asked();
    const bin = data?.bins[i], topic = data?.topics.find((each) => each.number === number);
    output.textContent = bin && topic ? sentence(bin, topic, i) : "";
  });
  svg.addEventListener("pointerleave", () => { output.textContent = ""; });
  svg.addEventListener("click", async (event) => openPassages(number, (await asked())?.bins[rowAt(svg, event)]));
}

for (const svg of charts) {
  svg.addEventListener("pointermove", async (event) => say(await asked(), binAt(svg, event)));
  svg.addEventListener("pointerleave", async () => say(await asked(), -1));
  if (svg.matches(".large")) svg.addEventListener("click", async (event) => {
    openPassages(Number(svg.closest("[data-topic]").dataset.topic), (await asked())?.bins[binAt(svg, event)]);
  });
}
